"""The sections of an agent's own part that are not rooms, from the view, within given limits."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from bot.core.access import shown_label
from bot.core.actions import Category, actions_of, hud_actions
from bot.core.hud.counting import clipped, count
from bot.core.hud.directory import EVERYONE, NAMES, NOBODY, shown_directory, speakers
from bot.core.hud.escape import whole
from bot.core.hud.focus import EMPTY, FULL, LEAST, MINIMAL, shown_focus
from bot.core.hud.knowledge import FEWEST_PATHS_NAMED, PATHS_NAMED, Known, inline
from bot.core.hud.lookups import LONGEST_QUESTION, LOOKUPS_PERCENT, MOST_LOOKUPS, TOKEN_CHARACTERS, fitted
from bot.core.hud.recent_actions import CHARACTERS, shown_action
from bot.core.hud.wording import WARNING_FROM, fill_status, percent
from bot.core.kinds import AgentType, ReasonKind
from bot.core.lore import chosen
from bot.core.ports import Tokenizer
from bot.core.records import (
    PUBLIC_SIDE,
    ActionRecord,
    Agent,
    AgentId,
    Json,
    Lookup,
    LoreEntry,
    Mind,
    Reason,
    Side,
    WholeAgent,
)
from bot.core.view import View

PROMPT_PERCENT: Final = 10
MOST_KEYS: Final = 20
NOTHING_KEPT: Final = 100
MORE_OF: Final = "more "  # begins what stands for the answer to the action `more`
LEAN_PROMPT_PERCENT: Final = 25
LEAN_KNOWLEDGE_PERCENT: Final = 15
LEAN_DEEDS: Final = 3
LEAN_DEED_CHARACTERS: Final = 60
LEAN_KEYS: Final = 5
LEAN_IDENTITY: Final = frozenset({"id", "name", "type", "seed", "role"})
LEAN_FOCUS: Final = frozenset({"currentTask", "goals", "blockers", "compactedContext"})
SAID: Final = "Said in "
BEING_POSTED: Final = "Being posted in "
SEEN: Final = frozenset({"send_message", "reply", "react"})  # what came of these stands in the room
LORE_TOKENS: Final = 4  # that an entry takes beside its content
LEAN_KNOWLEDGE: Final = frozenset({"knowledge", "knowledge_hidden"})


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
    lean: bool = False  # shown little
    lore: Sequence[LoreEntry] = ()  # what is spoken of now

    @property
    def budget(self) -> int:
        """The agent's token budget, or the small one of those that are shown little."""
        most = self.agent.token_budget
        return min(most, self.view.config.lean_tokens) if self.lean else most

    @property
    def more(self) -> tuple[Category, ...]:
        """The kinds of actions that one who is shown few of them is shown now: it asked, or somebody knocks."""
        knocks = any(reason.kind is ReasonKind.ACCESS for reason in self.reasons)
        return asked_for(self.mind.lookups, *[Category.ACCESS] * knocks)

    @property
    def mind(self) -> Mind:
        """What it carries on this side."""
        return self.view.mind_of(self.agent.id, self.side)


def asked_for(lookups: Sequence[Lookup], *others: Category) -> tuple[Category, ...]:
    """Give the kinds of actions that were asked for with `more`, and others."""
    asked = {one.question.removeprefix(MORE_OF) for one in lookups if one.question.startswith(MORE_OF)}
    return tuple(one for one in Category if one in asked or one in others)


def lines_of(categories: Sequence[Category], agent: Agent, *, emotions: bool) -> dict[str, Json]:
    """Give the lines of these kinds of actions."""
    of = {one: actions_of(one, privileged=agent.can_create_agents, emotions=emotions) for one in categories}
    return {one.value: [each.hud_line for each in actions] for one, actions in of.items()}


def first_limits(scope: Scope) -> SectionLimits:
    """Give how much of each section is shown where there is space for it."""
    lookups = scope.budget * LOOKUPS_PERCENT // 100
    if not scope.lean:
        return SectionLimits(knowledge_tokens=knowledge_cap(scope.agent), lookup_tokens=lookups)
    return SectionLimits(
        knowledge_tokens=min(knowledge_cap(scope.agent), scope.budget * LEAN_KNOWLEDGE_PERCENT // 100),
        lookup_tokens=lookups,
        focus=MINIMAL,
        actions=LEAN_DEEDS,
        action_characters=LEAN_DEED_CHARACTERS,
        directory=NAMES,
        keys=LEAN_KEYS,
    )


def _lean_sections(scope: Scope, room_ids: Sequence[AgentId], limits: SectionLimits) -> dict[str, Json]:
    """Give the few sections of an agent that is shown little; what is empty is left out."""
    shown: dict[str, Json] = {
        "directory": speakers(scope.view, scope.agent.id, room_ids) if limits.directory != NOBODY else [],
        "identity": {name: value for name, value in identity(scope).items() if name in LEAN_IDENTITY},
        **{name: part for name, part in _knowledge(scope, scope.side, limits).items() if name in LEAN_KNOWLEDGE},
        "focus": {name: part for name, part in _focus(scope, scope.mind, limits).items() if name in LEAN_FOCUS},
        "keys_held": _keys_held(scope, limits) if Category.ACCESS in scope.more else [],
        "recent_actions": _actions(scope, _without_seen(scope.mind), limits),
        **_lore(scope, limits),
        "lookups": shown_lookups(scope.tokenizer, scope.mind.lookups, limits.lookup_tokens),
        "available_actions": lines_of(scope.more, scope.agent, emotions=scope.view.config.emotions),
    }
    if scope.side != PUBLIC_SIDE:
        public = _knowledge(scope, PUBLIC_SIDE, replace(limits, knowledge_tokens=limits.knowledge_tokens // 2))
        shown["public"] = {name: part for name, part in public.items() if name in LEAN_KNOWLEDGE and part}
    return {name: part for name, part in shown.items() if part}


def _without_seen(mind: Mind) -> Mind:
    """Leave out what stands in the room already."""
    kept = tuple(one for one in mind.recent_actions if not one.accepted or one.type not in SEEN)
    return replace(mind, recent_actions=kept)


def sections(scope: Scope, room_ids: Sequence[AgentId], limits: SectionLimits) -> dict[str, Json]:
    """Give all sections but rooms and budget, in the documented names; what is empty is there and empty."""
    if scope.lean:
        return _lean_sections(scope, room_ids, limits)
    agent, mind = scope.agent, scope.mind
    shown: dict[str, Json] = {
        "directory": shown_directory(scope.view, agent.id, room_ids, limits.directory),
        "identity": identity(scope),
        "allocations": _allocations(agent),
        **_knowledge(scope, scope.side, limits),
        "focus": _own_focus(scope, mind, limits),
        "keys_held": _keys_held(scope, limits),
        "recent_actions": _actions(scope, mind, limits),
        **_lore(scope, limits),
        "lookups": shown_lookups(scope.tokenizer, mind.lookups, limits.lookup_tokens),
    }
    if scope.side != PUBLIC_SIDE:
        shown["public"] = _public(scope, limits)
    if agent.can_create_agents:
        others = hud_actions(privileged=True, emotions=scope.view.config.emotions)
        shown["available_actions"] = {name: list(lines) for name, lines in others.items()}
    return shown


def identity(scope: Scope) -> dict[str, Json]:
    """Give who the agent is; its seed or role takes at most a tenth of the budget."""
    agent = scope.agent
    percent = LEAN_PROMPT_PERCENT if scope.lean else PROMPT_PERCENT
    prompt = clipped(scope.tokenizer, whole(agent.prompt), scope.budget * percent // 100)
    return {
        "id": agent.id,
        "name": agent.name,
        "type": agent.type.value,
        "model": agent.model[:100],
        "temperature": agent.temperature,
        "joined": f"{agent.created_at:%Y-%m-%d}",
        "checkpoints": sum(room.checkpoints for room in scope.view.rooms_of(agent.id, scope.side)),
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
    most = PATHS_NAMED if limits.knowledge_tokens else FEWEST_PATHS_NAMED
    named: list[Json] = [path[:NOTHING_KEPT] for path in hidden[:most]]
    return {"knowledge": kept, "knowledge_hidden": {"count": len(hidden), "paths": named}, **shown}


def _lore(scope: Scope, limits: SectionLimits) -> dict[str, Json]:
    """Give the lore of what is spoken of, in what the agent's own knowledge leaves of its allocation."""
    left, book = limits.knowledge_tokens - scope.known[scope.side].tokens, scope.agent.lore
    known = chosen(book, scope.lore, lambda text: count(scope.tokenizer, whole(text)) + LORE_TOKENS, left)
    return {"lore": [whole(entry.content) for entry in known]} if known else {}


def _own_focus(scope: Scope, mind: Mind, limits: SectionLimits) -> dict[str, Json]:
    """Give the focus of this side; an empty one says what belongs there."""
    return _focus(scope, mind, limits) or ({} if limits.focus == LEAST else {"hint": EMPTY})


def _focus(scope: Scope, mind: Mind, limits: SectionLimits) -> dict[str, Json]:
    focus = mind.focus if scope.view.config.emotions else replace(mind.focus, feelings=())
    return shown_focus(focus, limits.focus, now=scope.now, stale_hours=scope.view.config.focus_stale_hours)


def _actions(scope: Scope, mind: Mind, limits: SectionLimits) -> list[Json]:
    recent = mind.recent_actions[len(mind.recent_actions) - min(limits.actions, len(mind.recent_actions)) :]
    me, view = scope.agent.id, scope.view
    unposted = {one.sent_at for room_id in view.speaking_in(me) for one in view.own_words(me, room_id)}
    return [shown_action(_as_it_stands(record, unposted), limits.action_characters) for record in recent]


def _as_it_stands(record: ActionRecord, unposted: Container[datetime]) -> ActionRecord:
    """Tell of words that are not posted yet that they are being posted, not that they are said."""
    if record.at not in unposted or not record.result.startswith(SAID):
        return record
    return replace(record, result=BEING_POSTED + record.result.removeprefix(SAID))


def _keys_held(scope: Scope, limits: SectionLimits) -> list[Json]:
    held = scope.view.held_keys.get(scope.agent.id, ())
    standing = [key for key in held if key.revoked_at is None][: limits.keys]
    rooms = scope.view.all_rooms
    return [{"room": key.room_id, "label": shown_label(key, rooms.get(key.room_id))} for key in standing]


def shown_lookups(tokenizer: Tokenizer, lookups: Sequence[Lookup], most: int) -> list[Json]:
    """Give what was looked up in at most so many tokens: each has its share, its middle left out if it is long."""
    if most <= 0 or not lookups:
        return []
    lookups = lookups[-MOST_LOOKUPS:]
    each = most // len(lookups)
    found: list[Json] = []
    for lookup in lookups:
        kept = fitted(lookup.answer, most * TOKEN_CHARACTERS // len(lookups))
        answer = kept if isinstance(kept, str) else inline(kept)
        question = clipped(tokenizer, whole(lookup.question[:LONGEST_QUESTION]), each // 3)
        text = clipped(tokenizer, whole(answer), each * 2 // 3 - 8)
        if text or question:
            found.append({"question": question, "answer": text if text != answer else kept})
    return found


def _public(scope: Scope, limits: SectionLimits) -> dict[str, Json]:
    """Give what the agent carries in its public rooms: shown on a private room's beats, written only on public ones."""
    mind = scope.view.mind_of(scope.agent.id, PUBLIC_SIDE)
    known = _knowledge(scope, PUBLIC_SIDE, limits)
    return {**known, "focus": _focus(scope, mind, limits), "recent_actions": _actions(scope, mind, limits)}
