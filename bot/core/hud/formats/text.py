"""The `text` format: the densest, one-way, for reading at once. Every line ends with its break, so counts add up."""

from collections.abc import Iterator
from typing import Final

from bot.core.hud.agent_hud import AgentHud, CallTime, HudFormat, OsSection, ShownRoom
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
from bot.core.ports import Tokenizer
from bot.core.records import Json, Message

READING: Final = (
    "A message is [id HH:MM] sender: text, then notes: (re id) what it replies to, (name n) reactions, (edited). "
    'A day begins with its date. Line breaks inside texts are written \\n. "older" counts earlier '
    'messages. The directory says: id name (type, access): topic. "messages from" is the first message you see there.'
)


class TextFormat:
    """Writes HUDs as text and knows what each piece costs."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.lines_add_up = adds_up(tokenizer)
        self.day_tokens = count(tokenizer, "-- 2026-11-20 --\n")

    def pieces(self, agent_hud: AgentHud, moment: CallTime) -> list[tuple[str, int]]:
        return [(name, count(self._tokenizer, text)) for name, text in _all_pieces(agent_hud, moment)]

    def budget_tokens(self, agent_hud: AgentHud) -> int:
        return count(self._tokenizer, budget(agent_hud)) if "budget" in agent_hud.sections else 0

    def place_tokens(self, place: ShownRoom) -> int:
        return count(self._tokenizer, head(place)) + count(self._tokenizer, seat_lines(place))

    def named_tokens(self, agent_hud: AgentHud) -> int:
        return count(self._tokenizer, named_line(agent_hud))

    def message_tokens(self, message: Message) -> int:
        stored = message.tokens
        if stored and self.lines_add_up and is_plain(message):
            return stored + id_tokens(message.id)
        return line_tokens(self._tokenizer, message)

    def solo(self, agent_hud: AgentHud, moment: CallTime) -> str:
        (_, first), *seldom = stable(agent_hud)
        known, often = "".join(text for _, text in seldom), "".join(text for _, text in volatile(agent_hud))
        rooms = major("ROOMS") + "".join(map(block, agent_hud.shown_rooms))
        now, who = major("NOW") + now_line(moment), _directory(agent_hud)
        if agent_hud.lean:  # who it is, what was said, what it remembers: a weak mind heeds what stands near the end
            parts = [header(1, agent_hud), first, rooms, who, now, often, known]
        else:
            parts = [who, header(1, agent_hud), first, known, rooms, now, often]
        return "".join([*parts, why_line(agent_hud)])

    def shared(
        self,
        entries: list[Json],
        agent_huds: list[AgentHud],
        shown_rooms: list[ShownRoom],
        moment: CallTime,
        notice: str,
    ) -> str:
        parts = [
            directory(entries),
            major("SEVERAL AGENTS"),
            f"{paragraph(notice)}\n",
            major("ROOMS"),
            *map(block, shown_rooms),
            major("AGENTS"),
        ]
        for number, agent_hud in enumerate(agent_huds, 1):
            parts.append(header(number, agent_hud))
            parts += [text for _, text in (*stable(agent_hud), *volatile(agent_hud))]
            parts.append(why_line(agent_hud))
        return "".join([*parts, major("NOW"), now_line(moment)])


def _directory(agent_hud: AgentHud) -> str:
    return directory(agent_hud.sections["directory"]) if "directory" in agent_hud.sections else ""


def _all_pieces(agent_hud: AgentHud, moment: CallTime) -> Iterator[tuple[str, str]]:
    yield "directory", _directory(agent_hud)
    yield "frame", f"{header(1, agent_hud)}{major('ROOMS')}{major('NOW')}{now_line(moment)}{why_line(agent_hud)}"
    yield from stable(agent_hud)
    for name, text in volatile(agent_hud):
        yield (name, text) if name != "rooms" else (name, seats_head(agent_hud))


def _constant(told: OsSection) -> str:
    lines = [major("SELFROOM"), f"{paragraph(told.directives)}\n"]
    if told.instructions:
        lines.append(title("INSTRUCTIONS"))
        lines += [f"{name}: {paragraph(words)}\n" for name, words in told.instructions.items()]
        lines.append(f"reading: {READING}\n")
    listed = action_lists({name: list(each) for name, each in told.actions.items()})
    lines += [title("ACTIONS"), listed, title("ANSWER"), f"{told.answer.rstrip()}\n"]
    return "".join(lines)


FORMAT = HudFormat(write=TextFormat, constant=_constant, read=text_document, lossless=False)
