"""What agents carry, as people see it: sections line by line, and how it changed."""

import json

from discord import app_commands

from bot.core.actions.fields import LARGEST_ID
from bot.core.keeping import JournalEntry
from bot.core.records import Json, LoreEntry
from bot.core.wording import honest
from cogs.ui.texts import label

SHOWN = 200  # characters of an entry of a lorebook
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


def lore_line(entry: LoreEntry) -> str:
    """Word an entry of a lorebook: which words bring it up, and how it begins."""
    called = [f"*{label(key)}*" for key in entry.keys]
    when = "always" if entry.constant else " or ".join(called)
    also = f", with {' or '.join(f'*{label(key)}*' for key in entry.others)}" if entry.others else ""
    text = " ".join(entry.content.split())
    begins = f"{text[: SHOWN - 1]}…" if len(text) > SHOWN else text
    return f"- **{label(entry.name) or 'without a name'}** ({when}{also}): {honest(begins)}"


def entry_line(entry: JournalEntry) -> str:
    """Word one change."""
    before, after = (json.dumps(each, ensure_ascii=False)[:80] for each in (entry.before, entry.after))
    return f"`{entry.id}` {entry.at:%m-%d %H:%M} " + honest(f"{entry.by}: **{entry.path}** {before} → {after}")
