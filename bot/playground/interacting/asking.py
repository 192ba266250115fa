"""A person's interaction on its way to the bot: the record behind its token, and the event the bot gets."""

import secrets

from bot.playground.kinds import Asked
from bot.playground.rows import Json
from bot.playground.shapes.channel import show_any
from bot.playground.shapes.guild import guild_locale, show_member
from bot.playground.shapes.message import show_message
from bot.playground.shapes.user import locale_of, show_user
from bot.playground.world import World

ANSWER_SECONDS = 3.0
TOKEN_SECONDS = 900.0
ATTACHMENT_LIMIT = 10 * 1024 * 1024


def ask(world: World, person: str, application_id: str, channel: Json, asked: Json) -> Json:
    """Give the bot the interaction and a token to answer it; after 3 s of silence the person is told.

    `asked` has `type`, `data`, `nonce` and, when there is one, `message` (a record), `name`, `opener` and `session_id`.
    """
    _forget_old(world)
    token, now = secrets.token_urlsafe(96), world.clock.seconds
    row: Json = {
        "id": world.ids.next(),
        "token": token,
        "type": asked["type"],
        "application_id": application_id,
        "user_id": person,
        "guild_id": channel.get("guild_id"),
        "channel_id": channel["id"],
        "message_id": (asked.get("message") or {}).get("id"),
        "name": asked.get("name"),
        "opener": asked.get("opener"),
        "target": asked["data"].get("target_id"),
        "nonce": asked.get("nonce"),
        "session_id": asked.get("session_id"),
        "made_at": now,
        "answered": False,
    }
    world.interactions.put(token, row)
    begun = {"id": row["id"], "nonce": row["nonce"]}
    if row["type"] != Asked.AUTOCOMPLETE:
        world.tell_users([person], "INTERACTION_CREATE", begun)
    data = _event(world, row, channel, asked)
    world.tell_users([application_id], "INTERACTION_CREATE", data, guild_id=row["guild_id"])
    world.hub.later(ANSWER_SECONDS, lambda: fail_silent(world))
    return row


def _event(world: World, row: Json, channel: Json, asked: Json) -> Json:
    person, guild_id = row["user_id"], row["guild_id"]
    event: Json = {
        "id": row["id"],
        "application_id": row["application_id"],
        "type": row["type"],
        "token": row["token"],
        "version": 1,
        "data": asked["data"],
        "channel_id": channel["id"],
        "channel": show_any(world, channel, viewer=row["application_id"])
        | {"permissions": str(world.permissions_in(channel, person))},
        "locale": locale_of(world.users.rows[person]),
        "app_permissions": str(world.permissions_in(channel, row["application_id"])),
        "entitlements": [],
        "entitlement_sku_ids": [],
        "authorizing_integration_owners": {"0": guild_id or "0"},
        "context": 0 if guild_id else 1,
        "attachment_size_limit": ATTACHMENT_LIMIT,
    }
    if asked.get("message"):
        event["message"] = show_message(world, asked["message"], viewer=None)
    if guild_id is None:
        return event | {"user": show_user(world.users.rows[person])}
    member = show_member(world, world.members.rows[f"{guild_id}:{person}"])
    locale = guild_locale(world.guilds.rows[guild_id])
    return event | {
        "guild_id": guild_id,
        "guild": {"id": guild_id, "locale": locale, "features": []},
        "guild_locale": locale,
        "member": member | {"permissions": str(world.permissions_in(channel, person))},
    }


def fail_silent(world: World) -> None:
    """Tell people whose interaction has had no answer for 3 s; called by a timer and when the clock moves."""
    now = world.clock.seconds
    for row in list(world.interactions.rows.values()):
        late = now - row["made_at"] >= ANSWER_SECONDS - 0.05
        if late and not row["answered"] and not row.get("failed"):
            world.interactions.put(row["token"], row | {"failed": True})
            if row["type"] != Asked.AUTOCOMPLETE:
                begun = {"id": row["id"], "nonce": row["nonce"]}
                world.tell_users([row["user_id"]], "INTERACTION_FAILURE", begun | {"reason_code": 3})
    world.journal.commit()


def _forget_old(world: World) -> None:
    now = world.clock.seconds
    for row in list(world.interactions.rows.values()):
        if now - row["made_at"] > TOKEN_SECONDS * 2:
            world.interactions.drop(row["token"])
