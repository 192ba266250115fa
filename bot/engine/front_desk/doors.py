"""Keys and knocks, as people see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.core.actions import DenyAccess, GrantAccess
from bot.core.errors import NotFound, Rejected
from bot.core.records import AccessKey, AccessRequest, AgentId, Community, KeyId, Person, RequestId, Snowflake
from bot.core.sealing import of_key
from bot.engine.front_desk.actions import Actions
from bot.engine.front_desk.office import Office, check_manages
from bot.engine.performer import Outcome

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
            knocks = [knock for owner, knock in await read.access.knocks() if owner == community.id]
        return sorted(knocks, key=lambda knock: knock.id)

    async def knock(self, guild_id: Snowflake, request_id: int) -> AccessRequest:
        """Find a pending request; raises NotFound when it was decided already."""
        for knock in await self.knocks(guild_id):
            if knock.id == RequestId(request_id):
                return knock
        first = await self.office.who_was_first(guild_id, f"Request {request_id}: ", DECIDED)
        raise NotFound(f"Request {request_id} waits no longer: {first or 'the owner decided, or its time ran out.'}")

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
