"""Whatever order live events, repeats and what is read on come in: the same is known in the end, on both databases."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from bot.core.events import (
    ChannelDeleted,
    Event,
    MessageEdited,
    MessagesDeleted,
    MessageSeen,
    ReactionChanged,
    ReactionsCleared,
    ReactionsFound,
    ThreadDeleted,
)
from bot.core.records import MessageId, Person, Snowflake
from storage.store import SqlStore
from tests.engine.town import ADA, ADAS, Town, town
from tests.factories import GUILD_ID, person
from tests.fakes import START
from tests.storage.databases import postgresql_database

PEOPLE = [person(f"person{number}", 501 + number) for number in range(3)]
EMOJI = ["👍", "👎", "🎉"]
STEPS = {"👍": -0.5, "👎": 0.5, "🎉": 0.0}
NAMES = {"👍": "thumbs_up", "👎": "thumbs_down", "🎉": "🎉"}
KINDS = ["say", "say", "say", "edit", "delete", "delete", "bulk", "react", "react", "unreact", "clear", "thread gone"]
FIRST_THREAD = Snowflake(77)
STEP = st.tuples(st.sampled_from(KINDS), st.integers(0, 99), st.integers(0, 2), st.integers(0, 2))
Row = tuple[object, ...]
Happening = Event | Sequence[MessageSeen]


@dataclass
class Discord:
    """What happened in a room on Discord, and what can be read there now; `ours` is a post of Ada's."""

    ours: Snowflake
    events: list[Event] = field(default_factory=list)
    there: dict[Snowflake, MessageSeen] = field(default_factory=dict)
    reactions: set[tuple[Snowflake, str, int]] = field(default_factory=set)
    touched: set[tuple[Snowflake, str]] = field(default_factory=set)
    said: int = 0
    thread: Snowflake = FIRST_THREAD

    def happen(self, kind: str, which: int, who: int, emoji: int) -> None:
        ids = list(self.there)
        match kind:
            case "say":
                self._say(which, PEOPLE[who])
            case "edit" if ids:
                self._edit(ids[which % len(ids)])
            case "delete" if ids:
                self._delete([ids[which % len(ids)]])
            case "bulk" if len(ids) > 1:
                self._delete(ids[which % len(ids) :][:3])
            case "thread gone":
                self._thread_gone()
            case "react":
                self._react(kind, [self.ours, *ids][which % (len(ids) + 1)], who, EMOJI[emoji])
            case "unreact" | "clear" if self.reactions:
                id, its_emoji, its_who = sorted(self.reactions)[which % len(self.reactions)]
                self._react(kind, id, its_who, its_emoji)

    def _say(self, which: int, author: Person) -> None:
        self.said += 1
        at = START + timedelta(milliseconds=self.said // 2)  # two in a millisecond
        answered = [None, self.ours, *self.there][which % (len(self.there) + 2)]
        said = MessageSeen(
            guild_id=GUILD_ID,
            channel_id=ADAS,
            thread_id=self.thread if which % 4 == 0 else None,
            message_id=Snowflake(self.ours + self.said),
            author=author,
            content=f"word number {self.said}",
            sent_at=at,
            reply_to=answered,
        )
        self.events.append(said)
        self.there[said.message_id] = said

    def _edit(self, id: Snowflake) -> None:
        old = self.there[id]
        at = (old.edited_at or old.sent_at) + timedelta(seconds=1)
        new = replace(old, content=f"{old.content}, word", edited_at=at)
        self.there[id] = new
        edited = MessageEdited(
            guild_id=GUILD_ID, channel_id=ADAS, message_id=id, content=new.content, edited_at=at, author_id=PEOPLE[0].id
        )
        self.events.append(edited)

    def _delete(self, ids: Sequence[Snowflake]) -> None:
        self.events.append(MessagesDeleted(guild_id=GUILD_ID, channel_id=ADAS, message_ids=tuple(ids)))
        self._gone(ids)

    def _thread_gone(self) -> None:
        """Discord deletes what was said there with it; nothing tells which messages those were."""
        ids = [id for id, one in self.there.items() if one.thread_id == self.thread]
        self.events.append(ThreadDeleted(guild_id=GUILD_ID, channel_id=ADAS, thread_id=self.thread))
        self.thread = Snowflake(self.thread + 1)
        self._gone(ids)

    def _gone(self, ids: Sequence[Snowflake]) -> None:
        for id in ids:
            del self.there[id]
        self.reactions = {one for one in self.reactions if one[0] not in ids}

    def _react(self, kind: str, id: Snowflake, who: int, emoji: str) -> None:
        self.touched.add((id, emoji))
        if kind == "clear":
            all_of_it = emoji if who else None
            self.events.append(ReactionsCleared(guild_id=GUILD_ID, channel_id=ADAS, message_id=id, emoji=all_of_it))
            self.reactions = {one for one in self.reactions if one[0] != id or all_of_it not in (None, one[1])}
            return
        added = kind == "react"
        self.reactions = self.reactions | {(id, emoji, who)} if added else self.reactions - {(id, emoji, who)}
        changed = ReactionChanged(
            guild_id=GUILD_ID,
            channel_id=ADAS,
            message_id=id,
            user_id=PEOPLE[who].id,
            person=PEOPLE[who] if added else None,
            emoji=emoji,
            added=added,
            at=START,
        )
        self.events.append(changed)

    def standing(self) -> list[Event]:
        """What looking again finds of reactions."""
        return [
            ReactionsFound(
                guild_id=GUILD_ID,
                channel_id=ADAS,
                message_id=id,
                emoji=emoji,
                people=tuple(PEOPLE[who] for one, its, who in sorted(self.reactions) if (one, its) == (id, emoji)),
            )
            for id, emoji in sorted(self.touched)
        ]

    def rows(self) -> list[Row]:
        """What is to be known in the end, in Discord's order."""
        ours: Row = (self.ours, "like it?", False, None, self._counts(self.ours))
        known = {self.ours, *self.there}
        theirs = [
            (
                one.message_id,
                one.content,
                one.edited_at is not None,
                one.reply_to if one.reply_to in known else None,
                self._counts(one.message_id),
            )
            for one in self.there.values()
        ]
        return [ours, *theirs]

    def _counts(self, id: Snowflake) -> frozenset[tuple[str, int]]:
        its = [NAMES[emoji] for one, emoji, _ in self.reactions if one == id]
        return frozenset((name, its.count(name)) for name in its)

    @property
    def interval(self) -> float:
        """Ada's, as the reactions on her post leave it."""
        return 5.0 + sum(STEPS[emoji] for id, emoji, _ in self.reactions if id == self.ours)


def is_about_reactions(event: Event) -> bool:
    return isinstance(event, ReactionChanged | ReactionsCleared)


def mixed(data: st.DataObject, discord: Discord, events: Sequence[Event]) -> list[Happening]:
    """Put events and repeats of them in any order, with what is read on in between."""
    repeated = data.draw(st.lists(st.sampled_from(events), max_size=4)) if events else []
    shuffled: list[Happening] = list(data.draw(st.permutations([*events, *repeated])))
    final = sorted(discord.there.values(), key=lambda one: one.message_id)
    for _ in range(data.draw(st.integers(1, 2))):
        chosen = data.draw(st.lists(st.booleans(), min_size=len(final), max_size=len(final)))
        some = [one for one, is_chosen in zip(final, chosen, strict=True) if is_chosen]
        shuffled.insert(data.draw(st.integers(0, len(shuffled))), some)
    return shuffled


def thread_ends_last(happenings: Sequence[Happening]) -> list[Happening]:
    """A thread's end names no messages: what comes after it cannot be told to have gone with it."""
    return sorted(happenings, key=lambda one: isinstance(one, ThreadDeleted))


@asynccontextmanager
async def with_a_post(url: str) -> AsyncIterator[tuple[Town, Discord]]:
    """Open the town anew, with something that Ada said."""
    async with await SqlStore.open(url) as store, store.database.writing() as connection:
        await connection.execute(text("DELETE FROM communities"))
    async with town(url=url) as here:
        await here.say(ADA, "like it?")
        await here.deliver()
        [said] = await here.history()
        assert said.discord_id is not None
        yield here, Discord(said.discord_id)


async def take(here: Town, happenings: Sequence[Happening]) -> None:
    for happened in happenings:
        if isinstance(happened, Sequence):
            await here.intake.take_read_on(happened)
        else:
            await here.intake.take(happened)


async def known(here: Town) -> list[Row]:
    """What is stored, by Discord's ids; found by search and counted alike."""
    history = await here.history()
    by_id = {message.id: message.discord_id for message in history}
    async with here.store.reading() as read:
        found = await read.talk.search(here.community_id, "word", room_ids=[ADA], limit=500)
        view = (await read.views.whole(here.community_id, room_ids=[ADA], messages=1)).rooms[ADA]
    assert {message.id for message, _ in found} == {one.id for one in history if one.sender.is_human}
    assert view.older + len(view.messages) == len(history)
    return [
        (
            one.discord_id,
            one.content,
            one.edited,
            by_id.get(one.reply_to or MessageId(0)),
            frozenset(one.reactions),
        )
        for one in history
    ]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "sqlite":
        yield "sqlite://"
        return
    loop = asyncio.new_event_loop()
    made = postgresql_database()
    database = loop.run_until_complete(made.__aenter__())
    if database is None:
        pytest.skip("no PostgreSQL server answers on this machine")
    yield database.url
    loop.run_until_complete(made.__aexit__(None, None, None))
    loop.close()


@pytest.mark.long
@settings(max_examples=10, deadline=None)
@given(steps=st.lists(STEP, min_size=12, max_size=30), data=st.data())
def test_any_order_any_repeats_and_a_last_look_give_the_same(
    url: str, steps: list[tuple[str, int, int, int]], data: st.DataObject
) -> None:
    async def run() -> None:
        async with with_a_post(url) as (here, discord):
            for step in steps:
                discord.happen(*step)
            await take(here, thread_ends_last(mixed(data, discord, discord.events)))
            await here.intake.take_read_on(list(discord.there.values()))
            await take(here, discord.standing())
            assert await known(here) == discord.rows()
            assert (await here.view()).agents[ADA].interval_seconds == discord.interval

    asyncio.run(run())


@pytest.mark.long
@settings(max_examples=10, deadline=None)
@given(steps=st.lists(STEP, min_size=12, max_size=30), data=st.data())
def test_reactions_in_their_own_order_need_no_last_look(
    url: str, steps: list[tuple[str, int, int, int]], data: st.DataObject
) -> None:
    """The gateway keeps their order; everything else may come before them in any, and each of them twice."""

    async def run() -> None:
        async with with_a_post(url) as (here, discord):
            for step in steps:
                discord.happen(*step)
            others = [event for event in discord.events if not is_about_reactions(event)]
            reactions = [event for event in discord.events if is_about_reactions(event) for _ in range(2)]
            read_on = sorted(discord.there.values(), key=lambda one: one.message_id)
            await take(here, [*thread_ends_last(mixed(data, discord, others)), read_on, *reactions])
            assert await known(here) == discord.rows()
            assert (await here.view()).agents[ADA].interval_seconds == discord.interval

    asyncio.run(run())


@settings(max_examples=6, deadline=None)
@given(steps=st.lists(STEP, min_size=6, max_size=15), data=st.data())
def test_of_a_deleted_channel_nothing_is_left_whenever_that_is_told(
    url: str, steps: list[tuple[str, int, int, int]], data: st.DataObject
) -> None:
    async def run() -> None:
        async with with_a_post(url) as (here, discord):
            for step in steps:
                discord.happen(*step)
            gone = ChannelDeleted(guild_id=GUILD_ID, channel_id=ADAS)
            await take(here, mixed(data, discord, [*discord.events, gone]))
            assert await known(here) == []
            assert (await here.view()).agents[ADA].retired_at is not None

    asyncio.run(run())
