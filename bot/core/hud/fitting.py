"""One agent's HUD within its budget, counted on the text as it is sent: sections get at most half, rooms the rest."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.core.hud.agent_hud import AgentHud, CallTime, Format
from bot.core.hud.directory import NAMES, NEIGHBOURS, NOBODY
from bot.core.hud.focus import LEAST, MINIMAL
from bot.core.hud.layout import BacklogCache, lay_out, room_table
from bot.core.hud.sections import Scope, SectionLimits, first_limits, sections
from bot.core.hud.shown_rooms import rooms_of, without_secrets
from bot.core.hud.values import fields
from bot.core.hud.why import why
from bot.core.hud.wording import fill_status, focus_tier, percent
from bot.core.ports import Tokenizer
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
    """Give the sections within the first limits at which they take at most half of the budget."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """An agent's HUD that keeps to its budget, and its tokens by section."""

    agent_hud: AgentHud
    sections: tuple[tuple[str, int], ...]
    tokens: int
    room_ids: tuple[AgentId, ...]  # where it may act: one that is shown little, also where it does not look now
    text: str = ""  # where it had to be written to be counted


def fit(scope: Scope, hud_format: Format, moment: CallTime, backlogs_known: BacklogCache) -> Fitted:
    """Give what the agent is shown: exactly counted, never above its budget."""
    rooms = rooms_of(scope)
    rest = fit_rest(scope, [room.room.id for room in rooms], hud_format, moment)
    laid = room_table(scope, rooms, hud_format, backlogs_known)
    left = scope.budget - rest.tokens
    written = _Written(scope.tokenizer, hud_format, moment)
    agent_hud, room_tokens = lay_out(laid, rest.agent_hud, left)
    while agent_hud.shown_rooms and (over := _most_tokens(agent_hud, written) - scope.budget) > 0:
        left -= max(8, over)
        agent_hud, room_tokens = lay_out(laid, rest.agent_hud, left)
    return _counted(agent_hud, rest, room_tokens, written, scope)


class _Written:
    """An agent's HUD as it was written last: to write and count a large one takes long, so none is written twice."""

    def __init__(self, tokenizer: Tokenizer, hud_format: Format, moment: CallTime) -> None:
        self.hud_format = hud_format
        self.text = ""
        self._tokenizer = tokenizer
        self._moment = moment
        self._last: tuple[AgentHud, int] | None = None

    def tokens(self, agent_hud: AgentHud) -> int:
        """Give what it takes."""
        if self._last is None or self._last[0] != agent_hud:
            self.text = self.hud_format.solo(agent_hud, self._moment)
            self._last = agent_hud, self._tokenizer.count(self.text)
        return self._last[1]


def _most_tokens(agent_hud: AgentHud, written: _Written) -> int:
    """Give the most that the text can take: with space for secrets, whether they are shown or not."""
    if written.hud_format.lines_add_up:
        return 0  # the pieces were exact
    bare = [(place, *without_secrets(place.seat)) for place in agent_hud.shown_rooms]
    kept_free = sum(tokens for _, _, tokens in bare)
    shown = tuple(replace(place, seat=seat) for place, seat, _ in bare)
    return written.tokens(replace(agent_hud, shown_rooms=shown) if kept_free else agent_hud) + kept_free


def _counted(agent_hud: AgentHud, rest: Rest, room_tokens: int, written: _Written, scope: Scope) -> Fitted:
    others = [(name, tokens) for name, tokens in rest.pieces if name != "budget"]
    shown = [place.id for place in agent_hud.shown_rooms]
    if scope.lean:
        shown = [room.room.id for room in scope.view.rooms_of(scope.agent.id, scope.side)]
    known, budget_tokens = sum(tokens for _, tokens in others) + room_tokens, written.hud_format.budget_tokens
    if written.hud_format.lines_add_up:
        agent_hud, used = _told(agent_hud, lambda told: known + budget_tokens(told))
    else:
        agent_hud, used = _told(agent_hud, written.tokens)
    pieces = (*others, ("messages", room_tokens), ("budget", budget_tokens(agent_hud)))
    return Fitted(agent_hud=agent_hud, sections=pieces, tokens=used, room_ids=tuple(shown), text=written.text)


def _told(agent_hud: AgentHud, tokens: Callable[[AgentHud], int]) -> tuple[AgentHud, int]:
    """Write the true use into the budget's section, which is counted itself; gives the HUD and what it takes."""
    used = tokens(agent_hud)
    for _ in range(3):
        agent_hud = _with_used(agent_hud, used)
        if (counted := tokens(agent_hud)) == used:
            break
        used = counted
    return agent_hud, used


def _with_used(agent_hud: AgentHud, used: int) -> AgentHud:
    if "budget" not in agent_hud.sections:
        return agent_hud
    told = fields(agent_hud.sections["budget"]) | {"used": used, "percent": percent(used, agent_hud.agent.token_budget)}
    return replace(agent_hud, sections={**agent_hud.sections, "budget": told})
