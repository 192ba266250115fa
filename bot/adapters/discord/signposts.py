"""Where the agents are: told to who speaks to them in a channel that no agent hears, or to the bot in private."""

from collections import deque
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import discord
import structlog

from bot.adapters.discord.events import SPOKEN, reads
from bot.adapters.discord.territory import cached
from bot.core.addressing import named_in
from bot.core.people import is_heard
from bot.core.ports import Reading, Store
from bot.core.ports.residents import Views
from bot.core.records import Agent, Community, Snowflake
from bot.core.sentences import Sentence
from bot.core.view import Outline
from bot.languages import spoken

AGAIN_AFTER = timedelta(hours=1)  # in a channel; until then a finger points at what was said above
ABOVE = "👆"
AGAIN_IN_PRIVATE_AFTER = timedelta(seconds=30)
REMEMBERED = 10_000  # people and channels
MOST_NAMED = 5
MOST_SERVERS = 5
MISSED_FOR = timedelta(minutes=10)  # what was said longer ago, while we were not there, waits for no sign any more
MOST_CHANNELS = 10  # that are looked at after a start, those last spoken in
MOST_MISSED = 20  # messages of each, and of all that were said before agents had their channels
PRIVATE = Sentence(
    "I pass on what agents say in a server's channels: nobody reads private messages to me, and commands work "
    "only there."
)
log = structlog.get_logger(__name__)
Home = tuple[Agent, int]  # an agent and its channel


class Signposts:
    """Answers once in a while; after a restart a sign may stand twice, so that is kept nowhere."""

    def __init__(self, client: discord.Client, store: Store) -> None:
        self._client = client
        self._store = store
        self._told: dict[tuple[int, int], datetime] = {}  # by person and channel
        self._early: deque[discord.Message] = deque(maxlen=MOST_MISSED)  # said before their agents had channels

    async def look_at(self, message: discord.Message) -> None:
        """Say where the agents are, if that is what who wrote this has to know."""
        is_told = self._is_told(message)
        if message.author.bot or message.webhook_id or message.type not in SPOKEN:
            return
        if message.guild is None:
            words = "" if is_told else await self._for_private(message)
        else:
            words = await self._for_channel(message)
        if not words:
            return
        try:
            if is_told:
                await message.add_reaction(ABOVE)
                return
            self._note(message)
            await message.reply(spoken(words, self._locale(message)), mention_author=False)
        except discord.HTTPException as error:
            log.info("nobody could be told where the agents are", why=error.text)

    async def look_back(self, guild: discord.Guild) -> None:
        """Look at what was said where no agent hears while we were not there, and was answered by no sign yet."""
        async with self._store.reading() as read:
            community = await read.communities.of_guild(Snowflake(guild.id))
            view = await _everyone(read.views, community) if community is not None else None
        rooms = {room.channel_id for room in view.all_rooms.values()} if view is not None else set()
        since = discord.utils.time_snowflake(discord.utils.utcnow() - MISSED_FOR)
        spoken_in = [one for one in guild.text_channels if (one.last_message_id or 0) > since and one.id not in rooms]
        spoken_in.sort(key=lambda one: one.last_message_id or 0, reverse=True)
        for channel in spoken_in[:MOST_CHANNELS]:
            for message in await self._missed(channel, since) if reads(channel) else ():
                await self.look_at(message)

    async def look_again(self, guild_id: int) -> None:
        """Look at what was said before agents of a server had their channels: one has it now."""
        since = discord.utils.utcnow() - MISSED_FOR
        waiting = [one for one in self._early if one.guild is not None and one.guild.id == guild_id]
        for message in waiting:
            self._early.remove(message)
            if message.created_at > since:
                await self.look_at(message)

    async def _missed(self, channel: discord.TextChannel, since: int) -> list[discord.Message]:
        """Give what was said in a channel since, and after the last message that we answered; oldest first."""
        try:
            newest = [one async for one in channel.history(limit=MOST_MISSED, after=discord.Object(since))]
        except discord.HTTPException as error:
            log.info("a channel could not be looked at", why=error.text)
            return []
        me = self._client.user
        answered = [one.reference.message_id or 0 for one in newest if one.author == me and one.reference]
        return sorted((one for one in newest if one.id > max(answered, default=0)), key=lambda one: one.id)

    def _is_told(self, message: discord.Message) -> bool:
        told_at = self._told.get((message.author.id, message.channel.id))
        after = AGAIN_IN_PRIVATE_AFTER if message.guild is None else AGAIN_AFTER
        return told_at is not None and message.created_at - told_at < after

    def _note(self, message: discord.Message) -> None:
        key = message.author.id, message.channel.id
        self._told.pop(key, None)
        self._told[key] = message.created_at
        if len(self._told) > REMEMBERED:
            del self._told[next(iter(self._told))]

    def _locale(self, message: discord.Message) -> str:
        """Give the language of the server, or in private of the first one where both are: people's own is not told."""
        places = [message.guild] if message.guild else self._client.guilds
        author = message.author.id
        met = [one for one in places if one and (message.guild or one.get_member(author))]
        return met[0].preferred_locale.value if met else ""

    async def _for_channel(self, message: discord.Message) -> str:
        guild, author = message.guild, message.author
        if guild is None:
            return ""
        places = message.channel.id, getattr(message.channel, "parent_id", None)
        if self._is_unread(message):
            return await self._for_unread(guild, author.id, places)
        async with self._store.reading() as read:
            view = await self._unheard(read, guild, author.id, places)
        if view is None or not view.config.signposts:
            return ""
        everyone = tuple(view.agents.values())
        named = named_in(message.content, everyone)
        called = everyone if self._client.user in message.mentions else [one for one in everyone if one.id in named]
        member = await _member(guild, author) if called else None
        homes = homes_of(view, called, guild, member) if member is not None else []
        if not homes and (called or not has_moved_in(view)) and message not in self._early:
            self._early.append(message)
        return (
            Sentence(
                "No agent hears what is said in this channel. Say it where they live: {homes}.", homes=listed(homes)
            )
            if homes
            else ""
        )

    def _is_unread(self, message: discord.Message) -> bool:
        """Tell whether Discord keeps what a message says from us."""
        empty = not (message.content or message.attachments or message.stickers or message.embeds)
        return empty and not self._client.intents.message_content

    async def _for_unread(self, guild: discord.Guild, author_id: int, places: Sequence[int | None]) -> str:
        """Say how agents hear somebody all the same, in a room and where agents are to hear them."""
        async with self._store.reading() as read:
            community = await read.communities.of_guild(Snowflake(guild.id))
            if community is None or not (await _everyone(read.views, community)).config.signposts:
                return ""
            known = await read.people.find(community.id, Snowflake(author_id))
            for place in places:
                if place is not None and await read.rooms.of_channel(community.id, Snowflake(place)) is not None:
                    is_heard_here = known is None or is_heard(known)
                    return unread(self._client.user.id) if is_heard_here and self._client.user else ""
        return ""

    async def _unheard(
        self, read: Reading, guild: discord.Guild, author_id: int, places: Sequence[int | None]
    ) -> Outline | None:
        """Give the community when no agent hears any of these places, and agents are to hear this person."""
        community = await read.communities.of_guild(Snowflake(guild.id))
        if community is None:
            return None
        for place in places:
            if place is not None and await read.rooms.of_channel(community.id, Snowflake(place)) is not None:
                return None
        known = await read.people.find(community.id, Snowflake(author_id))
        return None if known is not None and not is_heard(known) else await _everyone(read.views, community)

    async def _for_private(self, message: discord.Message) -> str:
        homes: list[Home] = []
        for guild in self._client.guilds[:MOST_SERVERS]:
            member = await _member(guild, message.author)
            async with self._store.reading() as read:
                community = await read.communities.of_guild(Snowflake(guild.id))
                view = await _everyone(read.views, community) if community is not None and member is not None else None
            if view is not None and member is not None:
                homes += homes_of(view, view.agents.values(), guild, member)
        if not homes:
            return PRIVATE
        return Sentence("{private} Say it where the agents live: {homes}.", private=PRIVATE, homes=listed(homes))


async def _everyone(views: Views, community: Community) -> Outline:
    return await views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)


async def _member(guild: discord.Guild, author: discord.User | discord.Member) -> discord.Member | None:
    """Give who wrote something as a member: in private and in what is read on Discord does not say it."""
    if isinstance(author, discord.Member):
        return author
    try:
        return guild.get_member(author.id) or await guild.fetch_member(author.id)
    except discord.HTTPException:  # not of this server, or not to be asked for now
        return None


def has_moved_in(view: Outline) -> bool:
    """Tell whether any agent has its channel."""
    return any(room.channel_id is not None for room in view.all_rooms.values())


def homes_of(view: Outline, agents: Iterable[Agent], guild: discord.Guild, member: discord.Member) -> list[Home]:
    """Give where these agents live, as far as the person sees it."""
    homes: list[Home] = []
    for agent in agents:
        room = view.all_rooms.get(agent.id)
        channel = cached(guild, room.channel_id) if room is not None else None
        if agent.retired_at is None and channel is not None and channel.permissions_for(member).view_channel:
            homes.append((agent, channel.id))
    return homes


def unread(bot_id: int) -> Sentence:
    """Word how agents hear somebody where Discord keeps what they write from us."""
    return Sentence(
        "I may read only what mentions me: begin with <@{me}>, or use `/say`. To pass on what you wrote, press and "
        "hold it (or right-click it), then Apps: *Ask again*.",
        me=bot_id,
    )


def listed(homes: Sequence[Home]) -> Sentence:
    """Say who lives where; of many the first."""
    named = [
        part
        for agent, channel_id in homes[:MOST_NAMED]
        for part in (", ", Sentence("**{agent}** in {channel}", agent=agent.name, channel=f"<#{channel_id}>"))
    ]
    words = Sentence.joined(*named[1:])
    more = len(homes) - MOST_NAMED
    return Sentence("{homes}, and {more} more", homes=words, more=more) if more > 0 else words
