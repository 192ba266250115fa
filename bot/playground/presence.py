"""Who is connected, as others on their servers are told."""

from bot.playground.rows import Json
from bot.playground.world import World

AWAY_SECONDS = 1.5  # who reloads a page has not gone away


def show_presence(world: World, user_id: str) -> Json:
    """Show whether somebody is online."""
    here = world.hub.is_here(user_id)
    return {
        "user": {"id": user_id},
        "status": "online" if here else "offline",
        "activities": [],
        "client_status": {"web": "online"} if here else {},
    }


def tell_presence(world: World, user_id: str) -> None:
    """Tell everyone else on a user's servers whether they are online."""
    for guild in world.guilds_of(user_id):
        shown = show_presence(world, user_id) | {"guild_id": guild["id"]}
        world.tell_guild(guild["id"], "PRESENCE_UPDATE", shown, but=user_id)


def tell_when_away(world: World, user_id: str) -> None:
    """Tell it if somebody does not come back at once."""
    world.hub.later(AWAY_SECONDS, lambda: None if world.hub.is_here(user_id) else tell_presence(world, user_id))
