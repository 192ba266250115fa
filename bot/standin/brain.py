"""The scripted mind: looks at a HUD and answers for every agent in it."""

from bot.core.hud.formats.document import Document
from bot.core.records import Json
from bot.standin.attention import open_lines, said_already
from bot.standin.lookups import told_from_memory
from bot.standin.memory import MEMORY_RULES, QUESTION_RULES
from bot.standin.own_requests import OWN_REQUESTS
from bot.standin.persona import read_persona
from bot.standin.smalltalk import ANNOUNCEMENT, SMALL_TALK, acknowledge, hello
from bot.standin.social_requests import SOCIAL_REQUESTS, at_the_door
from bot.standin.turn import OpenLine, Turn, first_turn, without_name
from bot.standin.view import Hud, Line, Room, Seat

LONGEST_READ = 1_000  # characters of a line: rules are for sentences
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
    said = without_name(line.text[:LONGEST_READ], seat.name)
    persona = read_persona(seat.seed, seat.kind)
    open_line = OpenLine(hud=hud, seat=seat, room=room, line=line, said=said, persona=persona)
    rules = FOR_PEOPLE if line.by_person else SMALL_TALK
    turn = first_turn(rules, open_line) or acknowledge(open_line)
    return turn if line.by_person else Turn(says=turn.says, thought=turn.thought)


def is_new(seat: Seat, room: Room) -> bool:
    """Whether this is the agent's own room, nobody has spoken yet wherever it is, and it did nothing so far."""
    return room.own and not seat.deeds and not any(place.lines or place.older for place in seat.rooms)


def introduced(seat: Seat, room: Room, words: str) -> str:
    """The words, and once, with the first of them, what is speaking here."""
    spoken = any(line.agent_id == seat.id for line in room.lines)
    told = any(deed.is_speech for deed in seat.deeds)
    return words if spoken or told or ANNOUNCEMENT in words else f"{words} {ANNOUNCEMENT}"
