"""`make chaos TIMELINES=1`: random operations on trees while the process that runs their worlds is killed.

KILLS (200) and OPERATIONS (10,000) say how many, SEED which, MINUTES (none) when to stop earlier. It fails where a row
of life differs that is none of the trees' own, where an answer is asked for that was recorded, or where the process
opens a line to anybody but the house.
"""

import asyncio
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bot.core.errors import NotFound, SelfroomError, StoreError
from bot.core.models import ModelAnswer, ModelCall
from bot.core.records import AgentId
from bot.core.timelines.growth import Growth
from bot.core.timelines.records import NodeId, Timeline, TreeKey
from bot.engine.front_desk.office import Office
from bot.engine.front_desk.timelines import Timelines
from bot.engine.performer import Performer
from bot.engine.timelines.answers import digest_of
from bot.engine.timelines.house import Orchard, Treasury
from bot.seclusion import Seclusion
from storage.timelines.trees import SqlTrees
from tests.engine.front_desk.test_timelines import GUILD, rows
from tests.engine.test_replaying import moody
from tests.engine.timelines.garden import BOSS, EVENT, FREE, TOKENIZER, garden
from tests.fakes import PlainCipher, SeededRandom

OPERATIONS = (
    *("advance", "multi", "chain", "frontier", "branch", "ask", "selected"),
    *("delete", "stop", "rerun", "note", "compare", "read", "minds"),
)
LOOKED_AFTER = 250  # operations, until life is looked at
FULL = 120  # nodes, from which a subtree is cut


class Watched(Treasury):
    """The house's purse, which notes whoever asks for what is recorded already."""

    paid_twice: int = 0
    asked: int = 0

    async def answer(self, key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
        """Ask, once it is sure that nobody has asked before."""
        self.asked += 1
        known: set[str] = set()
        with suppress(NotFound):  # it is deleted just now
            known = {one.request for one in await self._trees.recorded(key, node_id)}
        bare = ModelCall(**{name: getattr(call, name) for name in call.__dataclass_fields__})
        self.paid_twice += digest_of(bare) in known
        return await super().answer(key, node_id, call)


@dataclass
class Trial:
    """One community, whose trees are grown in the process that they have in life."""

    there: Timelines
    grower: Seclusion
    trees: SqlTrees
    chance: random.Random
    purse: Watched
    done: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    kills: int = 0
    lines: set[str] = field(default_factory=set)  # that the process opened to anybody else
    wrong: int = 0  # times that life was otherwise
    posts: int = 0  # that anybody in life could read

    @property
    def held(self) -> bool:
        """Whether nothing of it was seen outside."""
        return not (self.wrong or self.purse.paid_twice or self.lines or self.posts)

    @property
    def operations(self) -> int:
        """How many there were, refused ones too."""
        return self.done.total() + self.refused

    async def operate(self, timeline: Timeline) -> None:
        """Do one thing at random; a refusal is one too."""
        self.watch()
        what = self.chance.choice(OPERATIONS)
        nodes = await self.trees.nodes(timeline.key)
        node = self.chance.choice(nodes[-12:]).id
        if len(nodes) > FULL:
            what, node = "delete", self.chance.choice(nodes[1:10]).id
        try:
            await self._do(what, timeline, node)
            self.done[what] += 1
        except SelfroomError:
            self.refused += 1

    async def _do(self, what: str, timeline: Timeline, node: NodeId) -> None:
        match what:
            case "delete":
                await self.there.delete(timeline, BOSS, node)
            case "stop":
                await self.there.stop(timeline, BOSS, node)
            case "rerun":
                told = await self.there.rerun(timeline, BOSS, node)
                if "0 bytes differ" not in told:
                    raise RuntimeError(told)
            case "note":
                await self.there.note(timeline, BOSS, node, "seen")
            case "compare":
                await self.there.compare(timeline, node, 0)
            case "read":
                await self.there.read(timeline, node)
            case "minds":
                await self.there.minds(timeline, node, who=BOSS.id)
            case _:
                growth = Growth(
                    what=what,  # type: ignore[arg-type]
                    by=BOSS,
                    nodes=(node,),
                    siblings=2,
                    turns=self.chance.randint(1, 2),
                    changes=EVENT if what == "branch" else (),
                    asked=(AgentId(1), "why?") if what == "ask" else None,
                )
                await self.there.grow(timeline, BOSS, growth)

    async def remove(self, timeline: Timeline) -> None:
        """Delete the tree; whom the process dies under is told to try again."""
        while True:
            try:
                await self.there.remove(timeline, BOSS)
                return
            except StoreError:
                await asyncio.sleep(0.1)

    def watch(self) -> None:
        """See to whom the process speaks."""
        if self.grower.pid is not None:
            self.lines |= lines_of(self.grower.pid)

    def kill(self) -> None:
        """Kill the process, whatever it is at."""
        self.watch()
        if self.grower.pid is None:
            return
        with suppress(ProcessLookupError):
            os.kill(self.grower.pid, signal.SIGKILL)
            self.kills += 1


def lines_of(pid: int) -> set[str]:
    """Give the lines to other programs, near or far, that a process has open by internet addresses."""
    sockets = set()
    with suppress(FileNotFoundError):
        for one in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):
                sockets.add(os.readlink(one))
    tables = [Path(f"/proc/{pid}/net/{name}") for name in ("tcp", "tcp6", "udp", "udp6")]
    found = set()
    for table in tables:
        with suppress(FileNotFoundError):
            found |= {f"socket:[{row.split()[9]}]" for row in table.read_text().splitlines()[1:]}
    return sockets & found


async def hold(seed: int, operations: int, kills: int, seconds: float | None, say: Callable[[str], None]) -> Trial:
    """Hold the trial, and give what came of it."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="selfroom-timelines-") as name:
        folder = Path(name)
        async with garden(folder, moody) as grown:
            community_id = grown.key.community_id
            trees = SqlTrees(folder / "forked", FREE)  # not among those of the garden, which has numbers of its own
            purse = Watched(grown.home.store, grown.home.model, trees, grown.home.clock, places=8)
            grower = Seclusion(folder / "forked", FREE, purse)
            performer = Performer(cipher=PlainCipher(), tokenizer=TOKENIZER)
            office = Office(grown.home.store, performer, grown.home.clock, SeededRandom(), lambda: None)
            orchard = Orchard(trees=trees, images=grown.home.store, grower=grower, treasury=purse, program="1")
            trial = Trial(Timelines(office, orchard, FREE), grower, trees, random.Random(seed), purse)  # noqa: S311
            async with grown.home.store.writing(community_id) as write:
                await write.people.put(community_id, BOSS)
            before = await rows(grown)
            timeline = await trial.there.fork(GUILD, BOSS, AgentId(1), title="chaos", rooms=())
            try:
                for count in range(1, operations + 1):
                    if trial.chance.random() < kills / operations:
                        trial.kill()
                    await trial.operate(timeline)
                    if count % LOOKED_AFTER == 0:
                        trial.wrong += await rows(grown) != before
                        say(_standing(trial))
                    if seconds is not None and time.monotonic() - began > seconds:
                        break
                trial.kill()
                await trial.remove(timeline)
            finally:
                await grower.close()
                await trees.close()
            trial.wrong += await rows(grown) != before
            trial.posts = len(grown.home.publisher.posts)
            say(_standing(trial))
            return trial


def _standing(trial: Trial) -> str:
    return (
        f"{trial.operations} operations ({trial.refused} refused), {trial.kills} kills, {trial.purse.asked} answers "
        f"asked for: {trial.wrong} times life differed, {trial.purse.paid_twice} answers paid twice, "
        f"{len(trial.lines)} lines elsewhere; {dict(trial.done)}"
    )


def main(say: Callable[[str], None]) -> int:
    """Hold it as the environment says; gives the exit code."""
    seed, kills, operations = (int(os.environ.get(*one) or one[1]) for one in GIVEN)
    minutes = os.environ.get("MINUTES")
    say(f"seed {seed}: {operations} operations on trees, {kills} kills")
    held = asyncio.run(hold(seed, operations, kills, float(minutes) * 60 if minutes else None, say)).held
    say("held" if held else f"seed {seed} did not hold")
    return 0 if held else 1


GIVEN = (("SEED", "41268"), ("KILLS", "200"), ("OPERATIONS", "10000"))
