"""The HUD as one nested value in the documented names: what `json`, `compact_json` and `toon` write and read back."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.core.hud.escape import whole
from bot.core.hud.formats.lines import content_of
from bot.core.hud.sheet import MOST_SUMMARY, Detail, Moment, Place, Sheet
from bot.core.hud.wording import moment as worded
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
    "keys_held",
    "public",
    "available_actions",
    "budget",
)


def solo_document(sheet: Sheet, moment: Moment) -> Document:
    """Give one agent's own part: self, meta, rooms."""
    return {
        "self": self_section(sheet),
        "meta": {"directory": sheet.sections["directory"], **meta_section(moment)},
        "rooms": [room(place) | seat(place) for place in sheet.places],
        **_unshown(sheet),
        "why": sheet.sections["why"],
    }


def shared_document(
    entries: list[Json], sheets: Sequence[Sheet], places: Sequence[Place], moment: Moment, notice: str
) -> Document:
    """Give several agents' parts: each room once, and one segment for each agent with its seats."""
    return {
        "meta": {"directory": entries, **meta_section(moment), "isolation": notice},
        "rooms": [room(place) for place in places],
        "agents": [
            {
                "self": self_section(sheet),
                "rooms": [{"id": place.id, **seat(place)} for place in sheet.places],
                **_unshown(sheet),
                "why": sheet.sections["why"],
            }
            for sheet in sheets
        ],
    }


def self_section(sheet: Sheet) -> Document:
    """Give what is the agent's own."""
    return {name: clean(sheet.sections[name]) for name in SELF if name in sheet.sections}


def meta_section(moment: Moment) -> Document:
    """Give the time of the call and the community's zone and language."""
    now = f"{moment.at} UTC{f' ({moment.local})' if moment.local else ''}"
    return {"now": now, "time_zone": moment.zone, "language": moment.language}


def room(place: Place) -> Document:
    """Give a room with its messages."""
    record, checkpoint = place.view.room, place.view.checkpoint
    full = place.detail is Detail.FULL
    summary: Json = None
    if full and checkpoint:
        covered: list[Json] = [checkpoint.first_message_id, checkpoint.last_message_id]
        summary = {"covers": covered, "text": whole(checkpoint.text[:MOST_SUMMARY])}
    return {
        "id": record.id,
        "name": whole(place.name),
        "members": [str(member) for member in (ARCHITECT_ID, *place.view.members)] if full else [],
        "topic": whole(record.topic[:120]),
        "billboard": whole(record.billboard[:1_000]) if full else "",
        "summary": summary,
        "older": place.older,
        "messages": [message_entry(message) for message in place.messages],
    }


def seat(place: Place) -> Document:
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
        entry["thread"] = whole(message.thread_name)
    if message.reactions:
        entry["reactions"] = {whole(name): number for name, number in message.reactions}
    if message.edited:
        entry["edited"] = True
    return entry


def _unshown(sheet: Sheet) -> Document:
    if not sheet.named and not sheet.unnamed:
        return {}
    return {"rooms_without_space": [f"{id} {whole(name)}" for id, name in sheet.named], "further_rooms": sheet.unnamed}


def clean(value: Json) -> Json:
    """Give a value without halves of characters, which no encoding carries."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, Mapping):
        return {whole(str(key)): clean(one) for key, one in value.items()}
    return [clean(one) for one in value] if isinstance(value, list) else value
