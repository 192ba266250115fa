"""What agents carry, as people see it: sections line by line, and how it changed."""

import json

from discord import app_commands

from bot.core.actions.fields import LARGEST_ID
from bot.core.keeping import JournalEntry
from bot.core.records import Json
from bot.core.wording import honest

Entry = app_commands.Range[int, 1, LARGEST_ID]


def as_text(value: Json) -> str:
    """Give a section as a form shows it."""
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value or "")


def section_lines(whole: Json) -> list[str]:
    """Give the sections that hold something."""
    lines: list[str] = []
    for name, value in whole.items() if isinstance(whole, dict) else ():
        if value:
            lines += [f"__{name}__", *(f"- {line}" for line in as_text(value).splitlines())]
    return lines


def entry_line(entry: JournalEntry) -> str:
    """Word one change."""
    before, after = (json.dumps(each, ensure_ascii=False)[:80] for each in (entry.before, entry.after))
    return f"`{entry.id}` {entry.at:%m-%d %H:%M} " + honest(f"{entry.by}: **{entry.path}** {before} → {after}")
