"""Rooms in the `text` format: the room with its messages, and one line on each agent's seat in it."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from bot.core.attention import DYNAMIC
from bot.core.hud.agent_hud import MOST_SUMMARY, AgentHud, RoomDetail, ShownRoom
from bot.core.hud.escape import one_line
from bot.core.hud.formats.lines import day_line, message_line
from bot.core.hud.knowledge import inline
from bot.core.kinds import Visibility
from bot.core.records import ARCHITECT_ID, Json

_PLAIN: Final = re.compile(r"@?[\w.-]+")
MAY_ENTER: Final = {Visibility.PUBLIC: "everyone", Visibility.PRIVATE: "only who was let in"}
Word = Callable[[Mapping[str, Json]], str]


def block(place: ShownRoom) -> str:
    """Give a room and its messages, a line for each day."""
    lines, day = [head(place)], None
    for message in place.messages:
        if day != (day := message.sent_at.date()):
            lines.append(day_line(message))
        lines.append(message_line(message))
    return "".join(lines)


def head(place: ShownRoom) -> str:
    """Give what is said of a room before its messages; it changes seldom."""
    room, checkpoint = place.view.room, place.view.checkpoint
    lines = [f"--- Room: {one_line(place.name)} (ID: {room.id}) ---\n"]
    if room.topic:
        lines.append(f"topic: {one_line(room.topic[:120])}\n")
    if place.detail is RoomDetail.FULL:
        lines.append(f"members: {', '.join(map(str, (ARCHITECT_ID, *place.view.members)))}\n")
        lines.append(f"people: {', '.join(place.people) or 'none lately'}; {MAY_ENTER[room.visibility]} may enter\n")
        if room.billboard:
            lines.append(f"billboard: {inline(room.billboard[:1_000])}\n")
        if checkpoint:
            covered = f"{checkpoint.first_message_id} to {checkpoint.last_message_id}"
            lines.append(f"summary (of {covered}): {inline(checkpoint.text[:MOST_SUMMARY])}\n")
    if place.older:
        lines.append(f"older: {place.older}\n")
    return "".join(lines)


def seat_lines(place: ShownRoom) -> str:
    """Give what concerns one agent in a room, and at the door of its own room keys and requests."""
    seat = place.seat
    own = " (your own room)" if seat["is_self_room"] else ""
    since = f", messages from {place.first_id}" if place.messages else ""
    told = ""
    if "attention" in seat:
        dynamic = " (%*)" if seat["attention"] == DYNAMIC else ""
        told = f"attention_pct {seat['attention_pct']}{dynamic}, time_since_last {seat['time_since_last']}, "
    line = f"{place.id} {one_line(place.name)}{own}: {told}word_budget {seat['word_budget']}{since}\n"
    soon = f"summary soon: {seat['summary_soon']}\n" if "summary_soon" in seat else ""
    own_words = soon + _listed("being_posted", seat, _own_words) + _listed("scheduled", seat, _later)
    return f"{line}{own_words}{_listed('my_keys', seat, _key)}{_listed('pending_access_requests', seat, _request)}"


def _listed(name: str, seat: Mapping[str, Json], word: Word) -> str:
    entries = seat.get(name)
    if not isinstance(entries, list) or not entries:
        return ""
    return f"{name}: {'; '.join(word(entry) for entry in entries if isinstance(entry, dict))}\n"


def _own_words(said: Mapping[str, Json]) -> str:
    return f"{said['id']} {inline(said['content'])} *(being posted)*"


def _later(said: Mapping[str, Json]) -> str:
    return f"{said['id']} at {said['at']} {inline(said['content'])}"


def _key(key: Mapping[str, Json]) -> str:
    secret = f" = {inline(key['key'])}" if "key" in key else ""
    uses = f", {key['uses_left']} uses left" if "uses_left" in key else ""
    expires = f", expires {key['expires']}" if "expires" in key else ""
    return f"{inline(key['label'])}{secret}{uses}{expires}"


def _request(request: Mapping[str, Json]) -> str:
    who = str(request["requester_id"])
    who = who if _PLAIN.fullmatch(who) else inline(who)
    return f"request {request['id']} from {who} with key {inline(request['key_used'])}"


def named_line(agent_hud: AgentHud) -> str:
    """Give the rooms that are shown by name only."""
    if not agent_hud.named and not agent_hud.unnamed:
        return ""
    names = ", ".join(f"{id_} {one_line(name)}" for id_, name in agent_hud.named)
    more = f"{' and ' if names else ''}{agent_hud.unnamed} more" if agent_hud.unnamed else ""
    return f"no space to show: {names}{more}\n"
