"""The `text` format: the densest, one-way, for reading at once. Every line ends with its break, so counts add up."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from bot.core.hud.agent_hud import AgentHud, CallTime, HudFormat, OsSection, ShownRoom
from bot.core.hud.counting import adds_up, count
from bot.core.hud.escape import paragraph
from bot.core.hud.formats.document import Document
from bot.core.hud.formats.lines import id_tokens, is_plain, line_tokens
from bot.core.hud.formats.paragraphs import (
    MAJOR,
    MINOR,
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
from bot.core.ports import Tokenizer
from bot.core.records import Json, Message

STRING = r'"(?:[^"\\]|\\.)*"'
SEGMENT = rf"(?:\w[\w-]*|{STRING})"
AGENT = re.compile(r"^AGENT \d+: (?P<name>.*) \(ID: (?P<id>\d+)(?:, .*)?\)$")
SECTION = re.compile(r"^>>> (?P<title>.+?) <<<$")
ROOM = re.compile(r"^--- Room: (?P<name>.*) \(ID: (?P<id>\d+)\) ---$")
DAY = re.compile(r"^-- (?P<day>\d{4}-\d{2}-\d{2}) --$")
MESSAGE = re.compile(
    r"^\[(?P<id>\d+) (?P<clock>\d{2}:\d{2})\] "
    r"(?P<sender>@[^:]{0,400}|\d+|System|The Architect(?: \([^()]*\))?): (?P<text>.*)$"
)
NOTES = re.compile(r"\([^()]*\)(?: \([^()]*\))*")
RECENT_ACTION = re.compile(r"^\[(?P<time>[^\]]+)\] (?P<type>\w+)(?:: (?P<told>.*))?$")
FIELD = re.compile(r"^(?P<key>[A-Za-z][\w ]{0,40}?): ?(?P<value>.*)$")
ENTRY = re.compile(r"^(?P<id>\d+) (?P<name>.+?)(?: \(\w+, (?P<access>\w+)\)(?:: (?P<topic>.*))?)?$")
SEAT = re.compile(r"^(?P<room>\d+) .*: (?:attention_pct|word_budget) .*?(?:, messages from (?P<first>\d+))?$")
KNOCK = re.compile(rf"request (?P<id>\d+) from (?P<who>.+?) with key {STRING}(?:; |$)")
LOOKUP = re.compile(r"^- (?P<question>.*?): (?P<answer>[\"\[{\d-].*|null|true|false)$")
LEAF = re.compile(rf"^(?P<path>{SEGMENT}(?:\.{SEGMENT})*): (?P<value>.+)$")
WEIGHT = re.compile(r" \(w [\d.e+-]+\)$")


def text_document(text: str) -> Document | None:
    """The document of a `text` HUD; None when the text has no agent's segment."""
    reader = TextReader()
    for line in text.split("\n"):
        reader.take(line)
    for own, lines in reader.stores:
        own["knowledge"] = read_store(lines)
    return reader.document if reader.agents else None


class TextReader:
    """Takes the lines of a `text` HUD in order."""

    def __init__(self) -> None:
        self.agents: list[Json] = []
        self.rooms: list[Json] = []
        self.directory: list[Json] = []
        self.meta: Document = {"directory": self.directory}
        self.document: Document = {"meta": self.meta, "rooms": self.rooms, "agents": self.agents}
        self.stores: list[tuple[Document, list[str]]] = []
        self.part = self.section = self.above = self.day = ""
        self.segment = Segment({}, self.agents)
        self.room: Document = {}
        self.messages: list[Json] = []

    def take(self, line: str) -> None:
        if not self._heading(line) and line:
            self._inside(line)
        self.above = line

    def _heading(self, line: str) -> bool:
        if self.above == MAJOR:
            self.part, self.section = line, ""
        elif self.above == MINOR and (agent := AGENT.match(line)):
            self.part = self.section = ""
            self.segment = Segment({"id": int(agent["id"]), "name": agent["name"]}, self.agents)
            self.stores.append((self.segment.own, self.segment.store))
        elif section := SECTION.match(line):
            self.section = section["title"]
        elif self.part == "ROOMS" and (room := ROOM.match(line)):
            self.messages, self.section, self.day = [], "", ""
            self.room = {"id": int(room["id"]), "name": room["name"], "messages": self.messages}
            self.rooms.append(self.room)
        else:
            return False
        return True

    def _inside(self, line: str) -> None:
        if self.section and self.agents:
            self.segment.take(self.section.split(" (")[0], line)
        elif self.part == "ROOMS" and self.room:
            self._room_line(line)
        elif self.part == "DIRECTORY" and (entry := ENTRY.match(line)):
            self.directory.append({**entry.groupdict(), "id": int(entry["id"])})
        elif self.part == "NOW" and line.startswith("now: "):
            self.meta["now"] = line.removeprefix("now: ")

    def _room_line(self, line: str) -> None:
        if day := DAY.match(line):
            self.day = day["day"]
        elif spoken := MESSAGE.match(line):
            self.messages.append(self._message(spoken))
        elif (found := FIELD.match(line)) and found["key"] in ("topic", "older", "members"):
            value = found["value"]
            shown: dict[str, Json] = {"topic": value, "members": [*re.findall(r"\d+", value)]}
            self.room[found["key"]] = shown.get(found["key"], int(value) if value.isdecimal() else 0)

    def _message(self, found: re.Match[str]) -> Document:
        said, reply_to = tail_of(found["text"])
        return {
            "id": int(found["id"]),
            "timestamp": f"{self.day} {found['clock']}",
            "sender": found["sender"],
            "content": unescaped(said),
            "reply_to": reply_to,
        }


class Segment:
    """One agent's own part of the document, from the lines below its header."""

    def __init__(self, identity: Document, agents: list[Json]) -> None:
        self.identity = identity
        self.store: list[str] = []
        self.recent_actions: list[Json] = []
        self.lookups: list[Json] = []
        self.actions: list[Json] = []
        self.rooms: list[Json] = []
        self.seat: Document = {}
        self.own: Document = {
            "identity": identity,
            "recent_actions": self.recent_actions,
            "lookups": self.lookups,
            "available_actions": self.actions,
        }
        if identity:
            agents.append({"self": self.own, "rooms": self.rooms})

    def take(self, section: str, line: str) -> None:
        match section:
            case "IDENTITY" if (found := FIELD.match(line)) and found["key"] in ("type", "seed", "role", "name"):
                self.identity[found["key"]] = value_of(found["value"])
            case "KNOWLEDGE STORE" | "WHAT YOU REMEMBER" | "FROM YOUR PUBLIC ROOMS":
                self.store.append(line)
            case "MORE ACTIONS":
                self.actions.append(line)
            case "RECENT ACTIONS" if found := RECENT_ACTION.match(line):
                self.recent_actions.append({**found.groupdict()})
            case "LOOKUPS" if found := LOOKUP.match(line):
                self.lookups.append({"question": found["question"], "answer": value_of(found["answer"])})
            case "ROOMS":
                self._seat_line(line)

    def _seat_line(self, line: str) -> None:
        """What the agent sees in a room, or who waits at its door."""
        if line.startswith("pending_access_requests: "):
            waiting = KNOCK.finditer(line)
            knocks: list[Json] = [{"id": int(one["id"]), "requester_id": one["who"]} for one in waiting]
            self.seat["pending_access_requests"] = knocks
        elif found := SEAT.match(line):
            self.seat = {"id": int(found["room"]), "first_message": int(found["first"] or 0)}
            self.rooms.append(self.seat)


def tail_of(text: str) -> tuple[str, int | None]:
    """The words of a message without the notes behind two spaces, and the message it replies to."""
    said, gap, notes = text.rpartition("  (")
    if not gap or not NOTES.fullmatch(f"({notes}"):
        return text, None
    reply_to = re.match(r"re (\d+)\)", notes)
    return said, int(reply_to[1]) if reply_to else None


def unescaped(text: str) -> str:
    """Line breaks as they were said; other control characters become spaces."""
    text = re.sub(r"\\([nrt])", lambda found: {"n": "\n", "r": "\r", "t": "\t"}[found[1]], text)
    return re.sub(r"\\u00[01][0-9a-f]", " ", text)


def read_store(lines: Iterable[str]) -> Document:
    """Read lines of `path: value (w weight)`, of the same path the first; other lines are passed over."""
    held: Document = {}
    for line in lines:
        if found := LEAF.match(line):
            put(held, [key_of(one) for one in re.findall(SEGMENT, found["path"])], value_of(found["value"]))
    return held


def key_of(segment: str) -> str:
    return str(value_of(segment)) if segment.startswith('"') else segment


def put(held: Document, path: list[str], value: Json) -> None:
    for segment in path[:-1]:
        inner = held.setdefault(segment, {})
        if not isinstance(inner, dict):
            return
        held = inner
    held.setdefault(path[-1], value)


def value_of(text: str) -> Json:
    """JSON where it is JSON, else the words as they stand."""
    text = WEIGHT.sub("", text)
    try:
        read: Json = json.loads(text)
    except ValueError:
        return text.strip()
    return read


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
        known, often = "".join(text for _, text in seldom), dict(volatile(agent_hud))
        rooms = major("ROOMS") + "".join(map(block, agent_hud.shown_rooms))
        now, who = major("NOW") + now_line(moment), _directory(agent_hud)
        if agent_hud.lean:  # who it is, what was said, what it remembers: a weak mind heeds what stands near the end
            seats = often.pop("rooms")  # they seldom change where little is told of them, so they are read once
            parts = [header(1, agent_hud), first, seats, who, rooms, now, *often.values(), known]
        else:
            parts = [who, header(1, agent_hud), first, known, rooms, now, *often.values()]
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
            major("NOW"),
            now_line(moment),
            major("AGENTS"),
        ]
        for number, agent_hud in enumerate(agent_huds, 1):
            parts.append(header(number, agent_hud))
            parts += [text for _, text in (*stable(agent_hud), *volatile(agent_hud))]
            parts.append(why_line(agent_hud))
        return "".join(parts)


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
