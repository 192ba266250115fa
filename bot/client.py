"""Selfroom on Discord: intents, the command tree with its one error handler, and what the gateway reports."""

import asyncio
import secrets
from collections.abc import Callable, Collection, Sequence
from functools import partial

import aiohttp
import discord
import structlog
from discord import app_commands
from discord.ext import commands

from bot.adapters.discord import events
from bot.adapters.discord.backfill import Backfill
from bot.adapters.discord.commands import CommandSync
from bot.adapters.discord.events import Translator
from bot.adapters.discord.inbox import Inbox
from bot.adapters.discord.people import Author, People
from bot.adapters.discord.publisher import DiscordPublisher
from bot.adapters.discord.refusals import explained
from bot.core.errors import PublishError, Rejected
from bot.core.events import Event, GuildLeft
from bot.core.ports import Store
from bot.core.records import Agent, Person, Snowflake
from bot.engine.front_desk import FrontDesk
from bot.engine.intake import Intake

LONGEST_LIMIT_SECONDS = 30.0  # a longer rate limit is an error, so that nothing hangs on it
LOGIN_AGAIN_SECONDS = (0.5, 1.0, 2.0, 4.0)
LATE_SERVER_SECONDS = 0.5  # servers that Discord names later than this are read on when it does
TOO_LATE = {10062, 10015, 50027}  # an interaction that Discord knows no longer: after 3 s, or after 15 min
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody speaks here
log = structlog.get_logger(__name__)

Interaction = discord.Interaction["SelfroomClient"]
CogMaker = Callable[["SelfroomClient"], commands.Cog]


class Tree(app_commands.CommandTree["SelfroomClient"]):
    """The command tree; whatever goes wrong in a command ends in `SelfroomClient.explain`."""

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError, /) -> None:
        """Tell the person in one sentence."""
        await self.client.explain(interaction, error)


class SelfroomClient(commands.Bot):
    """discord.py's client with our ears on; `equip` it before it starts. Cogs find the use cases as attributes."""

    store: Store
    front_desk: FrontDesk

    def __init__(self, cogs: Sequence[CogMaker] = ()) -> None:
        super().__init__(
            command_prefix=(),
            help_command=None,
            tree_cls=Tree,
            intents=discord.Intents(guilds=True, guild_messages=True, message_content=True, guild_reactions=True),
            chunk_guilds_at_startup=False,
            max_messages=None,  # raw events need none, and they would keep people under their old names
            allowed_mentions=discord.AllowedMentions.none(),
            max_ratelimit_timeout=LONGEST_LIMIT_SECONDS,
            guild_ready_timeout=LATE_SERVER_SECONDS,
        )
        self.caught_up = asyncio.Event()  # set once everything missed is read
        self.people = People()
        self._makers = cogs
        self._servers_there = asyncio.Event()
        self._settled: set[int] = set()  # servers that were read on in this session
        self._listening: asyncio.Task[None] | None = None

    def equip(
        self, *, store: Store, intake: Intake, publisher: DiscordPublisher, front_desk: FrontDesk | None = None
    ) -> None:
        """Hand over the parts that this client works for."""
        self.store = store
        if front_desk is not None:
            self.front_desk = front_desk
        self._publisher = publisher
        self._inbox = Inbox(intake)
        self._translator = Translator(self, publisher.webhooks, self.people)
        self._backfill = Backfill(self, store, self._translator, self._inbox)
        self._sync = CommandSync(self.tree, store)

    @property
    def waiting(self) -> int:
        """How many of Discord's reports wait to be stored."""
        return self._inbox.size

    def person(self, user: Author) -> Person:
        """Give a member as a record, with the rights they have now."""
        return self.people.person(user)

    async def face(self, agent: Agent, channel_id: Snowflake | None) -> str | None:
        """Give the address of an agent's avatar: its own, else the one drawn for its channel; None without either."""
        if agent.avatar_url or channel_id is None:
            return agent.avatar_url
        try:
            return await self._publisher.face(channel_id, agent.id, agent.name)
        except PublishError as error:
            log.info("an avatar could not be had", agent=agent.id, why=error.sentence)
            return None

    async def dress(self, channel_id: Snowflake, picture: bytes) -> str | None:
        """Set a picture on an agent's own webhook, for an upload's address expires; gives the lasting one."""
        try:
            return await self._publisher.webhooks.dress(channel_id, picture)
        except ValueError:  # as discord.py says it
            raise Rejected("That file is no picture: give a PNG, JPEG, GIF or WebP.") from None

    async def login(self, token: str) -> None:
        """Log in, trying again when Discord fails in the middle of it; a refusal or a dead line is raised."""
        for seconds in LOGIN_AGAIN_SECONDS:
            try:
                await super().login(token)
            except (discord.DiscordServerError, aiohttp.ServerDisconnectedError) as error:
                log.warning("the login failed", again_in_seconds=seconds, error=str(error))
                await asyncio.sleep(seconds)
            else:
                return
        await super().login(token)

    async def setup_hook(self) -> None:
        """Put the commands in and begin to listen."""
        for maker in self._makers:
            await self.add_cog(maker(self))
        self._listening = asyncio.create_task(self._inbox.run(), name="inbox")

    async def close(self) -> None:
        """Hang up."""
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        await super().close()

    async def explain(self, interaction: Interaction, error: Exception) -> None:
        """Say in one sentence, to the person alone, what went wrong; the log has the details and an id."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        if isinstance(cause, discord.HTTPException) and cause.code in TOO_LATE:
            log.info("an answer came too late", command=_command(interaction))
            return
        sentence = explained(cause)
        if sentence is None:
            id = secrets.token_hex(3)
            log.error("a command failed", id=id, command=_command(interaction), exc_info=cause)
            sentence = f"Something went wrong inside Selfroom; if it stays so, tell whoever runs it this id: {id}."
        await _answer(interaction, sentence)

    # What the gateway reports, in the order in which it comes.

    async def on_connect(self) -> None:
        """A new session: first read on, then listen."""
        self._servers_there.clear()
        self._settled.clear()
        self._inbox.put(self._catch_up)

    async def on_ready(self) -> None:
        """All servers are known."""
        self._servers_there.set()

    async def _catch_up(self) -> None:
        await self._servers_there.wait()
        self.people.forget()
        for guild in self.guilds:
            await self._settle_in(guild)
        await self._leave_others()
        self.caught_up.set()

    async def _leave_others(self) -> None:
        """Notice the servers that we were removed from while we were not there."""
        there = {guild.id for guild in self.guilds}
        async with self.store.reading() as read:
            communities = await read.communities()
        for community in communities:
            if community.guild_id not in there:
                await self._inbox.take(GuildLeft(guild_id=community.guild_id))

    async def _settle_in(self, guild: discord.Guild) -> None:
        """Know a server, give it the commands, and read on there; one server's trouble stays there."""
        if guild.unavailable or guild.id in self._settled:
            return
        self._settled.add(guild.id)
        await self._inbox.take(events.guild_seen(guild))
        async with self.store.reading() as read:
            community = await read.community_of_guild(Snowflake(guild.id))
        if community is None:
            return
        role_id = community.overrides.get("architect_role_id")
        if isinstance(role_id, int):
            self.people.architect_roles[guild.id] = role_id
        try:
            await self._sync.bring_up_to_date(guild, community)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:  # next time, then
            log.warning("the commands could not be put into a server", server=guild.name, error=str(error))
        await self._backfill.read_on(guild)
        self.people.forget()

    async def on_message(self, message: discord.Message, /) -> None:
        """Something was said."""
        self._inbox.put(partial(self._translator.message, message))

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Something was changed."""
        self._inbox.put(partial(self._translator.edited, payload))

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Something was deleted."""
        self._inbox.put(partial(self._translator.deleted, payload))

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """Much was deleted."""
        self._inbox.put(partial(self._translator.deleted, payload))

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Somebody reacted."""
        self._inbox.put(partial(self._translator.reaction, payload))

    async def on_raw_reaction_remove(self, payload: discord.RawReactionActionEvent) -> None:
        """Somebody took a reaction back."""
        self._inbox.put(partial(self._translator.reaction, payload))

    async def on_raw_reaction_clear(self, payload: discord.RawReactionClearEvent) -> None:
        """A moderator took all reactions of a message away."""
        self._inbox.put(partial(self._translator.cleared, payload))

    async def on_raw_reaction_clear_emoji(self, payload: discord.RawReactionClearEmojiEvent) -> None:
        """A moderator took all reactions of one emoji away."""
        self._inbox.put(partial(self._translator.cleared, payload))

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A channel is gone."""
        self._inbox.put(partial(self._translator.channel_deleted, channel))

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """A thread is gone."""
        self._inbox.put(partial(_as_it_is, events.thread_deleted(payload)))

    async def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        """A channel is new, or in our sight again."""
        self._inbox.put(partial(self._look_into, channel.guild, {channel.id}))

    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """A channel is different; with other permissions we may have a place there again."""
        self._inbox.put(partial(_as_it_is, events.channel_changed(before, after)))
        if before.overwrites != after.overwrites:
            channel_ids = {after.id} if events.reads_more(before, after) else set()
            self._inbox.put(partial(self._look_into, after.guild, channel_ids))

    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        """A role may more or less than before; it may be ours."""
        if before.permissions != after.permissions:
            is_ours = after in after.guild.me.roles
            self._inbox.put(partial(self._look_into, after.guild, None if is_ours else set()))

    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        """A member has other roles; of ourselves Discord tells us in any case."""
        if after == after.guild.me and before.roles != after.roles:
            self._inbox.put(partial(self._look_into, after.guild, None))

    async def _look_into(self, guild: discord.Guild, channel_ids: Collection[int] | None) -> None:
        """Try again what rested, and read on in these channels (None: all): something was said that we did not hear."""
        await self._inbox.take(events.guild_seen(guild))
        if channel_ids is None or channel_ids:
            await self._backfill.read_on(guild, channel_ids=channel_ids)
            self.people.forget()

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot was invited."""
        self._inbox.put(partial(self._settle_in, guild))

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """A server is there again, or was named late."""
        self._inbox.put(partial(self._settle_in, guild))

    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """A server is out of reach for a while."""
        self._settled.discard(guild.id)

    async def on_guild_update(self, before: discord.Guild, after: discord.Guild) -> None:
        """A server has another name."""
        if before.name != after.name:
            self._inbox.put(partial(_as_it_is, events.guild_seen(after)))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot was removed."""
        self._settled.discard(guild.id)
        self._inbox.put(partial(_as_it_is, events.guild_left(guild)))


async def _as_it_is(event: Event | None) -> Event | None:
    return event


def _command(interaction: Interaction) -> str:
    return interaction.command.qualified_name if interaction.command else str(interaction.type)


async def _answer(interaction: Interaction, sentence: str) -> None:
    try:
        if interaction.response.is_done():
            await interaction.followup.send(sentence, ephemeral=True)
        else:
            await interaction.response.send_message(sentence, ephemeral=True)
    except discord.HTTPException as error:
        log.info("an answer could not be given", error=error.text)
