"""Fitting one agent's sheet into its token budget: sections first to at most half, rooms get all the rest."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.core.hud.directory import NAMES, NEIGHBOURS, NOBODY
from bot.core.hud.focus import LEAST, MINIMAL
from bot.core.hud.sections import LOOKUPS_PERCENT, Scope, Thrift, knowledge_cap, sections
from bot.core.hud.sheet import Format, Moment, Sheet
from bot.core.hud.why import why
from bot.core.hud.wording import fill_status, focus_tier, percent
from bot.core.records import AgentId, Json

REST_PERCENT: Final = 50
FEWEST_ACTIONS: Final = 5
SHORT_CHARACTERS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """All that is not rooms, within its half."""

    sheet: Sheet  # without places; `budget` in it holds the highest numbers that can come
    pieces: tuple[tuple[str, int], ...]

    @property
    def tokens(self) -> int:
        """What it costs."""
        return sum(tokens for _, tokens in self.pieces)


def fit_rest(scope: Scope, room_ids: Sequence[AgentId], format: Format, moment: Moment) -> Rest:
    """Give the sections at the first thrift at which they take at most half of the budget."""
    cap = scope.budget * REST_PERCENT // 100
    thrift = Thrift(knowledge_tokens=knowledge_cap(scope.agent), lookup_tokens=scope.budget * LOOKUPS_PERCENT // 100)
    write = _Writer(scope, room_ids, format, moment)
    rest = write(thrift, 0)
    fill = percent(rest.tokens, cap)
    thriftier = _within_actions(scope, rest, replace(thrift, focus=focus_tier(fill)))
    rest = write.filled(rest, fill) if thriftier == thrift else write(thriftier, fill)
    thrift = thriftier
    for spare in _savings():
        if rest.tokens <= cap:
            return rest
        thrift = spare(thrift, rest.tokens - cap, dict(rest.pieces))
        rest = write(thrift, fill)
    return rest


@dataclass(frozen=True, slots=True)
class _Writer:
    scope: Scope
    room_ids: Sequence[AgentId]
    format: Format
    moment: Moment

    def __call__(self, thrift: Thrift, fill_percent: int) -> Rest:
        told: dict[str, Json] = {"budget": self.budget(fill_percent), "why": why(self.scope)}
        shown = sections(self.scope, self.room_ids, thrift) | told
        sheet = Sheet(agent=self.scope.agent, side=self.scope.side, sections=shown)
        return Rest(sheet=sheet, pieces=tuple(self.format.pieces(sheet, self.moment)))

    def filled(self, rest: Rest, fill_percent: int) -> Rest:
        """Give the same with another fill level, without writing the other sections again."""
        shown = {**rest.sheet.sections, "budget": self.budget(fill_percent)}
        sheet = replace(rest.sheet, sections=shown)
        others = (piece for piece in rest.pieces if piece[0] != "budget")
        return Rest(sheet=sheet, pieces=(*others, ("budget", self.format.budget_tokens(sheet))))

    def budget(self, fill_percent: int) -> Json:
        """Give the budget's section with the highest numbers that can come."""
        total = self.scope.budget
        status = fill_status(fill_percent)
        return {"used": total, "total": total, "percent": 100, "rest_percent": fill_percent, "status": status}


def _within_actions(scope: Scope, rest: Rest, thrift: Thrift) -> Thrift:
    """Cut recent actions from the oldest until they keep to their allocation; five stay."""
    cap = scope.budget * scope.agent.allocations.recent_actions // 100
    used = dict(rest.pieces).get("recent_actions", 0)
    there = min(thrift.actions, len(scope.mind.recent_actions))
    if used <= cap or there == 0:
        return thrift
    return replace(thrift, actions=max(FEWEST_ACTIONS, there * cap // used))


Saving = Callable[[Thrift, int, dict[str, int]], Thrift]


def _savings() -> Iterator[Saving]:
    """Give what is saved, in order: first what can be spared, last what an agent would miss most."""
    yield lambda thrift, over, used: replace(thrift, actions=min(thrift.actions, FEWEST_ACTIONS))
    yield lambda thrift, over, used: replace(thrift, focus=max(thrift.focus, MINIMAL))
    yield lambda thrift, over, used: replace(thrift, directory=NEIGHBOURS)
    yield from [_less_knowledge] * 4
    yield lambda thrift, over, used: replace(thrift, directory=NAMES)
    yield lambda thrift, over, used: replace(thrift, action_characters=SHORT_CHARACTERS, lookup_tokens=0)
    yield lambda thrift, over, used: replace(thrift, directory=NOBODY, keys=3)
    yield lambda thrift, over, used: replace(thrift, focus=LEAST)
    yield lambda thrift, over, used: replace(thrift, actions=0, keys=0, knowledge_tokens=0)


def _less_knowledge(thrift: Thrift, over: int, used: dict[str, int]) -> Thrift:
    shown = min(thrift.knowledge_tokens, used.get("knowledge", 0))
    return replace(thrift, knowledge_tokens=max(0, shown - over - 40))
