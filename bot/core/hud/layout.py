"""Rooms within their part of the budget: how much of each is shown, and which messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.core.attention import allot
from bot.core.hud.places import places_of, shares_of, without_secrets
from bot.core.hud.sections import Scope
from bot.core.hud.sheet import Detail, Format, Place, Sheet
from bot.core.hud.window import CUT_OFF_FROM, Backlog, choose
from bot.core.records import AgentId
from bot.core.view import RoomView

MOST_NAMED: Final = 30
Shelf = dict[AgentId, Backlog]  # of one call


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

    def floors(self, places: Sequence[Place]) -> list["Floor"]:
        """Give what must be found for each of these rooms: it and its newest message."""
        return [
            Floor(place, base := self.base_tokens(place), base + self.backlogs[place.id].least()) for place in places
        ]


@dataclass(frozen=True, slots=True)
class Floor:
    """A room at some detail, the most it costs without messages, and with its newest one."""

    place: Place
    base: int
    least: int


def table(scope: Scope, rooms: Sequence[RoomView], format: Format, shelf: Shelf) -> Table:
    """Give the rooms ready to be laid out."""
    parts = shares_of(scope, rooms)
    backlogs = {room.room.id: _backlog(scope, room, format, shelf) for room in rooms}
    places = tuple(places_of(scope, rooms, parts))
    return Table(scope=scope, format=format, places=places, parts=parts, backlogs=backlogs)


def _backlog(scope: Scope, room: RoomView, format: Format, shelf: Shelf) -> Backlog:
    """Give a room's backlog; agents of one call that see all of a room share what was counted of it."""
    messages = scope.view.visible(scope.agent.id, room)
    known = shelf.get(room.room.id)
    if known is not None and known.messages is messages:
        return known
    backlog = Backlog(messages, format, cut_off=room.older > 0 and len(messages) >= CUT_OFF_FROM)
    if messages is room.messages:
        shelf[room.room.id] = backlog
    return backlog


def lay_out(table: Table, sheet: Sheet, total: int) -> tuple[Sheet, int]:
    """Give the sheet with its rooms in at most so many tokens, and what they take."""
    floors, sheet = _shown(table, sheet, total)
    used = table.format.named_tokens(sheet)
    given = _given(table, floors, total - used)
    filled = []
    for floor in floors:
        place, tokens = _filled(table, floor, given[floor.place.id])
        filled.append(place)
        used += tokens
    return replace(sheet, places=tuple(filled)), used


def _shown(table: Table, sheet: Sheet, total: int) -> tuple[list[Floor], Sheet]:
    """Choose the detail at which every room has its newest message, else the rooms that are shown at all."""
    floors = table.floors(table.places)
    if sum(floor.least for floor in floors) > total:
        floors = table.floors([replace(place, detail=Detail.BARE) for place in table.places])
    if sum(floor.least for floor in floors) <= total:
        return floors, sheet
    ranked = sorted(floors, key=lambda one: (-table.parts[one.place.id], not one.place.seat["is_self_room"]))
    while ranked:
        dropped = ranked.pop().place
        gone = (*sheet.named, (dropped.id, dropped.name))
        sheet = replace(sheet, named=gone[:MOST_NAMED], unnamed=sheet.unnamed + max(0, len(gone) - MOST_NAMED))
        if sum(floor.least for floor in ranked) + table.format.named_tokens(sheet) <= total:
            return [floor for floor in floors if floor in ranked], sheet
    return [], replace(sheet, named=(), unnamed=0)


def _given(table: Table, floors: Sequence[Floor], total: int) -> dict[AgentId, int]:
    """Divide the tokens by attention; what a room's messages want is counted only as far as it matters."""
    weights = {floor.place.id: table.parts[floor.place.id] for floor in floors}
    least = {floor.place.id: floor.least for floor in floors}
    base = {floor.place.id: floor.base for floor in floors}
    limits = {id: max(least[id], total // max(1, len(floors))) for id in weights}
    while True:
        wanted = {id: base[id] + table.backlogs[id].wanted(limits[id]) for id in weights}
        most = {id: max(least[id], want if want <= limits[id] else total) for id, want in wanted.items()}
        given = allot(total, weights, least, most)
        short = [id for id in weights if wanted[id] > limits[id] and given[id] > limits[id]]
        if not short:
            return given
        limits |= {id: given[id] for id in short}


def _filled(table: Table, floor: Floor, share: int) -> tuple[Place, int]:
    """Fill a room's share with messages; gives what the room takes."""
    scope, place, backlog = table.scope, floor.place, table.backlogs[floor.place.id]
    start = scope.view.memberships[scope.agent.id, place.id].window_start
    window = choose(backlog, share - floor.base, start, scope.tokenizer, table.format)
    older = place.view.older + len(backlog.messages) - len(window.messages)
    filled = replace(place, messages=window.messages, older=older)
    return filled, table.format.place_tokens(filled) + window.tokens
