"""Fitting one agent's sheet into its token budget: sections first to at most half, rooms get all the rest."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.core.hud.agent_hud import AgentHud, CallTime, Format
from bot.core.hud.directory import NAMES, NEIGHBOURS, NOBODY
from bot.core.hud.focus import LEAST, MINIMAL
from bot.core.hud.sections import Scope, SectionLimits, first_limits, sections
from bot.core.hud.why import why
from bot.core.hud.wording import fill_status, focus_tier, percent
from bot.core.records import AgentId, Json

REST_PERCENT: Final = 50
FEWEST_ACTIONS: Final = 5
SHORT_CHARACTERS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """All that is not rooms, within its half."""

    agent_hud: AgentHud  # without places; `budget` in it holds the highest numbers that can come
    pieces: tuple[tuple[str, int], ...]

    @property
    def tokens(self) -> int:
        """What it costs."""
        return sum(tokens for _, tokens in self.pieces)


def fit_rest(scope: Scope, room_ids: Sequence[AgentId], hud_format: Format, moment: CallTime) -> Rest:
    """Give the sections at the first thrift at which they take at most half of the budget."""
    cap = scope.budget * REST_PERCENT // 100
    limits = first_limits(scope)
    write = _Writer(scope, room_ids, hud_format, moment)
    rest = write(limits, 0)
    fill = percent(rest.tokens, cap)
    tighter = _within_actions(scope, rest, replace(limits, focus=max(limits.focus, focus_tier(fill))))
    rest = write.filled(rest, fill) if tighter == limits else write(tighter, fill)
    limits = tighter
    for spare in _savings():
        if rest.tokens <= cap:
            return rest
        limits = spare(limits, rest.tokens - cap, dict(rest.pieces))
        rest = write(limits, fill)
    return rest


@dataclass(frozen=True, slots=True)
class _Writer:
    scope: Scope
    room_ids: Sequence[AgentId]
    hud_format: Format
    moment: CallTime

    def __call__(self, limits: SectionLimits, fill_percent: int) -> Rest:
        shown = sections(self.scope, self.room_ids, limits) | {"why": why(self.scope, self.room_ids)}
        if not self.scope.lean:
            shown["budget"] = self.budget(fill_percent)
        agent_hud = AgentHud(agent=self.scope.agent, side=self.scope.side, sections=shown, lean=self.scope.lean)
        return Rest(agent_hud=agent_hud, pieces=tuple(self.hud_format.pieces(agent_hud, self.moment)))

    def filled(self, rest: Rest, fill_percent: int) -> Rest:
        """Give the same with another fill level, without writing the other sections again."""
        if "budget" not in rest.agent_hud.sections:
            return rest
        shown = {**rest.agent_hud.sections, "budget": self.budget(fill_percent)}
        agent_hud = replace(rest.agent_hud, sections=shown)
        others = (piece for piece in rest.pieces if piece[0] != "budget")
        return Rest(agent_hud=agent_hud, pieces=(*others, ("budget", self.hud_format.budget_tokens(agent_hud))))

    def budget(self, fill_percent: int) -> Json:
        """Give the budget's section with the highest numbers that can come."""
        total = self.scope.budget
        status = fill_status(fill_percent)
        return {"used": total, "total": total, "percent": 100, "rest_percent": fill_percent, "status": status}


def _within_actions(scope: Scope, rest: Rest, limits: SectionLimits) -> SectionLimits:
    """Cut recent actions from the oldest until they keep to their allocation; five stay."""
    cap = scope.budget * scope.agent.allocations.recent_actions // 100
    used = dict(rest.pieces).get("recent_actions", 0)
    there = min(limits.actions, len(scope.mind.recent_actions))
    if used <= cap or there == 0:
        return limits
    return replace(limits, actions=min(limits.actions, max(FEWEST_ACTIONS, there * cap // used)))


Saving = Callable[[SectionLimits, int, dict[str, int]], SectionLimits]


def _savings() -> Iterator[Saving]:
    """Give what is saved, in order: first what can be spared, last what an agent would miss most."""
    yield lambda limits, over, used: replace(limits, actions=min(limits.actions, FEWEST_ACTIONS))
    yield lambda limits, over, used: replace(limits, focus=max(limits.focus, MINIMAL))
    yield lambda limits, over, used: replace(limits, directory=NEIGHBOURS)
    yield from [_less_knowledge] * 4
    yield lambda limits, over, used: replace(limits, directory=NAMES)
    yield lambda limits, over, used: replace(limits, action_characters=SHORT_CHARACTERS, lookup_tokens=0)
    yield lambda limits, over, used: replace(limits, directory=NOBODY, keys=3)
    yield lambda limits, over, used: replace(limits, focus=LEAST)
    yield lambda limits, over, used: replace(limits, actions=0, keys=0, knowledge_tokens=0)


def _less_knowledge(limits: SectionLimits, over: int, used: dict[str, int]) -> SectionLimits:
    shown = min(limits.knowledge_tokens, used.get("knowledge", 0))
    return replace(limits, knowledge_tokens=max(0, shown - over - 40))
