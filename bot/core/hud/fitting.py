"""One agent's sheet within its budget, counted on the text as it is sent."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.core.hud.agent_hud import AgentHud, CallTime, Format
from bot.core.hud.budget import Rest, fit_rest
from bot.core.hud.layout import BacklogCache, lay_out, room_table
from bot.core.hud.sections import Scope
from bot.core.hud.shown_rooms import rooms_of, without_secrets
from bot.core.hud.values import fields
from bot.core.hud.wording import percent
from bot.core.ports import Tokenizer
from bot.core.records import AgentId


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """A sheet that keeps to its budget, and its tokens by section."""

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
    """A sheet as it was written last: to write and count a large one takes long, so none is written twice."""

    def __init__(self, tokenizer: Tokenizer, hud_format: Format, moment: CallTime) -> None:
        self.hud_format = hud_format
        self.text = ""
        self._tokenizer = tokenizer
        self._moment = moment
        self._last: tuple[AgentHud, int] | None = None

    def tokens(self, agent_hud: AgentHud) -> int:
        """Give what a sheet takes."""
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
    """Write the true use into the budget's section, which is counted itself; gives the sheet and what it takes."""
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
