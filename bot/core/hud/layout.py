"""Rooms within their part of the budget: how much of each is shown, and which messages."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.core.attention import allot
from bot.core.hud.agent_hud import AgentHud, Format, RoomDetail, ShownRoom
from bot.core.hud.counting import clipped
from bot.core.hud.escape import whole
from bot.core.hud.formats.lines import content_of
from bot.core.hud.sections import Scope
from bot.core.hud.shown_rooms import shares_of, shown_rooms_of, without_secrets
from bot.core.ports import Tokenizer
from bot.core.records import AgentId, Message, MessageId
from bot.core.view import RoomView

JUMP_PERCENT: Final = 75  # of its share that a window uses at most after its start has moved
REOPEN_PERCENT: Final = 35  # below which a window is too small for its share and is set anew
LONG_PERCENT: Final = 50  # of its share that a message longer than the share still takes
CUT_OFF_FROM: Final = 50  # messages read of a room that has more
SHORT_TOKENS: Final = 60  # what is always found for the newest message of a room
CUT_TOKENS: Final = 20  # what it takes to say how much is left out


@dataclass(frozen=True, slots=True)
class Window:
    """The messages shown, oldest first, and what they cost."""

    messages: tuple[Message, ...]
    tokens: int


class Backlog:
    """A room's messages seen from the newest; what they cost is counted only as far as asked."""

    def __init__(self, messages: Sequence[Message], hud_format: Format, *, cut_off: bool = False) -> None:
        self.messages = messages
        self.cut_off = cut_off  # there are older ones that were not read
        self.day_tokens = hud_format.day_tokens
        self.cost = hud_format.message_tokens
        self._sums = [0]  # of the newest so many, with the lines of all days but the first one's
        self._peak = 0

    def count_until(self, limit: int) -> None:
        """Count backwards until so many tokens are passed or there are no more messages."""
        messages, sums, cost = self.messages, self._sums, self.cost
        index = len(messages) - len(sums)
        total = sums[-1]
        day = messages[index + 1].sent_at.date() if 0 <= index < len(messages) - 1 else None
        while index >= 0 and total <= limit:
            tokens = cost(messages[index])
            if tokens > self._peak:
                self._peak = tokens
            after, day = day, messages[index].sent_at.date()
            if after is not None and day != after:
                tokens += self.day_tokens
            total += tokens
            sums.append(total)
            index -= 1

    def wanted(self, limit: int) -> int:
        """Give what all messages cost, or something above the limit when it is passed."""
        self.count_until(limit)
        return self._sums[-1] + self.day_tokens if self.messages else 0

    def least(self) -> int:
        """Give what must be found for the newest message, its middle left out if it is long."""
        if not self.messages:
            return 0
        self.count_until(0)
        least = self._sums[1]
        if least > SHORT_TOKENS:
            least = min(least, max(SHORT_TOKENS, self.cost(stripped(self.messages[-1])) + CUT_TOKENS))
        return least + self.day_tokens

    def fitting(self, limit: int) -> int:
        """Give how many of the newest fit into so many tokens."""
        self.count_until(limit)
        return max(0, bisect_right(self._sums, limit - self.day_tokens) - 1)

    def has_longer_than(self, share: int) -> bool:
        """Tell whether one of the messages that matter for a share is longer than all of it."""
        self.count_until(share)
        return self._peak + self.day_tokens > share

    def window(self, newest: int) -> Window:
        """Give the window of the newest so many."""
        shown = tuple(self.messages[len(self.messages) - newest :])
        return Window(shown, self._sums[newest] + self.day_tokens if newest else 0)


def choose(backlog: Backlog, share: int, start: MessageId, tokenizer: Tokenizer, hud_format: Format) -> Window:
    """Give the window for a share: from the same start as before while that fits, else from one that leaves room.

    Where only the newest messages were read and all of them fit, the start leaves room among those, so that it does
    not move with every message.
    """
    if backlog.has_longer_than(share):
        backlog = _shortened(backlog, share, tokenizer, hud_format)
    most = backlog.fitting(share)
    if kept := _since(backlog, start, most):
        window = backlog.window(kept)
        if window.tokens * 100 >= share * REOPEN_PERCENT:
            return window
    if most == len(backlog.messages):
        return backlog.window(most if not backlog.cut_off else most - most * (100 - JUMP_PERCENT) // 100)
    return backlog.window(max(min(most, 1), backlog.fitting(share * JUMP_PERCENT // 100)))


def _since(backlog: Backlog, start: MessageId, most: int) -> int:
    """Give how many messages there are from one on, among the newest so many; 0 when it is not there."""
    messages = backlog.messages
    for newest in range(1, most + 1):
        if messages[-newest].id == start:
            return newest
    return 0


def _shortened(backlog: Backlog, share: int, tokenizer: Tokenizer, hud_format: Format) -> Backlog:
    """Leave out the middle of messages that are longer than the share, as far as they can come into it."""
    shown: list[Message] = []
    room = share
    for message in reversed(backlog.messages):
        if room <= 0:
            break
        tokens = backlog.cost(message)
        if tokens + backlog.day_tokens > share:
            message, tokens = _short(message, backlog, share, tokenizer)
        shown.append(message)
        room -= tokens
    older = backlog.messages[: len(backlog.messages) - len(shown)]
    return Backlog((*older, *reversed(shown)), hud_format, cut_off=backlog.cut_off)


def stripped(message: Message) -> Message:
    """Give a message without what can be long: its text, files and reactions."""
    return replace(message, content="", attachments=(), reactions=(), tokens=0)


def _short(message: Message, backlog: Backlog, share: int, tokenizer: Tokenizer) -> tuple[Message, int]:
    """Leave a message's middle out until it takes at most half the share (all of it where that is too little)."""
    most = max(min(share - backlog.day_tokens, SHORT_TOKENS), share * LONG_PERCENT // 100)
    content = whole(content_of(message))
    bare = stripped(message)
    tokens = backlog.cost(bare)
    most = max(most, tokens + CUT_TOKENS) if tokens + CUT_TOKENS + backlog.day_tokens <= share else most
    left = most - tokens
    while left > 0:
        short = replace(bare, content=clipped(tokenizer, content, left))
        if (tokens := backlog.cost(short)) <= most:
            return short, tokens
        left -= max(1, tokens - most)
    return bare, backlog.cost(bare)


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
