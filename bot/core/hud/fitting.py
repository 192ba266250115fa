"""One agent's sheet within its budget, counted on the text as it is sent."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.core.hud.budget import Rest, fit_rest
from bot.core.hud.layout import Table, lay_out, table
from bot.core.hud.sections import Scope
from bot.core.hud.sheet import Format, Moment, Sheet
from bot.core.hud.values import fields
from bot.core.hud.wording import percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """A sheet that keeps to its budget, and its tokens by section."""

    sheet: Sheet
    sections: tuple[tuple[str, int], ...]
    tokens: int


def fit(scope: Scope, format: Format, moment: Moment) -> Fitted:
    """Give what the agent is shown: exactly counted, never above its budget."""
    rooms = scope.view.rooms_of(scope.agent.id, scope.side)
    rest = fit_rest(scope, [room.room.id for room in rooms], format, moment)
    laid = table(scope, rooms, format)
    left = scope.budget - rest.tokens
    while True:
        fitted = _laid_out(laid, rest, left, format, moment)
        if fitted.tokens <= scope.budget or not fitted.sheet.places:
            return fitted
        left -= max(8, fitted.tokens - scope.budget)


def _laid_out(laid: Table, rest: Rest, left: int, format: Format, moment: Moment) -> Fitted:
    sheet, room_tokens = lay_out(laid, rest.sheet, left)
    others = [(name, tokens) for name, tokens in rest.pieces if name != "budget"]
    known = sum(tokens for _, tokens in others) + room_tokens
    if format.lines_add_up:
        sheet, used = _told(sheet, lambda told: known + format.budget_tokens(told))
    else:
        sheet, used = _told(sheet, lambda told: laid.scope.tokenizer.count(format.solo(told, moment)))
    budget = format.budget_tokens(sheet)
    return Fitted(sheet=sheet, sections=(*others, ("messages", room_tokens), ("budget", budget)), tokens=used)


def _told(sheet: Sheet, tokens: Callable[[Sheet], int]) -> tuple[Sheet, int]:
    """Write the true use into the budget's section, which is counted itself; gives the sheet and what it takes."""
    used = tokens(sheet)
    for _ in range(3):
        sheet = _with_used(sheet, used)
        if (counted := tokens(sheet)) == used:
            break
        used = counted
    return sheet, used


def _with_used(sheet: Sheet, used: int) -> Sheet:
    told = fields(sheet.sections["budget"]) | {"used": used, "percent": percent(used, sheet.agent.token_budget)}
    return replace(sheet, sections={**sheet.sections, "budget": told})
