"""Whom a message mentions, and whom it is allowed to."""

import re
from typing import Literal

from bot.playground.errors import invalid
from bot.playground.kinds import Reference
from bot.playground.permissions import Permission
from bot.playground.rows import Json
from bot.playground.world import World
from bot.playground.writing.message import AllowedMentions, MessageForm

USER = re.compile(r"<@!?(\d+)>")
ROLE = re.compile(r"<@&(\d+)>")
EVERYONE = re.compile(r"@(everyone|here)\b")
KINDS = ("users", "roles", "everyone")


def find_mentions(world: World, channel: Json, author_id: str, content: str, form: MessageForm) -> Json:
    """Give `mentions`, `mention_roles` and `mention_everyone` for a message, after `allowed_mentions`."""
    allowed = _checked(form.get("allowed_mentions"))
    users = [user for user in _ids(USER, content) if _lets(allowed, "users", user)]
    users += _answered(world, form, allowed)
    roles = [role for role in _ids(ROLE, content) if _lets(allowed, "roles", role)]
    known_roles = world.roles.within(channel.get("guild_id"))
    may_ping = bool(world.permissions_in(channel, author_id) & Permission.MENTION_EVERYONE)
    return {
        "mentions": [user for user in dict.fromkeys(users) if world.users.get(user)],
        "mention_roles": [role for role in roles if role in known_roles],
        "mention_everyone": may_ping and "everyone" in allowed.get("parse", ()) and bool(EVERYONE.search(content)),
    }


def _checked(allowed: AllowedMentions | None) -> AllowedMentions:
    if allowed is None:
        return {"parse": list(KINDS), "replied_user": True}
    for kind, listed in (("users", allowed.get("users")), ("roles", allowed.get("roles"))):
        if listed and kind in allowed.get("parse", ()):
            raise invalid(
                "allowed_mentions",
                "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
                f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.',
            )
    return allowed


def _ids(pattern: re.Pattern[str], content: str) -> list[str]:
    return list(dict.fromkeys(pattern.findall(content)))


def _lets(allowed: AllowedMentions, kind: Literal["users", "roles"], mentioned: str) -> bool:
    return kind in allowed.get("parse", ()) or mentioned in allowed.get(kind, ())


def _answered(world: World, form: MessageForm, allowed: AllowedMentions) -> list[str]:
    """A reply mentions whom it answers, unless it says not to."""
    reference = form.get("message_reference")
    if reference is None or reference.get("type") == Reference.FORWARD or not allowed.get("replied_user"):
        return []
    found = world.messages.get(reference["message_id"])
    return [found["author_id"]] if found and "webhook" not in found else []
