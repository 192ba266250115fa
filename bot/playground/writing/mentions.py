"""Whom a message mentions, and whom it is allowed to."""

import re
from typing import Any

from bot.playground.errors import invalid
from bot.playground.permissions import Permission
from bot.playground.rest.form import Form
from bot.playground.world import World

Json = dict[str, Any]

USER = re.compile(r"<@!?(\d+)>")
ROLE = re.compile(r"<@&(\d+)>")
EVERYONE = re.compile(r"@(everyone|here)\b")
KINDS = ("users", "roles", "everyone")


def find_mentions(world: World, channel: Json, author_id: str, content: str, body: Json) -> Json:
    """Give `mentions`, `mention_roles` and `mention_everyone` for a message, after `allowed_mentions`."""
    allowed = body.get("allowed_mentions")
    rules = {"parse": KINDS} if allowed is None else _checked(allowed)
    users = [user for user in _ids(USER, content) if _lets(rules, "users", user)]
    users += _answered(world, body, rules)
    roles = [role for role in _ids(ROLE, content) if _lets(rules, "roles", role)]
    known_roles = world.roles.within(channel.get("guild_id"))
    may_ping = bool(world.permissions_in(channel, author_id) & Permission.MENTION_EVERYONE)
    return {
        "mentions": [user for user in dict.fromkeys(users) if world.users.get(user)],
        "mention_roles": [role for role in roles if role in known_roles],
        "mention_everyone": may_ping and "everyone" in rules["parse"] and bool(EVERYONE.search(content)),
    }


def _checked(allowed: object) -> Json:
    if not isinstance(allowed, dict):
        raise invalid("allowed_mentions", "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
    form = Form(allowed)
    parse = form.items("parse", high=3) or []
    lists = {kind: form.snowflakes(kind, high=100) or [] for kind in ("users", "roles")}
    form.check()
    for kind, listed in lists.items():
        if listed and kind in parse:
            raise invalid(
                "allowed_mentions",
                "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
                f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.',
            )
    return allowed | {"parse": parse, **lists}


def _ids(pattern: re.Pattern[str], content: str) -> list[str]:
    return list(dict.fromkeys(pattern.findall(content)))


def _lets(rules: Json, kind: str, mentioned: str) -> bool:
    return kind in rules["parse"] or mentioned in rules.get(kind, ())


def _answered(world: World, body: Json, rules: Json) -> list[str]:
    """A reply mentions whom it answers, unless it says not to."""
    reference = body.get("message_reference")
    default = body.get("allowed_mentions") is None
    if not isinstance(reference, dict) or reference.get("type") == 1 or not rules.get("replied_user", default):
        return []
    found = world.messages.get(reference.get("message_id"))
    return [found["author_id"]] if found and "webhook" not in found else []
