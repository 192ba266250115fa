"""Webhooks as Discord shows them."""

from bot.playground.rows import Json
from bot.playground.shapes.user import show_user
from bot.playground.world import World


def show_webhook(world: World, row: Json, *, with_user: bool = True) -> Json:
    """Show a webhook with its token; without the user when it is asked for by that token."""
    shown: Json = {
        "id": row["id"],
        "type": 1,
        "name": row["name"],
        "avatar": row.get("avatar"),
        "channel_id": row["channel_id"],
        "guild_id": row["guild_id"],
        "application_id": row.get("application_id"),
        "token": row["token"],
        "url": f"https://discord.com/api/webhooks/{row['id']}/{row['token']}",
    }
    if with_user:
        shown["user"] = show_user(world.users.rows[row["user_id"]])
    return shown
