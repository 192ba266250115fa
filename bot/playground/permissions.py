"""Who may do what where: Discord's permission bits and how roles and overwrites add up."""

from collections.abc import Iterable, Mapping
from enum import IntFlag
from typing import Any

Json = Mapping[str, Any]  # a row, which is looked at field by field


class Permission(IntFlag):
    """Discord's permission bits."""

    CREATE_INSTANT_INVITE = 1 << 0
    KICK_MEMBERS = 1 << 1
    BAN_MEMBERS = 1 << 2
    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    ADD_REACTIONS = 1 << 6
    VIEW_AUDIT_LOG = 1 << 7
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    SEND_TTS_MESSAGES = 1 << 12
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_EXTERNAL_EMOJIS = 1 << 18
    CHANGE_NICKNAME = 1 << 26
    MANAGE_NICKNAMES = 1 << 27
    MANAGE_ROLES = 1 << 28
    MANAGE_WEBHOOKS = 1 << 29
    MANAGE_EXPRESSIONS = 1 << 30
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    SEND_MESSAGES_IN_THREADS = 1 << 38
    MODERATE_MEMBERS = 1 << 40
    PIN_MESSAGES = 1 << 51


ALL = (1 << 53) - 1
P = Permission

# What @everyone gets in a new server.
EVERYONE = int(
    P.CREATE_INSTANT_INVITE
    | P.ADD_REACTIONS
    | P.VIEW_CHANNEL
    | P.SEND_MESSAGES
    | P.EMBED_LINKS
    | P.ATTACH_FILES
    | P.READ_MESSAGE_HISTORY
    | P.USE_EXTERNAL_EMOJIS
    | P.CHANGE_NICKNAME
    | P.USE_APPLICATION_COMMANDS
    | P.CREATE_PUBLIC_THREADS
    | P.CREATE_PRIVATE_THREADS
    | P.SEND_MESSAGES_IN_THREADS
)

# What a bot is invited with unless the invitation says otherwise: enough to run a community in channels.
BOT = int(
    P.MANAGE_CHANNELS
    | P.MANAGE_ROLES
    | P.MANAGE_WEBHOOKS
    | P.MANAGE_MESSAGES
    | P.MANAGE_THREADS
    | P.PIN_MESSAGES
    | P.ADD_REACTIONS
    | P.VIEW_CHANNEL
    | P.SEND_MESSAGES
    | P.SEND_MESSAGES_IN_THREADS
    | P.CREATE_PUBLIC_THREADS
    | P.CREATE_PRIVATE_THREADS
    | P.EMBED_LINKS
    | P.ATTACH_FILES
    | P.READ_MESSAGE_HISTORY
    | P.USE_EXTERNAL_EMOJIS
    | P.USE_APPLICATION_COMMANDS
)

# Without seeing a channel nothing can be done in it; without writing there, nothing that writing brings.
TEXT_ONLY = int(P.SEND_TTS_MESSAGES | P.MENTION_EVERYONE | P.EMBED_LINKS | P.ATTACH_FILES)


def base_permissions(guild_id: str, role_ids: Iterable[str], roles: Mapping[str, Json]) -> int:
    """Add up what a member's roles give in the whole server."""
    total = int(roles[guild_id]["permissions"])
    for role_id in role_ids:
        if role_id in roles:
            total |= int(roles[role_id]["permissions"])
    return ALL if total & P.ADMINISTRATOR else total


def with_overwrites(
    base: int, *, guild_id: str, user_id: str, role_ids: Iterable[str], overwrites: Iterable[Json]
) -> int:
    """Apply a channel's overwrites in Discord's order: @everyone, then all roles together, then the member."""
    if base & P.ADMINISTRATOR:
        return ALL
    by_id = {overwrite["id"]: overwrite for overwrite in overwrites}
    total = _apply(base, by_id.get(guild_id))
    allow = deny = 0
    for role_id in role_ids:
        if overwrite := by_id.get(role_id):
            allow |= int(overwrite["allow"])
            deny |= int(overwrite["deny"])
    total = (total & ~deny) | allow
    return _implied(_apply(total, by_id.get(user_id)))


def _apply(total: int, overwrite: Json | None) -> int:
    if overwrite is None:
        return total
    return (total & ~int(overwrite["deny"])) | int(overwrite["allow"])


def _implied(total: int) -> int:
    if not total & P.VIEW_CHANNEL:
        return 0
    if not total & P.SEND_MESSAGES:
        total &= ~TEXT_ONLY
    return total
