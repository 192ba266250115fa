"""A small community in memory on which a situation is played, through intake, heartbeat and performer as anywhere."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Final, ParamSpec, TypeVar

from bot.core.actions import CreateKey, RequestAccess
from bot.core.actor import Actor
from bot.core.changes import AddAgent, AddMembership, Change, SetKnowledge, SetOverride
from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.events import MessageSeen
from bot.core.hud.formats.lines import said_tokens
from bot.core.kinds import Access, AgentType, Detail, InputFormat, LetterState, SenderKind, Visibility
from bot.core.models import OwnProvider, OwnProviders
from bot.core.ports import Cipher, Clock, Model, NewMessage, Random, Store, Workshop
from bot.core.records import (
    PUBLIC_SIDE,
    ActionRecord,
    AgentId,
    Attachment,
    Beat,
    Community,
    CommunityId,
    Membership,
    Message,
    Person,
    Room,
    Sender,
    Snowflake,
    Usage,
    WholeAgent,
)
from bot.core.spans import Span
from bot.core.spending import day_of
from bot.engine.heartbeat import CALL_SECONDS, Heartbeat
from bot.engine.intake import Intake
from bot.engine.performer import ActionContext, Performer
from bot.engine.trial.phrases import said
from bot.engine.trial.situations import KAI, TALLY, WREN, Line, Situation, Turn

P = ParamSpec("P")
T = TypeVar("T")
OpenStore = Callable[[CommunityConfig], AbstractAsyncContextManager[Store]]
SEEDS: Final = {
    WREN: "Wren keeps the old lighthouse at Gull Point: loves fog, tea and gulls, speaks briefly and kindly, and has "
    "never left the coast.",
    KAI: "Kai is a cheerful sailor who counts everything in knots and drinks black coffee.",
    TALLY: "Tally keeps lists of what people bring and need, in short and friendly words.",
}
NAMES: Final = {WREN: "Wren", KAI: "Kai", TALLY: "Tally"}
PEOPLE: Final = {"mira": 501, "rob": 502, "sue": 503}
SECRET: Final = "moonflower42"  # noqa: S105 - of a room that is nowhere
MOST_SLOTS: Final = 6  # of one turn: whoever fails is asked again
LOOKS_WITHIN: Final = timedelta(seconds=140)  # of what is said to nobody
LONG_AGO: Final = timedelta(hours=5)
RED: Final = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAATklEQVR42u3PQQkAAAgEsIty/UtqBN/CYAWWaV+LgICAgICAgICA"
    "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgMBlAVGY8R4qU2uaAAAAAElFTkSuQmCC"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """What came of one turn: agents' messages and actions, their beats, and the seconds that each slot took."""

    messages: Sequence[Message]
    actions: Sequence[ActionRecord]
    beats: Sequence[Beat]
    unusable: int  # answers of which nothing could be used, or none at all
    seconds: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Props:
    """What a stage is made of; `open_store` opens an empty one in memory."""

    open_store: OpenStore
    performer: Performer
    clock: Clock
    random: Random
    cipher: Cipher
    workshop: Workshop
    call_seconds: float = CALL_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How the model is asked on a stage."""

    model: Model
    name: str
    detail: Detail
    language: str
    temperature: float = 0.7
    input_format: InputFormat = InputFormat.TEXT


class _Ahead:
    """A clock that can be put forward, so that nobody waits for what is said to nobody."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._by = timedelta()

    def now(self) -> datetime:
        return self._clock.now() + self._by

    async def sleep(self, seconds: float) -> None:
        await self._clock.sleep(seconds)

    def timeout(self, seconds: float) -> AbstractAsyncContextManager[object]:
        return self._clock.timeout(seconds)

    def put_forward(self, to: datetime) -> None:
        self._by += max(timedelta(), to - self.now())


@dataclass(frozen=True, slots=True)
class _Only:
    """The `Models` port with one model in it."""

    model: Model

    async def of(self, providers: OwnProviders, community: Community) -> Model:
        return self.model

    def trial(self, provider: OwnProvider, key: str) -> AbstractAsyncContextManager[Model]:
        raise Rejected("On a stage no provider is tried.")


@dataclass(frozen=True, slots=True)
class InLane:
    """The `Workshop` port for one server: what is played on stages is its work, whatever they call themselves."""

    workshop: Workshop
    lane: int

    async def done(self, lane: int, work: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> T:
        """Do it when that server's turn comes."""
        return await self.workshop.done(self.lane, work, *given, **named)


class _Unmeasured:
    """The `Metrics` port: a stage is measured by what came of it."""

    def count(self, name: str, amount: float = 1, **labels: str) -> None: ...

    def observe(self, name: str, value: float, **labels: str) -> None: ...

    def span(self, span: Span) -> None: ...


class _Unplanned:
    """The `Planned` port: whoever plays a turn looks who is due."""

    def nudge(self, at: datetime) -> None: ...


@dataclass(slots=True)
class Stage:
    """One situation's community."""

    store: Store
    community_id: CommunityId
    guild_id: Snowflake
    clock: _Ahead
    intake: Intake
    heartbeat: Heartbeat
    performer: Performer
    random: Random
    asked: Asked
    begun: date
    _ids: "count[int]" = field(default_factory=lambda: count(1_000))

    async def play(self, turn: Turn) -> Happened:
        """Let a turn's lines be said and whoever is due beat, until nobody is."""
        self.clock.put_forward(self.clock.now() + timedelta(minutes=turn.minutes_later))
        before = await self._stands()
        for line in turn.said:
            await self._hear(line)
        seconds: list[float] = []
        unusable, until = 0, self.clock.now() + LOOKS_WITHIN
        for _ in range(MOST_SLOTS):
            at = await self.heartbeat.next_wake()
            if at is None or at > until:
                break
            self.clock.put_forward(at)
            failing, begun = await self._failures(), self.clock.now()
            await self.heartbeat.slot(begun)
            seconds.append((self.clock.now() - begun).total_seconds())
            unusable += sum(more > failing[id_] for id_, more in (await self._failures()).items())
            await self._post()
        after = await self._stands()
        return Happened(
            messages=after.messages[len(before.messages) :],
            actions=after.actions[len(before.actions) :],
            beats=after.beats[len(before.beats) :],
            unusable=unusable,
            seconds=seconds,
        )

    async def spent(self) -> Usage:
        """Give what was booked: for a call of which nobody knows what it used, all that was set aside."""
        usd, tokens = Decimal(0), 0
        async with self.store.reading() as read:
            for days in range((day_of(self.clock.now()) - self.begun).days + 1):
                more_usd, more = await read.money.spent(self.community_id, self.begun + timedelta(days=days))
                usd, tokens = usd + more_usd, tokens + more
        return Usage(cost_usd=usd, input_tokens=tokens)

    async def _failures(self) -> dict[AgentId, int]:
        async with self.store.reading() as read:
            agents = (await read.views.whole(self.community_id, messages=0)).agents
        return {id_: agent.failures_in_a_row + agent.unusable_in_a_row for id_, agent in agents.items()}

    async def _stands(self) -> Happened:
        """Give all that was said and done so far."""
        messages: list[Message] = []
        actions: list[ActionRecord] = []
        beats: list[Beat] = []
        async with self.store.reading() as read:
            ids = [AgentId(id_) for id_ in NAMES]
            view = await read.views.whole(self.community_id, agent_ids=ids, messages=0, minds=None)
            for id_ in ids:
                history = await read.talk.history(self.community_id, id_, limit=500)
                messages += [one for one in history if one.beat_id is not None]
                actions += view.mind_of(id_).recent_actions
                beats += await read.beats.newest(self.community_id, id_, limit=50)
        messages.sort(key=lambda one: one.id)
        beats.sort(key=lambda one: one.id)
        return Happened(messages=messages, actions=actions, beats=beats, unusable=0, seconds=())

    async def _hear(self, line: Line) -> None:
        """Let a person say a line."""
        async with self.store.reading() as read:
            room = await read.talk.history(self.community_id, AgentId(line.room), limit=50)
        own = [one for one in room if one.sender.agent_id == line.room and one.discord_id is not None]
        picture = Attachment(name="picture.png", media_type="image/png", size_bytes=150, url=RED)
        await self.intake.take(
            MessageSeen(
                guild_id=self.guild_id,
                channel_id=_channel(self.guild_id, line.room),
                thread_id=Snowflake(77) if line.in_thread else None,
                thread_name="repairs" if line.in_thread else None,
                message_id=Snowflake(next(self._ids)),
                author=Person(id=Snowflake(PEOPLE[line.who]), username=line.who),
                content=said(line.phrase, self.asked.language),
                sent_at=self.clock.now(),
                reply_to=own[-1].discord_id if line.replies and own else None,
                attachments=(picture,) if line.picture else (),
            )
        )

    async def _post(self) -> None:
        """Have what agents said stand where they said it, as if it had been posted."""
        now = self.clock.now()
        async with self.store.writing(self.community_id) as write:
            for letter in await write.letters.due(now + timedelta(hours=1), limit=100):
                posted = [Snowflake(next(self._ids))] if letter.message_id is not None else []
                await write.letters.move(
                    self.community_id, letter.id, LetterState.SENT, posted_as=posted, at=now, shown_at=now
                )

    async def set_up(self, situation: Situation) -> None:
        """Give the community what a situation begins with."""
        async with self.store.writing(self.community_id) as write:
            for _ in NAMES:
                write.ids.take("agent")
            await write.apply(self.community_id, self._founding(situation))
            await write.talk.add(self.community_id, list(self._earlier(situation)))
        manager = Actor.person(Person(id=Snowflake(500), username="olga"), manager=True)
        if situation.has_key:
            await self._act(manager, CreateKey(key=SECRET, label="friends"), subject=AgentId(WREN))
        if situation.knocks:
            rob = Actor.person(Person(id=Snowflake(PEOPLE["rob"]), username="rob"))
            await self._act(rob, RequestAccess(room_id=WREN, key=SECRET), subject=None)
        await self._post()

    async def _act(self, actor: Actor, action: CreateKey | RequestAccess, *, subject: AgentId | None) -> None:
        context = ActionContext(now=self.clock.now(), random=self.random)
        async with self.store.writing(self.community_id) as write:
            await self.performer.perform(write, self.community_id, actor, [action], context, subject=subject)

    def _founding(self, situation: Situation) -> list[Change]:
        now, topic = self.clock.now(), said("topic", self.asked.language)
        changes: list[Change] = [SetOverride(name="language", value=self.asked.language)]
        for id_ in NAMES:
            room = Room(
                community_id=self.community_id,
                id=AgentId(id_),
                channel_id=_channel(self.guild_id, id_),
                access=Access.KNOCK,
                visibility=Visibility.PUBLIC,
                topic=topic if id_ == WREN else "",
            )
            changes.append(AddAgent(agent=self._agent(id_, situation), room=room))
        guests = [(WREN, KAI), (KAI, WREN), (TALLY, WREN)]
        changes += [
            AddMembership(membership=Membership(agent_id=AgentId(guest), room_id=AgentId(host), joined_at=now))
            for guest, host in guests
        ]
        known = SetKnowledge(
            agent_id=AgentId(WREN),
            side=PUBLIC_SIDE,
            knowledge=situation.knows,
            path="people",
            before=None,
            after=None,
            by="itself",
            at=now,
        )
        return [*changes, known] if situation.knows else changes

    def _agent(self, id_: int, situation: Situation) -> WholeAgent:
        asked = self.asked
        return WholeAgent(
            community_id=self.community_id,
            id=AgentId(id_),
            name=NAMES[id_],
            type=AgentType.BOT if id_ == TALLY else AgentType.PERSONA,
            prompt=SEEDS[id_],
            model=asked.name,
            temperature=asked.temperature,
            input_format=asked.input_format,
            detail=asked.detail,
            created_at=self.clock.now() - timedelta(days=30),
            paused_reason=None if id_ in situation.awake else "it has no part in this",
        )

    def _earlier(self, situation: Situation) -> Sequence[NewMessage]:
        """Give what was said long before, with as much small talk after it."""
        speakers = ("rob", "sue")
        fillers = [Line(speakers[n % 2], f"filler {n % 5 + 1}") for n in range(situation.fillers)]
        begun = self.clock.now() - LONG_AGO
        return [
            self._said_earlier(line, begun + timedelta(seconds=90 * number))
            for number, line in enumerate((*situation.before, *fillers))
        ]

    def _said_earlier(self, line: Line, at: datetime) -> NewMessage:
        is_wren = line.who == NAMES[WREN]
        sender = (
            Sender(kind=SenderKind.AGENT, agent_id=AgentId(WREN))
            if is_wren
            else Sender(kind=SenderKind.PERSON, person_id=Snowflake(PEOPLE[line.who]), name=line.who)
        )
        content = said(line.phrase, self.asked.language)
        return NewMessage(
            room_id=AgentId(line.room),
            discord_id=Snowflake(next(self._ids)),
            thread_id=None,
            sender=sender,
            content=content,
            sent_at=at,
            edited=False,
            reply_to=None,
            attachments=(),
            tokens=said_tokens(self.asked.model.tokenizer(self.asked.name), sender, content),
        )


def _channel(guild_id: Snowflake, room_id: int) -> Snowflake:
    return Snowflake(guild_id * 10 + room_id)


@asynccontextmanager
async def staged(props: Props, asked: Asked, situation: Situation) -> AsyncIterator[Stage]:
    """Open a community for one situation."""
    config = CommunityConfig(settle_seconds=0, usd_per_day=None, model=asked.name)
    clock = _Ahead(props.clock)
    async with props.open_store(config) as store:
        guild_id = Snowflake(1)
        async with store.writing() as write:
            community_id = (await write.communities.add(guild_id, "A trial")).id
        tokenizer = asked.model.tokenizer(asked.name)
        heartbeat = Heartbeat(
            store,
            _Only(asked.model),
            props.performer,
            clock,
            lambda *_: props.random,
            _Unmeasured(),
            workshop=props.workshop,
            cipher=props.cipher,
            call_seconds=props.call_seconds,
        )
        stage = Stage(
            store=store,
            community_id=community_id,
            guild_id=guild_id,
            clock=clock,
            intake=Intake(store, clock, tokenizer, _Unplanned(), config=config),
            heartbeat=heartbeat,
            performer=props.performer,
            random=props.random,
            asked=asked,
            begun=day_of(clock.now()),
        )
        await stage.set_up(situation)
        yield stage
