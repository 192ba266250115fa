"""Rooms within their part of the budget: how much of each is shown, and which messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.core.attention import allot
from bot.core.hud.agent_hud import AgentHud, Format, RoomDetail, ShownRoom
from bot.core.hud.sections import Scope
from bot.core.hud.shown_rooms import shares_of, shown_rooms_of, without_secrets
from bot.core.hud.window import CUT_OFF_FROM, Backlog, choose
from bot.core.records import AgentId
from bot.core.view import RoomView

MOST_NAMED: Final = 30
BacklogCache = dict[AgentId, Backlog]  # of one call


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomTable:
    """The rooms of one agent with what is known of their cost; made once, laid out as often as needed."""

    scope: Scope
    hud_format: Format
    shown_rooms: tuple[ShownRoom, ...]
    parts: Mapping[AgentId, float]
    backlogs: Mapping[AgentId, Backlog]

    def base_tokens(self, place: ShownRoom) -> int:
        """Give the most that a room costs without messages."""
        messages = self.backlogs[place.id].messages
        seat, kept_free = without_secrets(place.seat)
        older = place.view.older + len(messages)
        probe = replace(place, seat=seat, messages=tuple(messages[-1:]), older=older)
        return self.hud_format.place_tokens(probe) + kept_free

    def costs(self, shown_rooms: Sequence[ShownRoom]) -> list["RoomCost"]:
        """Give what must be found for each of these rooms: it and its newest message."""
        return [
            RoomCost(place, base := self.base_tokens(place), base + self.backlogs[place.id].least())
            for place in shown_rooms
        ]


@dataclass(frozen=True, slots=True)
class RoomCost:
    """A room at some detail, the most it costs without messages, and with its newest one."""

    place: ShownRoom
    base: int
    least: int


def room_table(scope: Scope, rooms: Sequence[RoomView], hud_format: Format, backlogs_known: BacklogCache) -> RoomTable:
    """Give the rooms ready to be laid out."""
    parts = shares_of(scope, rooms)
    backlogs = {room.room.id: _backlog(scope, room, hud_format, backlogs_known) for room in rooms}
    shown_rooms = tuple(shown_rooms_of(scope, rooms, parts))
    return RoomTable(scope=scope, hud_format=hud_format, shown_rooms=shown_rooms, parts=parts, backlogs=backlogs)


def _backlog(scope: Scope, room: RoomView, hud_format: Format, backlogs_known: BacklogCache) -> Backlog:
    """Give a room's backlog; agents of one call that see all of a room share what was counted of it."""
    messages = scope.view.visible(scope.agent.id, room)
    known = backlogs_known.get(room.room.id)
    if known is not None and known.messages is messages:
        return known
    backlog = Backlog(messages, hud_format, cut_off=room.older > 0 and len(messages) >= CUT_OFF_FROM)
    if messages is room.messages:
        backlogs_known[room.room.id] = backlog
    return backlog


def lay_out(room_table: RoomTable, agent_hud: AgentHud, total: int) -> tuple[AgentHud, int]:
    """Give the HUD with its rooms in at most so many tokens, and what they take."""
    costs, agent_hud = _shown(room_table, agent_hud, total)
    used = room_table.hud_format.named_tokens(agent_hud)
    given = _given(room_table, costs, total - used)
    filled = []
    for cost in costs:
        place, tokens = _filled(room_table, cost, given[cost.place.id])
        filled.append(place)
        used += tokens
    return replace(agent_hud, shown_rooms=tuple(filled)), used


def _shown(room_table: RoomTable, agent_hud: AgentHud, total: int) -> tuple[list[RoomCost], AgentHud]:
    """Choose the detail at which every room has its newest message, else the rooms that are shown at all."""
    costs = room_table.costs(room_table.shown_rooms)
    if sum(cost.least for cost in costs) > total:
        costs = room_table.costs([replace(place, detail=RoomDetail.BARE) for place in room_table.shown_rooms])
    if sum(cost.least for cost in costs) <= total:
        return costs, agent_hud
    ranked = sorted(costs, key=lambda one: (-room_table.parts[one.place.id], not one.place.seat["is_self_room"]))
    while ranked:
        dropped = ranked.pop().place
        gone = (*agent_hud.named, (dropped.id, dropped.name))
        agent_hud = replace(
            agent_hud, named=gone[:MOST_NAMED], unnamed=agent_hud.unnamed + max(0, len(gone) - MOST_NAMED)
        )
        if sum(cost.least for cost in ranked) + room_table.hud_format.named_tokens(agent_hud) <= total:
            return [cost for cost in costs if cost in ranked], agent_hud
    return [], replace(agent_hud, named=(), unnamed=0)


def _given(room_table: RoomTable, costs: Sequence[RoomCost], total: int) -> dict[AgentId, int]:
    """Divide the tokens by attention; what a room's messages want is counted only as far as it matters."""
    weights = {cost.place.id: room_table.parts[cost.place.id] for cost in costs}
    least = {cost.place.id: cost.least for cost in costs}
    base = {cost.place.id: cost.base for cost in costs}
    limits = {id_: max(least[id_], total // max(1, len(costs))) for id_ in weights}
    while True:
        wanted = {id_: base[id_] + room_table.backlogs[id_].wanted(limits[id_]) for id_ in weights}
        most = {id_: max(least[id_], want if want <= limits[id_] else total) for id_, want in wanted.items()}
        given = allot(total, weights, least, most)
        short = [id_ for id_ in weights if wanted[id_] > limits[id_] and given[id_] > limits[id_]]
        if not short:
            return given
        limits |= {id_: given[id_] for id_ in short}


def _filled(room_table: RoomTable, cost: RoomCost, share: int) -> tuple[ShownRoom, int]:
    """Fill a room's share with messages; gives what the room takes."""
    scope, place, backlog = room_table.scope, cost.place, room_table.backlogs[cost.place.id]
    start = scope.view.memberships[scope.agent.id, place.id].window_start
    window = choose(backlog, share - cost.base, start, scope.tokenizer, room_table.hud_format)
    older = place.view.older + len(backlog.messages) - len(window.messages)
    filled = replace(place, messages=window.messages, older=older)
    return filled, room_table.hud_format.place_tokens(filled) + window.tokens
