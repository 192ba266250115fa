"""The HUD as one nested value in the documented names: what `json`, `compact_json` and `toon` write and read back."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.core.hud.agent_hud import MOST_SUMMARY, AgentHud, CallTime, RoomDetail, ShownRoom
from bot.core.hud.escape import unbracketed, whole
from bot.core.hud.formats.lines import content_of
from bot.core.hud.formats.rooms import MAY_ENTER
from bot.core.hud.wording import timestamp as worded
from bot.core.records import ARCHITECT_ID, Json, Message

Document = dict[str, Json]
SELF: Final = (
    "identity",
    "knowledge",
    "knowledge_hidden",
    "memory_used",
    "memory_status",
    "allocations",
    "recent_actions",
    "focus",
    "lookups",
    "lore",
    "keys_held",
    "public",
    "available_actions",
    "budget",
)
REMEMBERED: Final = (
    *("keys_held", "public", "recent_actions", "lookups", "lore"),
    *("focus", "memory_used", "memory_status", "knowledge_hidden", "knowledge"),
)


def solo_document(agent_hud: AgentHud, moment: CallTime) -> Document:
    """Give one agent's own part: self, rooms, meta.

    A weak mind heeds what stands near the end: what it remembers stands there, before the reason. What changes from
    beat to beat, the time too, stands below what was said, so that a server's cache knows the beginning.
    """
    own = self_section(agent_hud)
    remembered: Document = {name: own.pop(name) for name in REMEMBERED if agent_hud.lean and name in own}
    return {
        "self": own,
        "rooms": [room(place) | seat(place) for place in agent_hud.shown_rooms],
        "meta": {"directory": agent_hud.sections.get("directory", []), **meta_section(moment)},
        **_unshown(agent_hud),
        **({"remembered": remembered} if remembered else {}),
        "why": agent_hud.sections["why"],
    }


def together(document: Document) -> Document:
    """Give a document that was read back, with what is remembered among what is the agent's own."""
    own, remembered = document.get("self"), document.get("remembered")
    if not isinstance(own, dict) or not isinstance(remembered, dict):
        return document
    return {name: value for name, value in document.items() if name != "remembered"} | {"self": {**own, **remembered}}


def shared_document(
    entries: list[Json], agent_huds: Sequence[AgentHud], shown_rooms: Sequence[ShownRoom], moment: CallTime, notice: str
) -> Document:
    """Give several agents' parts: each room once, and one segment for each agent with its seats."""
    return {
        "meta": {"directory": entries, **meta_section(moment), "isolation": notice},
        "rooms": [room(place) for place in shown_rooms],
        "agents": [
            {
                "self": self_section(agent_hud),
                "rooms": [{"id": place.id, **seat(place)} for place in agent_hud.shown_rooms],
                **_unshown(agent_hud),
                "why": agent_hud.sections["why"],
            }
            for agent_hud in agent_huds
        ],
    }


def self_section(agent_hud: AgentHud) -> Document:
    """Give what is the agent's own."""
    return {name: clean(agent_hud.sections[name]) for name in SELF if name in agent_hud.sections}


def meta_section(moment: CallTime) -> Document:
    """Give the time of the call and the community's zone and language."""
    now = f"{moment.at} UTC{f' ({moment.local})' if moment.local else ''}"
    return {"now": now, "time_zone": moment.zone, "language": moment.language}


def room(place: ShownRoom) -> Document:
    """Give a room with its messages."""
    record, checkpoint = place.view.room, place.view.checkpoint
    full = place.detail is RoomDetail.FULL
    summary: Json = None
    if full and checkpoint:
        covered: list[Json] = [checkpoint.first_message_id, checkpoint.last_message_id]
        summary = {"covers": covered, "text": whole(checkpoint.text[:MOST_SUMMARY])}
    return {
        "id": record.id,
        "name": whole(place.name),
        "members": [str(member) for member in (ARCHITECT_ID, *place.view.members)] if full else [],
        "people": [whole(one) for one in place.people] if full else [],
        "may_enter": MAY_ENTER[record.visibility],
        "topic": whole(record.topic[:120]),
        "billboard": whole(record.billboard[:1_000]) if full else "",
        "summary": summary,
        "older": place.older,
        "messages": [message_entry(message) for message in place.messages],
    }


def seat(place: ShownRoom) -> Document:
    """Give what concerns one agent in a room, and the first message it sees there."""
    shown = {key: clean(value) for key, value in place.seat.items()}
    return shown | {"first_message": place.first_id} if place.messages else shown


def message_entry(message: Message) -> Document:
    """Give a message with the fields that it has."""
    entry: Document = {
        "id": message.id,
        "timestamp": worded(message.sent_at),
        "sender": whole(message.sender.shown()),
        "content": whole(content_of(message)),
        "type": message.type.value,
    }
    if message.reply_to is not None:
        entry["reply_to"] = message.reply_to
    if message.thread_name:
        entry["thread"] = whole(unbracketed(message.thread_name))
    if message.reactions:
        entry["reactions"] = {whole(name): number for name, number in message.reactions}
    if message.edited:
        entry["edited"] = True
    return entry


def _unshown(agent_hud: AgentHud) -> Document:
    if not agent_hud.named and not agent_hud.unnamed:
        return {}
    return {
        "rooms_without_space": [f"{id_} {whole(name)}" for id_, name in agent_hud.named],
        "further_rooms": agent_hud.unnamed,
    }


def clean(value: Json) -> Json:
    """Give a value without halves of characters, which no encoding carries."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, Mapping):
        return {whole(str(key)): clean(one) for key, one in value.items()}
    return [clean(one) for one in value] if isinstance(value, list) else value
