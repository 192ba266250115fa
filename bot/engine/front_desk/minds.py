"""What agents carry in their heads: what they see now, and how their knowledge came about."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.core.errors import NotFound, Rejected
from bot.core.keeping import JournalEntry
from bot.core.kinds import MindPart
from bot.core.portions import portions
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Beat, BeatId, Message, MessageId, Mind, Side, Snowflake
from bot.core.scenes.showing import closed_side
from bot.core.sentences import Sentence
from bot.core.view import MayRead, Outline
from bot.engine.carried import MOST_AT_ONCE
from bot.engine.front_desk.office import LOOKED_BACK, Office, by_nobody, readable
from bot.engine.hud_now import Seen, hud_now
from bot.engine.masks import check_may_look, closed_scenes, seated_in, shut_sides
from bot.engine.planner import is_lean, is_structured


@dataclass(frozen=True, slots=True)
class Minds:
    """What agents see and keep."""

    office: Office

    async def side(self, guild_id: Snowflake, agent: Agent, room: Agent | None, *, who: Snowflake) -> Side:
        """Give the side of the barrier on which a room is (None: the open one) to who looks into an agent's head.

        Raises NotFound for non-members, Rejected where who looks sits in a closed scene with the agent.
        """
        async with self.office.looking(guild_id) as (community, read):
            await check_may_look(read, community.id, who, agent.id)
            if room is None:
                return PUBLIC_SIDE
            view = await read.views.action_view(community.id, agent_ids=[agent.id], room_ids=(), doors=False)
        if (agent.id, room.id) not in view.memberships:
            raise NotFound(Sentence("{agent} is not in that room.", agent=agent.name))
        return view.all_rooms[room.id].side

    async def of(self, guild_id: Snowflake, agent_id: AgentId, side: Side = PUBLIC_SIDE) -> Mind:
        """Give what an agent carries on one side."""
        async with self.office.looking(guild_id) as (community, read):
            return (await read.views.minds(community.id, [(agent_id, side)])).mind_of(agent_id, side)

    async def held(self, guild_id: Snowflake, agent_id: AgentId, sides: Collection[Side]) -> tuple[Sequence[Mind], int]:
        """Give what an agent carries on some sides, those first that come first, and how many it is too much for."""
        async with self.office.looking(guild_id) as (community, read):
            here = {PUBLIC_SIDE}.intersection(sides)  # there is one before anything is written
            sizes = {(agent_id, side): 0 for side in here}
            sizes |= await read.views.mind_sizes(community.id, [(agent_id, side) for side in sides])
            some = next(portions(sorted(sizes), lambda one: sizes[one], most=MOST_AT_ONCE), ())
            carried = await read.views.minds(community.id, some)
        return [carried.mind_of(*one) for one in some], len(sizes) - len(some)

    async def why_shut(self, guild_id: Snowflake, agent_id: AgentId, *, who: Snowflake) -> str:
        """Say why a person may not look into an agent's head; empty where they may."""
        async with self.office.looking(guild_id) as (community, read):
            try:
                await check_may_look(read, community.id, who, agent_id)
            except Rejected as no:
                return no.sentence
        return ""

    async def hud(self, guild_id: Snowflake, agent: Agent, side: Side = PUBLIC_SIDE) -> Seen:
        """Give what an agent would see now on one side, and the tokens of each section."""
        async with self.office.looking(guild_id) as (community, read):
            model = await self.office.providers.of(read.providers, community)
            config = (await read.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)).config
            return await hud_now(
                read.views,
                community.id,
                agent,
                now=self.office.now(),
                tokenizer=model.tokenizer(agent.model),
                structured=is_structured(agent, model),
                lean=is_lean(config, agent, model),
                side=side,
            )

    async def journal(
        self,
        guild_id: Snowflake,
        agent_id: AgentId,
        part: MindPart = MindPart.KNOWLEDGE,
        *,
        side: Side = PUBLIC_SIDE,
        limit: int = 200,
    ) -> Sequence[JournalEntry]:
        """Give the changes of an agent's knowledge, or of its plan, on one side, newest first."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.logs.journal(community.id, agent_id, part, side=side, limit=limit)


def _places(beats: Iterable[Beat | None]) -> list[AgentId]:
    """Give the rooms on whose sides these beats were."""
    return sorted({AgentId(beat.side) for beat in beats if beat is not None and beat.side != PUBLIC_SIDE})


async def _for(
    office: Office, guild_id: Snowflake, beats: Sequence[Beat], view: Outline, may_read: MayRead
) -> list[Beat]:
    """Give the beats that who asks may see: of those in private threads only where they may read now.

    Of a closed scene that goes on nobody sees any.
    """
    async with office.looking(guild_id) as (community, read):
        shut = await shut_sides(read.scenes, community.id)
    beats = [beat for beat in beats if beat.side not in shut]
    sides = {beat.side for beat in beats if beat.side >= 0 and view.is_thread(beat.side)}
    threads = [view.all_rooms[AgentId(side)] for side in sorted(sides) if AgentId(side) in view.all_rooms]
    allowed = await readable(office, guild_id, threads, may_read)
    return [beat for beat in beats if beat.side not in sides or AgentId(beat.side) in allowed]


MOST_PAGES = 10  # looked through for beats that may be shown: more in a row are nobody's patience
SHOWN_WHOLE = 10  # beats at a time: so many files a message can have


@dataclass(frozen=True, slots=True)
class Beats:
    """The beats of agents that are kept."""

    office: Office

    async def last(
        self, guild_id: Snowflake, agent_id: AgentId, *, who: Snowflake, may_read: MayRead = by_nobody
    ) -> Beat | None:
        """Give an agent's newest beat as it was sent and answered; None when there was none yet."""
        found = await self.of(guild_id, agent_id, who=who, may_read=may_read, limit=1)
        return await self.one(guild_id, agent_id, found[0].id, who=who, may_read=may_read) if found else None

    async def one(
        self, guild_id: Snowflake, agent_id: AgentId, beat_id: int, *, who: Snowflake, may_read: MayRead = by_nobody
    ) -> Beat:
        """Give one beat of an agent; raises NotFound when it had none by that number, or it is not kept any more.

        `may_read` tells of each private thread whether who asks may read it.
        """
        async with self.office.looking(guild_id) as (community, read):
            await check_may_look(read, community.id, who, agent_id)
            beat = await read.beats.find(community.id, BeatId(beat_id))
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=_places([beat]), doors=False)
        if beat is None or beat.agent_id != agent_id or not await _for(self.office, guild_id, [beat], view, may_read):
            raise NotFound(
                Sentence(
                    "There is no beat {beat_id} of this agent: /hud history lists those that are kept.", beat_id=beat_id
                )
            )
        return beat

    async def of(
        self,
        guild_id: Snowflake,
        agent_id: AgentId,
        *,
        who: Snowflake,
        may_read: MayRead = by_nobody,
        before: int | None = None,
        limit: int = 100,
    ) -> Sequence[Beat]:
        """Give an agent's beats `before` one, newest first, without those in private threads that are not for who asks.

        What they saw, answered and thought is left out: `one` and `last` give that.
        """
        shown, page, mark = list[Beat](), max(limit, LOOKED_BACK), None if before is None else BeatId(before)
        for _ in range(MOST_PAGES):
            async with self.office.looking(guild_id) as (community, read):
                await check_may_look(read, community.id, who, agent_id)
                found = await read.beats.newest(community.id, agent_id, before=mark, limit=page)
                view = await read.views.action_view(community.id, agent_ids=(), room_ids=_places(found), doors=False)
            shown += await _for(self.office, guild_id, found, view, may_read)
            if len(shown) >= limit or len(found) < page:
                break
            mark = found[-1].id
        return shown[:limit]

    async def before(
        self, guild_id: Snowflake, beat: Beat, *, who: Snowflake, may_read: MayRead = by_nobody
    ) -> Beat | None:
        """Give the beat of the same agent that came before one on its side, as it was sent; None without one."""
        async with self.office.looking(guild_id) as (community, read):
            found = await read.beats.newest(community.id, beat.agent_id, before=beat.id, limit=LOOKED_BACK)
        last = next((one for one in found if one.side == beat.side), None)
        return last and await self.one(guild_id, last.agent_id, last.id, who=who, may_read=may_read)

    async def said(
        self, guild_id: Snowflake, messages: Sequence[Message], *, who: Snowflake
    ) -> Mapping[MessageId, Beat]:
        """Give the beats that said messages which who asks may read, as `of` gives them."""
        async with self.office.looking(guild_id) as (community, read):
            found = await read.beats.listed(community.id, {one.beat_id for one in messages if one.beat_id is not None})
            closed = await closed_scenes(read.scenes, community.id)
        shut = seated_in(one for one in closed if one.sat(who))
        sides = {closed_side(one) for one in closed}
        behind = {one.id: found[one.beat_id] for one in messages if one.beat_id is not None and one.beat_id in found}
        return {id_: beat for id_, beat in behind.items() if beat.agent_id not in shut and beat.side not in sides}

    async def behind(self, guild_id: Snowflake, message: Message, *, who: Snowflake) -> Beat:
        """Give the beat that said a message; raises NotFound when no beat did, or it is not kept any more."""
        async with self.office.looking(guild_id) as (community, read):
            beat = await read.beats.find(community.id, message.beat_id) if message.beat_id is not None else None
            if beat is not None:
                await check_may_look(read, community.id, who, beat.agent_id)
            is_shut = beat is not None and beat.side in await shut_sides(read.scenes, community.id)
        if is_shut:
            raise Rejected(Sentence("That was said in a scene that goes on: look again once it is over."))
        if beat is None:
            raise NotFound(Sentence("No beat is kept behind this message: choose one that an agent said lately."))
        return beat

    async def after(self, guild_id: Snowflake, message: Message, *, who: Snowflake) -> Mapping[AgentId, Beat | None]:
        """Give for each other member of a message's room its first beat since then on that side; None: none yet.

        Agents that sit in a closed scene with who asks are left out. The first ones are given whole, the others as `of`
        gives them.
        """
        async with self.office.looking(guild_id) as (community, read):
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=[message.room_id], doors=False)
            side = view.all_rooms[message.room_id].side
            members = [id_ for id_ in view.rooms[message.room_id].members if id_ != message.sender.agent_id]
            scenes = [one for one in await closed_scenes(read.scenes, community.id) if one.sat(who)]
            members = [id_ for id_ in members if id_ not in seated_in(scenes)]
            found = await read.beats.first(community.id, members, message.sent_at, side=side)
            shown = {id_: found.get(id_) for id_ in members}
            for id_, beat in [(id_, beat) for id_, beat in shown.items() if beat is not None][:SHOWN_WHOLE]:
                shown[id_] = await read.beats.find(community.id, beat.id)
        return shown
