"""Runs, played: a community is founded, lives on, and is told of; what was played is kept."""

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from decimal import Decimal
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from bot.adapters.clock import SystemClock
from bot.core.errors import BadSetting, NotFound, StoreError
from bot.core.records import AgentId, Json
from bot.core.runs.spec import Further, RunEvent, RunSpec
from bot.core.timelines.records import ROOT, Cut, Node, NodeId, Status
from bot.core.wording import counted
from bot.engine.runs.founding import Founded, Founding
from bot.engine.runs.paying import Replayed
from bot.engine.runs.playing import KEY, Ending, Length, Paying, Played, Playing, planted
from bot.engine.runs.telling import story
from bot.engine.timelines.chance import VirtualClock
from bot.engine.timelines.play import Stagecraft
from bot.engine.timelines.runner import Runner
from bot.runs.home import RunHome
from bot.runs.sources import read_cards
from bot.runs.writing import check_folder, write
from bot.tokens import tokenizer_for
from storage.store import SqlStore
from storage.timelines.trees import SqlTrees

if TYPE_CHECKING:  # who only reads runs loads nothing of what answers in one
    from bot.runs.minds import OpenPurse
    from bot.settings import Settings

LONGEST_NAME = 60
OnTurn = Callable[[], None]
EXITS: Mapping[Ending, int] = {
    Ending.PLAYED: 0,
    Ending.QUIET: 0,
    Ending.SPENT: 3,
    Ending.LARGE: 3,
    Ending.FAILED: 4,
    Ending.STOPPED: 128 + signal.SIGINT,
}
ENDED: Mapping[Ending, str] = {
    Ending.PLAYED: "as long as it was to be",
    Ending.QUIET: "nobody has anything to do any more",
    Ending.SPENT: "the budget holds no further call",
    Ending.LARGE: "it is as large as a run of a server may be",
    Ending.STOPPED: "somebody ended it",
    Ending.FAILED: "the model failed: {why}",
}


def _nothing() -> None:
    """Nobody looks on."""


def _told_nobody(run: int) -> None:
    """Nobody waits for its number."""


def _left_alone(paying: Paying) -> None:
    """Nobody ends it but by a signal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How a run is to be played: who answers, where what came of it is written, and who is told of it."""

    purse: "OpenPurse"
    out: Path | None = None
    force: bool = False
    on_turn: OnTurn = _nothing
    on_begun: Callable[[int], None] = _told_nobody
    on_node: Callable[[], None] = _nothing
    on_playing: Callable[[Paying], None] = _left_alone
    most_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A run as it ended for now."""

    run: int
    title: str
    played: Played
    out: Path | None

    @property
    def exit_code(self) -> int:
        """What the command line ends with."""
        return EXITS[self.played.ending]

    def lines(self) -> list[str]:
        """Give it for people."""
        played = self.played
        said = ENDED[played.ending].format(why=played.why)
        where = f"in {self.out}" if self.out is not None else f"`selfroom runs export {self.run} FOLDER` writes it out"
        spent = f"{counted(played.tokens, 'token')}, {played.usd:.4f} USD at list price"
        return [
            f"{self.title}: {counted(played.turns, 'turn')} played; {said}.",
            f"Kept as run {self.run}, snapshot {played.node} ({spent}); {where}.",
        ]

    def told(self) -> dict[str, Json]:
        """Give it for programs."""
        return {
            "run": self.run,
            "title": self.title,
            "snapshot": self.played.node,
            "ending": self.played.ending.value,
            "turns": self.played.turns,
            "usd": str(self.played.usd),
            "tokens": self.played.tokens,
            "why": self.played.why,
            "out": None if self.out is None else str(self.out),
        }


async def simulate(home: RunHome, spec: RunSpec, folder: Path, wanted: Wanted) -> Done:
    """Found a run's community, and let it live; `folder` is where its cards lie."""
    if wanted.out is not None:
        check_folder(wanted.out, force=wanted.force)
    cards = await read_cards(spec, folder)
    async with AsyncExitStack() as stack:
        purse = await stack.enter_async_context(wanted.purse(spec))
        store = await stack.enter_async_context(await SqlStore.open("sqlite://", config=spec.config))
        founded = await Founding(store, spec, cards, tokenizer_for(spec.config.model)).found()
        for one in spec.events:
            founded.room_of(one.room)
        at = founded.clock.now()
        image = await store.image(founded.community_id, Cut(), now=at)
        number = home.take(spec)
        stack.enter_context(home.held(number))
        trees = SqlTrees(home.of(number), spec.config)
        stack.push_async_callback(trees.close)
        made_at = SystemClock().now()
        await trees.begin(planted(spec, image, at=at, made_at=made_at, program=metadata.version("selfroom")), image)
        wanted.on_begun(number)
        playing = _playing(trees, await purse(trees, spec.budget), spec, wanted, founded.room_of)
        length = Length(turns=spec.turns, minutes=spec.minutes)
        played = await _played(playing, ROOT, length, seed=str(spec.seed), events=spec.events)
        return await _told(trees, Done(run=number, title=spec.title, played=played, out=wanted.out), wanted)


async def advance(home: RunHome, number: int, further: Further, wanted: Wanted) -> Done:
    """Let a kept run go on, from its newest world or an earlier one: then it branches."""
    if wanted.out is not None:
        check_folder(wanted.out, force=wanted.force)
    home.of(number)
    async with AsyncExitStack() as stack:
        stack.enter_context(home.held(number))
        spec, trees = await stack.enter_async_context(home.opened(number))
        nodes = await trees.nodes(KEY)
        node = snapshot_named(nodes, further.at)
        left = (spec.budget if further.budget is None else Decimal(str(further.budget))) - sum(
            (one.usd for one in nodes), Decimal(0)
        )
        if left <= 0:
            raise BadSetting(f"The budget of run {number} is spent: give it more in all with --budget.")
        purse = await stack.enter_async_context(wanted.purse(spec))
        async with trees.look(KEY, node.id) as world, world.store.reading() as read:
            names = await read.agents.names(KEY.community_id)
        there = Founded(community_id=KEY.community_id, names=names, room_id=min(names), clock=VirtualClock(spec.starts))
        wanted.on_begun(number)
        playing = _playing(trees, await purse(trees, left), spec, wanted, there.room_of)
        events = [RunEvent(text=further.said, by=further.by)] if further.said else []
        seed = str(spec.seed if further.seed is None else further.seed)
        played = await _played(playing, node.id, Length(turns=further.turns), seed=seed, events=events)
        return await _told(trees, Done(run=number, title=spec.title, played=played, out=wanted.out), wanted)


def snapshot_named(nodes: Sequence[Node], name: str) -> Node:
    """Give a world by its number or the name that it was given; none: the newest that stands. Raises NotFound."""
    done = [one for one in nodes if one.status is Status.DONE]
    if not name:
        return done[-1]
    found = [one for one in done if str(one.id) == name] or [one for one in done if one.note == name]
    if not found:
        raise NotFound(f"There is no snapshot {name!r}: `selfroom runs show` lists those of a run.")
    return found[-1]


async def listed(home: RunHome, coin: str = "USD") -> list[dict[str, Json]]:
    """Give the runs that are kept, the oldest first; one that cannot be read says so. `coin`: of models."""
    told = list[dict[str, Json]]()
    for number in home.numbers():
        try:
            async with home.opened(number) as (spec, trees):
                nodes = await trees.nodes(KEY)
                tree = await trees.find(KEY)
        except (StoreError, NotFound) as error:
            told.append({"run": number, "why": error.sentence})
            continue
        told.append(
            {
                "run": number,
                "title": spec.title,
                "scene": spec.scene.kind if spec.scene is not None else "free talk",
                "agents": len(spec.agents),
                "model": spec.model,
                "seed": spec.seed,
                "snapshots": len(nodes),
                "usd": str(sum((one.usd for one in nodes), Decimal(0))),
                "coin": spec.coin(coin),
                "made": tree.made_at.isoformat(timespec="seconds"),
            }
        )
    return told


async def shown(home: RunHome, number: int) -> list[dict[str, Json]]:
    """Give the snapshots of a run; raises NotFound."""
    async with home.opened(number) as (_, trees):
        nodes = await trees.nodes(KEY)
    turns: dict[int, int] = {}
    for one in nodes:
        turns[one.id] = one.turns + (turns[one.parent] if one.parent is not None else 0)
    return [
        {
            "snapshot": one.id,
            "name": one.note,
            "after": one.parent,
            "turns": turns[one.id],
            "status": one.status.value,
            "usd": str(one.usd),
            "outcome": one.outcome,
        }
        for one in nodes
    ]


async def named(home: RunHome, number: int, at: str, name: str) -> int:
    """Give a snapshot of a run a name; gives its number. Raises NotFound, and BadSetting for a name that is taken."""
    if not name.strip() or name.isdecimal() or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadSetting(f"A snapshot's name has letters in it, and {LONGEST_NAME} characters at most: choose another.")
    with home.held(number):
        async with home.opened(number) as (_, trees):
            nodes = await trees.nodes(KEY)
            node = snapshot_named(nodes, at)
            if any(one.note == name and one.id != node.id for one in nodes):
                raise BadSetting(f"Another snapshot of run {number} is called {name!r}: choose another name.")
            await trees.annotate(KEY, node.id, name)
    return node.id


async def exported(home: RunHome, number: int, folder: Path, *, at: str, force: bool) -> int:
    """Write what came of a run, until a snapshot, into a folder; gives the snapshot's number."""
    check_folder(folder, force=force)
    async with home.opened(number) as (_, trees):
        node = snapshot_named(await trees.nodes(KEY), at)
        told = await story(trees, node.id)
    await asyncio.to_thread(write, told, folder, force=force)
    return node.id


async def copied(home: RunHome, number: int) -> int:
    """Copy a run with all its snapshots; gives the copy's number."""
    return await asyncio.to_thread(home.copy, number)


async def deleted(home: RunHome, number: int) -> None:
    """Delete a run."""
    await asyncio.to_thread(home.delete, number)


def home_of(settings: "Settings") -> RunHome:
    """Give where the runs of the command line are kept; raises BadSetting for a data folder that cannot be used."""
    from bot.doctor import check_data_folder  # which knows Discord: a run's own process need not load that

    check_data_folder(settings.data_dir)
    return RunHome(settings.runs)


def _playing(
    trees: SqlTrees, paying: Paying, spec: RunSpec, wanted: Wanted, room_of: Callable[[str], AgentId]
) -> Playing:
    """Put together what a run is played with."""
    wanted.on_playing(paying)
    craft = Stagecraft(config=spec.config, tokenizer_for=tokenizer_for, on_turn=wanted.on_turn)
    runner = Runner(trees=trees, house=paying, stagecraft=craft, clock=SystemClock())
    return Playing(
        trees=trees,
        runner=runner,
        paying=paying,
        every=spec.every,
        room_of=room_of,
        on_node=lambda _: wanted.on_node(),
        most_bytes=wanted.most_bytes,
    )


async def _played(playing: Playing, at: NodeId, length: Length, *, seed: str, events: Sequence[RunEvent]) -> Played:
    """Play until the end, or until Ctrl-C: what was played until then stands."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, playing.paying.end)
    try:
        played = await playing.go_on(at, length, seed=seed, events=events)
    finally:
        loop.remove_signal_handler(signal.SIGINT)
    if isinstance(playing.paying, Replayed) and playing.paying.differs:
        raise BadSetting(playing.paying.differs)
    return played


async def _told(trees: SqlTrees, done: Done, wanted: Wanted) -> Done:
    if done.out is not None:
        told = await story(trees, done.played.node)
        await asyncio.to_thread(write, told, done.out, force=wanted.force)
    return done
