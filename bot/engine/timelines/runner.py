"""One node is run: opened from its parent, changed, played to its end, and kept; or run again from its record."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog

from bot.core.errors import NotFound, Rejected, SelfroomError, StoreError
from bot.core.models import Tokenizer
from bot.core.ports import Clock
from bot.core.ports.scenes import Scenes
from bot.core.ports.trees import Trees, World
from bot.core.records import AgentId, Beat, BeatId, Json, Message, MessageId, Person, SceneId
from bot.core.scenes.records import Scene
from bot.core.sentences import Sentence
from bot.core.timelines.changes import Change
from bot.core.timelines.records import Answer, EventKind, Finished, Node, NodeId, Status, Told, TreeKey
from bot.core.view import View
from bot.engine.performer import Performer
from bot.engine.timelines.answers import House, Record
from bot.engine.timelines.chance import OpenCipher
from bot.engine.timelines.changing import Changing, hear
from bot.engine.timelines.looking import carried_by
from bot.engine.timelines.play import ENDED, SPENT, Failed, Play, Stagecraft, Stopped

A_MOMENT_SECONDS = 1.0
TIMES_CHANGED = 3
ANSWERED_WITHIN = 12  # turns of others, until whom the Architect asked has answered
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs nodes; `clock` is the real one."""

    trees: Trees
    house: House
    stagecraft: Stagecraft
    clock: Clock

    async def run(self, key: TreeKey, node_id: NodeId, is_stopped: Callable[[], bool]) -> Node:
        """Run a queued node to its end and keep it; what goes wrong in it is how it ended."""
        try:
            for _ in range(TIMES_CHANGED):
                try:
                    return await self._run(key, node_id, is_stopped)
                except Rejected as error:  # what it began with was changed by a deletion
                    log.info("a node is run once more", node=node_id, why=error.sentence)
            why = "What it began with was changed again and again: run it once more."
        except StoreError:
            raise
        except SelfroomError as error:
            why = error.sentence
        except Exception as error:
            log.exception("a node could not be run", node=node_id)
            why = f"Something went wrong here ({type(error).__name__}): the log has the details."
        return await self.trees.end(key, node_id, Status.FAILED, why, at=self.clock.now())

    async def _run(self, key: TreeKey, node_id: NodeId, is_stopped: Callable[[], bool]) -> Node:
        async with self.trees.open(key, node_id) as world:
            play = await self._play(world, await self._record(key, node_id))
            telling = _Telling(self.trees, key, world, await marked(world))
            play.after_turn = telling.now_and_then
            status, outcome = Status.DONE, ""
            try:
                outcome = await self._carry_out(play, world.node, is_stopped)
            except Stopped:
                status, outcome = Status.STOPPED, "somebody stopped it"
            except (Failed, Rejected, NotFound) as error:
                status, outcome = Status.FAILED, str(error)
            await telling.all()
            return await self.trees.keep(world, self._ended(status, outcome, play))

    async def rerun(self, key: TreeKey, node_id: NodeId) -> str:
        """Run a finished node again from its record alone; gives the first difference in words, empty without one."""
        node = await self.trees.node(key, node_id)
        if not node.exact:
            raise Rejected(
                Sentence("Answers of this node were dropped with a message: it cannot be run again exactly.")
            )
        if node.status is not Status.DONE:
            raise Rejected(
                Sentence(
                    "Node {node_id} is {status}: only what is done can be run again.",
                    node_id=node_id,
                    status=node.status,
                )
            )
        if not node.digest or node.parent is None:
            return ""
        async with self.trees.again(key, node_id) as world:
            record = await self._record(key, node_id, only=True, ends_short=node.outcome in (SPENT, ENDED))
            record.is_ended = node.outcome == ENDED
            play = await self._play(world, record)
            try:
                outcome = await self._carry_out(play, node, lambda: False)
            except (Failed, Rejected, NotFound) as error:
                return f"It failed this time: {error}"
            if record.differs:
                return f"{record.differs} Turn {play.turns.beats + 1} is the first that differs."
            if outcome != node.outcome:
                return f"It ended otherwise: {outcome or 'it went on'} instead of {node.outcome or 'it went on'}."
            same = await self.trees.digest(world) == node.digest
        return "" if same else "All calls were the same, and some rows are not: the digests differ."

    async def seen(self, key: TreeKey, node_id: NodeId, beat_id: BeatId) -> Beat:
        """Put together again what an agent saw in a finished node, by running it from its record.

        Raises Rejected where that cannot be done exactly: what an agent might have seen is told to nobody.
        """
        node = await self.trees.node(key, node_id)
        if not node.exact or node.status is not Status.DONE:
            raise Rejected(
                Sentence(
                    "Node {node_id} cannot be run again exactly: what its agents saw is not known any more.",
                    node_id=node_id,
                )
            )
        async with self.trees.again(key, node_id) as world:
            record = await self._record(key, node_id, only=True, ends_short=SPENT in node.outcome)
            play = await self._play(world, record)
            try:
                await self._carry_out(play, node, lambda: False)
            except (Failed, Rejected, NotFound) as error:
                raise Rejected(
                    Sentence("Node {node_id} failed when it was run again: {error}", node_id=node_id, error=error)
                ) from error
            if record.differs:
                raise Rejected(
                    Sentence("Node {node_id} runs otherwise now. {differs}", node_id=node_id, differs=record.differs)
                )
            async with world.store.reading() as read:
                beat = await read.beats.find(key.community_id, beat_id)
        if beat is None or node.from_at is None or beat.at < node.from_at:
            raise NotFound(Sentence("Nobody had beat {beat_id} in node {node_id}.", beat_id=beat_id, node_id=node_id))
        return beat

    async def check(self, key: TreeKey, parent: NodeId, changes: Sequence[Change], by: Person) -> None:
        """Try changes in a world that is kept nowhere; raises Rejected, or NotFound, for one that cannot be made."""
        async with self.trees.look(key, parent) as world:
            record = Record(trees=_Nowhere(), house=self.house, key=key, node_id=parent, kept=())
            play = await self._play(world, record, as_of=world.node)
            await Changing(play, self._performer(play), by).make(changes)

    async def _record(self, key: TreeKey, node_id: NodeId, *, only: bool = False, ends_short: bool = False) -> Record:
        kept = await self.trees.recorded(key, node_id)
        return Record(
            trees=self.trees,
            house=self.house,
            key=key,
            node_id=node_id,
            kept=kept,
            only=only,
            ends_short=ends_short,
        )

    async def _play(self, world: World, record: Record, as_of: Node | None = None) -> Play:
        """Put the engine over a world, which goes on at the moment at which its parent ended."""
        before = as_of
        if before is None and world.node.parent is not None:
            before = await self.trees.node(world.tree.key, world.node.parent)
        at = before.until_at if before is not None else None
        return await self.stagecraft.opened(world, record, at or world.tree.at)

    def _performer(self, play: Play) -> Performer:
        return Performer(cipher=OpenCipher(), tokenizer=self._tokenizer, models=play.models)

    @property
    def _tokenizer(self) -> Tokenizer:
        return self.stagecraft.tokenizer_for(self.stagecraft.config.model)

    async def _carry_out(self, play: Play, node: Node, is_stopped: Callable[[], bool]) -> str:
        """Do all that a node is for; gives what came of it."""
        play.begun_at = play.clock.now()
        if node.changes or node.asked is not None:
            await play.clock.advance(A_MOMENT_SECONDS)  # what is new comes after all that was
        if node.changes:
            await Changing(play, self._performer(play), await self._maker(play)).make(node.changes)
        outcome = ""
        if node.asked is not None:
            outcome = await self._ask(play, *node.asked, is_stopped)
        elif node.minutes is not None:
            until: datetime = play.clock.now() + timedelta(minutes=node.minutes)
            outcome = await play.go_on(0, until, is_stopped)
        elif node.turns_wanted:
            outcome = await play.go_on(node.turns_wanted, None, is_stopped)
        if not play.record.is_cut:
            await play.words_come_out()
        return outcome

    async def _ask(self, play: Play, agent_id: AgentId, question: str, is_stopped: Callable[[], bool]) -> str:
        """Let the Architect ask an agent in its room, and go on until it has answered."""
        community_id = play.world.tree.key.community_id
        async with play.world.store.reading() as read:
            view = await read.views.action_view(community_id, agent_ids=(), room_ids=(), doors=False)
        agent, room = view.agents.get(agent_id), view.all_rooms.get(agent_id)
        if agent is None or room is None:
            raise NotFound(Sentence("There is no agent {agent_id} in that world.", agent_id=agent_id))
        await hear(play, await self._maker(play), room.channel_id, f"{agent.name}, {question}")
        before = agent.last_beat_at
        for turn in range(1, ANSWERED_WITHIN + 1):
            outcome = await play.go_on(turn, None, is_stopped)
            async with play.world.store.reading() as read:
                now = await read.views.action_view(community_id, agent_ids=(), room_ids=(), doors=False)
            if outcome or now.agents[agent_id].last_beat_at != before:
                return outcome
        return ""

    async def _maker(self, play: Play) -> Person:
        """Give whoever made the node, as The Architect of that world."""
        tree, id_ = play.world.tree, play.world.node.made_by
        async with play.world.store.reading() as read:
            known = await read.people.find(tree.key.community_id, id_)
        return Person(id=id_, username=known.username if known else "manager", is_architect=True)

    def _ended(self, status: Status, outcome: str, play: Play) -> Finished:
        return Finished(
            status=status,
            at=self.clock.now(),
            turns=play.turns.beats,
            from_at=play.begun_at,
            until_at=play.clock.now(),
            usd=play.record.usd,
            tokens=play.record.tokens,
            outcome=outcome,
        )


class _Nowhere:
    """What is only tried leaves no record."""

    async def record(self, key: TreeKey, node_id: NodeId, answer: Answer) -> None:
        """Keep nothing."""


MOST_TOLD = 400  # messages of a room, and beats of an agent, at once
TOLD_EACH_SECONDS = 0.2  # a scripted mind takes hundreds of turns in one
SHOWN_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How far everything was at one moment."""

    view: View
    beats: Mapping[AgentId, BeatId]
    messages: Mapping[AgentId, MessageId]
    steps: Mapping[SceneId, int] = field(default_factory=dict)


async def marked(world: World) -> Mark:
    """Note how far a world is."""
    community_id = world.tree.key.community_id
    async with world.store.reading() as read:
        agents = list(await read.agents.names(community_id))
        view = await read.views.whole(community_id, agent_ids=agents, messages=1, minds=None)
        newest = {id_: (await read.beats.newest(community_id, id_, limit=1)) for id_ in agents}
        scenes = await read.scenes.all(community_id)
    return Mark(
        view=view,
        beats={id_: beats[0].id for id_, beats in newest.items() if beats},
        messages={id_: room.messages[-1].id for id_, room in view.rooms.items() if room.messages},
        steps={one.id: one.step for one in scenes},
    )


@dataclass(slots=True)
class _Telling:
    """Tells of a node while it runs what happens in it; never again and again for what comes at once."""

    trees: Trees
    key: TreeKey
    world: World
    since: Mark
    told_at: float = field(default_factory=lambda: asyncio.get_running_loop().time())

    async def now_and_then(self) -> None:
        """Tell what happened, unless that was just done."""
        now = asyncio.get_running_loop().time()
        if now - self.told_at >= TOLD_EACH_SECONDS:
            await self._more()
            self.told_at = asyncio.get_running_loop().time()

    async def all(self) -> None:
        """Tell all that happened."""
        while await self._more() >= MOST_TOLD:
            pass  # there may be a rest

    async def _more(self) -> int:
        told, self.since = await happened(self.world, self.since)
        if told:
            await self.trees.tell(self.key, self.world.node.id, told)
        return len(told)


async def happened(world: World, since: Mark) -> tuple[Sequence[Told], Mark]:
    """Give what happened since: messages, beats, changed minds, and moves in scenes; and how far that is.

    Of very much only the oldest is told: the rest comes when it is asked again.
    """
    community_id = world.tree.key.community_id
    async with world.store.reading() as read:
        agents = list(await read.agents.names(community_id))
        view = await read.views.whole(community_id, agent_ids=agents, messages=0, minds=None)
        said: list[Message] = []
        for room_id in view.rooms:
            after = since.messages.get(room_id, MessageId(0))
            said += await read.talk.after(community_id, room_id, after, limit=MOST_TOLD)
        beats: list[Beat] = []
        for id_ in agents:
            agent = since.view.agents.get(id_)
            if agent is None or view.agents[id_].last_beat_at != agent.last_beat_at:
                newest = await read.beats.newest(community_id, id_, limit=MOST_TOLD)
                beats += [one for one in newest if one.id > since.beats.get(id_, BeatId(0))]
        scenes = await read.scenes.all(community_id)
        moves = [one for scene in scenes for one in await _moves(read.scenes, scene, since.steps.get(scene.id, 0))]
    said.sort(key=lambda one: one.id)
    beats.sort(key=lambda one: one.id)
    by_time = [*((one.at, _beat(one)) for one in beats), *((one.sent_at, _message(one)) for one in said)]
    by_time.sort(key=lambda one: one[0])
    told = [*(one for _, one in by_time), *moves, *_minds(since.view, view)]
    mark = Mark(
        view=view,
        beats={**since.beats, **{one.agent_id: one.id for one in beats}},
        messages={**since.messages, **{one.room_id: one.id for one in said}},
        steps={one.id: one.step for one in scenes},
    )
    return told, mark


async def _moves(scenes: Scenes, scene: Scene, after: int) -> list[Told]:
    """Tell the moves in a scene after a step."""
    if scene.step <= after:
        return []
    data: list[dict[str, Json]] = [
        {"scene": scene.id, "step": one.step, "seat": one.seat, "move": str(one.move)}
        for one in await scenes.log(scene.community_id, scene.id)
        if one.step > after
    ]
    return [Told(kind=EventKind.MOVE, data=one) for one in data]


def _message(one: Message) -> Told:
    data: dict[str, Json] = {
        "id": one.id,
        "room": one.room_id,
        "by": one.sender.shown(),
        "text": one.content[:SHOWN_CHARACTERS],
        "at": one.sent_at.isoformat(),
    }
    return Told(kind=EventKind.MESSAGE, data=data, message_ids=(one.id,))


def _beat(one: Beat) -> Told:
    data: dict[str, Json] = {
        "id": one.id,
        "agent": one.agent_id,
        "reason": str(one.reason),
        "silent": one.silent,
        "failed": one.failed,
        "usd": str(one.usage.cost_usd),
        "did": list(one.outcome),
        "at": one.at.isoformat(),
    }
    return Told(kind=EventKind.BEAT, data=data)


def _minds(before: View, after: View) -> list[Told]:
    """Tell which knowledge, focus and plan is otherwise, by the agent and the path at the top."""
    told = []
    for (agent_id, side), mind in sorted(after.minds.items()):
        was, now = carried_by(before.mind_of(agent_id, side)), carried_by(mind)
        for path in sorted({*was, *now}):
            if was.get(path) != now.get(path):
                data: dict[str, Json] = {
                    "agent": agent_id,
                    "side": side,
                    "path": path,
                    "before": _shown(was.get(path)),
                    "after": _shown(now.get(path)),
                }
                told.append(Told(kind=EventKind.KNOWLEDGE, data=data))
    return told


def _shown(value: Json) -> Json:
    """Give a value, or how long it is: events are read many at a time, and a mind may be large."""
    characters = len(json.dumps(value))
    return value if characters <= SHOWN_CHARACTERS else f"({characters:,} characters)"
