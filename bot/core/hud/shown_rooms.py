"""Rooms as one agent sees them: what is the room's and what is the agent's there."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import accumulate
from typing import Final

from bot.core.actions import Category
from bot.core.attention import shares, word_attention
from bot.core.hud.agent_hud import RoomDetail, ShownRoom
from bot.core.hud.counting import count
from bot.core.hud.escape import unbracketed, whole
from bot.core.hud.formats.lines import line_tokens
from bot.core.hud.formats.lines import shown as shown_sender
from bot.core.hud.knowledge import inline
from bot.core.hud.sections import Scope
from bot.core.hud.values import entries
from bot.core.hud.wording import WARNING_FROM, percent, time_since, timestamp
from bot.core.kinds import ReasonKind, Visibility
from bot.core.pace import word_budget
from bot.core.people import present
from bot.core.records import AccessKey, AccessRequest, AgentId, Json, Message, Schedule
from bot.core.view import RoomView

MOST_PEOPLE: Final = 12
MOST_KEYS: Final = 20
MOST_REQUESTS: Final = 20
MOST_SCHEDULED: Final = 10
LONGEST_SCHEDULED: Final = 100  # characters of each
MOST_OWN_WORDS: Final = 3  # messages
LONGEST_OWN_WORDS: Final = 600  # characters of each
LEAN_SEAT: Final = frozenset({"you", "is_self_room", "word_budget"})
SOON: Final = "keep what must stay word for word (set, hud_note)"
SECRET_TOKENS: Final = 70  # kept free for each key, so that rooms look the same with secrets and without
LONGEST_SECRET: Final = 56  # tokens; of a longer one the label must do


def without_secrets(seat: Mapping[str, Json]) -> tuple[dict[str, Json], int]:
    """Give a seat with its keys' labels only, and the tokens that are kept free for the secrets."""
    keys = entries(seat.get("my_keys"))
    bare: list[Json] = [{name: value for name, value in key.items() if name != "key"} for key in keys]
    return ({**seat, "my_keys": bare} if bare else dict(seat)), SECRET_TOKENS * len(bare)


def rooms_of(scope: Scope) -> tuple[RoomView, ...]:
    """Give the rooms that are shown: all on this side, or to one that is shown little those of its reasons."""
    rooms = scope.view.rooms_of(scope.agent.id, scope.side)
    if not scope.lean:
        return rooms
    called = {reason.room_id for reason in scope.reasons}
    called |= {scope.agent.id} if any(reason.kind is ReasonKind.ACCESS for reason in scope.reasons) else set()
    calls = {reason.message_id for reason in scope.reasons if reason.room_id is None}
    wanted = [one for one in rooms if one.room.id in called or any(said.id in calls for said in one.messages)]
    return tuple(wanted) or rooms[:1]


def shares_of(scope: Scope, rooms: Iterable[RoomView]) -> dict[AgentId, float]:
    """Give the rooms' shares of attention in percent."""
    return shares([scope.view.memberships[scope.agent.id, room.room.id] for room in rooms])


def shown_rooms_of(scope: Scope, rooms: Iterable[RoomView], parts: Mapping[AgentId, float]) -> list[ShownRoom]:
    """Give the rooms in full, without messages."""
    return [
        ShownRoom(
            view=_since_joining(scope, room),
            name=room_name(scope, room.room.id),
            detail=RoomDetail.BARE if scope.lean else RoomDetail.FULL,
            seat=seat(scope, room, parts[room.room.id]),
            people=_people(scope, room),
        )
        for room in rooms
    ]


def _people(scope: Scope, room: RoomView) -> tuple[str, ...]:
    here = [shown_sender(one) for one in present(room, scope.now - timedelta(hours=scope.view.config.present_hours))]
    more = len(here) - MOST_PEOPLE
    return (*here[:MOST_PEOPLE], *([f"{more} more"] if more > 0 else []))


def _since_joining(scope: Scope, room: RoomView) -> RoomView:
    """Leave out a private room's summary and count of what was said before the agent joined."""
    mine = scope.view.memberships[scope.agent.id, room.room.id]
    if room.room.visibility is Visibility.PUBLIC or room.room.id == scope.agent.id or not mine.joined_after:
        return room
    summary = room.checkpoint
    seen = summary if summary and summary.first_message_id > mine.joined_after else None
    all_read = bool(room.messages) and room.messages[0].id <= mine.joined_after
    return replace(room, checkpoint=seen, older=0 if all_read else room.older)


def room_name(scope: Scope, room_id: AgentId) -> str:
    """Give a room's name: its owner's, and that of the private thread in it."""
    room = scope.view.all_rooms.get(room_id)
    owner = scope.view.agents.get(room.owner_id if room else room_id)
    name = owner.name if owner else f"Room {room_id}"
    return f"{name}, private thread {unbracketed(room.thread_name)}" if room and room.thread_of is not None else name


def seat(scope: Scope, room: RoomView, part: float) -> dict[str, Json]:
    """Give what concerns the agent in a room."""
    mine = scope.view.memberships[scope.agent.id, room.room.id]
    own = room.room.id == scope.agent.id
    shown: dict[str, Json] = {
        "you": str(scope.agent.id),
        "is_self_room": own,
        "attention": word_attention(mine.attention),
        "attention_pct": round(part),
        "time_since_last": time_since(mine.last_spoke_at, scope.now),
        "word_budget": word_budget(mine.last_spoke_at, mine.overrun_words, room.room.wpm, scope.now),
    }
    if scope.lean:
        shown = {name: part for name, part in shown.items() if name in LEAN_SEAT}
    if _is_soon_summed_up(scope, room):
        shown["summary_soon"] = SOON
    if said := scope.view.own_words(scope.agent.id, room.room.id):
        shown["being_posted"] = [_said(message) for message in said[-MOST_OWN_WORDS:]]
    if later := [one for one in scope.view.schedules.get(scope.agent.id, ()) if one.room_id == room.room.id]:
        shown["scheduled"] = [_later(one) for one in later[:MOST_SCHEDULED]]
    is_door = own and (not scope.lean or Category.ACCESS in scope.more)
    return shown | _at_the_door(scope, room.room.id) if is_door else shown


def _is_soon_summed_up(scope: Scope, room: RoomView) -> bool:
    """Tell whether what no summary covers is nearly as much as one is written of, or one is asked for."""
    if room.room.compact_asked_at is not None:
        return True
    if room.uncovered_tokens is not None:
        return percent(room.uncovered_tokens, scope.view.config.summary_tokens) >= WARNING_FROM
    after = room.checkpoint.last_message_id if room.checkpoint else 0
    said = accumulate(line_tokens(scope.tokenizer, one) for one in reversed(room.messages) if one.id > after)
    return any(percent(tokens, scope.view.config.summary_tokens) >= WARNING_FROM for tokens in said)


def _later(schedule: Schedule) -> dict[str, Json]:
    return {"id": schedule.id, "at": timestamp(schedule.at), "content": whole(schedule.content)[:LONGEST_SCHEDULED]}


def _said(message: Message) -> dict[str, Json]:
    text = whole(message.content)
    left_out = f" … ({len(text) - LONGEST_OWN_WORDS} characters more)" if len(text) > LONGEST_OWN_WORDS else ""
    return {"id": message.id, "content": text[:LONGEST_OWN_WORDS] + left_out}


def _at_the_door(scope: Scope, room_id: AgentId) -> dict[str, Json]:
    keys = [key for key in scope.view.keys.get(room_id, ()) if key.revoked_at is None][:MOST_KEYS]
    requests = scope.view.requests.get(room_id, ())[:MOST_REQUESTS]
    return {
        "my_keys": [_key(scope, key) for key in keys],
        "pending_access_requests": [_request(request) for request in requests],
    }


def _key(scope: Scope, key: AccessKey) -> dict[str, Json]:
    shown: dict[str, Json] = {"label": key.label}
    secret = whole(scope.view.secrets.get(key.id, "")) if scope.alone else ""
    if secret and count(scope.tokenizer, f" = {inline(secret)}") <= LONGEST_SECRET:
        shown["key"] = secret
    if key.uses_left is not None:
        shown["uses_left"] = key.uses_left
    return shown | {"expires": timestamp(key.expires_at)} if key.expires_at else shown


def _request(request: AccessRequest) -> dict[str, Json]:
    by_agent = request.requester_agent_id is not None
    requester = str(request.requester_agent_id) if by_agent else f"@{request.requester_name.removeprefix('@')}"
    return {"id": request.id, "requester_id": requester, "key_used": request.key_label}
