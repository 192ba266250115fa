"""What was said: found by its place on Discord, by words, or page by page; and asked for once more."""

from collections.abc import Sequence
from datetime import timedelta

from bot.core.actor import Actor
from bot.core.changes import PutReason, Say
from bot.core.emoji import shown_as
from bot.core.errors import NotFound, Rejected
from bot.core.kinds import ReasonKind
from bot.core.records import Agent, AgentId, Checkpoint, Message, MessageId, Person, Reason, Snowflake
from bot.engine.front_desk.office import Office


class Talk(Office):
    """Rooms and messages."""

    async def room_of(self, guild_id: Snowflake, *channel_ids: int | None) -> Agent:
        """Give the owner of the room that one of these channels is; raises NotFound when none is a room."""
        async with self._looking(guild_id) as (community, read):
            for channel_id in channel_ids:
                room_id = await read.room_of_channel(community.id, Snowflake(channel_id)) if channel_id else None
                if room_id is not None:
                    view = await read.desk(community.id, agent_ids=(), room_ids=(), doors=False)
                    return view.agents[room_id]
        raise NotFound("This channel is no agent's room: name the room, or use the command in one.")

    async def message_at(self, guild_id: Snowflake, discord_id: int) -> Message:
        """Give what is known of a message on Discord; raises NotFound."""
        async with self._looking(guild_id) as (community, read):
            message = await read.message_of(community.id, Snowflake(discord_id))
        if message is None:
            raise NotFound("Selfroom does not know this message: choose one in an agent's room.")
        return message

    async def agents_reactions(self, guild_id: Snowflake, message: Message) -> Sequence[tuple[AgentId, str]]:
        """Give which agents reacted to a message with what; on Discord all of them are the bot's."""
        async with self._looking(guild_id) as (community, read):
            found = await read.reactions_of(community.id, [message.id])
        return [(by.agent_id, shown_as(name)) for _, by, name in found if by.agent_id is not None]

    async def search(
        self, guild_id: Snowflake, query: str, *, room_ids: Sequence[AgentId], limit: int = 50
    ) -> Sequence[tuple[Message, str]]:
        """Find messages in these rooms, newest first, each with an excerpt."""
        async with self._looking(guild_id) as (community, read):
            return await read.search(community.id, query, room_ids=room_ids, limit=limit)

    async def history(self, guild_id: Snowflake, room_id: AgentId, *, limit: int = 100) -> Sequence[Message]:
        """Give the newest messages of a room, oldest first."""
        async with self._looking(guild_id) as (community, read):
            return await read.history(community.id, room_id, limit=limit)

    async def summaries(self, guild_id: Snowflake, room_id: AgentId) -> Sequence[Checkpoint]:
        """Give a room's summaries, oldest first."""
        async with self._looking(guild_id) as (community, read):
            return await read.checkpoints(community.id, room_id)

    async def ask_again(self, guild_id: Snowflake, person: Person, message: Message) -> str:
        """Have an agent look once more at a message, as if the person had asked for it in words; gives a sentence."""
        agent_id = message.sender.agent_id or message.room_id
        async with self._changing(guild_id, person) as (community, write):
            view = await write.desk(community.id, agent_ids=[agent_id], room_ids=[message.room_id], doors=False)
            agent = view.agents[agent_id]
            if agent.paused_reason is not None or agent.retired_at is not None:
                raise Rejected(f"{agent.name} is paused or retired: resume or restore it first.")
            known = await write.person(community.id, person.id)
            if known is not None and known.ignored:
                raise Rejected("Agents ignore you: /privacy ignore-me changes that, unless a manager muted you.")
            since = self.now() - timedelta(minutes=view.config.addressed_per_person_minutes)
            if await write.addressed_beats(community.id, person.id, since) >= view.config.addressed_per_person:
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
