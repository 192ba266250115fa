"""One read that gives a slot all that its gates, plans and HUDs need, in a fixed number of statements."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Select, Table, and_, bindparam, func, literal, or_, select, text, true, union_all

from bot.core.config import CommunityConfig
from bot.core.errors import NotFound
from bot.core.records import (
    PUBLIC_SIDE,
    AccessKey,
    AccessRequest,
    ActionRecord,
    Agent,
    AgentId,
    Checkpoint,
    CommunityId,
    Letter,
    Lookup,
    Membership,
    Message,
    Mind,
    Reason,
    Room,
    Side,
)
from bot.core.view import RoomView, View
from storage.convert import (
    MESSAGE_COLUMNS,
    action_of,
    agent_of,
    checkpoint_of,
    focus_of,
    key_of,
    letter_of,
    membership_of,
    reason_of,
    request_of,
    room_of,
)
from storage.finding import PENDING, Finding
from storage.messages import MESSAGE
from storage.session import literally, owned
from storage.tables import (
    ACTIONS,
    AGENTS,
    CHECKPOINTS,
    COMMUNITIES,
    HOLDERS,
    KEYS,
    LETTERS,
    LOOKUPS,
    MEMBERSHIPS,
    MESSAGES,
    MINDS,
    REASONS,
    REQUESTS,
    ROOMS,
)

RECENT_ACTIONS = 20

# SQLite has no LATERAL: the index tells where each room's stretch begins, and CROSS JOIN keeps the planner from reading
# the whole community. Of messages sent in the same instant it may give some more.
NEWEST_SQLITE = text(
    f"SELECT {', '.join(f'messages.{name}' for name in MESSAGE_COLUMNS)}"  # noqa: S608  # our own names
    " FROM rooms CROSS JOIN messages"
    " ON messages.community_id = rooms.community_id AND messages.room_id = rooms.id AND messages.shown = 1"
    " AND messages.sent_at >= coalesce("
    "(SELECT sent_at FROM messages WHERE community_id = rooms.community_id AND room_id = rooms.id AND shown = 1"
    " ORDER BY sent_at DESC LIMIT 1 OFFSET :skipped), -9223372036854775808)"
    " WHERE rooms.community_id = :community_id AND rooms.id IN :rooms"
    " ORDER BY rooms.id, messages.sent_at DESC, messages.id DESC"
).bindparams(bindparam("rooms", expanding=True))
Pair = tuple[AgentId, AgentId]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a view is asked for: agents, and all rooms that come with them."""

    community_id: CommunityId
    agents: Collection[AgentId]
    rooms: Collection[AgentId]
    messages: int


class Viewing(Finding):
    """Views of a community."""

    config: CommunityConfig

    async def view(
        self,
        community_id: CommunityId,
        *,
        agent_ids: Sequence[AgentId] = (),
        room_ids: Sequence[AgentId] = (),
        messages: int = 200,
    ) -> View:
        """Give what a slot needs of these agents (and their rooms) or of these rooms; raises NotFound."""
        communities = await self._communities(select(COMMUNITIES).where(COMMUNITIES.c.id == community_id))
        if not communities:
            raise NotFound("There is no such community.")
        agents = await self._agents(community_id)
        all_rooms = await self._all_rooms(community_id)
        memberships = await self._memberships(community_id, agent_ids, room_ids)
        shown = {room for _, room in memberships} | (set(room_ids) & set(all_rooms))
        asked = Asked(community_id, agent_ids, shown, messages)
        return View(
            community=communities[0],
            config=self.config.overlaid(communities[0].overrides),
            agents=agents,
            all_rooms=all_rooms,
            rooms=await self._rooms(asked, all_rooms, memberships),
            memberships=memberships,
            minds=await self._minds(asked),
            **await self._keys(asked),
            requests=await self._requests(asked),
            unposted=await self._unposted(asked),
            reasons=await self._reasons(asked, {agent for agent, _ in memberships}),
        )

    async def _agents(self, community_id: CommunityId) -> dict[AgentId, Agent]:
        rows = await self.mappings(select(AGENTS).where(owned(AGENTS, community_id)).order_by(AGENTS.c.id))
        return {row["id"]: agent_of(row) for row in rows}

    async def _all_rooms(self, community_id: CommunityId) -> dict[AgentId, Room]:
        rows = await self.mappings(select(ROOMS).where(owned(ROOMS, community_id)).order_by(ROOMS.c.id))
        self._counts = {row["id"]: row["message_count"] for row in rows}
        return {row["id"]: room_of(row) for row in rows}

    async def _memberships(
        self, community_id: CommunityId, agent_ids: Collection[AgentId], room_ids: Collection[AgentId]
    ) -> dict[Pair, Membership]:
        mine = MEMBERSHIPS.alias("mine")
        theirs = select(mine.c.room_id).where(mine.c.community_id == community_id, mine.c.agent_id.in_(agent_ids))
        in_these = or_(MEMBERSHIPS.c.room_id.in_(theirs), MEMBERSHIPS.c.room_id.in_(room_ids))
        asked = select(MEMBERSHIPS).where(owned(MEMBERSHIPS, community_id), in_these)
        rows = await self.mappings(asked.order_by(MEMBERSHIPS.c.agent_id, MEMBERSHIPS.c.room_id))
        return {(row["agent_id"], row["room_id"]): membership_of(row) for row in rows}

    async def _rooms(
        self, asked: Asked, all_rooms: Mapping[AgentId, Room], memberships: Iterable[Pair]
    ) -> dict[AgentId, RoomView]:
        return self._seats(asked, all_rooms, memberships, await self._newest(asked), await self._checkpoints(asked))

    def _seats(
        self,
        asked: Asked,
        all_rooms: Mapping[AgentId, Room],
        memberships: Iterable[Pair],
        messages: Mapping[AgentId, Sequence[Message]],
        checkpoints: Mapping[AgentId, Checkpoint],
    ) -> dict[AgentId, RoomView]:
        members: dict[AgentId, list[AgentId]] = {}
        for agent, room in memberships:
            members.setdefault(room, []).append(agent)
        return {
            id: RoomView(
                room=all_rooms[id],
                members=tuple(sorted(members.get(id, ()), key=lambda agent, owner=id: (agent != owner, agent))),
                messages=tuple(messages.get(id, ())),
                older=max(0, self._counts[id] - len(messages.get(id, ()))),
                checkpoint=checkpoints.get(id),
            )
            for id in sorted(asked.rooms)
        }

    async def _newest(self, asked: Asked) -> dict[AgentId, list[Message]]:
        if asked.messages <= 0:
            return {}
        if self.is_sqlite:
            values = {"community_id": asked.community_id, "rooms": list(asked.rooms), "skipped": asked.messages - 1}
            found = await self.messages(asked.community_id, NEWEST_SQLITE, values)
        else:
            found = await self.messages(asked.community_id, newest_lateral(asked))
        rooms = groupby(found, key=lambda message: message.room_id)
        return {room: list(lines)[: asked.messages][::-1] for room, lines in rooms}

    async def _checkpoints(self, asked: Asked) -> dict[AgentId, Checkpoint]:
        newest = (
            select(func.max(CHECKPOINTS.c.id))
            .where(owned(CHECKPOINTS, asked.community_id), CHECKPOINTS.c.room_id.in_(asked.rooms))
            .group_by(CHECKPOINTS.c.room_id)
        )
        rows = await self.mappings(
            select(CHECKPOINTS).where(owned(CHECKPOINTS, asked.community_id), CHECKPOINTS.c.id.in_(newest))
        )
        return {row["room_id"]: checkpoint_of(row) for row in rows}

    async def _minds(self, asked: Asked) -> dict[tuple[AgentId, Side], Mind]:
        minds = {_side(row): row for row in await self.mappings(of_agents(MINDS, asked))}
        actions: dict[tuple[AgentId, Side], list[ActionRecord]] = {}
        for row in await self.mappings(recent_actions(asked)):
            actions.setdefault(_side(row), []).append(action_of(row))
        lookups: dict[tuple[AgentId, Side], list[Lookup]] = {}
        for row in await self.mappings(of_agents(LOOKUPS, asked).order_by(LOOKUPS.c.id)):
            lookups.setdefault(_side(row), []).append(Lookup(question=row["question"], answer=row["answer"]))
        return {
            side: Mind(
                agent_id=side[0],
                side=side[1],
                knowledge=(minds[side]["knowledge"] if side in minds else None) or {},
                focus=focus_of(minds[side]["focus"] if side in minds else None),
                recent_actions=tuple(actions.get(side, ())),
                lookups=tuple(lookups.get(side, ())),
            )
            for side in sorted(minds.keys() | actions.keys() | lookups.keys())
        }

    async def _keys(self, asked: Asked) -> dict[str, Any]:
        holders = HOLDERS.alias()
        held = select(holders.c.key_id).where(
            holders.c.community_id == asked.community_id, holders.c.agent_id.in_(asked.agents)
        )
        wanted = or_(KEYS.c.room_id.in_(asked.rooms), KEYS.c.id.in_(held))
        rows = await self.mappings(select(KEYS).where(owned(KEYS, asked.community_id), wanted).order_by(KEYS.c.id))
        held_by: dict[int, list[AgentId]] = {}
        of_these = select(HOLDERS.c.key_id, HOLDERS.c.agent_id).where(
            owned(HOLDERS, asked.community_id), HOLDERS.c.key_id.in_([row["id"] for row in rows])
        )
        for key_id, agent_id in await self.rows(of_these):
            held_by.setdefault(key_id, []).append(agent_id)
        keys: dict[AgentId, tuple[AccessKey, ...]] = {}
        holding: dict[AgentId, tuple[AccessKey, ...]] = {}
        for row in rows:
            key = key_of(row, held_by.get(row["id"], ()))
            if key.room_id in asked.rooms:
                keys[key.room_id] = (*keys.get(key.room_id, ()), key)
            for agent_id in key.held_by:
                holding[agent_id] = (*holding.get(agent_id, ()), key)
        return {"keys": keys, "held_keys": holding}

    async def _requests(self, asked: Asked) -> dict[AgentId, tuple[AccessRequest, ...]]:
        pending = select(REQUESTS).where(
            owned(REQUESTS, asked.community_id),
            REQUESTS.c.room_id.in_(asked.rooms),
            PENDING,
        )
        found = [request_of(row) for row in await self.mappings(pending.order_by(REQUESTS.c.id))]
        return {room: tuple(item for item in found if item.room_id == room) for room in {r.room_id for r in found}}

    async def _unposted(self, asked: Asked) -> dict[AgentId, tuple[Letter, ...]]:
        waiting = select(LETTERS).where(
            owned(LETTERS, asked.community_id),
            LETTERS.c.room_id.in_(asked.rooms),
            LETTERS.c.state.in_(literally("waiting", "sending")),
        )
        letters: dict[AgentId, tuple[Letter, ...]] = {}
        for row in await self.mappings(waiting.order_by(LETTERS.c.id)):
            letters[row["room_id"]] = (*letters.get(row["room_id"], ()), letter_of(row))
        return letters

    async def _reasons(self, asked: Asked, members: set[AgentId]) -> dict[AgentId, tuple[Reason, ...]]:
        waiting = select(REASONS).where(
            owned(REASONS, asked.community_id), REASONS.c.agent_id.in_(members | set(asked.agents))
        )
        reasons: dict[AgentId, tuple[Reason, ...]] = {}
        for row in await self.mappings(waiting.order_by(REASONS.c.due_at, REASONS.c.kind, REASONS.c.room_id)):
            reasons[row["agent_id"]] = (*reasons.get(row["agent_id"], ()), reason_of(row))
        return reasons


def newest_lateral(asked: Asked) -> Select[Any]:
    """Give the newest messages of each room, newest first, in PostgreSQL's words."""
    newest = (
        select(*MESSAGE)
        .where(
            MESSAGES.c.community_id == ROOMS.c.community_id,
            MESSAGES.c.room_id == ROOMS.c.id,
            MESSAGES.c.shown == true(),
        )
        .order_by(MESSAGES.c.sent_at.desc(), MESSAGES.c.id.desc())
        .limit(asked.messages)
        .correlate(ROOMS)
        .lateral("newest")
    )
    columns = [newest.c[name] for name in MESSAGE_COLUMNS]
    of_rooms = select(*columns).select_from(ROOMS.join(newest, true()))
    return of_rooms.where(owned(ROOMS, asked.community_id), ROOMS.c.id.in_(asked.rooms)).order_by(
        newest.c.room_id, newest.c.sent_at.desc(), newest.c.id.desc()
    )


def recent_actions(asked: Asked) -> Select[Any]:
    """Give the last actions of each agent and side it has, oldest first; the index tells where they begin."""
    public = select(AGENTS.c.id.label("agent_id"), literal(PUBLIC_SIDE).label("side")).where(
        owned(AGENTS, asked.community_id), AGENTS.c.id.in_(asked.agents)
    )
    private = select(MEMBERSHIPS.c.agent_id, MEMBERSHIPS.c.room_id).where(
        owned(MEMBERSHIPS, asked.community_id), MEMBERSHIPS.c.agent_id.in_(asked.agents)
    )
    sides = union_all(public, private).subquery("sides")
    earlier = ACTIONS.alias("earlier")
    first = (
        select(earlier.c.id)
        .where(earlier.c.community_id == asked.community_id, earlier.c.agent_id == sides.c.agent_id)
        .where(earlier.c.side == sides.c.side)
        .order_by(earlier.c.id.desc())
        .limit(1)
        .offset(RECENT_ACTIONS - 1)
        .correlate(sides)
        .scalar_subquery()
    )
    its = and_(ACTIONS.c.agent_id == sides.c.agent_id, ACTIONS.c.side == sides.c.side)
    recent = select(ACTIONS).select_from(sides.join(ACTIONS, its)).where(owned(ACTIONS, asked.community_id))
    return recent.where(ACTIONS.c.id >= func.coalesce(first, 0)).order_by(ACTIONS.c.id)


def of_agents(table: Table, asked: Asked) -> Select[Any]:
    """Select the rows of the agents asked for."""
    return select(table).where(owned(table, asked.community_id), table.c.agent_id.in_(asked.agents))


def _side(row: Mapping[str, Any]) -> tuple[AgentId, Side]:
    return row["agent_id"], row["side"]
