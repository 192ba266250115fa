"""Telling what a search of the memory found: it was asked for in one beat and is shown in the next."""

import re

from bot.core.hud.formats.document import Document
from bot.core.hud.values import entries
from bot.standin.view import Hud, Lookup, Room, Seat

LOOKING = "Let me look for"
SHOWN_FINDS = 2
LONGEST = 160


def told_from_memory(seat: Seat, room: Room, hud: Hud) -> list[str]:
    """What to say in a room about each search that somebody there asked for."""
    asked = newest_search(seat, room)
    finds = [lookup for lookup in seat.lookups if asked and lookup.question == f"recall {asked}"]
    return [worded(lookup, asked, seat, hud) for lookup in finds[:1]]


def newest_search(seat: Seat, room: Room) -> str:
    """What it promised to look for in its last words in this room."""
    spoken = [deed.text for deed in seat.deeds if deed.is_speech and deed.room_id == room.id]
    spoken = spoken or [line.text for line in room.lines if line.agent_id == seat.id]
    promise = re.search(rf"{LOOKING} '(.+?)'\.", spoken[-1]) if spoken else None
    return promise[1] if promise else ""


def worded(lookup: Lookup, asked: str, seat: Seat, hud: Hud) -> str:
    """The finds in words: what others said first, and never the line that asked for the search."""
    told = [
        entry
        for entry in entries(lookup.answer)
        if LOOKING not in str(entry.get("content")) and not is_request(entry, asked)
    ]
    told.sort(key=lambda entry: str(entry.get("sender")) == str(seat.id))
    if not told:
        return f"I found nothing about '{asked}'."
    return f"I found this about '{asked}': " + "; ".join(find(entry, seat, hud) for entry in told[:SHOWN_FINDS])


def find(entry: Document, seat: Seat, hud: Hud) -> str:
    sender, words = str(entry.get("sender")), str(entry.get("content"))[:LONGEST]
    if sender == str(seat.id):
        sender = "I"
    elif sender.isdecimal():
        sender = hud.name_of(int(sender))
    return f"{sender} said '{words}'"


def is_request(entry: Document, asked: str) -> bool:
    """Whether a find is only the line that asked for the search."""
    content = str(entry.get("content")).lower()
    return re.search(r"\b(?:say about|search for|look up|recall)\b", content) is not None and asked.lower() in content
