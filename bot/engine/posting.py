"""Messages as posts: worded, split, and looked for before they are ever sent a second time.

The rules are in docs/architecture.md#the-way-out.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from bot.core.addressing import ways_of
from bot.core.changes import Change
from bot.core.errors import ChannelGone, FateUnknown, Limited, PublishError
from bot.core.kinds import LetterState, SenderKind
from bot.core.letters import PostPayload, parse_payload
from bot.core.pace import next_post_at
from bot.core.ports import Clock, Expected, Metrics, Moves, Post, Publisher, Store, Writing
from bot.core.post_removal import Parts, removal
from bot.core.reasons import reasons_for
from bot.core.records import SYSTEM_NAME, Letter, Message, Room, Snowflake
from bot.core.spans import SpanKind
from bot.core.spending import day_of, of_day
from bot.core.splitting import Split, split
from bot.core.view import Roster
from bot.core.wording import honest
from bot.engine.moderation import Moderation
from bot.engine.scene_posts import mentions_of
from bot.engine.setbacks import GIVE_UP_AFTER
from bot.engine.spans import Spans

NO_CHANNEL_SECONDS = 2.0
LOOK_SECONDS = 10.0  # for what may change meanwhile: a hush may end, a room may take more messages a minute
DISCORD_EPOCH_MS = 1_420_070_400_000
CLOCKS_APART = timedelta(minutes=10)
REST_FILE = "rest.txt"
NOBODY: Mapping[str, str] = {}


class Withdrawn(Exception):
    """The message was deleted while it was being posted."""


@dataclass(frozen=True, slots=True)
class PostContext:
    """What one post needs to know."""

    view: Roster
    room: Room
    message: Message
    answered: Message | None
    last_posted: Snowflake | None
    files: tuple[tuple[str, str], ...]  # beside it
    not_before: datetime | None  # the room takes so many messages of agents a minute
    mentions: Mapping[str, str] = field(default_factory=dict)  # of people of whom System tells, by `@username`

    @property
    def thread_id(self) -> Snowflake | None:
        """The thread it goes to: the private one that the place is, or that of the message it answers."""
        if self.room.thread_of is not None:
            return self.room.channel_id
        if self.message.thread_id is not None:
            return self.message.thread_id
        return self.answered.thread_id if self.answered else None

    @property
    def channel_id(self) -> Snowflake | None:
        """The channel whose webhook posts it."""
        return self.view.all_rooms[self.room.owner_id].channel_id if self.room.channel_id is not None else None

    def waits_seconds(self, now: datetime) -> float:
        """Give for how long it is not posted yet, at most until it is looked at again."""
        stirred = self.message.sender.kind is SenderKind.SYSTEM and self.message.beat_id is not None
        times = [self.not_before, self.room.hushed_until if stirred else None]
        return min(LOOK_SECONDS, max([0.0, *((at - now).total_seconds() for at in times if at is not None)]))


class Posting:
    """Carries POST letters; `posted` is told where something appears, `on_due` that somebody may beat for it."""

    def __init__(
        self,
        store: Store,
        publisher: Publisher,
        clock: Clock,
        metrics: Metrics,
        *,
        posted: Callable[[Snowflake], None],
        on_due: Callable[[], None],
        moderation: Moderation,
    ) -> None:
        self._store = store
        self._publisher = publisher
        self._clock = clock
        self._metrics = metrics
        self._spans = Spans(metrics, clock)
        self._posted = posted
        self._on_due = on_due
        self._moderation = moderation

    async def carry(self, letter: Letter) -> None:
        """Post a letter's parts, or find that they were posted; raises PublishError when its fate stays open."""
        context = await self._context(letter)
        if context is None:
            await self._mark(letter, LetterState.FAILED)
            return
        if context.channel_id is None:
            gone = (
                context.room.thread_of is not None or context.view.agents[context.room.owner_id].retired_at is not None
            )
            in_vain = gone or self._clock.now() - letter.created_at > GIVE_UP_AFTER
            state = LetterState.FAILED if in_vain else letter.state
            await self._mark(letter, state, wait_seconds=NO_CHANNEL_SECONDS)
            return
        seconds = context.waits_seconds(self._clock.now())
        if seconds > 0 and letter.state is LetterState.WAITING:
            await self._mark(letter, letter.state, wait_seconds=seconds)
            return
        said = split(worded(context))
        if not said.parts:
            await self._mark(letter, LetterState.FAILED)
            return
        if not await self._moderation.holds(letter, context.message, context.files, context.view):
            await self._post_all(letter, context, said)

    async def _context(self, letter: Letter) -> PostContext | None:
        if letter.message_id is None:
            return None
        async with self._store.reading() as read:
            views = read.views
            said = await views.to_post(letter.community_id, message_id=letter.message_id, room_id=letter.room_id)
            if said is None:
                return None
            files = files_of(await read.letters.whole(letter))
            mentions = await mentions_of(read, letter.community_id, said.message)
        room, not_before = said.view.all_rooms[letter.room_id], next_post_at(said.earlier_at)
        return PostContext(said.view, room, said.message, said.answered, said.last_posted, files, not_before, mentions)

    async def _post_all(self, letter: Letter, context: PostContext, said: Split) -> None:
        known = list(letter.posted_as)
        try:
            await self._post_parts(letter, context, said, known)
        except Withdrawn:
            await self._take_back(letter, context, known)

    async def _take_back(self, letter: Letter, context: PostContext, known: list[Snowflake]) -> None:
        """The message was deleted meanwhile: what was posted of it goes, too."""
        parts = Parts(room_id=context.room.id, thread_id=context.thread_id, post_ids=tuple(known))
        async with self._store.writing(letter.community_id) as write:
            await write.apply(letter.community_id, [removal(parts, self._clock.now())] if known else [])

    async def _post_parts(self, letter: Letter, context: PostContext, said: Split, known: list[Snowflake]) -> None:
        """Post what is not yet known to be posted, adding to what is; raises Withdrawn when the message is deleted."""
        if letter.state is LetterState.SENDING:  # looking may fail too, and is then put off
            again = fate_seconds(context, letter.attempts)
            await self._mark(letter, LetterState.SENDING, wait_seconds=again)
            known += await self._find(letter, context, known, wanted=len(said.parts) - len(known))
        attempts = letter.attempts
        while len(known) < len(said.parts):
            attempts += 1
            wait = fate_seconds(context, attempts)
            if not await self._mark(letter, LetterState.SENDING, posted_as=known, attempts=attempts, wait_seconds=wait):
                raise Withdrawn
            post = await self._post(context, said, len(known))
            self._posted(post.thread_id or post.channel_id)
            try:
                known.append(await self._publisher.post(post))
            except FateUnknown:
                found = await self._find(letter, context, known, wanted=1)
                if not found:
                    raise
                known += found
            attempts = 0  # each part is waited for anew
        if not await self._sent(letter, context, known):
            raise Withdrawn

    async def _sent(self, letter: Letter, context: PostContext, known: list[Snowflake]) -> bool:
        """Keep that it was posted: from now on agents see it, and it is a reason to them; False: it is deleted."""
        now = self._clock.now()
        moves = Moves(
            letter_id=letter.id, author_id=context.message.sender.agent_id, room_id=context.message.room_id, posts=known
        )
        async with self._store.writing(letter.community_id, Expected(moves=moves, spent_on=day_of(now))) as write:
            there = await write.letters.move(
                letter.community_id, letter.id, LetterState.SENT, posted_as=known, at=now, shown_at=_moment(known[0])
            )
            if there and context.message.scene_id is None:
                await write.apply(letter.community_id, await _reasons(write, letter, context, now))
        self._on_due()
        self._metrics.observe("letter_seconds", max(0.0, (now - letter.not_before).total_seconds()), kind=letter.kind)
        if (beat_id := context.message.beat_id) is not None and context.message.scene_id is None:
            self._spans.note(SpanKind.LETTER, context.view.community, [beat_id], letter.created_at)
        return there

    async def _find(
        self, letter: Letter, context: PostContext, known: list[Snowflake], *, wanted: int
    ) -> list[Snowflake]:
        """Look for parts of which nobody told us: any post of our webhook after the last confirmed one is the next."""
        if wanted <= 0 or context.room.channel_id is None:
            return []
        after = max([*known, context.last_posted or before(letter.created_at)])
        guild_id = context.view.community.guild_id
        found = await self._seen(guild_id, context.room.channel_id, after)
        if context.thread_id not in (None, context.room.channel_id):
            with suppress(ChannelGone):
                found += await self._seen(guild_id, context.thread_id, after)
        return sorted(found)[:wanted]

    async def _seen(self, guild_id: Snowflake, channel_id: Snowflake, after: Snowflake) -> list[Snowflake]:
        return [id_ for id_, _, _ in await self._publisher.posted_after(guild_id, channel_id, after)]

    async def _post(self, context: PostContext, said: Split, index: int) -> Post:
        name, avatar_url = await self._author(context)
        last = index == len(said.parts) - 1
        rest = [(REST_FILE, said.rest)] if said.rest is not None else []
        files = tuple((name, text.encode()) for name, text in (*rest, *context.files)) if last else ()
        if context.channel_id is None:
            raise Limited("The room has no channel yet.", retry_after_seconds=NO_CHANNEL_SECONDS)
        return Post(
            guild_id=context.view.community.guild_id,
            channel_id=context.channel_id,
            name=name,
            avatar_url=avatar_url,
            content=said.parts[index],
            thread_id=context.thread_id,
            only_there=context.room.thread_of is not None or context.message.scene_id is not None,
            files=files,
            # System calls nobody: who wants to be called to a turn is, by a notice
            pings=context.view.config.pings and not context.mentions,
        )

    async def _author(self, context: PostContext) -> tuple[str, str | None]:
        """Give name and picture of the author; a picture that cannot be had is done without."""
        agent = context.view.agents.get(context.message.sender.agent_id or context.room.owner_id)
        if context.message.sender.kind is not SenderKind.AGENT or agent is None:
            return context.message.sender.shown(), self._publisher.own_face()  # else the room's owner lends its own
        if agent.avatar_url:
            return agent.name, agent.avatar_url
        home = context.view.all_rooms[agent.id].channel_id
        if home is None:
            return agent.name, None
        try:
            return agent.name, await self._publisher.face(context.view.community.guild_id, home, agent.id, agent.name)
        except PublishError:
            return agent.name, None

    async def _mark(
        self,
        letter: Letter,
        state: LetterState,
        *,
        posted_as: list[Snowflake] | None = None,
        attempts: int | None = None,
        wait_seconds: float = 0.0,
    ) -> bool:
        """Move the letter on; gives whether it is still there."""
        now = self._clock.now()
        async with self._store.writing(letter.community_id, Expected(moves=Moves(letter_id=letter.id))) as write:
            return await write.letters.move(
                letter.community_id,
                letter.id,
                state,
                attempts=attempts,
                not_before=now + timedelta(seconds=wait_seconds) if wait_seconds else None,
                posted_as=posted_as or (),
                at=now,
            )


async def _reasons(write: Writing, letter: Letter, context: PostContext, now: datetime) -> Sequence[Change]:
    """Give the reasons that a posted message is to the other members of its room."""
    view = await write.views.glance(letter.community_id, room_ids=[letter.room_id], messages=0, letters=False)
    stretch = of_day(await write.money.spent(letter.community_id, day_of(now)), view.config).stretch
    ways = ways_of(view, view.rooms[letter.room_id], context.message, replied=context.answered)
    return reasons_for(view, letter.room_id, context.message, now=now, ways=ways, stretch=stretch)


def fate_seconds(context: PostContext, attempts: int) -> float:
    """Give how long to wait for a trace before sending again: longer each time, at most five minutes."""
    return float(min(context.view.config.fate_seconds * 2 ** max(0, attempts - 1), 300.0))


def worded(context: PostContext) -> str:
    """Give the whole text to post: a small line that links what it answers, then what is said."""
    if context.answered is None:
        return content_of(context.message, context.mentions)
    own = context.answered.sender == context.message.sender
    sign = "↻ once more, after" if own else "↪"
    return f"-# {sign} {_linked(context, context.answered)}\n{content_of(context.message)}"


def content_of(message: Message, mentions: Mapping[str, str] = NOBODY) -> str:
    """Give what is posted of a message: in a scene System tells what players wrote, who would lead people astray.

    `mentions`: of the people of whom it tells, by `@username`; so each reads there by the name they have on Discord.
    """
    tells = message.scene_id is not None and message.sender.kind is SenderKind.SYSTEM
    told = honest(message.content) if tells else message.content
    if not mentions:
        return told
    names = "|".join(map(re.escape, sorted(mentions, key=len, reverse=True)))  # a name may begin another
    return re.sub(rf"(?:{names})(?!\.?\w)", lambda found: mentions[found[0]], told)


def files_of(letter: Letter) -> tuple[tuple[str, str], ...]:
    """Give the names and texts of what is posted beside a message."""
    payload = parse_payload(letter.kind, letter.payload)
    return payload.files if isinstance(payload, PostPayload) else ()


def _linked(context: PostContext, answered: Message) -> str:
    agent = context.view.agents.get(answered.sender.agent_id) if answered.sender.agent_id is not None else None
    name = agent.name if agent else answered.sender.shown() or SYSTEM_NAME
    shown = "".join(f"\\{sign}" if sign in "[]()\\*_~`|<>" else sign for sign in name)
    if answered.discord_id is None:
        return shown
    place = answered.thread_id or context.room.channel_id
    return f"[{shown}](https://discord.com/channels/{context.view.community.guild_id}/{place}/{answered.discord_id})"


def _moment(id_: Snowflake) -> datetime:
    """Give when something was made, by Discord's clock: there it has its place among what people say."""
    return datetime.fromtimestamp(((id_ >> 22) + DISCORD_EPOCH_MS) / 1000, UTC)


def before(moment: datetime) -> Snowflake:
    """Give a Discord id that nothing made from a moment of ours on is below, though the clocks differ."""
    return Snowflake(max(0, int((moment - CLOCKS_APART).timestamp() * 1000) - DISCORD_EPOCH_MS) << 22)
