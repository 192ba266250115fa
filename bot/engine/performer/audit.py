"""What stands in the audit: who changed what, and from what to what."""

from collections.abc import Iterator, Mapping
from typing import Final, TypeVar

from bot.core.actions import Action, Category
from bot.core.changes import Audit
from bot.core.people import by_person
from bot.core.records import Agent, AgentId, Membership, Room
from bot.core.view import Outline
from bot.core.wording import as_words
from bot.engine.performer.unit_of_work import UnitOfWork

Key = TypeVar("Key")
OF_AGENTS: Final = frozenset({Category.ROOM, Category.ACCESS, Category.AGENTS})  # what agents do that others notice
LONGEST_VALUE: Final = 60
IN_WORDS: Final = {
    "wpm": "words a minute",
    "rpm": "messages a minute",
    "avatar_url": "picture",
    "interval_seconds": "seconds between beats",
    "resting_interval_seconds": "seconds between beats at rest",
    "can_create_agents": "may create agents",
    "listens_to_bare_name": "hears its bare name",
}
TOLD: Final = {
    Agent: (
        *("name", "prompt", "model", "temperature", "avatar_url", "interval_seconds", "resting_interval_seconds"),
        *("token_budget", "input_format", "output_format", "can_create_agents", "aliases", "listens_to_bare_name"),
    ),
    Room: ("access", "visibility", "topic", "billboard", "wpm", "rpm"),
    Membership: ("attention",),
}


def audit(work: UnitOfWork, action: Action, result: str, earlier: Outline) -> None:
    """Note what was done; of agents what they changed for others, the same only once for each answer."""
    if work.actor.who is None and (action.definition.category not in OF_AGENTS or work.actor.agent_id is None):
        return
    by = work.actor.signature() if work.actor.who is not None else f"agent {work.actor.agent_id}"
    told = "; ".join(_differences(earlier, work.view))
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
    for own, theirs in {"You are ": f"{name} is ", "You ": f"{name} ", "Your ": f"{name}'s "}.items():
        if result.startswith(own):
            return theirs + result.removeprefix(own)
    return result


def _differences(earlier: Outline, later: Outline) -> Iterator[str]:
    """Word the columns that differ: `wpm: 80 → 111`."""
    yield from _between(earlier.agents, later.agents)
    yield from _between(earlier.all_rooms, later.all_rooms)
    yield from _between(earlier.memberships, later.memberships)


def _between(before: Mapping[Key, object], after: Mapping[Key, object]) -> Iterator[str]:
    for key, now in after.items():
        was = before.get(key)
        if was is None or was is now:
            continue
        for name in next((names for kind, names in TOLD.items() if isinstance(now, kind)), ()):
            old, new = getattr(was, name, None), getattr(now, name, None)  # a prompt is not read of everyone
            if old != new:
                yield f"{IN_WORDS.get(name, as_words(name))}: {_worded(old)} → {_worded(new)}"


def _worded(value: object) -> str:
    match value:
        case None | "" | ():
            return "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case tuple():
            text = ", ".join(map(str, value))
        case _:
            text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
