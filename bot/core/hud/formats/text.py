"""The `text` format: the densest, one-way, for reading at once. Every line ends with its break, so counts add up."""

from collections.abc import Iterator
from typing import Final

from bot.core.hud.counting import adds_up, count
from bot.core.hud.escape import paragraph
from bot.core.hud.formats.lines import id_tokens, is_plain, line_tokens
from bot.core.hud.formats.paragraphs import (
    action_lists,
    budget,
    directory,
    header,
    major,
    now_line,
    seats_head,
    stable,
    title,
    volatile,
    why_line,
)
from bot.core.hud.formats.rooms import block, head, named_line, seat_lines
from bot.core.hud.formats.text_reading import text_document
from bot.core.hud.sheet import HudFormat, Moment, OsSection, Place, Sheet
from bot.core.ports import Tokenizer
from bot.core.records import Json, Message

READING: Final = (
    "A message is [id HH:MM] sender: text, then notes: (re id) what it replies to, (name n) reactions, (edited). "
    'A day begins with its date. Line breaks inside texts are written \\n. "older" counts earlier '
    'messages. The directory says: id name (type, access): topic. "messages from" is the first message you see there.'
)


class TextFormat:
    """Writes sheets as text and knows what each piece costs."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.lines_add_up = adds_up(tokenizer)
        self.day_tokens = count(tokenizer, "-- 2026-11-20 --\n")

    def pieces(self, sheet: Sheet, moment: Moment) -> list[tuple[str, int]]:
        return [(name, count(self._tokenizer, text)) for name, text in _all_pieces(sheet, moment)]

    def budget_tokens(self, sheet: Sheet) -> int:
        return count(self._tokenizer, budget(sheet))

    def place_tokens(self, place: Place) -> int:
        return count(self._tokenizer, head(place)) + count(self._tokenizer, seat_lines(place))

    def named_tokens(self, sheet: Sheet) -> int:
        return count(self._tokenizer, named_line(sheet))

    def message_tokens(self, message: Message) -> int:
        stored = message.tokens
        if stored and self.lines_add_up and is_plain(message):
            return stored + id_tokens(message.id)
        return line_tokens(self._tokenizer, message)

    def solo(self, sheet: Sheet, moment: Moment) -> str:
        parts = [directory(sheet.sections["directory"]), header(1, sheet)]
        parts += [text for _, text in stable(sheet)]
        parts.append(major("ROOMS"))
        parts += map(block, sheet.places)
        parts += [major("NOW"), now_line(moment)]
        parts += [text for _, text in volatile(sheet)]
        parts.append(why_line(sheet))
        return "".join(parts)

    def shared(self, entries: list[Json], sheets: list[Sheet], places: list[Place], moment: Moment, notice: str) -> str:
        parts = [
            directory(entries),
            major("SEVERAL AGENTS"),
            f"{paragraph(notice)}\n",
            major("ROOMS"),
            *map(block, places),
            major("AGENTS"),
        ]
        for number, sheet in enumerate(sheets, 1):
            parts.append(header(number, sheet))
            parts += [text for _, text in (*stable(sheet), *volatile(sheet))]
            parts.append(why_line(sheet))
        return "".join([*parts, major("NOW"), now_line(moment)])


def _all_pieces(sheet: Sheet, moment: Moment) -> Iterator[tuple[str, str]]:
    yield "directory", directory(sheet.sections["directory"])
    yield "frame", f"{header(1, sheet)}{major('ROOMS')}{major('NOW')}{now_line(moment)}{why_line(sheet)}"
    yield from stable(sheet)
    for name, text in volatile(sheet):
        yield (name, text) if name != "rooms" else (name, seats_head(sheet))


def _constant(told: OsSection) -> str:
    lines = [major("SELFROOM"), f"{paragraph(told.directives)}\n", title("INSTRUCTIONS")]
    lines += [f"{name}: {paragraph(words)}\n" for name, words in told.instructions.items()]
    lines.append(f"reading: {READING}\n")
    listed = action_lists({name: list(each) for name, each in told.actions.items()})
    lines += [title("ACTIONS"), listed, title("ANSWER"), f"{told.answer.rstrip()}\n"]
    return "".join(lines)


FORMAT = HudFormat(write=TextFormat, constant=_constant, read=text_document, lossless=False)
