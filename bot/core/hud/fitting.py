"""One agent's sheet within its budget, counted on the text as it is sent."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.core.hud.budget import Rest, fit_rest
from bot.core.hud.layout import Shelf, lay_out, table
from bot.core.hud.places import without_secrets
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


def fit(scope: Scope, format: Format, moment: Moment, shelf: Shelf) -> Fitted:
    """Give what the agent is shown: exactly counted, never above its budget."""
    rooms = scope.view.rooms_of(scope.agent.id, scope.side)
    rest = fit_rest(scope, [room.room.id for room in rooms], format, moment)
    laid = table(scope, rooms, format, shelf)
    left = scope.budget - rest.tokens
    sheet, room_tokens = lay_out(laid, rest.sheet, left)
    while sheet.places and (over := _most_tokens(sheet, format, moment, scope) - scope.budget) > 0:
        left -= max(8, over)
        sheet, room_tokens = lay_out(laid, rest.sheet, left)
    return _counted(sheet, rest, room_tokens, format, moment, scope)


def _most_tokens(sheet: Sheet, format: Format, moment: Moment, scope: Scope) -> int:
    """Give the most that the text can take: with space for secrets, whether they are shown or not."""
    if format.lines_add_up:
        return 0  # the pieces were exact
    bare = [(place, *without_secrets(place.seat)) for place in sheet.places]
    kept_free = sum(tokens for _, _, tokens in bare)
    shown = replace(sheet, places=tuple(replace(place, seat=seat) for place, seat, _ in bare))
    return scope.tokenizer.count(format.solo(shown, moment)) + kept_free


def _counted(sheet: Sheet, rest: Rest, room_tokens: int, format: Format, moment: Moment, scope: Scope) -> Fitted:
    others = [(name, tokens) for name, tokens in rest.pieces if name != "budget"]
    known = sum(tokens for _, tokens in others) + room_tokens
    if format.lines_add_up:
        sheet, used = _told(sheet, lambda told: known + format.budget_tokens(told))
    else:
        sheet, used = _told(sheet, lambda told: scope.tokenizer.count(format.solo(told, moment)))
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
