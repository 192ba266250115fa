"""What stands in the audit: who changed what, and from what to what."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from bot.core.actions import Action, Category
from bot.core.attention import share_words
from bot.core.changes import AddLetter, Audit, Change, JournalPlan, SetKnowledge
from bot.core.kinds import LetterKind, Visibility
from bot.core.letters import PermissionPayload, parse_payload
from bot.core.people import by_person
from bot.core.records import Agent, AgentId, Allocations, Focus, Membership, Room
from bot.core.view import Belongings, Outline
from bot.core.wording import as_words, counted, retold
from bot.engine.performer.unit_of_work import UnitOfWork

Key = TypeVar("Key")
OF_AGENTS: Final = frozenset({Category.ROOM, Category.ACCESS, Category.AGENTS})  # what agents do that others notice
LONGEST_VALUE: Final = 60
IN_WORDS: Final = {
    "wpm": "words a minute",
    "rpm": "messages a minute",
    "avatar_url": "picture",
    "interval_seconds": "interval, the seconds between beats",
    "resting_interval_seconds": "resting interval, the seconds between beats at rest",
    "can_create_agents": "may create agents",
    "listens_to_bare_name": "hears its bare name",
    "allocations": "shares of its view",
    "paused_reason": "pause",
    "hushed_until": "silent until",
}
ELSEWHERE: Final = {
    SetKnowledge: "/knowledge history",
    JournalPlan: "/plan show",
}  # a mind's own words stand only there
TOLD: Final = {
    Agent: (
        *("name", "prompt", "model", "temperature", "avatar_url", "interval_seconds", "resting_interval_seconds"),
        *(
            "token_budget",
            "allocations",
            "input_format",
            "output_format",
            "detail",
            "spare_models",
            "can_create_agents",
        ),
        *("aliases", "listens_to_bare_name", "asleep_until", "paused_reason"),
    ),
    Room: ("access", "visibility", "topic", "billboard", "wpm", "rpm", "hushed_until"),
    Membership: ("attention",),
}
OF_FOCUS: Final = ("current_task", "key_decisions", "active_files", "notes", "blockers", "next_steps")


@dataclass(frozen=True, slots=True)
class Before:
    """How things were when an action began: what everyone is, what minds held, and how much had changed already."""

    outline: Outline
    minds: Belongings | None
    changes: int


def audit(work: UnitOfWork, action: Action, result: str, before: Before) -> None:
    """Note what was done; of agents what they changed for others, the same only once for each answer."""
    if work.actor.who is None and (action.definition.category not in OF_AGENTS or work.actor.agent_id is None):
        return
    by = work.actor.signature() if work.actor.who is not None else f"agent {work.actor.agent_id}"
    told = "; ".join(_differences(work, before))
    what = f"{_of_others(work, result)}{f' ({told})' if told else ''}"
    what = what if work.actor.who is not None else work.redactor.text(what)
    about: AgentId | None = work.subject_id or getattr(action, "agent_id", None)
    entry = Audit(by=by, what=what, agent_id=about, at=work.now)
    told_already = any(isinstance(one, Audit) and one.what.startswith(what) and one.by == by for one in work.changes)
    if work.actor.who is not None or not told_already:
        work.put(entry)


def _of_others(work: UnitOfWork, result: str) -> str:
    """Word what somebody was told of their deed for who reads of it."""
    who = work.actor.who
    if work.actor.agent_id is not None:
        name = work.agent(work.actor.agent_id).name
    elif who is not None:
        name = by_person(who.id, manager=work.actor.is_manager)
    else:
        return result
    return retold(result, name)


def _differences(work: UnitOfWork, before: Before) -> Iterator[str]:
    """Word what differs: `wpm: 80 → 111`."""
    earlier, changes = before.outline, work.changes[before.changes :]
    yield from _between(earlier.agents, work.view.agents, work.now)
    yield from _between(earlier.all_rooms, work.view.all_rooms, work.now)
    yield from _between(earlier.memberships, work.view.memberships, work.now)
    yield from _to_be_seen(earlier.all_rooms, changes)
    yield from _in_view(before.minds, work.minds)
    for place in dict.fromkeys(ELSEWHERE[type(one)] for one in changes if isinstance(one, SetKnowledge | JournalPlan)):
        yield f"before and after: `{place}`"


def _between(before: Mapping[Key, object], after: Mapping[Key, object], at: datetime) -> Iterator[str]:
    for key, now in after.items():
        was = before.get(key)
        if was is None or was is now:
            continue
        for name in next((names for kind, names in TOLD.items() if isinstance(now, kind)), ()):
            old, new = getattr(was, name, None), getattr(now, name, None)  # a prompt is not read of everyone
            if old == new:
                continue
            told = f"{_worded(old, at)} → {_worded(new, at)}" if name != "attention" else _shares(old, new)
            if told != "none → none":
                yield f"{IN_WORDS.get(name, as_words(name))}: {told}"


def _shares(old: int | None, new: int | None) -> str:
    return f"{share_words(old)} → {share_words(new)}"


def _to_be_seen(rooms: Mapping[AgentId, Room], changes: Sequence[Change]) -> Iterator[str]:
    """Word who is to see a room: it is so only once Discord has done it."""
    for one in changes:
        if not isinstance(one, AddLetter) or one.kind is not LetterKind.PERMISSION or one.room_id not in rooms:
            continue
        match parse_payload(one.kind, one.payload):
            case PermissionPayload(person_id=None, allowed=bool(allowed)):
                was, wanted = rooms[one.room_id].visibility, Visibility.PUBLIC if allowed else Visibility.PRIVATE
                if was is not wanted:
                    yield f"visibility: {was} → {wanted}"


def _in_view(before: Belongings | None, after: Belongings | None) -> Iterator[str]:
    """Word how much of an agent's focus there was and is: its words stay its own, and go when they are forgotten."""
    if before is None or after is None or before is after:
        return
    for key, mind in after.minds.items():
        was, now = before.mind_of(*key).focus, mind.focus
        for name in OF_FOCUS:
            if getattr(was, name) != getattr(now, name):
                yield f"{as_words(name)}: {_held(was, name)} → {_held(now, name)}"


def _held(focus: Focus, name: str) -> str:
    held: str | tuple[str, ...] = getattr(focus, name)
    if not held:
        return "none"
    return counted(len(held.split()), "word") if isinstance(held, str) else counted(len(held), "line")


def _worded(value: object, at: datetime) -> str:
    match value:
        case None | "" | ():
            return "none"
        case datetime() if value <= at:
            return "none"
        case datetime():
            return f"{value:%Y-%m-%d %H:%M} UTC"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case tuple():
            text = ", ".join(map(str, value))
        case Allocations():
            text = f"knowledge {value.knowledge}%, actions {value.recent_actions}%, rooms {value.rooms}%"
        case _:
            text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
