"""What Selfroom may do on a server and in each of its channels, and how to mend what it may not."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from typing import Protocol

import discord

from bot.client import SelfroomClient
from bot.core.errors import NotFound, Rejected
from bot.core.kinds import LetterKind, Visibility
from bot.core.ports import Clock
from bot.core.records import AgentId, Snowflake
from bot.core.sentences import Sentence, listed
from bot.core.view import Outline
from bot.core.wording import as_words

NEEDED = {
    "view_channel": Sentence("to see rooms"),
    "send_messages": Sentence("to speak for itself"),
    "read_message_history": Sentence("to read on after a gap"),
    "manage_channels": Sentence("to make a channel for each agent"),
    "manage_webhooks": Sentence("so that agents speak under their own names"),
    "manage_messages": Sentence("to delete what managers want gone"),
    "pin_messages": Sentence("to pin billboards"),
    "manage_roles": Sentence("to let people into private rooms"),
    "add_reactions": Sentence("to react"),
    "attach_files": Sentence("for long messages"),
    "embed_links": Sentence("for cards"),
    "send_messages_in_threads": Sentence("to answer in threads"),
}
WORDED = {
    "view_channel": Sentence("view channel"),
    "send_messages": Sentence("send messages"),
    "read_message_history": Sentence("read message history"),
    "manage_channels": Sentence("manage channels"),
    "manage_webhooks": Sentence("manage webhooks"),
    "manage_messages": Sentence("manage messages"),
    "pin_messages": Sentence("pin messages"),
    "manage_roles": Sentence("manage roles"),
    "add_reactions": Sentence("add reactions"),
    "attach_files": Sentence("attach files"),
    "embed_links": Sentence("embed links"),
    "send_messages_in_threads": Sentence("send messages in threads"),
    "create_public_threads": Sentence("create public threads"),
    "create_private_threads": Sentence("create private threads"),
}
"""Permissions as Discord names them, in each language."""
IN_CATEGORY = ("view_channel", "manage_channels", "manage_roles", "manage_webhooks")
IN_MANAGERS_CHANNEL = ("view_channel", "send_messages", "embed_links")
MOST_PLACES = 6
TO_CHANGE_WHO_ENTERS = ("view_channel", "manage_roles")
FOR_LETTERS: Mapping[LetterKind, tuple[str, ...]] = {
    LetterKind.POST: ("view_channel", "manage_webhooks"),
    LetterKind.REACT: ("view_channel", "read_message_history", "add_reactions"),
    LetterKind.CUE: ("view_channel", "read_message_history", "add_reactions"),
    LetterKind.BILLBOARD: ("view_channel", "send_messages", "pin_messages"),
    LetterKind.TOPIC: ("view_channel", "manage_channels"),
    LetterKind.RENAME: ("view_channel", "manage_channels"),
    LetterKind.CHANNEL: ("view_channel", "manage_channels"),
    LetterKind.PERMISSION: TO_CHANGE_WHO_ENTERS,
    LetterKind.NOTICE: (),
    LetterKind.REMOVAL: ("view_channel", "manage_messages"),
    LetterKind.BOARD: ("view_channel", "create_public_threads", "send_messages_in_threads"),
    LetterKind.CLEARING: ("view_channel", "read_message_history", "manage_messages"),
}

SOON = timedelta(seconds=3)  # as long as one waits for a command's answer without wondering
LOOK_SECONDS = 0.1
NOT_YET = Sentence("Discord does not show it yet: it is asked again until it does.")
LOOKS = {LetterKind.BILLBOARD, LetterKind.TOPIC, LetterKind.RENAME, LetterKind.CHANNEL, LetterKind.PERMISSION}
AS_SOON_AS = Sentence("It is done as soon as Selfroom's role has that right.")

Interaction = discord.Interaction[SelfroomClient]
Required = tuple[str, int, Iterable[str]]  # what it is, its id, what is needed there


def lacking(guild: discord.Guild, rooms: Mapping[str, int], category_id: int | None, managers: int | None) -> list[str]:
    """Give a line for each permission that is missing on the server, and for each place that lacks others.

    `rooms`: the channels of agents by the agent's name.
    """
    missing = {name for name in NEEDED if not _has(guild.me.guild_permissions, name)}
    everywhere = [
        Sentence(
            "❌ Permission **{permission}** is missing, {why}: give it to Selfroom's role.",
            permission=worded(name),
            why=why,
        )
        for name, why in NEEDED.items()
        if name in missing
    ]
    theirs = [(Sentence("{owner}'s room", owner=name), id_, NEEDED) for name, id_ in rooms.items()]
    places: list[Required] = [*_chosen(category_id, managers), *theirs]
    here = [line for place in places if (line := _in_place(guild, place, missing))]
    rest = len(here) - MOST_PLACES
    more = Sentence.counted(
        rest, "❌ {number} more channel lacks something.", "❌ {number} more channels lack something.", number=rest
    )
    return [*everywhere, *here[:MOST_PLACES], *([more] if rest > 0 else [])]


def worded(name: str) -> str:
    """Give a permission's name in words."""
    return WORDED.get(name) or as_words(name)


class Done(Protocol):
    """What came of an action, and what of it is to follow on Discord, by room."""

    @property
    def result(self) -> str: ...
    @property
    def letters(self) -> tuple[tuple[AgentId, LetterKind], ...]: ...


async def told(interaction: Interaction, done: Done) -> str:
    """Give what came of an action, with what Selfroom lacks on Discord for what is to follow there."""
    if not done.letters or interaction.guild is None:
        return done.result
    desk = interaction.client.desk
    view = await desk.community.view(Snowflake(interaction.guild.id), messages=0)
    lacked = hindrances(interaction.guild, view, done.letters)
    if lacked:
        return done.result + lacked
    if not await soon(desk.clock, partial(is_carried, interaction, done.letters)):
        return Sentence("{result} {not_yet}", result=done.result, not_yet=NOT_YET)
    view = await desk.community.view(Snowflake(interaction.guild.id), messages=0)
    made = [view.all_rooms[room_id].channel_id for room_id, kind in done.letters if kind is LetterKind.CHANNEL]
    return (
        Sentence("{result} Talk there: {made}.", result=done.result, made=", ".join(f"<#{id_}>" for id_ in made if id_))
        if any(made)
        else done.result
    )


async def soon(clock: Clock, is_so: Callable[[], Awaitable[bool]]) -> bool:
    """Wait a little for something to come to be; tells whether it has."""
    until = clock.now() + SOON
    while not (so := await is_so()) and clock.now() < until:
        await clock.sleep(LOOK_SECONDS)
    return so


async def is_carried(interaction: Interaction, letters: Collection[tuple[AgentId, LetterKind]]) -> bool:
    """Tell whether what changes a room is on Discord by now; what is said there has a pace of its own."""
    looks = {(room_id, kind) for room_id, kind in letters if kind in LOOKS}
    rooms = {room_id for room_id, _ in looks}
    view = await interaction.client.desk.community.view(Snowflake(interaction.guild_id or 0), *rooms, messages=0)
    if any((room_id, letter.kind) in looks for room_id in rooms for letter in view.unposted.get(room_id, ())):
        return False
    new = [room_id for room_id, kind in letters if kind is LetterKind.CHANNEL]
    return all([await is_settled(interaction, room_id) for room_id in new])


def hindrances(guild: discord.Guild, view: Outline, letters: Iterable[tuple[AgentId, LetterKind]]) -> str:
    """Word which rights are missing for what is to follow on Discord, by room; empty when none is."""
    lacked: dict[str, None] = {}
    for room_id, kind in letters:
        room = view.all_rooms.get(room_id)
        channel_id = room.channel_id if room else None
        if channel_id is None:  # first its channel has to be made
            kind, channel_id = LetterKind.CHANNEL, view.config.category_id
        lacked |= dict.fromkeys(missing_here(guild, channel_id, FOR_LETTERS[kind]))
    if not lacked:
        return ""
    return Sentence(
        " Discord does not show it yet: Selfroom lacks **{lacked}** there. {as_soon_as}",
        lacked=listed(*lacked),
        as_soon_as=AS_SOON_AS,
    )


def check_may_change_entry(guild: discord.Guild | None, channel_id: int | None) -> None:
    """Raise Rejected, naming the right, where Selfroom cannot change who sees a channel."""
    lacked = missing_here(guild, channel_id, TO_CHANGE_WHO_ENTERS) if guild and channel_id else []
    if lacked:
        raise Rejected(
            Sentence(
                "Nothing has changed: to decide who sees <#{channel_id}> Selfroom lacks **{lacked}** there. Give "
                "its role that right, on the server and in that channel, and try again.",
                channel_id=channel_id,
                lacked=listed(*lacked),
            )
        )


def check_clearable(guild: discord.Guild | None, channel_id: int | None) -> None:
    """Raise Rejected, naming the right, where Selfroom cannot delete what others said; NotFound without a channel."""
    if guild is None or channel_id is None or guild.get_channel(channel_id) is None:
        raise NotFound(Sentence("This room has no channel: it is not there any more."))
    if lacked := missing_here(guild, channel_id, FOR_LETTERS[LetterKind.CLEARING]):
        raise Rejected(
            Sentence(
                "Discord does not let me delete messages in <#{channel_id}>: give Selfroom's role the permission "
                "**{lacked}** there and try again.",
                channel_id=channel_id,
                lacked=listed(*lacked),
            )
        )


def check_removable(guild: discord.Guild | None, channel_id: int | None) -> str:
    """Raise Rejected, naming the right, where Selfroom cannot delete a channel; nothing is left to say then."""
    lacked = missing_here(guild, channel_id, FOR_LETTERS[LetterKind.CHANNEL]) if guild and channel_id else []
    if lacked:
        raise Rejected(
            Sentence(
                "Nothing has changed: to delete <#{channel_id}> Selfroom lacks **{lacked}** there. Give its role "
                "that right and try again, or keep the channel and delete it yourself.",
                channel_id=channel_id,
                lacked=listed(*lacked),
            )
        )
    return ""


def left_open(guild: discord.Guild | None, channel_id: int | None) -> str:
    """Word what keeps Selfroom from making a channel read-only that it leaves; empty when nothing does."""
    lacked = missing_here(guild, channel_id, TO_CHANGE_WHO_ENTERS) if guild and channel_id else []
    if not lacked:
        return ""
    return Sentence(
        " People can still write in <#{channel_id}>: Selfroom lacks **{lacked}** there to close it.",
        channel_id=channel_id,
        lacked=listed(*lacked),
    )


def missing_here(guild: discord.Guild, channel_id: int | None, needed: Iterable[str]) -> list[str]:
    """Give the rights that Selfroom lacks in a channel (None, or one that is not there: on the server), in words."""
    channel = guild.get_channel(channel_id) if channel_id else None
    rights = channel.permissions_for(guild.me) if channel else guild.me.guild_permissions
    return [worded(name) for name in needed if not _has(rights, name)]


def sees_by_right(channel: discord.abc.GuildChannel, member: discord.Member) -> str:
    """Say by what a person sees a private channel, whatever is set there for them alone; empty when by nothing."""
    if member.id == channel.guild.owner_id:
        return Sentence("owns the server")
    if member.guild_permissions.administrator:
        return Sentence("is an administrator")
    roles = [one for one in member.roles if not one.is_default() and channel.overwrites_for(one).view_channel]
    return Sentence("has the role {role}, which may see it", role=roles[0].name) if roles else ""


def entrants(guild: discord.Guild | None, channel_id: int | None) -> list[str] | None:
    """Give who sees a channel that not everyone sees, roles and people by their mentions; None when everyone does."""
    channel = guild.get_channel(channel_id) if guild and channel_id else None
    if guild is None or channel is None or channel.permissions_for(guild.default_role).view_channel:
        return None
    us = {guild.me.id, guild.self_role.id if guild.self_role else 0}
    let_in = [one for one, rights in channel.overwrites.items() if rights.view_channel and one.id not in us]
    return [one.mention if isinstance(one, discord.Role) else f"<@{one.id}>" for one in let_in]


def may_read(interaction: Interaction, channel_id: int | None) -> bool:
    """Tell whether the person who asked may read a room: The Architect all, others what Discord lets them see."""
    if interaction.client.person(interaction.user).is_architect:
        return True
    channel = interaction.guild.get_channel(channel_id) if interaction.guild and channel_id else None
    if channel is None or not isinstance(interaction.user, discord.Member):
        return False
    rights = channel.permissions_for(interaction.user)
    return rights.view_channel and rights.read_message_history


async def may_still_read(interaction: Interaction, channel_id: int | None) -> bool:
    """Tell the same a while after they asked: where not everyone sees the room, with the roles that they have now."""
    guild, user = interaction.guild, interaction.user
    channel = guild.get_channel(channel_id) if guild and channel_id else None
    if guild is None or channel is None:
        return False
    if channel.permissions_for(guild.default_role).view_channel:
        return may_read(interaction, channel_id)
    try:
        rights = channel.permissions_for(await guild.fetch_member(user.id))
    except discord.HTTPException:
        return False
    return rights.view_channel and rights.read_message_history


async def is_settled(interaction: Interaction, room_id: AgentId, wanted: Visibility | None = None) -> bool:
    """Tell whether Discord shows a room's channel, to everyone or not as is wanted, and that is known."""
    guild = interaction.guild
    if guild is None:
        return False
    room = (await interaction.client.desk.community.view(Snowflake(guild.id), messages=0)).all_rooms.get(room_id)
    channel = guild.get_channel(room.channel_id) if room and room.channel_id else None
    if room is None or channel is None or wanted not in (None, room.visibility):
        return False
    return channel.permissions_for(guild.default_role).view_channel is (room.visibility is Visibility.PUBLIC)


def _chosen(category_id: int | None, managers_channel_id: int | None) -> Iterator[Required]:
    if category_id:
        yield Sentence("The category of agents' channels"), category_id, IN_CATEGORY
    if managers_channel_id:
        yield Sentence("The managers' channel"), managers_channel_id, IN_MANAGERS_CHANNEL


def _in_place(guild: discord.Guild, place: Required, missing: set[str]) -> str:
    """Word what is wrong with one place beyond what the whole server lacks; empty when nothing is."""
    what, id_, needed = place
    channel = guild.get_channel(id_)
    if channel is None:
        if needed is NEEDED:
            return Sentence("❌ {what} is not there any more: retire and restore the agent for a new one.", what=what)
        return Sentence("❌ {what} is not there any more: choose another, below.", what=what)
    rights = channel.permissions_for(guild.me)
    here = [worded(name) for name in needed if name not in missing and not _has(rights, name)]
    if not here:
        return ""
    return Sentence(
        "❌ {what} ({mention}) does not allow **{names}**: {mend}.",
        what=what,
        mention=channel.mention,
        names=listed(*here),
        mend=_mend(channel),
    )


def _mend(channel: discord.abc.GuildChannel) -> str:
    if isinstance(channel, discord.CategoryChannel):
        return Sentence("under Edit Category, Permissions, allow it for Selfroom's role")
    return Sentence("under Edit Channel, Permissions, allow it for Selfroom's role")


def _has(rights: discord.Permissions, name: str) -> bool:
    return rights.administrator or bool(getattr(rights, name))
