"""One message on one line of the `text` HUD, and what that line costs."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from bot.core.hud.counting import adds_up, break_tokens, count
from bot.core.hud.escape import BETWEEN, UNSEEN, one_line, unbracketed
from bot.core.hud.wording import size
from bot.core.kinds import SenderKind
from bot.core.ports import Tokenizer
from bot.core.records import ARCHITECT_NAME, Attachment, Message, MessageId, Sender

_CLOCK: Final = tuple(f"{minute // 60:02}:{minute % 60:02}" for minute in range(24 * 60))
MOST_REACTIONS: Final = 12


def message_line(message: Message) -> str:
    """Give a message as its line, with the line break: `[123 10:31] @mira: hello  (re 120) (thumbs_up 2)`."""
    if is_plain(message):
        return f"{_core(message)}\n"
    return f"{_core(message)}{_notes(message)}\n"


def message_tokens(tokenizer: Tokenizer, message: Message) -> int:
    """Give what `Message.tokens` keeps, for a message that is there already."""
    return said_tokens(tokenizer, message.sender, message.content, message.attachments)


def said_tokens(tokenizer: Tokenizer, sender: Sender, content: str, attachments: Sequence[Attachment] = ()) -> int:
    """Give what `Message.tokens` keeps of words: their line's tokens without id and the notes at its end.

    So it can be counted before the id is known, and stays right when people react; any time takes as many tokens.
    0 (count it when it is shown) for a tokenizer whose counts do not add up.
    """
    return tokenizer.count(f"[0 {_CLOCK[0]}] {_said(sender, content, attachments)}\n") if adds_up(tokenizer) else 0


def line_tokens(tokenizer: Tokenizer, message: Message) -> int:
    """Give the tokens of a message's line, from the stored count where that is exact."""
    if not message.tokens or not adds_up(tokenizer):
        return count(tokenizer, message_line(message))
    plain = message.tokens + id_tokens(message.id)
    if is_plain(message):
        return plain
    if message.content[-1:].isalnum() and not message.attachments:
        broken: int | None = count(tokenizer, "\n")
    else:
        broken = break_tokens(tokenizer, _core(message))
    if broken is None:
        return count(tokenizer, message_line(message))
    return plain - broken + count(tokenizer, f"{_notes(message)}\n")


def is_plain(message: Message) -> bool:
    """Tell whether a message's line ends with what was said, without notes."""
    return message.reply_to is None and not (message.reactions or message.edited or message.thread_name)


def id_tokens(message_id: MessageId) -> int:
    """Give how many tokens an id takes beyond the one that is counted: every three digits are one."""
    return 0 if message_id < 1_000 else (len(str(message_id)) - 1) // 3


def day_line(message: Message) -> str:
    """Give the line that begins a message's day."""
    return f"-- {message.sent_at:%Y-%m-%d} --\n"


def content_of(message: Message) -> str:
    """Give what a message says, its files by name, type and size with what could be read of them."""
    return _with_files(message.content, message.attachments)


# What a file begins with, also with anything between that nobody sees.
_LIKE_A_FILE: Final = re.compile(rf"\[(?={BETWEEN}{BETWEEN.join('file')}(?:{UNSEEN}|\b))", re.IGNORECASE)


def _with_files(content: str, attachments: Sequence[Attachment]) -> str:
    content = _typed(content)
    return "\n".join(part for part in (content, *map(_file, attachments)) if part) if attachments else content


def _typed(text: str) -> str:
    """Give somebody's words so that no file can be faked in them: `[file` begins only what is really there."""
    return _LIKE_A_FILE.sub(r"\\[", text) if "[" in text else text


def _file(file: Attachment) -> str:
    read = f": {_typed(file.text)}" if file.text else ""
    return f"[file {_typed(file.name)}, {file.media_type}, {size(file.size_bytes)}{read}]"


def _core(message: Message) -> str:
    at, said = message.sent_at, _said(message.sender, message.content, message.attachments)
    return f"[{message.id} {_CLOCK[at.hour * 60 + at.minute]}] {said}"


def _said(sender: Sender, content: str, attachments: Sequence[Attachment]) -> str:
    return f"{shown(sender)}: {one_line(_with_files(content, attachments)) or '(empty)'}"


def shown(sender: Sender) -> str:
    """Give the sender's name as it stands before the colon, which no name can hold."""
    kind = sender.kind
    if kind is SenderKind.AGENT:
        return str(sender.agent_id)
    if kind is SenderKind.ARCHITECT and sender.name:
        return f"{ARCHITECT_NAME} ({unbracketed(_name(sender.name))})"
    return _name(sender.name) if kind in (SenderKind.PERSON, SenderKind.BOT) else sender.shown()


@lru_cache(maxsize=4_096)
def _name(name: str) -> str:
    return "@" + one_line(name).replace(":", "")


def _notes(message: Message) -> str:
    notes = [f"(re {message.reply_to})"] if message.reply_to is not None else []
    if message.thread_name:
        notes.append(f"(in thread {thread_name(message.thread_name)})")
    notes += [f"({reaction_name(name)} {number})" for name, number in message.reactions[:MOST_REACTIONS]]
    if message.edited:
        notes.append("(edited)")
    return f"  {' '.join(notes)}"


@lru_cache(maxsize=1_024)
def thread_name(name: str) -> str:
    """Give a thread's name as it may stand in a note."""
    return unbracketed(one_line(name))[:100].strip() or "thread"


@lru_cache(maxsize=1_024)
def reaction_name(name: str) -> str:
    """Give a reaction's name as one word of at most 40 characters."""
    return "_".join(unbracketed(one_line(name)).split())[:40] or "reaction"
