"""A world apart goes on: the same engine over a store of its own, from one due moment to the next."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import ParamSpec, TypeVar

from bot.core.config import CommunityConfig
from bot.core.due_times import SLOT_SECONDS, rounded_up
from bot.core.events import MessageSeen
from bot.core.ports import Clock, Post
from bot.core.ports.trees import World
from bot.core.publishing import NewChannel
from bot.core.records import AgentId, LetterId, Snowflake
from bot.core.scenes.showing import Board
from bot.core.spans import Span
from bot.core.timelines.records import QUIET
from bot.engine.deadlines import Deadlines
from bot.engine.delivery import Delivery
from bot.engine.heartbeat import Heartbeat
from bot.engine.intake import Intake
from bot.engine.performer import Performer
from bot.engine.timelines.answers import NodeModels, Record, TokenizerFor
from bot.engine.timelines.chance import NodeChance, OpenCipher, VirtualClock
from bot.engine.upkeep import Upkeep

DISCORD_EPOCH_MS = 1_420_070_400_000
COUNTED = 1 << 22  # ids of one millisecond
OF_A_NODE = 1 << 12


@dataclass
class Loopback:
    """Implements `ports.Publisher`; `depth` keeps the ids of a world apart from those of the worlds before it."""

    clock: Clock
    depth: int = 0
    _count: int = 0
    _channels: dict[str, Snowflake] = field(default_factory=dict)

    def id(self) -> Snowflake:
        """Give the next Discord id at this moment."""
        self._count += 1
        milliseconds = int(self.clock.now().timestamp() * 1000) - DISCORD_EPOCH_MS
        return Snowflake((milliseconds << 22) + (self.depth * OF_A_NODE + self._count) % COUNTED)

    async def post(self, post: Post) -> Snowflake:
        """Let it stand."""
        return self.id()

    async def posted_after(
        self, guild_id: Snowflake, channel_id: Snowflake, after: Snowflake | None
    ) -> Sequence[tuple[Snowflake, str, str]]:
        """Give nothing: no answer to a post is ever lost here."""
        return ()

    async def typing(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        """Show nobody."""

    async def react(
        self, guild_id: Snowflake, channel_id: Snowflake, message_id: Snowflake, emoji: str, *, added: bool = True
    ) -> None:
        """Show nobody: the store has it."""

    async def remove(self, guild_id: Snowflake, channel_id: Snowflake, *message_ids: Snowflake) -> None:
        """Take nothing away: the store has done it."""

    async def reword(
        self, guild_id: Snowflake, channel_id: Snowflake, post_id: Snowflake, text: str, *, thread_id: Snowflake | None
    ) -> None:
        """Change nothing: the store has done it."""

    async def unpinned_before(
        self, guild_id: Snowflake, channel_id: Snowflake, before: Snowflake
    ) -> tuple[Sequence[Snowflake], Snowflake | None]:
        """Give nothing."""
        return (), None

    async def pin_billboard(
        self, guild_id: Snowflake, channel_id: Snowflake, message_id: Snowflake | None, text: str
    ) -> Snowflake | None:
        """Let it be pinned."""
        return (message_id or self.id()) if text else None

    async def edit_channel(
        self, guild_id: Snowflake, channel_id: Snowflake, *, name: str | None = None, topic: str | None = None
    ) -> None:
        """Change nothing: the store has done it."""

    async def make_channel(self, guild_id: Snowflake, new: NewChannel) -> Snowflake:
        """Give a new agent a channel that is nowhere."""
        return self._channels.setdefault(new.topic, self.id())

    async def open_thread(self, guild_id: Snowflake, channel_id: Snowflake, name: str) -> Snowflake:
        """Open a thread that is nowhere."""
        return self.id()

    async def show_board(
        self, guild_id: Snowflake, thread_id: Snowflake, post_id: Snowflake | None, board: Board
    ) -> Snowflake:
        """Show nobody."""
        return post_id or self.id()

    async def remove_channel(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        """Remove nothing: the store has done it."""

    async def allow(
        self,
        guild_id: Snowflake,
        channel_id: Snowflake,
        person_id: Snowflake | None,
        *,
        allowed: bool | None,
        writable: bool = True,
    ) -> None:
        """Let nobody in: there is no channel."""

    def own_face(self) -> str | None:
        """Have none."""
        return None

    async def face(
        self, guild_id: Snowflake, channel_id: Snowflake, agent_id: AgentId, name: str, *, redraw: bool = False
    ) -> str | None:
        """Draw none."""
        return None

    async def notify(
        self,
        guild_id: Snowflake,
        channel_id: Snowflake,
        text: str,
        *,
        held: LetterId | None = None,
        traces: Sequence[str] = (),
        called: Sequence[Snowflake] = (),
    ) -> None:
        """Tell nobody."""

    async def tell(self, person_id: Snowflake, text: str) -> None:
        """Tell nobody."""


FAILURES = 5  # of one agent's model in a row: then the node has failed
STEPS_IN_VAIN = 300  # moments that were due one after the other, and in which nobody did anything
WORDS_COME_OUT = timedelta(minutes=2)
SPENT = "the money of its grant was spent"
ENDED = "somebody ended it"
P = ParamSpec("P")
T = TypeVar("T")


class Failed(Exception):
    """The node cannot go on: an agent's model failed again and again."""


class Stopped(Exception):
    """Somebody stopped it."""


class OnTheSpot:
    """A workshop without walls: the process has no other work, and is killed when it hangs."""

    async def done(self, lane: int, work: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> T:
        """Do it here and now."""
        return work(*given, **named)


def _unheard() -> None:
    """Nobody looks on."""


async def _untold() -> None:
    """Nobody is told."""


class Turns:
    """Metrics of one node: how many beats were applied; `on_turn` hears of each."""

    def __init__(self, on_turn: Callable[[], None] = _unheard) -> None:
        self.beats = 0
        self._on_turn = on_turn

    def beat(self) -> None:
        """Count a beat that was applied, also a turn of a closed scene, of which no metric tells."""
        self.beats += 1
        self._on_turn()

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        """Count nothing else: a world apart has no page of metrics."""

    def observe(self, name: str, value: float, **labels: str) -> None:
        """Measure nothing: how long it takes is nothing to a world apart."""

    def span(self, span: Span) -> None:
        """Follow nothing."""


class _Unplanned:
    """Nobody has to be nudged: who is due is asked before each step."""

    def nudge(self, at: datetime) -> None:
        """Do nothing."""


@dataclass(kw_only=True)
class Play:
    """One world while it goes on."""

    world: World
    record: Record
    clock: VirtualClock
    turns: Turns
    heartbeat: Heartbeat
    delivery: Delivery
    deadlines: Deadlines
    upkeep: Upkeep
    intake: Intake
    publisher: Loopback
    models: NodeModels
    begun_at: datetime | None = None
    after_turn: Callable[[], Awaitable[None]] = _untold

    async def go_on(self, turns: int, until: datetime | None, is_stopped: Callable[[], bool]) -> str:
        """Play so many turns, or until a moment; gives what came of it in words, empty when it just went on."""
        steps = 0
        while until is not None or self.turns.beats < turns:
            if is_stopped():
                raise Stopped
            at = await self._next()
            if until is not None and (at is None or at > until):
                await self._pass(until)
                return ""
            if at is None or steps == STEPS_IN_VAIN:
                return QUIET
            before = self.turns.beats
            await self._step(at)
            steps = steps + 1 if self.turns.beats == before else 0
            if not steps:
                await self.after_turn()
            if self.record.is_cut:
                return ENDED if self.record.is_ended else SPENT
            await self._check_models()
        return ""

    async def words_come_out(self) -> None:
        """Bring out what was said already, so that it can be read; nobody answers meanwhile."""
        latest = self.clock.now() + WORDS_COME_OUT
        while True:
            async with self.world.store.reading() as read:
                at = await read.letters.next_due_at()
            if at is None or at > latest:
                return
            await self._pass(at)
            if not await self._deliver():
                return

    async def hear(self, message: MessageSeen) -> None:
        """Take in what somebody says."""
        await self.intake.take(message)

    async def _step(self, at: datetime) -> None:
        await self._pass(at)
        await self.upkeep.say_scheduled()
        await self.deadlines.end_due()
        await self.heartbeat.slot(self.clock.now())
        await self._deliver()

    async def _pass(self, at: datetime) -> None:
        await self.clock.advance(max(0.0, (at - self.clock.now()).total_seconds()))

    async def _deliver(self) -> bool:
        """Deliver what is due; tells whether there was anything."""
        any_at_all = False
        while await self.delivery.run_once(self.clock.now()):
            any_at_all = True
        return any_at_all

    async def _next(self) -> datetime | None:
        """Give the moment at which something is due; None when nobody has a reason for anything."""
        async with self.world.store.reading() as read:
            times = [
                await read.claims.next_due_at(),
                await read.letters.next_due_at(),
                await read.scenes.next_due_at(),
            ]
            known = [at for at in times if at is not None]
            if not known:
                known = await self._scheduled()
        return max(self.clock.now(), rounded_up(min(known), SLOT_SECONDS)) if known else None

    async def _scheduled(self) -> list[datetime]:
        community_id = self.world.tree.key.community_id
        async with self.world.store.reading() as read:
            agents = await read.agents.names(community_id)
            return [one.at for id_ in agents for one in (await read.agents.schedules(community_id, id_))[:1]]

    async def _check_models(self) -> None:
        """Raise Failed once an agent's model has failed again and again."""
        if not self.record.last_fault:
            return
        async with self.world.store.reading() as read:
            view = await read.views.action_view(
                self.world.tree.key.community_id, agent_ids=(), room_ids=(), doors=False
            )
        if any(agent.failures_in_a_row >= FAILURES for agent in view.agents.values()):
            raise Failed(self.record.last_fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stagecraft:
    """What every world is played with; `config` are the installation's settings for communities."""

    config: CommunityConfig
    tokenizer_for: TokenizerFor
    on_turn: Callable[[], None] = _unheard

    async def opened(self, world: World, record: Record, at: datetime) -> Play:
        """Put the engine over a world."""
        names = await models_in(world)
        models = NodeModels(record, await record.facts(names | {self.config.model}), self.tokenizer_for)
        tokenizer = self.tokenizer_for(self.config.model)
        clock, turns, cipher, chance = (
            VirtualClock(at),
            Turns(self.on_turn),
            OpenCipher(),
            NodeChance(world.tree, world.node),
        )
        publisher = Loopback(clock, depth=world.node.depth)
        performer = Performer(cipher=cipher, tokenizer=tokenizer, models=models)
        store = world.store
        delivery = Delivery(store, publisher, clock, turns, cipher=cipher, at_once=1)
        return Play(
            world=world,
            record=record,
            clock=clock,
            turns=turns,
            heartbeat=Heartbeat(
                store,
                models,
                performer,
                clock,
                chance,
                turns,
                workshop=OnTheSpot(),
                cipher=cipher,
                on_beat=turns.beat,
                at_once=1,  # so that a turn is one beat, and answers are used in the order in which they were asked for
            ),
            delivery=delivery,
            deadlines=Deadlines(store, clock, config=self.config),
            upkeep=Upkeep(store, performer, clock, chance, config=self.config),
            intake=Intake(store, clock, tokenizer, _Unplanned(), config=self.config),
            publisher=publisher,
            models=models,
        )


async def models_in(world: World) -> set[str]:
    """Give the models of a world's agents, and their spare ones."""
    async with world.store.reading() as read:
        view = await read.views.action_view(world.tree.key.community_id, agent_ids=(), room_ids=(), doors=False)
    return {name for agent in view.agents.values() for name in (agent.model, *agent.spare_models)}
