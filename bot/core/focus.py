"""What an agent keeps in view: how its focus changes (docs/memory.md#focus)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from bot.core.errors import Rejected
from bot.core.records import Checkpoint, Focus, Json, Message
from bot.core.sentences import Sentence

ITEM_CHARACTERS = 300
TEXT_CHARACTERS = 2_000
TEXT_SECTIONS = {"currentTask": "current_task", "compactedContext": "compacted_context"}
LIST_SECTIONS = {
    "keyDecisions": "key_decisions",
    "activeFiles": "active_files",
    "notes": "notes",
    "blockers": "blockers",
    "nextSteps": "next_steps",
}
_LINK = re.compile(r"https?://[^\s<>\"`]+")
_AFTER_LINKS = ".,;:!?)]}'*_"
CAPACITY = {"key_decisions": 10, "active_files": 15, "notes": 20, "blockers": 10, "next_steps": 10}


def item_of(value: Json) -> str:
    """Give one line of a focus; raises Rejected when it is no text or too long."""
    text = value if isinstance(value, str) else "" if value is None else str(value)
    text = " ".join(text.split())
    if not text:
        raise Rejected(Sentence("Give a text."))
    if len(text) > ITEM_CHARACTERS:
        raise Rejected(
            Sentence(
                "That is {text} characters long: at most {item_characters} fit.",
                text=len(text),
                item_characters=ITEM_CHARACTERS,
            )
        )
    return text


def items_of(focus: Focus, name: str) -> tuple[str, ...]:
    """Give the items of a list section by its field name."""
    items: tuple[str, ...] = getattr(focus, name)
    return items


def with_item(focus: Focus, name: str, text: str, now: datetime) -> Focus:
    """Add to a list section: a duplicate changes nothing, and the oldest goes when it is full."""
    items = items_of(focus, name)
    text = item_of(text)
    if text in items:
        return focus
    return _with(focus, name, (*items, text)[-CAPACITY[name] :], now)


def without_item(focus: Focus, name: str, text: str, now: datetime) -> Focus:
    """Take an item out, named by its text, its beginning or its number from 1; raises Rejected if there is none."""
    items = items_of(focus, name)
    wanted = " ".join(text.split())
    found = _found(items, wanted)
    if found is None:
        raise Rejected(Sentence('There is no "{wanted}" in {shown}.', wanted=wanted[:60], shown=_shown(name)))
    return _with(focus, name, tuple(item for item in items if item != found), now)


def with_section(focus: Focus, section: str, value: Json, now: datetime) -> Focus:
    """Replace a section by a text or a list; of too long a list the newest stay."""
    if section in TEXT_SECTIONS:
        return _with(focus, TEXT_SECTIONS[section], _text(section, value), now)
    name = LIST_SECTIONS[section]
    values = value if isinstance(value, list) else [] if value in (None, "") else [value]
    items = tuple(dict.fromkeys(item_of(each) for each in values[-CAPACITY[name] :]))
    return _with(focus, name, items, now)


def cleared(focus: Focus, section: str | None, now: datetime) -> Focus:
    """Clear one section, or all but the latest summary, the plan and what was felt."""
    if section is None:
        kept = replace(Focus(), plan=focus.plan, feelings=focus.feelings)
        return replace(kept, compacted_context=focus.compacted_context, updated_at=now)
    return with_section(focus, section, "", now)


def files_of(message: Message) -> tuple[str, ...]:
    """Give the links and attachments of a message, as they stand among the active files."""
    return files_in(message.content, ((file.name, file.url) for file in message.attachments))


def files_in(content: str, attached: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Give the links in a text and what is attached (name, address), as they stand among the active files."""
    links = (link.rstrip(_AFTER_LINKS) for link in _LINK.findall(content))
    files = (f"{name}: {url}" if url else name for name, url in attached)
    items = (" ".join(item.split()) for item in (*links, *files))  # as they are kept: so deletions find them
    return tuple(item for item in dict.fromkeys(items) if 0 < len(item) <= ITEM_CHARACTERS)


def with_files_of(focus: Focus, message: Message, now: datetime) -> Focus:
    """Add the links and attachments of a message that addresses the agent."""
    for item in files_of(message):
        focus = with_item(focus, "active_files", item, now)
    return focus


def compacted(checkpoint: Checkpoint) -> str:
    """Give a summary as it stands in a focus: withdrawing it finds it by these very words."""
    covered = f"{checkpoint.first_message_id} to {checkpoint.last_message_id}"
    return f"Room {checkpoint.room_id}, messages {covered}: {checkpoint.text}"[:TEXT_CHARACTERS].strip()


def after_summary(focus: Focus, checkpoint: Checkpoint, covered: Sequence[Message], now: datetime) -> tuple[Focus, int]:
    """Put a new summary into a focus and drop what it covers; gives how many items went.

    Those are files and links of the messages covered, and what the summary holds in its words of notes, decisions and
    next steps.
    """
    said = {item for message in covered for item in files_of(message)}
    told = " ".join(checkpoint.text.split()).casefold()
    files = tuple(item for item in focus.active_files if item not in said)
    notes = tuple(item for item in focus.notes if item.casefold() not in told)
    decisions = tuple(item for item in focus.key_decisions if item.casefold() not in told)
    steps = tuple(item for item in focus.next_steps if item.casefold() not in told)
    after = replace(
        focus,
        next_steps=steps,
        active_files=files,
        notes=notes,
        key_decisions=decisions,
        compacted_context=compacted(checkpoint),
        updated_at=focus.updated_at or now,  # the agent's own part is no fresher than it was
    )
    held = (focus.active_files, focus.notes, focus.key_decisions, focus.next_steps)
    return after, sum(map(len, held)) - sum(map(len, (files, notes, decisions, steps)))


def as_value(focus: Focus) -> dict[str, Json]:
    """Give the whole focus in the names that agents use."""
    whole: dict[str, Json] = {shown: getattr(focus, name) for shown, name in TEXT_SECTIONS.items()}
    return whole | {shown: list(items_of(focus, name)) for shown, name in LIST_SECTIONS.items()}


def starting_focus(defaults: Mapping[str, tuple[str, ...]], now: datetime) -> Focus:
    """Give what a new agent starts with: the community's notes, conventions and key links."""
    focus = Focus()
    for heading, lines in defaults.items():
        name = "active_files" if heading in {"links", "files"} else "notes"
        for line in lines:
            focus = with_item(focus, name, line[:ITEM_CHARACTERS], now)
    return focus


def _with(focus: Focus, name: str, value: str | tuple[str, ...], now: datetime) -> Focus:
    changes: dict[str, object] = {name: value, "updated_at": now}
    return replace(focus, **changes)  # type: ignore[arg-type]  # names come from the tables above


def _text(section: str, value: Json) -> str:
    text = "" if value is None else value if isinstance(value, str) else str(value)
    limit = ITEM_CHARACTERS if section == "currentTask" else TEXT_CHARACTERS
    if len(text) > limit:
        raise Rejected(
            Sentence(
                "That is {text} characters long: at most {limit} fit into {section}.",
                text=len(text),
                limit=limit,
                section=section,
            )
        )
    return text.strip()


def _found(items: tuple[str, ...], wanted: str) -> str | None:
    if wanted in items:
        return wanted
    if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted[:6]) <= len(items):
        return items[int(wanted) - 1]
    beginning = [item for item in items if item.casefold().startswith(wanted.casefold())]
    return beginning[0] if wanted and len(beginning) == 1 else None


def _shown(name: str) -> str:
    return next(shown for shown, field in LIST_SECTIONS.items() if field == name)
