"""The focus in tiers: full, the first few with counts, the task with counts and a hint; blockers always.

The rules are in docs/memory.md#focus.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from bot.core.hud.wording import time_since, timestamp
from bot.core.plan import shown_lines
from bot.core.records import Feeling, Focus, Json, Plan

FULL, ABBREVIATED, MINIMAL, LEAST = 0, 1, 2, 3  # LEAST: nothing but what is always there
LASTING_CHARACTERS: Final = (500, 500, 200, 200)  # of the latest summary, and of the blockers together
HINT: Final = "use hud(section) to see the rest"
EMPTY: Final = "empty: while something takes longer, keep its task, steps and decisions here"
LAST_FELT: Final = 5
_LISTS: Final = {
    "keyDecisions": ("key_decisions", 5),
    "activeFiles": ("active_files", 5),
    "notes": ("notes", 3),
    "nextSteps": ("next_steps", 3),
}


def shown_focus(focus: Focus, tier: int, *, now: datetime, stale_hours: float) -> dict[str, Json]:
    """Give the focus as it is shown; empty when nothing is kept in view."""
    shown: dict[str, Json] = {}
    if focus.current_task and tier != LEAST:
        shown["currentTask"] = focus.current_task
    for name, (field, first) in _LISTS.items() if tier != LEAST else ():
        _put_list(shown, name, getattr(focus, field), tier, first)
    if tier != LEAST:
        _put_plan(shown, focus.plan, tier)
        felt = [_felt(one) for one in focus.feelings[-LAST_FELT:]]
        shown |= {"feelings": list[Json](felt[-1:] if tier == MINIMAL else felt)} if felt else {}
    if focus.blockers:
        shown["blockers"] = _blockers(focus.blockers, tier)
    if focus.compacted_context:
        shown["compactedContext"] = _shortened(focus.compacted_context, LASTING_CHARACTERS[tier])
    if shown and tier != FULL:
        shown["hint"] = HINT
    if shown and focus.updated_at:
        shown["updated"] = timestamp(focus.updated_at)
        shown["age"] = time_since(focus.updated_at, now)
        if now - focus.updated_at > timedelta(hours=stale_hours):
            shown["stale"] = True
    return shown


def _put_list(
    shown: dict[str, Json], name: str, entries: Sequence[str], tier: int, first: int, *, at_least: int = 0
) -> None:
    kept = entries if tier == FULL else entries[: first if tier == ABBREVIATED else at_least]
    if kept:
        shown[name] = list(kept)
    if len(entries) > len(kept):
        shown[f"{name}More"] = len(entries) - len(kept)


def _put_plan(shown: dict[str, Json], plan: Plan, tier: int) -> None:
    """Put the plan there: of the goals the current one to the last."""
    _put_list(shown, "goals", shown_lines(plan, "goals"), tier, 3, at_least=1)
    _put_list(shown, "milestones", shown_lines(plan, "milestones"), tier, 3)
    if plan.strategy and tier != MINIMAL:
        shown["strategy"] = plan.strategy


def _felt(feeling: Feeling) -> str:
    return f"{timestamp(feeling.at)} {feeling.emotion}{f': {feeling.why}' if feeling.why else ''}"


def _blockers(blockers: Sequence[str], tier: int) -> list[Json]:
    """Give all of them, each shortened alike where that is needed: none may be out of sight."""
    most = LASTING_CHARACTERS[tier]
    if tier == FULL or sum(map(len, blockers)) <= most:
        return list(blockers)
    return [_shortened(blocker, most // len(blockers)) for blocker in blockers]


def _shortened(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[: characters - 1]}…"
