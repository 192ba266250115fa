"""The sections of an agent's own part that are not rooms, from the view, at a given thrift."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.core.access import shown_label
from bot.core.actions import hud_actions
from bot.core.hud.counting import clipped
from bot.core.hud.directory import EVERYONE, shown_directory
from bot.core.hud.escape import whole
from bot.core.hud.focus import EMPTY, FULL, LEAST, shown_focus
from bot.core.hud.knowledge import PATHS_NAMED, Known, inline
from bot.core.hud.recent_actions import CHARACTERS, shown_action
from bot.core.hud.wording import WARNING_FROM, fill_status, percent, timestamp
from bot.core.kinds import AgentType
from bot.core.ports import Tokenizer
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Json, Lookup, Mind, Reason, Side, WholeAgent
from bot.core.view import View

PROMPT_PERCENT: Final = 10
LOOKUPS_PERCENT: Final = 15
MOST_KEYS: Final = 20
NOTHING_KEPT: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionLimits:
    """How much of each section is shown."""

    knowledge_tokens: int
    lookup_tokens: int
    focus: int = FULL
    actions: int = 20
    action_characters: int = CHARACTERS
    directory: int = EVERYONE
    keys: int = MOST_KEYS


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose sections: an agent on one side, at a time; `alone` in its call, so its own secrets may be shown."""

    view: View
    agent: WholeAgent
    side: Side
    alone: bool
    now: datetime
    tokenizer: Tokenizer
    known: Mapping[Side, Known]  # of this side, and of the public one
    reasons: Sequence[Reason] = ()  # of the beat, the most urgent first

    @property
    def budget(self) -> int:
        """The agent's token budget."""
        return self.agent.token_budget

    @property
    def mind(self) -> Mind:
        """What it carries on this side."""
        return self.view.mind_of(self.agent.id, self.side)


def sections(scope: Scope, room_ids: Sequence[AgentId], limits: SectionLimits) -> dict[str, Json]:
    """Give all sections but rooms and budget, in the documented names; what is empty is there and empty."""
    agent, mind = scope.agent, scope.mind
    shown: dict[str, Json] = {
        "directory": shown_directory(scope.view, agent.id, room_ids, limits.directory),
        "identity": identity(scope),
        "allocations": _allocations(agent),
        **_knowledge(scope, scope.side, limits),
        "focus": _own_focus(scope, mind, limits),
        "keys_held": _keys_held(scope, limits),
        "recent_actions": _actions(mind, limits),
        "lookups": _lookups(scope, mind.lookups, limits.lookup_tokens),
    }
    if scope.side != PUBLIC_SIDE:
        shown["public"] = _public(scope, limits)
    if agent.can_create_agents:
        shown["available_actions"] = {name: list(lines) for name, lines in hud_actions(privileged=True).items()}
    return shown


def identity(scope: Scope) -> dict[str, Json]:
    """Give who the agent is; its seed or role takes at most a tenth of the budget."""
    agent = scope.agent
    prompt = clipped(scope.tokenizer, whole(agent.prompt), scope.budget * PROMPT_PERCENT // 100)
    return {
        "id": agent.id,
        "name": agent.name,
        "type": agent.type.value,
        "model": agent.model[:100],
        "temperature": agent.temperature,
        "created": timestamp(agent.created_at),
        ("seed" if agent.type is AgentType.PERSONA else "role"): prompt,
    }


def _allocations(agent: Agent) -> dict[str, Json]:
    given = agent.allocations
    return {"knowledge": given.knowledge, "recent_actions": given.recent_actions, "rooms": given.rooms}


def knowledge_cap(agent: Agent) -> int:
    """Give how many tokens of knowledge the agent's allocation allows."""
    return agent.token_budget * agent.allocations.knowledge // 100


def _knowledge(scope: Scope, side: Side, limits: SectionLimits) -> dict[str, Json]:
    known = scope.known[side]
    shown: dict[str, Json] = {"memory_used": f"{percent(known.tokens, knowledge_cap(scope.agent))}%"}
    if (fill := percent(known.tokens, knowledge_cap(scope.agent))) >= WARNING_FROM:
        shown["memory_status"] = fill_status(fill)
    if known.tokens <= limits.knowledge_tokens:
        return {"knowledge": known.whole, **shown}
    kept, hidden = known.weightiest(limits.knowledge_tokens)
    named: list[Json] = [path[:NOTHING_KEPT] for path in hidden[:PATHS_NAMED]]
    return {"knowledge": kept, "knowledge_hidden": {"count": len(hidden), "paths": named}, **shown}


def _own_focus(scope: Scope, mind: Mind, limits: SectionLimits) -> dict[str, Json]:
    """Give the focus of this side; an empty one says what belongs there."""
    return _focus(scope, mind, limits) or ({} if limits.focus == LEAST else {"hint": EMPTY})


def _focus(scope: Scope, mind: Mind, limits: SectionLimits) -> dict[str, Json]:
    return shown_focus(mind.focus, limits.focus, now=scope.now, stale_hours=scope.view.config.focus_stale_hours)


def _actions(mind: Mind, limits: SectionLimits) -> list[Json]:
    recent = mind.recent_actions[len(mind.recent_actions) - min(limits.actions, len(mind.recent_actions)) :]
    return [shown_action(record, limits.action_characters) for record in recent]


def _keys_held(scope: Scope, limits: SectionLimits) -> list[Json]:
    held = scope.view.held_keys.get(scope.agent.id, ())
    standing = [key for key in held if key.revoked_at is None][: limits.keys]
    rooms = scope.view.all_rooms
    return [{"room": key.room_id, "label": shown_label(key, rooms.get(key.room_id))} for key in standing]


def _lookups(scope: Scope, lookups: Sequence[Lookup], most: int) -> list[Json]:
    if most <= 0 or not lookups:
        return []
    each = most // len(lookups)
    found: list[Json] = []
    for lookup in lookups:
        answer = lookup.answer if isinstance(lookup.answer, str) else inline(lookup.answer)
        question = clipped(scope.tokenizer, whole(lookup.question[:200]), each // 3)
        text = clipped(scope.tokenizer, whole(answer), each * 2 // 3 - 8)
        if text or question:
            found.append({"question": question, "answer": text if text != answer else lookup.answer})
    return found


def _public(scope: Scope, limits: SectionLimits) -> dict[str, Json]:
    """Give what the agent carries in its public rooms: shown on a private room's beats, written only on public ones."""
    mind = scope.view.mind_of(scope.agent.id, PUBLIC_SIDE)
    known = _knowledge(scope, PUBLIC_SIDE, limits)
    return {**known, "focus": _focus(scope, mind, limits), "recent_actions": _actions(mind, limits)}
