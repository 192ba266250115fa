"""Who looks at the bot's own pages, with the rights they have now: of the playground, or through the console's door."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import TypeVar

import discord

from bot.client import SelfroomClient
from bot.console.standing import Manager
from bot.core.errors import PublishError, Rejected
from bot.core.permissions import ONLY_MANAGERS
from bot.core.records import AgentId, Beat, Person, Room, Snowflake
from bot.core.scenes.showing import Told
from bot.core.sight import Sight
from bot.core.timelines.growth import Operation
from bot.core.timelines.records import Event, Node, NodeId, Timeline
from bot.core.timelines.showing import MindShown
from bot.core.view import MayRead

K = TypeVar("K")
T = TypeVar("T")
MemberWith = Callable[[str, int], int | None]  # whose token it is, if they are in that server
SIGHT_SECONDS = 1.0  # pages look often
MEMBER_SECONDS = 5.0  # and Discord tells of two members a second, whatever it is asked for


class Members:
    """Members of servers as they are now: of each Discord is asked once, however many look at the same time.

    Each server has one question at a time under way, and none waits for another's.
    """

    def __init__(self, client: SelfroomClient) -> None:
        self._client = client
        self._known: dict[tuple[int, Snowflake], tuple[float, discord.Member | None]] = {}  # until when
        self._readable: dict[tuple[int, Snowflake, int], tuple[float, bool]] = {}
        self._asking: defaultdict[Snowflake, asyncio.Lock] = defaultdict(
            asyncio.Lock
        )  # by server: as many as we are in

    async def now(self, user_id: int, guild_id: Snowflake, *, anew: bool = False) -> discord.Member | None:
        """Give a member; None for who is none, or cannot be asked for. `anew`: Discord is asked from now on."""
        guild = self._client.get_guild(guild_id)
        if guild is None:
            return None
        key, arrived = (user_id, guild_id), asyncio.get_running_loop().time()
        async with self._asking[guild_id]:  # who comes meanwhile is told what the first one hears
            self._known = _still(self._known)
            known = self._known.get(key)
            if known is None or (anew and known[0] < arrived + MEMBER_SECONDS):
                asked = asyncio.get_running_loop().time()
                found = await self._fetched(guild, user_id)  # who is none is remembered, too: they may ask as often
                known = self._known[key] = asked + MEMBER_SECONDS, found
            return known[1]

    async def may_read(self, user_id: int, guild_id: Snowflake, thread_id: int) -> bool:
        """Tell whether a member may read a private thread."""
        member = await self.now(user_id, guild_id)
        if member is None:
            return False
        key = (user_id, guild_id, thread_id)
        async with self._asking[guild_id]:
            self._readable = _still(self._readable)
            if key not in self._readable:
                found = await self._may_read(member, thread_id)
                self._readable[key] = asyncio.get_running_loop().time() + MEMBER_SECONDS, found
            return self._readable[key][1]

    async def _may_read(self, member: discord.Member, thread_id: int) -> bool:
        try:
            return await self._client.members_thread(member, thread_id) is not None
        except (discord.HTTPException, PublishError):  # Discord does not tell
            return False

    async def _fetched(self, guild: discord.Guild, user_id: int) -> discord.Member | None:
        try:
            return await guild.fetch_member(user_id)
        except discord.HTTPException:
            return None
        except RuntimeError:  # the client's session is closed: Selfroom stops while a page looks
            if not self._client.is_closed():
                raise
            return None


def _still(kept: dict[K, tuple[float, T]]) -> dict[K, tuple[float, T]]:
    """Leave out what is known no longer."""
    now = asyncio.get_running_loop().time()
    return {key: one for key, one in kept.items() if one[0] > now}


class ConsolePeople:
    """`bot.console.standing.Standing`: managers as Discord has them now."""

    def __init__(self, client: SelfroomClient, members: Members) -> None:
        self._client = client
        self._members = members

    async def manager(self, guild_id: Snowflake, user_id: Snowflake, *, anew: bool) -> Manager | None:
        member = await self._members.now(user_id, guild_id, anew=anew)
        person = None if member is None else self._client.person(member)
        if person is None or not person.is_architect:
            return None
        return Manager(person, lambda channel_id: channel_id is not None and may_read(member, channel_id))

    def reader(self, guild_id: Snowflake, user_id: Snowflake) -> MayRead:
        async def may_read(thread: Room) -> bool:
            return thread.channel_id is not None and await self._members.may_read(user_id, guild_id, thread.channel_id)

        return may_read

    def name(self, guild_id: Snowflake) -> str:
        guild = self._client.get_guild(guild_id)
        return guild.name if guild is not None else ""


class Visitors:
    """`bot.adapters.web.Visitors`: asked anew all the time, for rights are taken away as well."""

    def __init__(self, client: SelfroomClient, member_with: MemberWith) -> None:
        self._client = client
        self._member_with = member_with
        self._sights: dict[tuple[str, Snowflake], tuple[float, Sight]] = {}
        self._members = Members(client)

    def may_enter(self, token: str, guild_id: Snowflake) -> bool:
        return self._member_with(token, guild_id) is not None

    async def why_not_inside(self, token: str, guild_id: Snowflake, agent_id: AgentId) -> str:
        """Say why the person may not see what an agent sees and thinks, as `/hud show` asks it; empty where it may."""
        member = await self._member(token, guild_id)
        if member is None or not self._client.person(member).is_architect:
            return ONLY_MANAGERS
        return await self._client.desk.minds.why_shut(guild_id, agent_id, who=Snowflake(member.id))

    async def sight(self, token: str, guild_id: Snowflake) -> Sight:
        """Give what the person may see of the community, as `/heartbeat status` asks it."""
        now = asyncio.get_running_loop().time()
        until, sight = self._sights.get((token, guild_id), (now, Sight()))
        if until <= now:
            sight = await self._looked_up(token, guild_id)
            self._sights = {key: kept for key, kept in self._sights.items() if kept[0] > now}
            self._sights[token, guild_id] = now + SIGHT_SECONDS, sight
        return sight

    async def scene(self, token: str, guild_id: Snowflake, thread_id: Snowflake) -> Told | None:
        """Give the scene of a thread as who watches it sees it; None where there is none in a room that they see."""
        told = await self._client.desk.scenes.in_thread(guild_id, thread_id)
        sight = await self.sight(token, guild_id)
        return None if told is None or told.scene.room_id in sight.hidden_rooms else told

    async def tree(self, token: str, guild_id: Snowflake, tree_id: int) -> Timeline:
        """Give a tree to who may look into it, as `/timeline show` asks it."""
        person = await self._manager(token, guild_id)
        return await self._client.desk.timelines.find(guild_id, tree_id, None, who=person.id)

    async def trees(self, token: str, guild_id: Snowflake) -> Sequence[Timeline]:
        """Give the trees that there are, as `/timeline list` does."""
        await self._manager(token, guild_id)
        return await self._client.desk.timelines.all(guild_id)

    async def remarks(self, token: str, guild_id: Snowflake, timeline: Timeline) -> Sequence[str]:
        return await self._client.desk.timelines.remarks(timeline, (await self._manager(token, guild_id)).id)

    async def coin(self, timeline: Timeline) -> str:
        return await self._client.desk.timelines.coin(timeline)

    async def snapshot(self, timeline: Timeline) -> tuple[int, Sequence[Node]]:
        return await self._client.desk.timelines.snapshot(timeline)

    async def events(self, timeline: Timeline, after: int, node_id: NodeId | None) -> Sequence[Event]:
        return await self._client.desk.timelines.events(timeline, after, node_id)

    async def read(self, timeline: Timeline, node_id: NodeId) -> Sequence[str]:
        return await self._client.desk.timelines.read(timeline, node_id)

    async def compare(self, timeline: Timeline, one: NodeId, two: NodeId | None) -> tuple[str, Sequence[str]]:
        return await self._client.desk.timelines.compare(timeline, one, two)

    async def minds(self, token: str, guild_id: Snowflake, timeline: Timeline, node_id: NodeId) -> Sequence[MindShown]:
        person = await self._manager(token, guild_id)
        return await self._client.desk.timelines.minds(timeline, node_id, who=person.id)

    async def seen(
        self, token: str, guild_id: Snowflake, timeline: Timeline, node_id: NodeId, agent_id: AgentId, beat_id: int
    ) -> Beat:
        person = await self._manager(token, guild_id)
        return await self._client.desk.timelines.seen(timeline, node_id, agent_id, beat_id, who=person.id)

    async def prices(
        self, token: str, guild_id: Snowflake, timeline: Timeline, node_id: NodeId, *, turns: int, siblings: int
    ) -> Mapping[Operation, Decimal | str]:
        person = await self._manager(token, guild_id)
        return await self._client.desk.timelines.prices(timeline, person, node_id, turns=turns, siblings=siblings)

    async def _manager(self, token: str, guild_id: Snowflake) -> Person:
        """Give who it is, if they manage the server; raises Rejected."""
        member = await self._member(token, guild_id)
        person = None if member is None else self._client.person(member)
        if person is None or not person.is_architect:
            raise Rejected(ONLY_MANAGERS)
        return person

    async def _looked_up(self, token: str, guild_id: Snowflake) -> Sight:
        member = await self._member(token, guild_id)
        if member is not None and self._client.person(member).is_architect:
            return Sight()
        return await self._client.desk.community.sight(guild_id, partial(may_read, member))

    async def _member(self, token: str, guild_id: Snowflake) -> discord.Member | None:
        user_id = self._member_with(token, guild_id)
        return None if user_id is None else await self._members.now(user_id, guild_id)


def may_read(member: discord.Member | None, channel_id: int) -> bool:
    """Tell whether somebody may read a channel; who is nobody reads none."""
    channel = member.guild.get_channel(channel_id) if member is not None else None
    if member is None or channel is None:
        return False
    rights = channel.permissions_for(member)
    return rights.view_channel and rights.read_message_history
