"""The scripted mind: looks at a HUD and answers for every agent in it."""

import re
from dataclasses import replace
from datetime import timedelta

from bot.core.hud.formats.document import Document
from bot.core.records import Json
from bot.standin.lookups import told_from_memory
from bot.standin.memory import MEMORY_RULES, QUESTION_RULES, facts_of, words_of
from bot.standin.own_requests import OWN_REQUESTS
from bot.standin.persona import read_persona
from bot.standin.smalltalk import ANNOUNCEMENT, SMALL_TALK, acknowledge, hello
from bot.standin.social_requests import SOCIAL_REQUESTS, at_the_door
from bot.standin.turn import OpenLine, Turn, first_turn, without_name
from bot.standin.view import Hud, Line, PastAction, Room, Seat

LONGEST_READ = 1_000  # characters of a line: rules are for sentences
AGAIN = re.compile(r"\bplease answer message (\d{1,15}) again\b", re.IGNORECASE)
FOR_PEOPLE = (*MEMORY_RULES, *OWN_REQUESTS, *SOCIAL_REQUESTS, *SMALL_TALK[:-1], *QUESTION_RULES, *SMALL_TALK[-1:])


def think(hud: Hud) -> Document:
    """The answer for all agents of a call, in the shape that the HUD asks for."""
    answers = [answer_of(seat, hud) for seat in hud.seats]
    if len(answers) > 1:
        return {"agents": [*answers]}
    return {name: value for name, value in answers[0].items() if name != "agent_id"}


def answer_of(seat: Seat, hud: Hud) -> Document:
    responses: list[Json] = []
    actions = at_the_door(seat, hud)
    thoughts = ["Somebody waits at my door."] if actions else []
    for room in seat.rooms:
        turns = turns_in(seat, room, hud)
        thoughts += [turn.thought for turn in turns if turn.thought]
        actions += [action for turn in turns for action in turn.actions]
        found = told_from_memory(seat, room, hud)
        said = list(dict.fromkeys([*found, *(turn.says for turn in turns if turn.says)]))
        if is_new(seat, room):
            said.append(hello(seat))
        if said:
            responses.append({"room_id": room.id, "message": introduced(seat, room, " ".join(said))})
    thought = " ".join(thoughts) or "Nothing here is for me."
    return {"agent_id": seat.id, "thoughts": thought, "responses": responses, "actions": [*actions]}


def turns_in(seat: Seat, room: Room, hud: Hud) -> list[Turn]:
    """A turn for each line that wants one, except where it is on its way already."""
    turns = [(line, turn_for(seat, room, line, hud)) for line in open_lines(seat, room, hud)]
    return [turn for line, turn in turns if not (turn.says and said_already(seat, room, line, turn.says))]


def turn_for(seat: Seat, room: Room, line: Line, hud: Hud) -> Turn:
    said = without_name(meant(seat, room, line)[:LONGEST_READ], seat.name)
    persona = read_persona(seat.seed, seat.kind)
    open_line = OpenLine(hud=hud, seat=seat, room=room, line=line, said=said, persona=persona)
    rules = FOR_PEOPLE if line.by_person else SMALL_TALK
    turn = first_turn(rules, open_line) or acknowledge(open_line)
    return turn if line.by_person else Turn(says=turn.says, thought=turn.thought)


def meant(seat: Seat, room: Room, line: Line) -> str:
    """The words that are to be answered: the line's own, or those of the one that it asks to be answered again."""
    if (asked := AGAIN.search(line.text)) is None:
        return line.text
    number = int(asked[1])
    named = [one for one in room.lines if one.id == number and one.agent_id != seat.id]
    before = [one for one in room.lines if one.id < number and one.by_person]
    return next((one.text for one in (*named, *before[::-1])), line.text)


def is_new(seat: Seat, room: Room) -> bool:
    """Whether this is the agent's own room, nobody has spoken yet wherever it is, and it did nothing so far."""
    return room.own and not seat.deeds and not any(place.lines or place.older for place in seat.rooms)


def introduced(seat: Seat, room: Room, words: str) -> str:
    """The words, and once, with the first of them, what is speaking here."""
    spoken = any(line.agent_id == seat.id for line in room.lines)
    told = any(deed.is_speech for deed in seat.deeds)
    return words if spoken or told or ANNOUNCEMENT in words else f"{words} {ANNOUNCEMENT}"


MOST_LINES = 3
NEWEST_LINES = 100  # older ones are no talk any more
TOGETHER = timedelta(minutes=10)
ALONE = timedelta(minutes=5)
GOES_ON = timedelta(minutes=2)
UNPOSTED = timedelta(minutes=1)
SHOWN_LETTERS = 40
SHORTEST_NAME = 3
ENOUGH_LINES = 3
COMPANY_LINES, SMALL_COMPANY = 12, 2
HELLO_ALL = re.compile(
    r"^\W*(?:hi|hello|hey|good (?:morning|evening))\W+(?:all|everyone|everybody|you all|folks)\b", re.IGNORECASE
)
ANYONE = re.compile(r"\b(?:any|every)(?:one|body)\b.*\?", re.IGNORECASE)


def open_lines(seat: Seat, room: Room, hud: Hud) -> list[Line]:
    """The lines that are for this agent and that it has not answered yet, oldest first."""
    cut = max(0, len(room.lines) - NEWEST_LINES)
    room = replace(room, lines=room.lines[cut:], older=room.older + cut)
    done = answered_until(seat, room)
    fresh = [line for line in room.lines if line.id > done and line.agent_id != seat.id]
    wanted = [line for line in fresh if line.by_person and is_for(seat, room, line, hud)]
    if not wanted:
        return agents_line(seat, room, fresh)
    newest = wanted[-1]
    return [line for line in wanted if near(line, newest, TOGETHER)][-MOST_LINES:]


def answered_until(seat: Seat, room: Room) -> int:
    """The newest line it has spoken after: its own newest one, or one long before it spoke by its deeds.

    What it said last may not be posted yet, and so not stand in the room.
    """
    spoken = [line.id for line in room.lines if line.agent_id == seat.id]
    told = [deed.at for deed in speeches(seat, room) if deed.at]
    before = [line.id for line in room.lines if line.at and told and line.at + UNPOSTED <= max(told)]
    return max([*spoken, *before], default=0)


def speeches(seat: Seat, room: Room) -> list[PastAction]:
    """What it lately said in a room, by its recent actions."""
    return [deed for deed in seat.deeds if deed.is_speech and deed.room_id in (room.id, None)]


def said_already(seat: Seat, room: Room, line: Line, words: str) -> bool:
    """Whether these words, in answer to the line, are on their way: said by its recent actions, not yet posted."""
    waiting = [deed for deed in unposted(seat, room) if not (deed.at and line.at) or deed.at >= line.at]
    return any(letters(words)[:SHOWN_LETTERS] in letters(deed.text) for deed in waiting)


def unposted(seat: Seat, room: Room) -> list[PastAction]:
    """What it said by its recent actions and what does not stand in the room, word for word."""
    waiting = speeches(seat, room)
    for line in room.lines:
        if line.agent_id == seat.id:
            start = letters(line.text)[:SHOWN_LETTERS]
            posted = next((deed for deed in waiting if start in letters(deed.text)), None)
            waiting = [deed for deed in waiting if deed is not posted]
    return waiting


def letters(text: str) -> str:
    """The letters and digits only: quotes and marks may be written otherwise in a HUD."""
    return re.sub(r"\\n|\W+", "", text)


def near(first: Line, second: Line, within: timedelta) -> bool:
    """Whether two lines were said within so much time; lines without a time count as near."""
    if first.at is None or second.at is None:
        return True
    return abs(second.at - first.at) <= within


def names(text: str, name: str) -> bool:
    """Whether a text mentions `@Name`, or the bare name as a word when it is long enough to be one."""
    at = "@?" if len(name) >= SHORTEST_NAME else "@"
    return re.search(rf"(?<![\w@]){at}{re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def is_for(seat: Seat, room: Room, line: Line, hud: Hud) -> bool:
    if names(line.text, seat.name):
        return True
    if line.reply_to is not None:
        return sender_of(room, line.reply_to) == seat.id
    if any(names(line.text, hud.name_of(member)) for member in room.members if member != seat.id):
        return False
    return host_of(room, line, hud) or goes_on(seat, room, line) or greets_all(seat, room, line)


def sender_of(room: Room, message_id: int) -> int | None:
    return next((line.agent_id for line in room.lines if line.id == message_id), None)


def host_of(room: Room, line: Line, hud: Hud) -> bool:
    """In its own room the agent answers the only person who spoke there lately.

    A line from before the last minutes was not for the host either when others took it up since; and of a line at
    the start of what is shown it cannot tell who spoke before.
    """
    if not room.own:
        return False
    fresh = hud.now is None or line.at is None or hud.now - line.at <= GOES_ON
    around = [other for other in room.lines if other.by_person and near(other, line, ALONE) and other.id != line.id]
    before = [other for other in around if other.id < line.id]
    if any(other.sender != line.sender for other in (before if fresh else around)):
        return False
    return room.older == 0 or not near(room.lines[0], line, ALONE) or len(before) >= ENOUGH_LINES


def goes_on(seat: Seat, room: Room, line: Line) -> bool:
    """The same person goes on talking right after the agent answered them."""
    before = [other for other in room.lines if other.id < line.id and other.sender != line.sender]
    if not before or before[-1].agent_id != seat.id or not near(before[-1], line, GOES_ON):
        return False
    answered = [other for other in room.lines if other.id < before[-1].id and other.agent_id != seat.id]
    return bool(answered) and answered[-1].sender == line.sender


def greets_all(seat: Seat, room: Room, line: Line) -> bool:
    """A word to everyone in a small company, or a question to anyone about what the agent cares for or keeps.

    No other agent has taken it up yet.
    """
    if any(other.agent_id is not None for other in room.lines if other.id > line.id):
        return False
    if HELLO_ALL.search(line.text):
        return len({other.sender for other in room.lines[-COMPANY_LINES:] if other.by_person}) <= SMALL_COMPANY
    return ANYONE.search(line.text) is not None and bool(words_of(line.text) & subjects_of(seat))


def subjects_of(seat: Seat) -> set[str]:
    """The words for what the agent cares about and what it keeps in its knowledge."""
    cares = " ".join(read_persona(seat.seed, seat.kind).cares)
    kept = " ".join(" ".join(path[-1:]) for path, _ in facts_of(seat.knowledge))
    return words_of(f"{cares} {kept}".replace("_", " "))


def agents_line(seat: Seat, room: Room, fresh: list[Line]) -> list[Line]:
    """Another agent's newest line when it names this one, once between two lines of people."""
    last_person = max((line.id for line in room.lines if line.by_person), default=0)
    spoke_since = answered_until(seat, room) > last_person
    named = [line for line in fresh if line.agent_id is not None and names(line.text, seat.name)]
    return [] if spoke_since else named[-1:]
