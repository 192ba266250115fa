"""What Selfroom may do on a server and in each of its channels, and how to mend what it may not."""

from collections.abc import Iterable, Iterator, Mapping

import discord

NEEDED = {
    "view_channel": "to see rooms",
    "send_messages": "to speak for itself",
    "read_message_history": "to read on after a gap",
    "manage_channels": "to make a channel for each agent",
    "manage_webhooks": "so that agents speak under their own names",
    "manage_messages": "to delete what managers want gone",
    "pin_messages": "to pin billboards",
    "manage_roles": "to let people into private rooms",
    "add_reactions": "to react",
    "attach_files": "for long messages",
    "embed_links": "for cards",
    "send_messages_in_threads": "to answer in threads",
}
IN_CATEGORY = ("view_channel", "manage_channels", "manage_roles", "manage_webhooks")
IN_MANAGERS_CHANNEL = ("view_channel", "send_messages", "embed_links")
MOST_PLACES = 6

Place = tuple[str, int, Iterable[str]]  # what it is, its id, what is needed there


def lacking(guild: discord.Guild, rooms: Mapping[str, int], category_id: int | None, managers: int | None) -> list[str]:
    """Give a line for each permission that is missing on the server, and for each place that lacks others.

    `rooms`: the channels of agents by the agent's name.
    """
    missing = {name for name in NEEDED if not _has(guild.me.guild_permissions, name)}
    everywhere = [
        f"❌ Permission **{worded(name)}** is missing, {why}: give it to Selfroom's role."
        for name, why in NEEDED.items()
        if name in missing
    ]
    places = [*_chosen(category_id, managers), *((f"{name}'s room", id, NEEDED) for name, id in rooms.items())]
    here = [line for place in places if (line := _in_place(guild, place, missing))]
    more = [f"❌ {len(here) - MOST_PLACES} more channels lack something."] if len(here) > MOST_PLACES else []
    return [*everywhere, *here[:MOST_PLACES], *more]


def worded(name: str) -> str:
    """Give a permission's name in words."""
    return name.replace("_", " ")


def _chosen(category_id: int | None, managers_channel_id: int | None) -> Iterator[Place]:
    if category_id:
        yield "The category of agents' channels", category_id, IN_CATEGORY
    if managers_channel_id:
        yield "The managers' channel", managers_channel_id, IN_MANAGERS_CHANNEL


def _in_place(guild: discord.Guild, place: Place, missing: set[str]) -> str:
    """Word what is wrong with one place beyond what the whole server lacks; empty when nothing is."""
    what, id, needed = place
    channel = guild.get_channel(id)
    if channel is None:
        return f"❌ {what} is not there any more: " + (
            "retire and restore the agent for a new one." if needed is NEEDED else "choose another, below."
        )
    rights = channel.permissions_for(guild.me)
    here = [worded(name) for name in needed if name not in missing and not _has(rights, name)]
    if not here:
        return ""
    return f"❌ {what} ({channel.mention}) does not allow **{', '.join(here)}**: {_mend(channel)}."


def _mend(channel: discord.abc.GuildChannel) -> str:
    kind = "Category" if isinstance(channel, discord.CategoryChannel) else "Channel"
    return f"under Edit {kind}, Permissions, allow it for Selfroom's role"


def _has(rights: discord.Permissions, name: str) -> bool:
    return rights.administrator or bool(getattr(rights, name))
