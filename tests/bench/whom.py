"""Whom a line is for: the rule held against what people marked in recorded chats, its busiest speakers being agents."""

from collections import Counter
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from operator import add
from pathlib import Path
from typing import Any

from bot.core.addressing import ways_of
from bot.core.kinds import SenderKind
from bot.core.records import AgentId, Message, MessageId, Sender, Snowflake
from bot.core.view import RoomView, View
from tests.bench import Figure
from tests.bench.traces import rows, there
from tests.factories import agent, by_agent, membership, room, view

AGENTS = 5
ROOM = 1_000
OTHERS = range(AGENTS, 60, AGENTS)  # speakers whom the rule was not made on, in place of the busiest
UNREAD = OTHERS[1::2]  # of whom nobody has read a line that it got wrong
BOTS = ("ubottu", "ubotu", "FloodBot")  # other programs, whose lines Selfroom takes for nobody's: how their names begin
SEEN = 60  # lines that intake looks at
RECALL, PRECISION = "heartbeat.whom_recall", "heartbeat.whom_precision"


@dataclass(frozen=True, slots=True)
class Score:
    """Links that people marked, lines that the rule gave an agent (`named`: by its name), and how many were right."""

    links: int = 0
    given: int = 0
    right: int = 0
    named: int = 0
    named_right: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(*map(add, astuple(self), astuple(other)))

    @property
    def recall(self) -> float:
        """Links found."""
        return self.right / self.links if self.links else 1.0

    @property
    def precision(self) -> float:
        """Lines given to the right one."""
        return self.right / self.given if self.given else 1.0

    @property
    def precision_of_named(self) -> float:
        """Lines given to the right one, of those that name it: what no guess changes."""
        return self.named_right / self.named if self.named else 1.0


def whom_figures() -> list[Figure]:
    """Give recall and precision by day and together; nothing where the traces are not at hand."""
    days = {path.stem.removeprefix("ubuntu-"): score(path) for path in there()}
    if not days:
        return []
    figures = _both("", sum(days.values(), Score()), recall=0.75, precision=0.80)
    by_rank = {rank: sum([score(path, rank) for path in there()], Score()) for rank in OTHERS}
    others, unread = (sum([by_rank[rank] for rank in ranks], Score()) for ranks in (OTHERS, UNREAD))
    figures += _both("_of_other_speakers", others, recall=0.75, precision=0.80)
    figures += _both("_of_speakers_unread", unread, recall=0.75, precision=0.80)
    for name, those in (("other_speakers", others), ("speakers_unread", unread)):
        named = f"{PRECISION}_where_named_of_{name}"  # it bounds what guesses at the other lines could reach
        figures.append(Figure(name=named, value=those.precision_of_named, unit="of the lines"))
    return figures + [figure for day, one in days.items() for figure in _both(f"_{day}", one)]


def _both(of: str, one: Score, *, recall: float | None = None, precision: float | None = None) -> list[Figure]:
    return [
        Figure(name=RECALL + of, value=one.recall, unit="of the links", target=recall, better="higher"),
        Figure(name=PRECISION + of, value=one.precision, unit="of the lines", target=precision, better="higher"),
    ]


def score(path: Path, rank: int = 0) -> Score:
    """Hold the rule against one day, where links were marked; the agents are the busiest after so many."""
    lines = rows(path)
    busiest = [name for name, _ in Counter(row["sender"] for row in lines).most_common(rank + AGENTS)[rank:]]
    ids = {name: AgentId(place) for place, name in enumerate(busiest, 1)}
    by_seq = {row["seq"]: row for row in lines}
    first = min(row["seq"] for row in lines if row.get("reply_to"))
    people: dict[str, int] = {}
    said = [_message(row, ids, people.setdefault(row["sender"], 1 + len(people))) for row in lines]
    total = Score()
    for place, row in enumerate(lines):
        if row["seq"] < first or not said[place].sender.is_human:
            continue
        linked = by_seq[row["reply_to"]]["sender"] if row.get("reply_to") else None
        seen = _view(ids, said[max(0, place - SEEN) : place + 1])
        given = ways_of(seen, seen.rooms[AgentId(ROOM)], said[place])
        agent_id = ids.get(linked)
        total += Score(
            links=int(agent_id is not None),
            given=len(given),
            right=int(agent_id in given),
            named=sum(way.by_name for way in given.values()),
            named_right=int(agent_id in given and given[agent_id].by_name),
        )
    return total


def _message(row: dict[str, Any], ids: dict[str, AgentId], person: int) -> Message:
    name = row["sender"]
    by = by_agent(ids[name]) if name in ids else None
    kind = SenderKind.BOT if name.startswith(BOTS) else SenderKind.PERSON
    return Message(
        id=MessageId(row["seq"]),
        room_id=AgentId(ROOM),
        sender=by or Sender(kind=kind, person_id=Snowflake(person), name=name),
        content=row["text"],
        sent_at=datetime.fromisoformat(row["t"]).replace(tzinfo=UTC),
    )


def _view(ids: dict[str, AgentId], messages: list[Message]) -> View:
    them = [agent(id, name=name) for name, id in ids.items()]  # and the room's owner is none of them
    place = RoomView(room=room(ROOM), members=tuple(ids.values()), messages=tuple(messages))
    return view(them, rooms=[place], memberships=[membership(one.id, ROOM) for one in them])
