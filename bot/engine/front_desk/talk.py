"""What was said: found by its place on Discord, by words, or page by page; and asked for once more."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from bot.core.actor import Actor
from bot.core.changes import PutReason, Say
from bot.core.emoji import shown_as
from bot.core.errors import NotFound, Rejected
from bot.core.kinds import ReasonKind
from bot.core.records import Agent, AgentId, Checkpoint, Message, MessageId, Person, Reason, Room, Schedule, Snowflake
from bot.core.view import MayRead
from bot.engine.front_desk.office import Office, by_nobody, readable


class Talk(Office):
    """Rooms and messages."""

    async def room_of(self, guild_id: Snowflake, *channel_ids: int | None) -> Agent:
        """Give the owner of the room that one of these channels is, or is in; raises NotFound when none is a room."""
        async with self._looking(guild_id) as (community, read):
            for channel_id in channel_ids:
                room_id = await read.rooms.of_channel(community.id, Snowflake(channel_id)) if channel_id else None
                if room_id is not None:
                    view = await read.views.desk(community.id, agent_ids=(), room_ids=(), doors=False)
                    return view.agents[view.all_rooms[room_id].owner_id]
        raise NotFound("This channel is no agent's room: name the room, or use the command in one.")

    async def scheduled(
        self, guild_id: Snowflake, agent_id: AgentId | None, room_id: AgentId | None
    ) -> Sequence[Schedule]:
        """Give what an agent (None: any) will say later in a room (None: any but private threads), soonest first."""
        async with self._looking(guild_id) as (community, read):
            view = await read.views.desk(community.id, agent_ids=(), room_ids=(), doors=False)
            of = sorted(view.agents) if agent_id is None else [agent_id]
            found = [one for id in of for one in await read.agents.schedules(community.id, id)]
        here = (one for one in found if room_id in (None, one.room_id) and one.room_id in view.agents)
        return sorted(here, key=lambda one: (one.at, one.id))

    async def threads(self, guild_id: Snowflake) -> Mapping[AgentId, Room]:
        """Give the private threads that are known; what was said there is only for who may read it now."""
        async with self._looking(guild_id) as (community, read):
            view = await read.views.desk(community.id, agent_ids=(), room_ids=(), doors=False)
        there = (room for room in view.all_rooms.values() if room.thread_of is not None)
        return {room.id: room for room in there if room.channel_id is not None}

    async def thread_at(self, guild_id: Snowflake, channel_id: int | None, may_read: MayRead) -> Room | None:
        """Give the private thread that a channel is, if it is one that who asks may read."""
        there = [room for room in (await self.threads(guild_id)).values() if room.channel_id == channel_id]
        allowed = await readable(there, may_read)
        return next((room for room in there if room.id in allowed), None)

    async def message_at(self, guild_id: Snowflake, discord_id: int, *, may_read: MayRead = by_nobody) -> Message:
        """Give what is known of a message on Discord; raises NotFound, too when it is not for who asks."""
        async with self._looking(guild_id) as (community, read):
            message = await read.talk.find(community.id, Snowflake(discord_id))
        thread = (await self.threads(guild_id)).get(message.room_id) if message else None
        if message is None or (thread is not None and not await may_read(thread)):
            raise NotFound("Selfroom does not know this message: choose one in an agent's room.")
        return message

    async def agents_reactions(self, guild_id: Snowflake, message: Message) -> Sequence[tuple[AgentId, str]]:
        """Give which agents reacted to a message with what; on Discord all of them are the bot's."""
        async with self._looking(guild_id) as (community, read):
            found = await read.reactions.given_to(community.id, [message.id])
        return [(by.agent_id, shown_as(name)) for _, by, name in found if by.agent_id is not None]

    async def search(
        self,
        guild_id: Snowflake,
        query: str,
        *,
        room_ids: Sequence[AgentId],
        may_read: MayRead = by_nobody,
        limit: int = 50,
    ) -> Sequence[tuple[Message, str]]:
        """Find messages in these rooms and those of their private threads, newest first, each with an excerpt."""
        threads = [room for room in (await self.threads(guild_id)).values() if room.thread_of in room_ids]
        async with self._looking(guild_id) as (community, read):
            found = list(await read.talk.search(community.id, query, room_ids=room_ids, limit=limit))
            inside = await read.talk.search(community.id, query, room_ids=[room.id for room in threads], limit=limit)
        hit = {one.room_id for one, _ in inside}
        allowed = await readable((room for room in threads if room.id in hit), may_read)
        found += [one for one in inside if one[0].room_id in allowed]
        return sorted(found, key=lambda one: one[0].sent_at, reverse=True)[:limit]

    async def history(self, guild_id: Snowflake, room_id: AgentId, *, limit: int = 100) -> Sequence[Message]:
        """Give the newest messages of a room, oldest first."""
        async with self._looking(guild_id) as (community, read):
            return await read.talk.history(community.id, room_id, limit=limit)

    async def summaries(self, guild_id: Snowflake, room_id: AgentId) -> Sequence[Checkpoint]:
        """Give a room's summaries, oldest first."""
        async with self._looking(guild_id) as (community, read):
            return await read.summaries.of_room(community.id, room_id)

    async def ask_again(self, guild_id: Snowflake, person: Person, message: Message) -> str:
        """Have an agent look once more at a message, as if the person had asked for it in words; gives a sentence."""
        async with self._changing(guild_id, person) as (community, write):
            view = await write.views.desk(community.id, agent_ids=(), room_ids=[message.room_id], doors=False)
            agent_id = message.sender.agent_id or view.all_rooms[message.room_id].owner_id
            agent = view.agents[agent_id]
            if (agent_id, message.room_id) not in view.memberships:
                raise Rejected(f"{agent.name} is not there any more, so it cannot answer there.")
            if agent.paused_reason is not None or agent.retired_at is not None:
                raise Rejected(f"{agent.name} is paused or retired: resume or restore it first.")
            known = await write.people.find(community.id, person.id)
            if known is not None and known.muted:
                raise Rejected("A manager muted you: ask the managers to have agents listen to you again.")
            if known is not None and known.ignored:
                raise Rejected("Agents ignore you, as you wished: /privacy ignore-me changes that.")
            since = self.now() - timedelta(minutes=view.config.addressed_per_person_minutes)
            if await write.beats.addressed_by(community.id, person.id, since) >= view.config.addressed_per_person:
                raise Rejected("You asked a lot in the last minutes: try again a little later.")
            asking = self._asking(MessageId(write.ids.take("message")), person, agent, message)
            await write.apply(community.id, [asking, PutReason(agent_id=agent_id, reason=self._again(person, asking))])
        self._on_done()
        return f"{agent.name} looks at it again."

    def _asking(self, id: MessageId, person: Person, agent: Agent, message: Message) -> Say:
        """Word the wish as a line of the person, which only agents see."""
        return Say(
            message_id=id,
            room_id=message.room_id,
            sender=Actor.person(person).sender,
            content=f"{agent.name}, please answer message {message.reply_to or message.id} again.",
            sent_at=self.now(),
            reply_to=message.id,
            thread_id=message.thread_id,
            thread_name=message.thread_name,
            post=False,
        )

    def _again(self, person: Person, asking: Say) -> Reason:
        return Reason(
            kind=ReasonKind.ADDRESSED,
            room_id=asking.room_id,
            message_id=asking.message_id,
            person_id=person.id,
            mentioned=True,
            since=self.now(),
            due_at=self.now(),
        )
