"""What a post says, where it goes and is looked for, and how long it waits; test_delivery.py follows it on its way."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.changes import AddMembership, Say, UpdateAgent, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.events import MessagesDeleted
from bot.core.kinds import LetterKind, LetterState, ReasonKind, SenderKind
from bot.core.letters import PostPayload, TopicPayload
from bot.core.records import (
    AgentId,
    BeatId,
    Letter,
    LetterId,
    Message,
    MessageId,
    Room,
    SceneId,
    Sender,
    Snowflake,
)
from bot.core.spending import day_of
from bot.core.view import RoomView
from bot.core.wording import honest
from bot.engine.posting import CLOCKS_APART, LOOK_SECONDS, PostContext, before, fate_seconds, files_of, worded
from tests.engine.recording import LOST_AFTER, LOST_BEFORE, OWN_FACE
from tests.engine.town import ADA, ADAS, BOB, BOBS, Town, town, until
from tests.factories import COMMUNITY_ID, GUILD_ID, agent, by_agent, by_person, later, membership, message, room, view
from tests.fakes import START

HALL = AgentId(1)
CHANNEL = room(1).channel_id
THREAD = Snowflake(4_000)
SYSTEM = Sender(kind=SenderKind.SYSTEM)


def post(
    said: Message | None = None,
    answered: Message | None = None,
    *,
    place: Room | None = None,
    config: CommunityConfig | None = None,
    members: tuple[int, ...] = (1, 2),
    not_before: datetime | None = None,
) -> PostContext:
    """A post of agent 1 in its own room, or in another place of it."""
    here = place or room(1)
    them = tuple(map(AgentId, members))
    shown = [RoomView(room=room(1), members=them), RoomView(room=here, members=them)]
    seen = view([agent(1), agent(2)], rooms=shown, config=config)
    words = said or message(5, "Yes.", sender=by_agent(1))
    return PostContext(seen, here, words, answered, None, (), not_before)


def asked(**fields: Any) -> Message:  # noqa: ANN401
    return message(4, "Tea?", **fields)


def link(name: str, channel: int | None, post_id: int | None) -> str:
    return f"[{name}](https://discord.com/channels/{GUILD_ID}/{channel}/{post_id})"


def test_a_post_says_what_its_message_says_and_links_what_it_answers() -> None:
    assert worded(post()) == "Yes."
    there = asked()
    assert worded(post(answered=there)) == f"-# ↪ {link('@mira', CHANNEL, there.discord_id)}\nYes."
    by_other = asked(sender=by_agent(2))
    assert worded(post(answered=by_other)) == f"-# ↪ {link('Agent2', CHANNEL, there.discord_id)}\nYes."
    gone = asked(sender=by_agent(9))
    assert worded(post(answered=gone)).startswith("-# ↪ [9](")
    own = asked(sender=by_agent(1))
    assert worded(post(answered=own)) == f"-# ↻ once more, after {link('Agent1', CHANNEL, there.discord_id)}\nYes."


def test_what_was_said_in_a_thread_is_linked_there_and_what_is_not_posted_is_only_named() -> None:
    there = asked(thread_id=THREAD)
    assert worded(post(answered=there)).startswith(f"-# ↪ {link('@mira', THREAD, there.discord_id)}\n")
    assert worded(post(answered=asked(discord_id=None))) == "-# ↪ @mira\nYes."
    assert worded(post(answered=asked(sender=SYSTEM))).startswith("-# ↪ [System](")


def test_no_name_can_end_its_link() -> None:
    odd = asked(sender=by_person("a](https://x) *b*"), discord_id=None)
    assert worded(post(answered=odd)) == "-# ↪ @a\\]\\(https://x\\) \\*b\\*\nYes."


def test_a_post_goes_to_the_thread_it_is_said_in_else_to_that_of_what_it_answers() -> None:
    private = room(7, thread_of=HALL, channel_id=THREAD)
    assert (post().thread_id, post().channel_id) == (None, CHANNEL)
    assert post(answered=asked(thread_id=THREAD)).thread_id == THREAD
    in_thread = message(5, sender=by_agent(1), thread_id=Snowflake(4_001))
    assert post(in_thread, asked(thread_id=THREAD)).thread_id == 4_001
    aside = post(in_thread, asked(thread_id=Snowflake(4_002)), place=private)
    assert (aside.thread_id, aside.channel_id) == (THREAD, CHANNEL)
    assert post(place=room(1, channel_id=None)).channel_id is None


def test_a_post_waits_for_its_rooms_pace_but_looks_now_and_then() -> None:
    assert post().waits_seconds(START) == 0
    assert post(not_before=later(-1)).waits_seconds(START) == 0
    assert post(not_before=later(4)).waits_seconds(START) == 4
    assert post(not_before=later(400)).waits_seconds(START) == LOOK_SECONDS


def test_only_what_a_beat_had_system_tell_waits_for_the_end_of_a_hush() -> None:
    hushed = room(1, hushed_until=later(6))
    told = message(5, sender=SYSTEM, beat_id=BeatId(3))
    assert post(told, place=hushed).waits_seconds(START) == 6
    assert post(told, place=hushed, not_before=later(8)).waits_seconds(START) == 8
    assert post(replace(told, beat_id=None), place=hushed).waits_seconds(START) == 0
    assert post(place=hushed).waits_seconds(START) == 0


def test_a_trace_is_waited_for_twice_as_long_each_time_up_to_five_minutes() -> None:
    context = post(config=CommunityConfig(fate_seconds=5))
    assert [fate_seconds(context, attempts) for attempts in (0, 1, 2, 3, 6, 7, 8)] == [5, 5, 10, 20, 160, 300, 300]


def letter(kind: LetterKind, payload: Any) -> Letter:  # noqa: ANN401
    return Letter(
        id=LetterId(1),
        community_id=COMMUNITY_ID,
        room_id=HALL,
        kind=kind,
        payload=payload.stored(),
        not_before=START,
        created_at=START,
    )


def test_files_are_those_that_the_letter_of_a_post_keeps() -> None:
    assert files_of(letter(LetterKind.POST, PostPayload(files=(("a.txt", "A"),)))) == (("a.txt", "A"),)
    assert files_of(letter(LetterKind.POST, PostPayload())) == ()
    assert files_of(letter(LetterKind.TOPIC, TopicPayload(topic="tea"))) == ()


def made_at(id_: int) -> datetime:
    """Give when Discord made something, as Discord documents its ids."""
    return datetime(2015, 1, 1, tzinfo=UTC) + timedelta(milliseconds=id_ >> 22)


@given(st.datetimes(datetime(2016, 1, 1), datetime(2080, 1, 1)))  # noqa: DTZ001
def test_nothing_that_is_made_from_a_moment_on_lies_before_it(moment: datetime) -> None:
    at = moment.replace(tzinfo=UTC)
    assert timedelta(0) <= (at - CLOCKS_APART) - made_at(before(at)) < timedelta(milliseconds=2)


@pytest.mark.parametrize("moment", [datetime(2015, 1, 1, tzinfo=UTC), datetime(1990, 1, 1, tzinfo=UTC)])
def test_before_discord_there_was_nothing(moment: datetime) -> None:
    assert before(moment) == 0


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town() as made:
        yield made


async def answer_in_thread(here: Town, content: str = "Here too.") -> Snowflake:
    """Let Ada answer something that was said in a thread of her room; gives the thread."""
    thread = here.publisher.id()
    await here.hear("in a thread", thread_id=thread)
    (question,) = await here.history()
    await here.say(ADA, content, reply_to=question.id)
    return thread


async def test_a_post_in_a_thread_whose_answer_was_lost_is_looked_for_in_both_places(here: Town) -> None:
    here.publisher.trouble.append(LOST_AFTER)
    thread = await answer_in_thread(here)
    await here.deliver()
    await here.deliver(60)
    assert len(here.publisher.posts) == 1 and await here.waiting() == []
    assert here.publisher.looked_in == [(GUILD_ID, ADAS), (GUILD_ID, thread)]


async def test_where_the_thread_is_gone_its_post_is_looked_for_in_the_channel_alone(here: Town) -> None:
    here.publisher.trouble.append(LOST_BEFORE)
    here.publisher.gone.add(await answer_in_thread(here))
    await here.deliver()
    await here.deliver(60)
    assert len(here.publisher.posts) == 1 and await here.waiting() == []


async def test_of_two_traces_only_as_many_are_taken_as_parts_are_missing(here: Town) -> None:
    await here.say(ADA, "first")
    await here.deliver()
    here.publisher.trouble.append(LOST_AFTER)
    await here.say(ADA, "second")
    waits = next(iter(await here.waiting()))
    await here.deliver()
    sent = here.publisher.posts[-1][0]
    assert [one.discord_id for one in await here.history() if one.id == waits.message_id] == [sent]
    assert here.publisher.looked_in == [(GUILD_ID, ADAS)]


async def test_what_is_deleted_amid_its_parts_goes_from_the_thread_it_was_in(here: Town) -> None:
    thread = await answer_in_thread(here, "\n\n".join(letter * 1_500 for letter in "abc"))
    here.publisher.seconds_per_post = 2
    carrying = asyncio.ensure_future(here.delivery.run_once(here.clock.now()))
    await until(lambda: here.clock.sleeping)
    await here.clock.advance(2)
    await until(lambda: here.clock.sleeping)
    ((first, _),) = here.publisher.posts
    await here.intake.take(MessagesDeleted(guild_id=GUILD_ID, channel_id=thread, message_ids=(first,)))
    await here.clock.advance(2)
    await carrying
    left = [one for one in await here.waiting() if one.kind is LetterKind.REMOVAL]
    assert left and {one.payload["thread_id"] for one in left} == {thread}
    await here.deliver()
    assert here.publisher.posts == []


async def test_a_post_says_where_whose_and_for_whom_it_is(here: Town) -> None:
    thread = await answer_in_thread(here)
    await here.deliver()
    ((_, made),) = here.publisher.posts
    assert (made.guild_id, made.channel_id, made.thread_id, made.only_there) == (GUILD_ID, ADAS, thread, False)
    assert (made.name, made.files, made.pings) == ("Ada", (), False)


@pytest.mark.parametrize("how", ["its own", "none to be had", "no home"])
async def test_a_picture_is_the_agents_own_or_drawn_at_home_or_done_without(here: Town, how: str) -> None:
    if how == "its own":
        await here.apply(UpdateAgent(agent_id=BOB, fields={"avatar_url": "https://a.example/bob.png"}))
    elif how == "no home":
        await here.apply(UpdateRoom(room_id=BOB, fields={"channel_id": None}))
    else:
        here.publisher.faceless.add(BOB)
    await here.say(BOB, "Visiting.", room_id=ADA)
    await here.deliver()
    ((_, made),) = here.publisher.posts
    assert (made.name, made.avatar_url) == ("Bob", "https://a.example/bob.png" if how == "its own" else None)


async def test_what_system_says_bears_its_name_and_the_bots_picture(here: Town) -> None:
    async with here.store.writing(here.community_id) as write:
        id_ = MessageId(write.ids.take("message"))
        told = Say(message_id=id_, room_id=ADA, sender=SYSTEM, content="Bob left.", sent_at=here.clock.now())
        await write.apply(here.community_id, [told])
    await here.deliver()
    ((_, made),) = here.publisher.posts
    assert (made.name, made.avatar_url, made.content) == ("System", OWN_FACE, "Bob left.")


async def test_the_files_beside_a_message_go_with_its_last_part_after_what_did_not_fit(here: Town) -> None:
    beside = (("a.txt", "A"),)
    await here.say(ADA, "\n\n".join(f"{number}. " + "word " * 150 for number in range(20)), files=beside)
    await here.deliver()
    *earlier, last = [[name for name, _ in made.files] for _, made in here.publisher.posts]
    assert (earlier, last) == ([[], []], ["rest.txt", "a.txt"])
    assert here.publisher.posts[-1][1].files[-1] == ("a.txt", b"A")


async def test_a_room_without_a_channel_is_waited_for_a_day_and_one_of_a_retired_agent_not_at_all(here: Town) -> None:
    await here.apply(UpdateRoom(room_id=ADA, fields={"channel_id": None}))
    await here.say(ADA, "Soon.")
    await here.deliver()
    (letter,) = await here.waiting()
    assert (letter.state, letter.not_before) == (LetterState.WAITING, later(2))
    await here.apply(UpdateRoom(room_id=ADA, fields={"channel_id": ADAS}))
    await here.deliver(2)
    assert here.publisher.said() == ["Soon."]
    await here.apply(UpdateRoom(room_id=ADA, fields={"channel_id": None}))
    await here.say(ADA, "Never.")
    await here.deliver(86_000)
    assert len(await here.waiting()) == 1
    await here.deliver(500)
    assert await here.waiting() == []
    retired = UpdateAgent(agent_id=BOB, fields={"retired_at": here.clock.now()})
    await here.say(BOB, "Nor this.")
    await here.apply(UpdateRoom(room_id=BOB, fields={"channel_id": None}), retired)
    await here.deliver()
    assert await here.waiting() == [] and here.publisher.said(BOBS) == []


async def test_a_message_without_words_is_posted_nowhere(here: Town) -> None:
    await here.say(ADA, "  ")
    await here.deliver()
    assert here.publisher.posts == [] and await here.waiting() == []


async def test_a_busy_room_is_waited_for_and_looked_at_again(here: Town) -> None:
    await here.apply(UpdateRoom(room_id=ADA, fields={"rpm": 10}))
    for number in range(11):
        await here.say(ADA, str(number))
    await here.deliver()
    assert len(here.publisher.posts) == 10
    (letter,) = await here.waiting()
    assert (letter.state, letter.attempts, letter.not_before) == (LetterState.WAITING, 0, later(LOOK_SECONDS))
    await here.deliver(60)
    assert len(here.publisher.posts) == 11


async def test_who_overhears_a_post_looks_later_while_the_days_money_is_short() -> None:
    async def waits_for(cost: str) -> float:
        async with town(CommunityConfig(usd_per_day=Decimal(1))) as here:
            looked = UpdateAgent(agent_id=BOB, fields={"last_beat_at": START})
            await here.apply(AddMembership(membership=membership(BOB, ADA)), looked)
            async with here.store.writing(here.community_id) as write:
                await write.money.reserve(here.community_id, day_of(START), usd=Decimal(cost), tokens=0)
            await here.say(ADA, "The fog comes in.")
            await here.deliver()
            (reason,) = (await here.view()).reasons[BOB]
            assert reason.kind is ReasonKind.AMBIENT
            return (reason.due_at - here.clock.now()).total_seconds()

    assert await waits_for("0.9") > await waits_for("0") > 0


async def test_each_time_it_is_lost_a_post_is_waited_for_twice_as_long(here: Town) -> None:
    here.publisher.trouble.extend([LOST_BEFORE] * 3)
    await here.say(ADA, "Hello!")
    waited = []
    for _ in range(3):
        await here.deliver()
        (letter,) = await here.waiting()
        waited.append(((letter.not_before - here.clock.now()).total_seconds(), letter.attempts))
        await here.clock.advance(waited[-1][0])
    assert waited == [(5, 1), (10, 2), (20, 3)]
    await here.deliver()
    assert here.publisher.said() == ["Hello!"]


def test_in_a_scene_what_system_tells_of_players_leads_nobody_astray() -> None:
    link = "[here](https://a.example)"
    told = message(5, link, sender=SYSTEM, scene_id=SceneId(3))
    assert worded(post(told)) == honest(link) != link
    assert worded(post(replace(told, scene_id=None))) == link
    assert worded(post(replace(told, sender=by_agent(1)))) == link


def test_of_people_of_whom_system_tells_each_is_mentioned_by_the_whole_of_their_name() -> None:
    told = message(5, "@bo nods. @bo.li: so does @bob, and @bo.", sender=SYSTEM, scene_id=SceneId(3))
    people = {"@bo": "<@1>", "@bo.li": "<@2>"}
    assert worded(replace(post(told), mentions=people)) == "<@1> nods. <@2>: so does @bob, and <@1>."
