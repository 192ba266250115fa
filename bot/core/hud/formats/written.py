"""What `json`, `compact_json` and `toon` share: a nested value, written whole and counted whole, and read back."""

import json
from collections.abc import Callable

from bot.core.hud.agent_hud import AgentHud, CallTime, OsSection, ShownRoom
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
    together,
)
from bot.core.hud.values import fields
from bot.core.hud.wording import FOUND, MEND
from bot.core.ports import Tokenizer
from bot.core.records import Json, Message

Write = Callable[[Document], str]
Read = Callable[[str], Json]


class WrittenFormat:
    """Writes HUDs through one writer. Pieces are estimates; the whole text is counted before it is used."""

    lines_add_up = False
    day_tokens = 0

    def __init__(self, tokenizer: Tokenizer, write: Write, write_message: Write) -> None:
        self._tokenizer = tokenizer
        self._write = write
        self._write_message = write_message

    def pieces(self, agent_hud: AgentHud, moment: CallTime) -> list[tuple[str, int]]:
        named = [(name, self._tokens({name: value})) for name, value in self_section(agent_hud).items()]
        frame = {**meta_section(moment), "why": agent_hud.sections["why"]}
        directory = self._tokens({"directory": agent_hud.sections.get("directory", [])})
        return [("directory", directory), ("frame", self._tokens(frame) + 12), *named]

    def budget_tokens(self, agent_hud: AgentHud) -> int:
        return self._tokens({"budget": agent_hud.sections["budget"]}) if "budget" in agent_hud.sections else 0

    def place_tokens(self, place: ShownRoom) -> int:
        return self._tokens({"rooms": [{**room(place), "messages": [], **seat(place)}]})

    def named_tokens(self, agent_hud: AgentHud) -> int:
        return sum(count(self._tokenizer, name) + 8 for _, name in agent_hud.named) + 12 if agent_hud.named else 0

    def message_tokens(self, message: Message) -> int:
        return count(self._tokenizer, self._write_message(message_entry(message)))

    def solo(self, agent_hud: AgentHud, moment: CallTime) -> str:
        return self._write(solo_document(agent_hud, moment))

    def shared(
        self,
        entries: list[Json],
        agent_huds: list[AgentHud],
        shown_rooms: list[ShownRoom],
        moment: CallTime,
        notice: str,
    ) -> str:
        return self._write(shared_document(entries, agent_huds, shown_rooms, moment, notice))

    def _tokens(self, value: Document) -> int:
        return count(self._tokenizer, self._write(value))


def os_document(told: OsSection) -> Document:
    """Give the OS section as a nested value."""
    return {
        "system": {"directives": told.directives},
        "meta": {
            "instructions": dict(told.instructions),
            "available_actions": {name: list(lines) for name, lines in told.actions.items()},
            "response_format": told.answer,
        },
    }


def os_json(told: OsSection) -> str:
    """Write the OS section as indented JSON."""
    return json.dumps(os_document(told), ensure_ascii=False, indent=2) + "\n"


def read_after(text: str, read: Read, is_ours: Callable[[Document, str], bool]) -> Document | None:
    """Read what follows a constant part in JSON, where constant part and the rest are of this format."""
    text = text.partition(f"\n{MEND}")[0].partition(f"\n{FOUND}")[0].lstrip()
    if not text.startswith("{"):
        return None
    try:
        constant, end = json.JSONDecoder().raw_decode(text)
        rest = text[end:].strip()
        return together(fields(read(rest))) or None if is_ours(constant, rest) else None
    except (ValueError, RecursionError):
        return None
