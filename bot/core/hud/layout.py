"""Rooms within their part of the budget: how much of each is shown, and which messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.core.attention import allot
from bot.core.hud.places import places_of, shares_of, without_secrets
from bot.core.hud.sections import Scope
from bot.core.hud.sheet import Detail, Format, Place, Sheet
from bot.core.hud.window import Backlog, choose
from bot.core.records import AgentId
from bot.core.view import RoomView

MOST_NAMED: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The rooms of one agent with what is known of their cost; made once, laid out as often as needed."""

    scope: Scope
    format: Format
    places: tuple[Place, ...]
    parts: Mapping[AgentId, float]
    backlogs: Mapping[AgentId, Backlog]

    def base_tokens(self, place: Place) -> int:
        """Give the most that a room costs without messages."""
        messages = self.backlogs[place.id].messages
        seat, kept_free = without_secrets(place.seat)
        older = place.view.older + len(messages)
        probe = replace(place, seat=seat, messages=tuple(messages[-1:]), older=older)
        return self.format.place_tokens(probe) + kept_free

    def least_tokens(self, places: Sequence[Place]) -> dict[AgentId, int]:
        """Give what must be found for each of these rooms: it and its newest message."""
        return {place.id: self.base_tokens(place) + self.backlogs[place.id].least() for place in places}


def table(scope: Scope, rooms: Sequence[RoomView], format: Format) -> Table:
    """Give the rooms ready to be laid out."""
    parts = shares_of(scope, rooms)
    backlogs = {room.room.id: Backlog(scope.view.visible(scope.agent.id, room), format) for room in rooms}
    places = tuple(places_of(scope, rooms, parts))
    return Table(scope=scope, format=format, places=places, parts=parts, backlogs=backlogs)


def lay_out(table: Table, sheet: Sheet, total: int) -> tuple[Sheet, int]:
    """Give the sheet with its rooms in at most so many tokens, and what they take."""
    format = table.format
    places, least, sheet = _shown(table, sheet, total)
    left = total - format.named_tokens(sheet)
    given = _given(table, places, least, left)
    filled, used = [], format.named_tokens(sheet)
    for place in places:
        shown, tokens = _filled(table, place, given[place.id])
        filled.append(shown)
        used += tokens
    return replace(sheet, places=tuple(filled)), used


def _shown(table: Table, sheet: Sheet, total: int) -> tuple[list[Place], dict[AgentId, int], Sheet]:
    """Choose the detail at which every room has its newest message, else the rooms that are shown at all."""
    places = list(table.places)
    for detail in (Detail.FULL, Detail.BARE):
        places = [replace(place, detail=detail) for place in places]
        least = table.least_tokens(places)
        if sum(least.values()) <= total:
            return places, least, sheet
    ranked = sorted(places, key=lambda place: (-table.parts[place.id], not place.seat["is_self_room"], place.id))
    while ranked:
        dropped = ranked.pop()
        gone = (*sheet.named, (dropped.id, dropped.name))
        sheet = replace(sheet, named=gone[:MOST_NAMED], unnamed=sheet.unnamed + max(0, len(gone) - MOST_NAMED))
        kept = [place for place in places if place in ranked]
        least = table.least_tokens(kept)
        if sum(least.values()) + table.format.named_tokens(sheet) <= total:
            return kept, least, sheet
    return [], {}, replace(sheet, named=(), unnamed=0)


def _given(table: Table, places: Sequence[Place], least: Mapping[AgentId, int], total: int) -> dict[AgentId, int]:
    """Divide the tokens by attention; what a room's messages want is counted only as far as it matters."""
    weights = {place.id: table.parts[place.id] for place in places}
    base = {place.id: table.base_tokens(place) for place in places}
    limits = {id: max(least[id], total // max(1, len(places))) for id in weights}
    while True:
        wanted = {id: base[id] + table.backlogs[id].wanted(limits[id]) for id in weights}
        most = {id: max(least[id], want if want <= limits[id] else total) for id, want in wanted.items()}
        given = allot(total, weights, least, most)
        short = [id for id in weights if wanted[id] > limits[id] and given[id] > limits[id]]
        if not short:
            return given
        limits |= {id: given[id] for id in short}


def _filled(table: Table, place: Place, share: int) -> tuple[Place, int]:
    """Fill a room's share with messages; gives what the room takes."""
    scope, backlog = table.scope, table.backlogs[place.id]
    start = scope.view.memberships[scope.agent.id, place.id].window_start
    window = choose(backlog, share - table.base_tokens(place), start, scope.tokenizer, table.format)
    older = place.view.older + len(backlog.messages) - len(window.messages)
    filled = replace(place, messages=window.messages, older=older)
    return filled, table.format.place_tokens(filled) + window.tokens
