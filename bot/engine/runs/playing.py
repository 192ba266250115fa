"""A run goes on: node after node in a tree of its own, so that it can be gone back to, and nothing played is lost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from hashlib import sha256
from typing import Final, Protocol

from bot.core.ports.trees import Trees
from bot.core.records import AgentId, CommunityId
from bot.core.runs.spec import RunEvent, RunSpec
from bot.core.timelines.changes import Change, PublicEvent
from bot.core.timelines.growth import check_parent
from bot.core.timelines.records import NOW, Edge, Image, Node, NodeId, Planned, Status, Tree, TreeId, TreeKey
from bot.engine.runs.founding import RESEARCHER
from bot.engine.timelines.answers import House
from bot.engine.timelines.play import ENDED, SPENT
from bot.engine.timelines.runner import Runner

MOST_AT_ONCE: Final = 10  # events of one moment
UNTIL_QUIET: Final = 20_000  # turns, where the file names no end
KEY: Final = TreeKey(CommunityId(1), TreeId(1))  # every run has a folder of its own, with one tree in it


class Ending(StrEnum):
    """How a run came to its end."""

    PLAYED = "played"  # as long as it was to
    QUIET = "quiet"  # nobody had anything to do any more: so does a scene that is over end
    SPENT = "spent"  # the budget held no further call
    STOPPED = "stopped"  # by whoever ran it
    LARGE = "large"  # its file took as much as it may
    FAILED = "failed"  # a model failed again and again


class Paying(House, Protocol):
    """Whoever asks models for a run, and holds it to its budget."""

    async def pay_for(self, node: Node) -> None:
        """Let a node spend of the run's budget."""

    def end(self) -> None:
        """Ask nothing more: what was played until now stands."""

    @property
    def is_ended(self) -> bool:
        """Whether nothing more is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """How long it is to go on: turns, virtual minutes, or (neither) until it is quiet."""

    turns: int | None = None
    minutes: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What came of going on: the last world that stands, in how many turns, and what it cost.

    `why`: of one that failed, in one sentence.
    """

    node: NodeId
    ending: Ending
    turns: int
    usd: Decimal
    tokens: int
    why: str = ""


def planted(spec: RunSpec, image: Image, *, at: datetime, made_at: datetime, program: str) -> Tree:
    """Give the tree of a run before its first node."""
    return Tree(
        key=KEY,
        title=spec.title,
        rooms=(),
        point=NOW,
        made_by=RESEARCHER.id,
        made_at=made_at,
        at=at,
        seed=str(spec.seed),
        revision="",
        program=program,
    )


@dataclass(kw_only=True)
class Playing:
    """Goes on from a node of a run's tree; `room_of` gives the rooms that events name."""

    trees: Trees
    runner: Runner
    paying: Paying
    every: int
    room_of: Callable[[str], AgentId]
    on_node: Callable[[Node], None] = field(default=lambda node: None)
    most_bytes: int | None = None  # of its file: after the snapshot that passes them it ends

    async def go_on(
        self,
        at: NodeId,
        length: Length,
        *,
        seed: str,
        events: Sequence[RunEvent] = (),
    ) -> Played:
        """Play so long from a node on; raises Rejected where nothing can begin there."""
        check_parent(await self.trees.node(KEY, at), goes_on=not events)
        self._told = Played(node=at, ending=Ending.PLAYED, turns=0, usd=Decimal(0), tokens=0)
        waiting = sorted(events, key=lambda one: one.turn)
        minutes, is_quiet = 0.0, False
        while True:
            left = (length.turns or UNTIL_QUIET) - self._told.turns
            if (length.minutes is None and left <= 0) or (length.minutes is not None and minutes >= length.minutes):
                return self._ended(Ending.PLAYED)
            if self.paying.is_ended:
                return self._ended(Ending.STOPPED)
            due, waiting = self._due(waiting, is_quiet=is_quiet)
            for_minutes = None if length.minutes is None else min(float(self.every), length.minutes - minutes)
            planned = self._planned(due, min(left, self._until_next(waiting)), for_minutes, seed)
            (node,) = await self.trees.add(KEY, [planned], at=self.runner.clock.now())
            await self.paying.pay_for(node)
            node = await self.runner.run(KEY, node.id, lambda: False)  # `paying` ends it, and what was played stands
            self.on_node(node)
            if (ending := self._told_of(node)) is not None:
                return self._ended(ending, node.outcome)
            minutes += for_minutes or 0.0
            is_quiet = node.is_quiet
            if is_quiet and not waiting:
                return self._ended(Ending.QUIET)
            if self.most_bytes is not None and (await self.trees.find(KEY)).bytes > self.most_bytes:
                return self._ended(Ending.LARGE)

    def _due(self, waiting: list[RunEvent], *, is_quiet: bool) -> tuple[list[RunEvent], list[RunEvent]]:
        """Give what happens now: what is due, or where nobody has anything to do the next of what will be."""
        turn = waiting[0].turn if waiting and is_quiet else self._told.turns
        due = [one for one in waiting if one.turn <= max(turn, self._told.turns)][:MOST_AT_ONCE]
        return due, waiting[len(due) :]

    def _until_next(self, waiting: Sequence[RunEvent]) -> int:
        """Give in how many turns its world is to be kept, or something is to happen."""
        done = self._told.turns
        following = [one.turn - done for one in waiting if one.turn > done]
        return max(1, min([self.every - done % self.every, *following]))

    def _planned(self, due: Sequence[RunEvent], turns: int, minutes: float | None, seed: str) -> Planned:
        happens: list[Change] = [
            PublicEvent(room_id=self.room_of(one.room), text=one.text, visitor=one.by) for one in due
        ]
        return Planned(
            parent=self._told.node,
            edge=Edge.ADVANCE,
            seed=sha256(f"{seed}/{self._told.node}/{self._told.turns}".encode()).hexdigest()[:16],
            changes=tuple(happens),
            turns_wanted=turns if minutes is None else 0,
            minutes=minutes,
            made_by=RESEARCHER.id,
        )

    def _told_of(self, node: Node) -> Ending | None:
        """Add a node to what was played, if it stands; gives how it ended all, None where it goes on."""
        before = self._told
        usd, tokens = before.usd + node.usd, before.tokens + node.tokens
        if node.status is not Status.DONE:
            self._told = Played(node=before.node, ending=before.ending, turns=before.turns, usd=usd, tokens=tokens)
            return Ending.STOPPED if node.status is Status.STOPPED else Ending.FAILED
        turns = before.turns + node.turns
        self._told = Played(node=node.id, ending=before.ending, turns=turns, usd=usd, tokens=tokens)
        return ENDINGS.get(node.outcome)

    def _ended(self, ending: Ending, why: str = "") -> Played:
        told = self._told
        why = why if ending is Ending.FAILED else ""
        return Played(node=told.node, ending=ending, turns=told.turns, usd=told.usd, tokens=told.tokens, why=why)


ENDINGS: Final[Mapping[str, Ending]] = {SPENT: Ending.SPENT, ENDED: Ending.STOPPED}
