"""What `json`, `compact_json` and `toon` share: a nested value, written whole and counted whole."""

from collections.abc import Callable

from bot.core.hud.counting import count
from bot.core.hud.formats.document import (
    Document,
    message_entry,
    meta_section,
    room,
    seat,
    self_section,
    shared_document,
    solo_document,
)
from bot.core.hud.sheet import Moment, Place, Sheet
from bot.core.ports import Tokenizer
from bot.core.records import Json, Message

Write = Callable[[Document], str]


class WrittenFormat:
    """Writes sheets through one writer. Pieces are estimates; the whole text is counted before it is used."""

    lines_add_up = False
    day_tokens = 0

    def __init__(self, tokenizer: Tokenizer, write: Write, write_message: Write) -> None:
        self._tokenizer = tokenizer
        self._write = write
        self._write_message = write_message

    def pieces(self, sheet: Sheet, moment: Moment) -> list[tuple[str, int]]:
        named = [(name, self._tokens({name: value})) for name, value in self_section(sheet).items()]
        frame = {**meta_section(moment), "why": sheet.sections["why"]}
        directory = self._tokens({"directory": sheet.sections["directory"]})
        return [("directory", directory), ("frame", self._tokens(frame) + 12), *named]

    def budget_tokens(self, sheet: Sheet) -> int:
        return self._tokens({"budget": sheet.sections["budget"]})

    def place_tokens(self, place: Place) -> int:
        return self._tokens({"rooms": [{**room(place), "messages": [], **seat(place)}]})

    def named_tokens(self, sheet: Sheet) -> int:
        return sum(count(self._tokenizer, name) + 8 for _, name in sheet.named) + 12 if sheet.named else 0

    def message_tokens(self, message: Message) -> int:
        return count(self._tokenizer, self._write_message(message_entry(message)))

    def solo(self, sheet: Sheet, moment: Moment) -> str:
        return self._write(solo_document(sheet, moment))

    def shared(self, entries: list[Json], sheets: list[Sheet], places: list[Place], moment: Moment, notice: str) -> str:
        return self._write(shared_document(entries, sheets, places, moment, notice))

    def _tokens(self, value: Document) -> int:
        return count(self._tokenizer, self._write(value))
