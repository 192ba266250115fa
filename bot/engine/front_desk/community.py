"""The community as a whole: how it stands, who changed what, and whether anyone beats."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.actions import SetSetting
from bot.core.actor import Actor
from bot.core.changes import Audit, Change
from bot.core.config import CommunityConfig
from bot.core.day_usage import SCENE, DayUsage, Period, first_day
from bot.core.errors import Rejected
from bot.core.keeping import ArchiveContents, AuditEntry, Used
from bot.core.kinds import UsedBy
from bot.core.models import Model
from bot.core.ports import Archives, Writing
from bot.core.records import AgentId, Community, Json, Person, Snowflake
from bot.core.sentences import Sentence
from bot.core.sight import Sight, insiders
from bot.core.spending import day_of
from bot.core.view import Outline, View
from bot.engine.front_desk.actions import Actions
from bot.engine.front_desk.office import Office, check_manages, without_threads
from bot.engine.hushing import hushed_all, resumed_all
from bot.engine.masks import closed_scenes, masked_agents, seated_in
from bot.engine.purse import ceilings_of, spending_now

SITS_IN = Sentence("You sit in a scene whose secrets the file would have: ask for it once that is over.")
MOST_READ, MOST_LISTED = 5_000, 200  # of the audit


@dataclass(frozen=True, slots=True)
class Money:
    """Money and tokens."""

    office: Office

    async def spent_today(self, guild_id: Snowflake) -> DayUsage:
        """Give what today used."""
        async with self.office.looking(guild_id) as (community, read):
            day = day_of(self.office.now())
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)
            model = await self.office.providers.of(read.providers, community)
            by_agent = await read.money.usage_by_agent(community.id, day)
            return DayUsage(
                by_agent=by_agent,
                spending=await spending_now(read.money, community.id, view.config, day, model.source.ceilings),
                config=view.config,
                model=model,
                models=sorted({view.agents[id_].model for id_ in by_agent if id_ in view.agents}),
            )

    async def used(self, guild_id: Snowflake, by: UsedBy, period: Period) -> tuple[Sequence[Used], Model]:
        """Give what was used day by day, under names, and the model whose prices are shown."""
        async with self.office.looking(guild_id) as (community, read):
            days = await read.money.used_daily(community.id, by, first_day(period, day_of(self.office.now())))
            places = sorted({AgentId(int(one.key)) for one in days}) if by is UsedBy.ROOM else []
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=places, doors=False)
            named = [replace(one, key=_name(view, by, one.key)) for one in days]
            return named, await self.office.providers.of(read.providers, community)

    async def days_of(self, guild_id: Snowflake, agent_id: AgentId) -> Sequence[Used]:
        """Give what one agent used on each of the last thirty days on which it used anything."""
        async with self.office.looking(guild_id) as (community, read):
            since = first_day(Period.MONTH, day_of(self.office.now()))
            return await read.money.used_daily(community.id, UsedBy.AGENT, since, agent_id=agent_id)

    async def used_ever(self, guild_id: Snowflake, agent_id: AgentId) -> Used | None:
        """Give what an agent used in all its life."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.money.used_ever(community.id, agent_id)


@dataclass(frozen=True, slots=True)
class CommunityDesk:
    """Use cases that concern everyone."""

    office: Office
    actions: Actions
    defaults: CommunityConfig  # what a community's settings start from

    async def view(self, guild_id: Snowflake, *agent_ids: AgentId, messages: int = 1) -> View:
        """Give the community as it stands, with the rooms of these agents, but no minds and no private threads."""
        async with self.office.looking(guild_id) as (community, read):
            view = without_threads(await read.views.whole(community.id, agent_ids=agent_ids, messages=messages))
            seated = seated_in(await closed_scenes(read.scenes, community.id))
            return replace(view, agents=masked_agents(view.agents, seated)) if seated else view

    async def private_threads(self, guild_id: Snowflake) -> Sequence[Snowflake]:
        """Give all private threads of which something is kept."""
        async with self.office.looking(guild_id) as (community, read):
            return [room.channel_id for room in await read.rooms.threads(community.id) if room.channel_id is not None]

    async def sight(self, guild_id: Snowflake, may_read: Callable[[int], bool]) -> Sight:
        """Give what somebody may see who reads only some channels."""
        async with self.office.looking(guild_id) as (community, read):
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)
            places = [*view.all_rooms.values(), *await read.rooms.threads(community.id)]
            rooms = [room.id for room in places if room.channel_id and not may_read(room.channel_id)]
            if not rooms:
                return Sight()
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=rooms, doors=False)
            inside = await insiders(read.scenes, community.id, view, rooms)
        return Sight(hidden_rooms=frozenset(rooms), hidden_agents=inside)

    async def people(self, guild_id: Snowflake, ids: Collection[Snowflake]) -> Mapping[Snowflake, Person]:
        """Give those of these people who are known."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.people.known(community.id, ids)

    async def audit_log(
        self,
        guild_id: Snowflake,
        person: Person,
        *,
        by: str = "",
        agent_id: AgentId | None = None,
        words: str = "",
        since: datetime | None = None,
    ) -> Sequence[AuditEntry]:
        """Give who changed what, newest first, for managers; `by` is a part of the name of who did it."""
        check_manages(person)
        async with self.office.looking(guild_id) as (community, read):
            entries = await read.logs.audit(community.id, limit=MOST_READ)
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)
        names = {f"agent {id_}": agent.name for id_, agent in view.agents.items()}
        own = names.get(f"agent {agent_id}")
        return [
            one
            for one in (replace(entry, by=names.get(entry.by, entry.by)) for entry in entries)
            if by.casefold() in one.by.casefold()
            and words.casefold() in one.what.casefold()
            and (agent_id is None or agent_id == one.agent_id or one.by == own)
            and (since is None or one.at >= since)
        ][:MOST_LISTED]

    async def settings(self, guild_id: Snowflake) -> tuple[Community, CommunityConfig]:
        """Give the community and its settings."""
        async with self.office.looking(guild_id) as (community, read):
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)
            return community, view.config

    async def pause(self, guild_id: Snowflake, person: Person, *, paused: bool) -> str:
        """Let nobody beat any more, or let everyone go on; gives a sentence."""
        check_manages(person)
        async with self.office.changing(guild_id, person) as (community, write):
            if community.paused is paused:
                raise Rejected(
                    Sentence("Everyone is paused already.") if paused else Sentence("Everyone may beat already.")
                )
            await write.communities.pause(community.id, paused=paused)
            await write.apply(community.id, await self._with_all(write, community, paused=paused))
            what = "Everyone is paused." if paused else "Everyone goes on."
            await write.apply(community.id, [self._audit(person, what)])
        self.office.on_done()
        return (
            Sentence("Everyone is paused: nobody beats until you resume.") if paused else Sentence("Everyone goes on.")
        )

    async def _with_all(self, write: Writing, community: Community, *, paused: bool) -> Sequence[Change]:
        """Let scenes rest, or go on, as everyone does; gives what is still to be written."""
        view = await write.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)
        config, now = view.config, self.office.now()
        if paused:
            return await hushed_all(write, community.id, config=config, now=now)
        ceilings = await ceilings_of(self.office.models, write.providers, community)
        return await resumed_all(write, community.id, config=config, ceilings=ceilings, now=now)

    async def pack(self, guild_id: Snowflake, person: Person, *, most_bytes: int) -> tuple[bytes, ArchiveContents]:
        """Give the whole community as a file; who asks may read everything, which is seen to before."""
        check_manages(person)
        async with self.office.changing(guild_id, person) as (community, write):
            if any(one.sat(person.id) for one in await closed_scenes(write.scenes, community.id)):
                raise Rejected(SITS_IN)
            await write.apply(community.id, [self._audit(person, "The whole community was given out as a file.")])
        return await self._archives.pack(community.id, most_bytes=most_bytes)

    async def look_into(self, guild_id: Snowflake, person: Person, archive: bytes) -> ArchiveContents:
        """Read all of an archive; raises BadSetting for one that cannot be imported."""
        check_manages(person)
        async with self.office.looking(guild_id) as (community, _):
            pass
        return await self._archives.look_into(community.id, archive)

    async def unpack(self, guild_id: Snowflake, person: Person, archive: bytes) -> ArchiveContents:
        """Let what is in an archive move in, where nobody lives yet; raises BadSetting."""
        check_manages(person)
        async with self.office.looking(guild_id) as (community, _):
            pass
        await self._archives.look_into(community.id, archive)
        found = await self._archives.unpack(community, archive)
        async with self.office.changing(guild_id, person) as (community, write):
            await write.apply(community.id, [self._audit(person, "A whole community moved in from a file.")])
        self.office.on_done()
        return found

    @property
    def _archives(self) -> Archives:
        if self.office.archives is None:
            raise Rejected(Sentence("No archives can be made or read here: ask whoever runs Selfroom."))
        return self.office.archives

    def _audit(self, person: Person, what: str) -> Audit:
        return Audit(by=Actor.person(person).signature(), what=what, at=self.office.now())

    async def configure(self, guild_id: Snowflake, person: Person, **values: Json) -> None:
        """Set some of the community's settings (None: back to the default); raises Rejected."""
        for name, value in values.items():
            await self.actions.take(guild_id, person, SetSetting(name=name, value=value))


def _name(view: Outline, by: UsedBy, key: str) -> str:
    if by is not UsedBy.ROOM and key.startswith("-") and key[1:].isdecimal():
        return f"{SCENE}{key[1:]}"  # whose turns stand under no agent, model or format while it goes on
    match by:
        case UsedBy.AGENT:
            agent = view.agents.get(AgentId(int(key)))
            return agent.name if agent else f"agent {key}"
        case UsedBy.ROOM:
            room = view.all_rooms.get(AgentId(int(key)))
            owner = view.agents.get(room.owner_id) if room else None
            if owner is None:
                return f"room {key}" if int(key) else "no room"
            return f"{owner.name}'s room" + (", private threads" if room and room.thread_of is not None else "")
        case UsedBy.MODEL:
            return key or "not known"
        case UsedBy.FORMAT:
            return key
