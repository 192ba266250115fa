"""Selfroom on Discord: intents, the command tree with its one error handler, and what the gateway reports."""

import asyncio
import itertools
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

import aiohttp
import discord
import structlog
from discord import app_commands
from discord.ext import commands

from bot.adapters.discord import events
from bot.adapters.discord.backfill import Backfill
from bot.adapters.discord.commands import CommandSync, CommandTranslator
from bot.adapters.discord.events import NO_SERVICES, Translator
from bot.adapters.discord.files import Files
from bot.adapters.discord.inbox import NO_SERVER, Inbox
from bot.adapters.discord.inner import renew
from bot.adapters.discord.line import Line, Reader, each_answer
from bot.adapters.discord.people import Author, People
from bot.adapters.discord.publisher import DiscordPublisher
from bot.adapters.discord.reaching import NotDiscord, again_after, api_trouble, may_pass
from bot.adapters.discord.refusals import explained, without_commands
from bot.adapters.discord.signposts import Signposts
from bot.adapters.discord.territory import Place
from bot.console.window import Console
from bot.core.errors import NotFound, PublishError, Rejected
from bot.core.events import Event, EventsUnread, GuildLeft
from bot.core.ports import Metrics, Store
from bot.core.records import Agent, Community, Person, Snowflake
from bot.core.sentences import Sentence
from bot.engine.front_desk import FrontDesk
from bot.engine.intake import Intake
from bot.languages import spoken
from bot.languages.shown import speak_view

LONGEST_LIMIT_SECONDS = 30.0  # a longer rate limit is an error, so that nothing hangs on it
LATE_SERVER_SECONDS = 0.5  # servers that Discord names later than this are read on when it does
TOO_LATE = {10062, 10015, 50027, 40060}  # an interaction known no longer (after 3 s, after 15 min), or answered before
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody speaks here
log = structlog.get_logger(__name__)

Interaction = discord.Interaction["SelfroomClient"]
CogMaker = Callable[["SelfroomClient"], commands.Cog]


class Offering(NotFound):
    """What was named is not there, but something may be chosen in its place."""

    def __init__(self, sentence: str, offered: discord.ui.View) -> None:
        super().__init__(sentence)
        self.offered = offered


class Tree(app_commands.CommandTree["SelfroomClient"]):
    """The command tree; whatever goes wrong in a command ends in `SelfroomClient.explain`."""

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError, /) -> None:
        """Tell the person in one sentence."""
        await self.client.explain(interaction, error)


class SelfroomClient(commands.Bot):
    """discord.py's client with our ears on; `equip` it before it starts. Cogs find the use cases as attributes."""

    store: Store
    desk: FrontDesk
    window: Console | None = None

    def __init__(
        self,
        cogs: Sequence[CogMaker] = (),
        *,
        message_content: bool = True,
        proxy_services: Mapping[int, str] = NO_SERVICES,
    ) -> None:
        super().__init__(
            command_prefix=(),
            help_command=None,
            tree_cls=Tree,
            intents=discord.Intents(
                guilds=True,
                guild_messages=True,
                dm_messages=True,
                message_content=message_content,
                guild_reactions=True,
            ),
            chunk_guilds_at_startup=False,
            max_messages=None,  # raw events need none, and they would keep people under their old names
            allowed_mentions=discord.AllowedMentions.none(),
            max_ratelimit_timeout=LONGEST_LIMIT_SECONDS,
            guild_ready_timeout=LATE_SERVER_SECONDS,
            http_trace=each_answer(self._count_answer),
        )
        self._metrics: Metrics | None = None
        self._proxy_services = proxy_services
        self.caught_up = asyncio.Event()  # set once everything missed is read
        self.people = People()
        self._makers = cogs
        self._servers_there = asyncio.Event()
        self.refused: dict[str, str] = {}  # by server, why Discord does not take the commands there
        self._settled: set[int] = set()  # servers that were read on in this session
        self._listening: asyncio.Task[None] | None = None

    def equip(
        self,
        *,
        store: Store,
        intake: Intake,
        publisher: DiscordPublisher,
        metrics: Metrics,
        desk: FrontDesk | None = None,
        files: Files | None = None,
    ) -> None:
        """Hand over the parts that this client works for."""
        self.store, self._metrics = store, metrics
        if desk is not None:
            self.desk = desk
        self._publisher = publisher
        self._inbox = Inbox(intake)
        self._translator = Translator(
            self, publisher.territory, publisher.webhooks, self.people, intake, self._proxy_services, files
        )
        self._signposts = Signposts(self, store)
        self._backfill = Backfill(store, publisher.territory, self._translator, self._inbox)
        self._sync = CommandSync(self.tree, store)
        self._reader = Reader(self, metrics, self._skipped)

    def _count_answer(self, status: int) -> None:
        if self._metrics is not None:
            self._metrics.count("discord_requests", status=str(status))

    @property
    def is_connected(self) -> bool:
        """Whether Discord's gateway is open."""
        return bool(self.ws) and self.ws.open

    @property
    def waiting(self) -> int:
        """How many of Discord's reports wait to be stored."""
        return self._inbox.size

    @property
    def console(self) -> Console:
        """The managers' window; raises Rejected where there is none."""
        if self.window is None:
            raise Rejected(
                Sentence("There is no console here: whoever runs Selfroom opens it with SELFROOM_CONSOLE_PORT.")
            )
        return self.window

    def person(self, user: Author) -> Person:
        """Give a member as a record, with the rights they have now."""
        return self.people.person(user)

    async def face(self, guild_id: Snowflake, agent: Agent, channel_id: Snowflake | None) -> str | None:
        """Give the address of an agent's avatar: its own, else the one drawn for its channel; None without either."""
        if agent.avatar_url or channel_id is None:
            return agent.avatar_url
        try:
            return await self._publisher.face(guild_id, channel_id, agent.id, agent.name)
        except PublishError as error:
            log.info("an avatar could not be had", agent=agent.id, why=error.sentence)
            return None

    async def dress(self, guild_id: Snowflake, channel_id: Snowflake, picture: bytes) -> str | None:
        """Set a picture on an agent's own webhook, for an upload's address expires; gives the lasting one."""
        try:
            return await self._publisher.dress(guild_id, channel_id, picture)
        except ValueError:  # as discord.py says it
            raise Rejected(Sentence("That file is no picture: give a PNG, JPEG, GIF or WebP.")) from None

    async def place(self, guild_id: Snowflake, channel_id: Snowflake) -> Place:
        """Give a channel or thread of a server in which words can stand; raises ChannelGone for one of another."""
        return await self._publisher.territory.place(guild_id, channel_id)

    async def members_thread(self, member: discord.Member, thread_id: int) -> discord.Thread | None:
        """Give a thread that somebody may read: a private one only its people and who manages threads."""
        guild_id, territory = member.guild.id, self._publisher.territory
        thread = await territory.thread(guild_id, thread_id)
        if thread is None or thread.parent is None:
            return None
        rights = thread.parent.permissions_for(member)
        if not (rights.view_channel and rights.read_message_history):
            return None
        if thread.is_private() and not rights.manage_threads:
            try:
                await thread.fetch_member(member.id)
            except discord.NotFound:  # they are not in it
                return None
            except discord.Forbidden:  # we are not
                territory.refused(guild_id, thread_id)
                return None
        return thread

    async def login(self, token: str) -> None:
        """Log in, trying again for as long as Discord is out of reach; raises what no further try can mend."""
        for failures in itertools.count(1):
            try:
                await super().login(token)
            except (TypeError, KeyError, ValueError) as error:  # whatever it is that answers there
                raise NotDiscord from error
            except Exception as error:
                if not may_pass(error):
                    raise
                seconds = again_after(failures)
                log.warning(api_trouble(error), again_in_seconds=seconds)
                await renew(self)
                await asyncio.sleep(seconds)
            else:
                return

    async def connect(self, *, reconnect: bool = True) -> None:
        """Listen until closed; raises what a person has to mend."""
        await Line(self).hold()

    async def setup_hook(self) -> None:
        """Put the commands in and begin to listen."""
        await self.tree.set_translator(CommandTranslator())
        for maker in self._makers:
            await self.add_cog(maker(self))
        self._listening = asyncio.create_task(self._inbox.run(), name="inbox")

    async def close(self) -> None:
        """Hang up."""
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
            await self._translator.close()
        await super().close()

    async def explain(
        self, interaction: Interaction, error: Exception, *, offered: discord.ui.View | None = None
    ) -> None:
        """Say in one sentence, to the person alone, what went wrong; the log has the details and an id."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        if isinstance(cause, discord.HTTPException) and cause.code in TOO_LATE:
            log.info("an answer came too late", command=_command(interaction))
            return
        sentence = explained(cause)
        if sentence is None:
            id_ = secrets.token_hex(3)
            log.error("a command failed", id=id_, command=_command(interaction), exc_info=cause)
            sentence = Sentence(
                "Something went wrong inside Selfroom; if it stays so, tell whoever runs it this id: {id}.", id=id_
            )
        if isinstance(cause, Offering):
            offered = cause.offered
        if offered is not None:
            speak_view(offered, interaction.locale.value)
        await _answer(interaction, spoken(sentence, interaction.locale.value), offered)

    # What the gateway reports, in the order in which it comes.

    async def on_connect(self) -> None:
        """A new session: first read on, then listen."""
        self._servers_there.clear()
        self._settled.clear()
        self._translator.look_anew()
        self._inbox.begin(lambda guild_id: partial(self._open, guild_id))
        self._inbox.put(self._catch_up)

    async def on_ready(self) -> None:
        """All servers are known."""
        self._servers_there.set()

    async def _catch_up(self) -> None:
        await self._servers_there.wait()
        await self._inbox.passed(guild.id for guild in self.guilds)
        await self._leave_others()
        self.caught_up.set()

    def _skipped(self, event_name: str, guild_id: int) -> None:
        """Have those hear of it who run the server: what cannot be read there is left out from now on."""
        unread = EventsUnread(guild_id=Snowflake(guild_id), name=event_name)
        self._inbox.put(partial(_as_it_is, unread), guild_id)

    async def _open(self, guild_id: int) -> None:
        """Settle in, before anything is taken in that happens there from now on."""
        await self._servers_there.wait()
        if (guild := self.get_guild(guild_id)) is not None:
            self.people.forget()
            await self._settle_in(guild)

    async def _leave_others(self) -> None:
        """Notice the servers that we were removed from while we were not there."""
        there = {guild.id for guild in self.guilds}
        async with self.store.reading() as read:
            communities = await read.communities.all()
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
            community = await read.communities.of_guild(Snowflake(guild.id))
        if community is None:
            return
        role_id = community.overrides.get("architect_role_id")
        if isinstance(role_id, int):
            self.people.architect_roles[guild.id] = role_id
        await self._bring_commands(guild, community)
        await self._backfill.read_on(guild)
        await self._signposts.look_back(guild)
        self.people.forget()

    async def offer_commands(self, guild: discord.Guild | None) -> None:
        """Bring the commands to a server anew: who may use which has changed."""
        if guild is None:
            return
        async with self.store.reading() as read:
            community = await read.communities.of_guild(Snowflake(guild.id))
        if community is not None:
            await self._bring_commands(guild, community)

    async def _bring_commands(self, guild: discord.Guild, community: Community) -> None:
        try:
            await self._sync.bring_up_to_date(guild, community)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:  # next time, then
            self.refused[guild.name] = why = without_commands(error)
            log.warning("the commands could not be put into a server", server=guild.name, why=why)
            log.debug("why they could not", exc_info=error)
        else:
            self.refused.pop(guild.name, None)

    async def on_message(self, message: discord.Message, /) -> None:
        """Something was said."""
        self._translator.foresee(message)
        self._inbox.put(partial(self._translator.message, message), _of(message.guild))
        await self._signposts.look_at(message)

    def hear(self, message: discord.Message) -> None:
        """Take in a message that Discord told us of only because somebody showed it to us."""
        self._inbox.put(partial(self._translator.shown, message), _of(message.guild))

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Something was changed."""
        self._inbox.put(partial(self._translator.edited, payload), payload.guild_id or NO_SERVER)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Something was deleted."""
        self._inbox.put(partial(self._translator.deleted, payload), payload.guild_id or NO_SERVER)

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """Much was deleted."""
        self._inbox.put(partial(self._translator.deleted, payload), payload.guild_id or NO_SERVER)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Somebody reacted."""
        self._inbox.put(partial(self._translator.reaction, payload), payload.guild_id or NO_SERVER)

    async def on_raw_reaction_remove(self, payload: discord.RawReactionActionEvent) -> None:
        """Somebody took a reaction back."""
        self._inbox.put(partial(self._translator.reaction, payload), payload.guild_id or NO_SERVER)

    async def on_raw_reaction_clear(self, payload: discord.RawReactionClearEvent) -> None:
        """A moderator took all reactions of a message away."""
        self._inbox.put(partial(self._translator.cleared, payload), payload.guild_id or NO_SERVER)

    async def on_raw_reaction_clear_emoji(self, payload: discord.RawReactionClearEmojiEvent) -> None:
        """A moderator took all reactions of one emoji away."""
        self._inbox.put(partial(self._translator.cleared, payload), payload.guild_id or NO_SERVER)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A channel is gone."""
        self._inbox.put(partial(self._translator.channel_deleted, channel), channel.guild.id)

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """A thread is gone."""
        self._inbox.put(partial(self._translator.thread_gone, payload), payload.guild_id)

    async def on_thread_join(self, thread: discord.Thread) -> None:
        """A thread is in our sight, or we were brought into it."""
        self._translator.joined(thread)
        if thread.is_private():
            self._inbox.put(partial(self._backfill.read_thread, thread), thread.guild.id)

    async def on_thread_remove(self, thread: discord.Thread) -> None:
        """A thread went out of our sight, or we were taken out of it."""
        thread.me = None
        if thread.is_private():
            self._inbox.put(partial(self._translator.left, thread), thread.guild.id)

    async def on_thread_update(self, before: discord.Thread, after: discord.Thread) -> None:
        """A thread is different."""
        self._inbox.put(partial(_as_it_is, events.turned_private(before, after)), after.guild.id)

    async def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        """A channel is new, or in our sight again."""
        self._inbox.put(partial(_as_shown, channel.guild, channel.id), channel.guild.id)
        self._inbox.put(partial(self._look_into, channel.guild, {channel.id}), channel.guild.id)
        self._inbox.put(partial(self._signposts.look_again, channel.guild.id), channel.guild.id)

    def room_made(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        """A channel is known as a room from now on: look at who sees it, and read what was said there before."""
        guild = self.get_guild(guild_id)
        if guild is not None and guild.get_channel(channel_id) is not None:  # else its event is still to come
            self._inbox.put(partial(_as_shown, guild, channel_id), guild_id)
            self._inbox.put(partial(self._look_into, guild, {channel_id}), guild_id)
            self._inbox.put(partial(self._signposts.look_again, guild_id), guild_id)

    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """A channel is different; with other permissions we may have a place there again."""
        self._inbox.put(partial(_in_its_turn, partial(events.channel_changed, before, after)), after.guild.id)
        if before.overwrites != after.overwrites:
            channel_ids = {after.id} if events.reads_more(before, after) else set()
            self._inbox.put(partial(self._look_into, after.guild, channel_ids), after.guild.id)

    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        """A role may more or less than before; it may be ours."""
        if before.permissions != after.permissions:
            is_ours = after in after.guild.me.roles
            self._inbox.put(partial(self._look_into, after.guild, None if is_ours else set()), after.guild.id)

    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        """A member has other roles; of ourselves Discord tells us in any case."""
        if after == after.guild.me and before.roles != after.roles:
            self._inbox.put(partial(self._look_into, after.guild, None), after.guild.id)

    async def _look_into(self, guild: discord.Guild, channel_ids: Collection[int] | None) -> None:
        """Try again what rested, and read on in these channels (None: all): something was said that we did not hear."""
        await self._inbox.take(events.guild_seen(guild))
        if channel_ids is None or channel_ids:
            self._translator.look_anew(guild.id)
            await self._backfill.read_on(guild, channel_ids=channel_ids)
            self.people.forget()

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot was invited."""
        self._inbox.put(partial(self._settle_in, guild), guild.id)

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """A server is there again, or was named late."""
        self._inbox.put(partial(self._settle_in, guild), guild.id)

    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """A server is out of reach for a while."""
        self._settled.discard(guild.id)

    async def on_guild_update(self, before: discord.Guild, after: discord.Guild) -> None:
        """A server has another name."""
        if before.name != after.name:
            self._inbox.put(partial(_as_it_is, events.guild_seen(after)), after.id)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot was removed."""
        self._settled.discard(guild.id)
        self._inbox.put(partial(_as_it_is, events.guild_left(guild)), guild.id)


def _of(guild: discord.Guild | None) -> int:
    return guild.id if guild is not None else NO_SERVER


async def _as_it_is(event: Event | None) -> Event | None:
    return event


async def _in_its_turn(seen: Callable[[], Event | None]) -> Event | None:
    """Give an event as it is when it is taken in: what has changed again by then is not stored as news."""
    return seen()


async def _as_shown(guild: discord.Guild, channel_id: int) -> Event | None:
    """Give what Discord shows of a channel when this is taken in: no later change is overtaken by an older one."""
    channel = guild.get_channel(channel_id)
    return events.channel_found(channel) if isinstance(channel, discord.TextChannel) else None


def _command(interaction: Interaction) -> str:
    return interaction.command.qualified_name if interaction.command else str(interaction.type)


async def _answer(interaction: Interaction, sentence: str, offered: discord.ui.View | None) -> None:
    view = offered or discord.utils.MISSING
    try:
        if interaction.response.is_done():
            await interaction.followup.send(sentence, ephemeral=True, view=view)
        else:
            await interaction.response.send_message(sentence, ephemeral=True, view=view)
    except discord.HTTPException as error:
        log.info("an answer could not be given", error=error.text)
