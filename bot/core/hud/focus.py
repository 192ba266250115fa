"""The focus in three tiers (SPEC §12): full, the first few with counts, or the task with counts and a hint."""

from datetime import datetime, timedelta
from typing import Final

from bot.core.hud.wording import moment, time_since
from bot.core.records import Focus, Json

FULL, ABBREVIATED, MINIMAL = 0, 1, 2
SUMMARY_CHARACTERS: Final = (500, 500, 200)
HINT: Final = "use hud(section) to see the rest"
_LISTS: Final = {
    "keyDecisions": ("key_decisions", 5),
    "activeFiles": ("active_files", 5),
    "notes": ("notes", 3),
    "nextSteps": ("next_steps", 3),
}


def shown_focus(focus: Focus, tier: int, *, now: datetime, stale_hours: float) -> dict[str, Json]:
    """Give the focus as it is shown; empty when nothing is kept in view."""
    shown: dict[str, Json] = {}
    if focus.current_task:
        shown["currentTask"] = focus.current_task
    for name, (field, first) in _LISTS.items():
        _put_list(shown, name, getattr(focus, field), tier, first)
    if focus.blockers:
        shown["blockers"] = list(focus.blockers)
    if focus.compacted_context:
        shown["compactedContext"] = _shortened(focus.compacted_context, SUMMARY_CHARACTERS[tier])
    if shown and tier != FULL:
        shown["hint"] = HINT
    if shown and focus.updated_at:
        shown["updated"] = moment(focus.updated_at)
        shown["age"] = time_since(focus.updated_at, now)
        if now - focus.updated_at > timedelta(hours=stale_hours):
            shown["stale"] = True
    return shown


def _put_list(shown: dict[str, Json], name: str, entries: tuple[str, ...], tier: int, first: int) -> None:
    kept = entries if tier == FULL else entries[:first] if tier == ABBREVIATED else ()
    if kept:
        shown[name] = list(kept)
    if len(entries) > len(kept):
        shown[f"{name}More"] = len(entries) - len(kept)


def _shortened(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[: characters - 1]}…"
