"""Whom a line is for: the rule held against what people marked in recorded chats, its busiest speakers being agents."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
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
OTHERS = (5, 10, 15)  # speakers whom the rule was not made on
SEEN = 60  # lines that intake looks at


@dataclass(frozen=True, slots=True)
class Score:
    """Links that people marked, lines that the rule gave an agent, and how many of these were right."""

    links: int = 0
    given: int = 0
    right: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(self.links + other.links, self.given + other.given, self.right + other.right)

    @property
    def recall(self) -> float:
        """Links found."""
        return self.right / self.links if self.links else 1.0

    @property
    def precision(self) -> float:
        """Lines given to the right one."""
        return self.right / self.given if self.given else 1.0


def whom_figures() -> list[Figure]:
    """Give recall and precision by day and together; nothing where the traces are not at hand."""
    days = {path.stem.removeprefix("ubuntu-"): score(path) for path in there()}
    if not days:
        return []
    together = sum(days.values(), Score())
    others = sum([score(path, rank) for path in there() for rank in OTHERS], Score())
    recall, precision = "heartbeat.whom_recall", "heartbeat.whom_precision"
    figures = [
        Figure(name=recall, value=together.recall, unit="of the links", target=0.75, better="higher"),
        Figure(name=precision, value=together.precision, unit="of the lines", target=0.80, better="higher"),
        Figure(name=f"{recall}_of_other_speakers", value=others.recall, unit="of the links"),
        Figure(name=f"{precision}_of_other_speakers", value=others.precision, unit="of the lines"),
    ]
    for day, one in days.items():
        figures.append(Figure(name=f"{recall}_{day}", value=one.recall, unit="of the links"))
        figures.append(Figure(name=f"{precision}_{day}", value=one.precision, unit="of the lines"))
    return figures


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
        if row["seq"] < first or row["sender"] in ids:
            continue
        linked = by_seq[row["reply_to"]]["sender"] if row.get("reply_to") else None
        seen = _view(ids, said[max(0, place - SEEN) : place + 1])
        given = ways_of(seen, seen.rooms[AgentId(ROOM)], said[place])
        right = int(linked in ids and ids[linked] in given)
        total += Score(links=int(linked in ids), given=len(given), right=right)
    return total


def _message(row: dict[str, Any], ids: dict[str, AgentId], person: int) -> Message:
    name = row["sender"]
    by = by_agent(ids[name]) if name in ids else None
    return Message(
        id=MessageId(row["seq"]),
        room_id=AgentId(ROOM),
        sender=by or Sender(kind=SenderKind.PERSON, person_id=Snowflake(person), name=name),
        content=row["text"],
        sent_at=datetime.fromisoformat(row["t"]).replace(tzinfo=UTC),
    )


def _view(ids: dict[str, AgentId], messages: list[Message]) -> View:
    them = [agent(id, name=name) for name, id in ids.items()]  # and the room's owner is none of them
    place = RoomView(room=room(ROOM), members=tuple(ids.values()), messages=tuple(messages))
    return view(them, rooms=[place], memberships=[membership(one.id, ROOM) for one in them])
