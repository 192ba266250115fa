"""Rooms and their private threads: where they are, what was said there, and what will be."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from bot.core.actions import DenyAccess, GrantAccess
from bot.core.errors import NotFound, Rejected
from bot.core.kinds import LetterKind, LetterState
from bot.core.letters import UNSENT, ClearingPayload, parse_payload
from bot.core.records import (
    AccessKey,
    AccessRequest,
    Agent,
    AgentId,
    Checkpoint,
    Community,
    KeyId,
    Message,
    MessageId,
    Person,
    RequestId,
    Room,
    Schedule,
    Snowflake,
)
from bot.core.sealing import of_key
from bot.core.sentences import Sentence
from bot.core.view import MayRead
from bot.core.wording import counted
from bot.engine.front_desk.actions import Actions
from bot.engine.front_desk.office import Office, check_manages, readable
from bot.engine.performer import Outcome


@dataclass(frozen=True, slots=True)
class Cleared:
    """How far the clearing of a room is; `ended` before it was done, by somebody or by Discord."""

    asked: int
    deleted: int
    goes_on: bool
    ended: bool

    def told(self) -> str:
        """Word it for who asked."""
        if not self.goes_on and not self.ended:
            return Sentence("Deleted: {messages}.", messages=counted(self.deleted, "message"))
        so_far = Sentence("{deleted:,} of {asked} deleted", deleted=self.deleted, asked=counted(self.asked, "message"))
        if self.goes_on:
            return Sentence("{so_far}; `/room clear` tells how far it is.", so_far=so_far)
        return Sentence("It ended early: {so_far}.", so_far=so_far)


@dataclass(frozen=True, slots=True)
class Rooms:
    """The rooms of a community."""

    office: Office

    async def owner_at(self, guild_id: Snowflake, *channel_ids: int | None) -> Agent:
        """Give the owner of the room that one of these channels is, or is in; raises NotFound when none is a room."""
        async with self.office.looking(guild_id) as (community, read):
            for channel_id in channel_ids:
                room_id = await read.rooms.of_channel(community.id, Snowflake(channel_id)) if channel_id else None
                if room_id is not None:
                    view = await read.views.action_view(community.id, agent_ids=(), room_ids=[room_id], doors=False)
                    return view.agents[view.all_rooms[room_id].owner_id]
        raise NotFound(Sentence("This channel is no agent's room: name the room, or use the command in one."))

    async def threads(self, guild_id: Snowflake) -> Mapping[AgentId, Room]:
        """Give the private threads that are known; what was said there is only for who may read it now."""
        async with self.office.looking(guild_id) as (community, read):
            return {room.id: room for room in await read.rooms.threads(community.id)}

    async def place(self, guild_id: Snowflake, room_id: AgentId) -> Room | None:
        """Give a room or a private thread; None when there is none."""
        async with self.office.looking(guild_id) as (community, read):
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=[room_id], doors=False)
        return view.all_rooms.get(room_id)

    async def thread_at(self, guild_id: Snowflake, channel_id: int | None, may_read: MayRead) -> Room | None:
        """Give the private thread that a channel is, if it is one that who asks may read."""
        there = [room for room in (await self.threads(guild_id)).values() if room.channel_id == channel_id]
        allowed = await readable(self.office, guild_id, there, may_read)
        return next((room for room in there if room.id in allowed), None)

    async def history(
        self, guild_id: Snowflake, room_id: AgentId, *, before: MessageId | None = None, limit: int = 100
    ) -> Sequence[Message]:
        """Give the newest messages of a room, or those before one, oldest first."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.talk.history(community.id, room_id, before=before, limit=limit)

    async def lively(
        self, guild_id: Snowflake, room_ids: Collection[AgentId], *, minutes: float
    ) -> Mapping[AgentId, int]:
        """Count what was said in the last minutes in those of these rooms in which something was."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.talk.lively(community.id, room_ids, self.office.now() - timedelta(minutes=minutes))

    async def summaries(
        self, guild_id: Snowflake, room_id: AgentId
    ) -> tuple[Sequence[Checkpoint], Mapping[MessageId, Message]]:
        """Give a room's summaries, oldest first, and the messages at their ends that are still there."""
        async with self.office.looking(guild_id) as (community, read):
            found = await read.summaries.of_room(community.id, room_id)
            ends = [id_ for one in found for id_ in (one.first_message_id, one.last_message_id)]
            return found, await read.talk.by_id(community.id, ends)

    async def cleared(self, guild_id: Snowflake, room_id: AgentId) -> Cleared | None:
        """Give how far the last clearing of a room came; None when there was none in a long time."""
        async with self.office.looking(guild_id) as (community, read):
            letter = await read.letters.newest(community.id, room_id, LetterKind.CLEARING)
        clearing = parse_payload(letter.kind, letter.payload) if letter else None
        if letter is None or not isinstance(clearing, ClearingPayload):
            return None
        deleted = clearing.done + (len(clearing.ids) if letter.state is LetterState.SENT else 0)
        failed = letter.state is LetterState.FAILED
        return Cleared(clearing.asked, deleted, goes_on=letter.state in UNSENT, ended=failed)

    async def scheduled(
        self, guild_id: Snowflake, agent_id: AgentId | None, room_id: AgentId | None
    ) -> Sequence[Schedule]:
        """Give what an agent (None: any) will say later in a room (None: any but private threads), soonest first."""
        async with self.office.looking(guild_id) as (community, read):
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)
            of = sorted(view.agents) if agent_id is None else [agent_id]
            found = [one for id_ in of for one in await read.agents.schedules(community.id, id_)]
        here = (one for one in found if room_id in (None, one.room_id) and one.room_id in view.agents)
        return sorted(here, key=lambda one: (one.at, one.id))


DECIDED = {" is let in.": "granted", " is turned away.": "denied"}


@dataclass(frozen=True, slots=True)
class Doors:
    """Who may come in, and with what."""

    office: Office
    actions: Actions

    async def keys(
        self, guild_id: Snowflake, person: Person, room_id: AgentId
    ) -> tuple[Sequence[AccessKey], Mapping[KeyId, str]]:
        """Give the living keys of a room with their secrets, for the eyes of a manager only; raises Rejected."""
        check_manages(person)
        community, found = await self._keys(guild_id, room_id)
        if self.office.cipher is None:
            return found, {}
        rows = {key.id: of_key(community.id, key.room_id, key.id) for key in found}
        return found, {key.id: self.office.cipher.decrypt(key.ciphertext, rows[key.id]) for key in found}

    async def key_labels(self, guild_id: Snowflake, room_id: AgentId) -> Sequence[AccessKey]:
        """Give the living keys of a room."""
        return (await self._keys(guild_id, room_id))[1]

    async def _keys(self, guild_id: Snowflake, room_id: AgentId) -> tuple[Community, Sequence[AccessKey]]:
        async with self.office.looking(guild_id) as (community, read):
            view = await read.views.action_view(community.id, agent_ids=[room_id], room_ids=[room_id], doors=True)
        return community, [key for key in view.opened.keys.get(room_id, ()) if key.revoked_at is None]

    async def knocks(self, guild_id: Snowflake) -> Sequence[AccessRequest]:
        """Give the pending requests of the community, oldest first."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.access.knocks(community.id)

    async def knock(self, guild_id: Snowflake, request_id: int) -> AccessRequest:
        """Find a pending request; raises NotFound when it was decided already."""
        for knock in await self.knocks(guild_id):
            if knock.id == RequestId(request_id):
                return knock
        first = await self.office.who_was_first(guild_id, f"Request {request_id}: ", DECIDED)
        raise NotFound(
            Sentence(
                "Request {request_id} waits no longer: {first}",
                request_id=request_id,
                first=first or Sentence("the owner decided, or its time ran out."),
            )
        )

    async def decide(self, guild_id: Snowflake, person: Person, request_id: int, *, grant: bool) -> Outcome:
        """Let a request in or turn it away; who comes second is told who was first."""
        check_manages(person)  # first: who decided before is not for everybody
        knock = await self.knock(guild_id, request_id)
        kind = GrantAccess if grant else DenyAccess
        try:
            return await self.actions.take(guild_id, person, kind(request_id=knock.id), subject=knock.room_id)
        except Rejected:
            await self.knock(guild_id, request_id)  # somebody else may have been quicker
            raise
