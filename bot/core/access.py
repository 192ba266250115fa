"""Doors: what makes a key good, when a knock is stale, and who is locked out. Pure.

The rules are in docs/agents.md#keys-and-knocking.
"""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.kinds import Access, RequestState, Visibility
from bot.core.records import AccessKey, AccessRequest, AgentId, Room, Snowflake
from bot.core.sentences import Sentence
from bot.core.wording import counted

WRONG_KEY = "That key does not open that room."
DRAWN_CHARACTERS = 16
MOST_KEYS = 20  # that open one room: every beat of the community hides them in what is kept
MOST_REMEMBERED = 60  # with those that open it no longer, which are forgotten after `hud_days`


def is_good(key: AccessKey, now: datetime) -> bool:
    """Tell whether a key opens its room now."""
    unexpired = key.expires_at is None or key.expires_at > now
    return key.revoked_at is None and unexpired and (key.uses_left is None or key.uses_left > 0)


def fitting_key(
    given: str,
    digests: Collection[bytes],
    room_keys: Iterable[AccessKey],
    held: Iterable[AccessKey],
    room_id: AgentId,
    now: datetime,
) -> AccessKey | None:
    """Find the good key of a room by its secret's digest, or by the label of one that the requester holds."""
    for key in room_keys:
        if key.digest in digests and is_good(key, now):
            return key
    for key in held:
        names = (key.label.casefold(), neutral_label(key).casefold())
        if key.room_id == room_id and given.casefold() in names and is_good(key, now):
            return key
    return None


def neutral_label(key: AccessKey) -> str:
    """Give a label that tells nothing of what is said behind the door."""
    return f"key {key.id}"


def shown_label(key: AccessKey, room: Room | None) -> str:
    """Give the label that holders see: of a room that not everybody may look into, no words."""
    return key.label if room is not None and room.visibility is Visibility.PUBLIC else neutral_label(key)


def all_labels(keys: Iterable[AccessKey]) -> frozenset[str]:
    """Give the words by which keys may be named."""
    return frozenset(label for key in keys for label in (key.label, neutral_label(key)))


def key_named(given: str, digests: Collection[bytes], keys: Iterable[AccessKey]) -> AccessKey:
    """Find a living key of one's own room by label or secret; raises Rejected."""
    living = [key for key in keys if key.revoked_at is None]
    for key in living:
        if key.label.casefold() == given.casefold() or key.digest in digests:
            return key
    raise Rejected(Sentence("There is no such key to your room."))


def check_label(label: str, secret: str, digests: Collection[bytes], keys: Iterable[AccessKey]) -> None:
    """Raise Rejected when a label, by its words or its digest, tells a secret: everybody may read it."""
    if secret.casefold() in label.casefold() or any(key.digest in digests for key in keys):
        raise Rejected(Sentence("That label tells the key: give another one."))


def check_new_key(
    label: str, digests: Collection[bytes], keys: Iterable[AccessKey], expires: datetime | None, now: datetime
) -> None:
    """Raise Rejected when a new key would be expired, or take the label or the secret of a living one."""
    if expires is not None and expires <= now:
        raise Rejected(Sentence("That time is past: give a later one."))
    for key in keys:
        if key.revoked_at is None and key.label.casefold() == label.casefold():
            raise Rejected(Sentence('There is a key "{label}" already: give another label.', label=key.label))
        if key.revoked_at is None and key.digest in digests:
            raise Rejected(Sentence('That is the key "{label}" already.', label=key.label))


def check_room_for_key(keys: Collection[AccessKey], config: CommunityConfig, now: datetime) -> None:
    """Raise Rejected when a room has as many keys as it may have."""
    if sum(is_good(key, now) for key in keys) >= MOST_KEYS:
        raise Rejected(Sentence("A room has at most {most_keys} keys: withdraw one first.", most_keys=MOST_KEYS))
    if len(keys) >= MOST_REMEMBERED:
        days = counted(config.hud_days, "day")
        raise Rejected(
            Sentence("Too many keys were made here lately: old ones are forgotten {days} after they ended.", days=days)
        )


def is_stale(request: AccessRequest, config: CommunityConfig, now: datetime) -> bool:
    """Tell whether a knock has waited too long."""
    return request.created_at + timedelta(hours=config.request_hours) <= now


def is_by(request: AccessRequest, agent_id: AgentId | None, person_id: Snowflake | None) -> bool:
    """Tell whether a knock is by that agent or person."""
    return (request.requester_agent_id, request.requester_person_id) == (agent_id, person_id)


def check_door(room: Room, *, is_member: bool) -> None:
    """Raise Rejected when there is nothing to knock for."""
    if is_member:
        raise Rejected(Sentence("You are in that room already."))
    if room.access is Access.CLOSED:
        raise Rejected(Sentence("That room is closed."))


def check_lock(failures: int, config: CommunityConfig) -> None:
    """Raise Rejected while a requester is locked out of a room."""
    if failures >= config.key_failures:
        raise Rejected(
            Sentence(
                "Too many wrong keys: try that room again in {minutes}.",
                minutes=counted(config.key_failure_minutes, "minute"),
            )
        )


def closing_state(
    request: AccessRequest, key: AccessKey | None, config: CommunityConfig, now: datetime, *, can_enter: bool = True
) -> RequestState:
    """Give what granting a request comes to: GRANTED only when it is fresh, its key is good and who asked is there."""
    if is_stale(request, config, now):
        return RequestState.EXPIRED
    good = can_enter and key is not None and is_good(key, now)
    return RequestState.GRANTED if good else RequestState.CANCELLED
