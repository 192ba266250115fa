"""One read that gives a slot all that its gates, plans and HUDs need, in a fixed number of statements."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Never, TypeVar

from sqlalchemy import Table, and_, or_, select

from bot.core.config import CommunityConfig
from bot.core.errors import NotFound
from bot.core.records import (
    AccessKey,
    AccessRequest,
    ActionRecord,
    Agent,
    AgentId,
    Checkpoint,
    Community,
    CommunityId,
    Letter,
    Lookup,
    Membership,
    Message,
    Mind,
    Reason,
    Room,
    Schedule,
    Side,
)
from bot.core.view import Doors, Glance, RoomView, Roster, Subject, View
from storage import view_bounds
from storage.communities import community_of
from storage.convert import (
    AGENT_COLUMNS,
    ROOM_COLUMNS,
    agent_of,
    focus_of,
    key_of,
    letter_of,
    membership_of,
    place_of,
    plain,
    reason_of,
    whole_agent_of,
)
from storage.messages import read_messages
from storage.names import worded
from storage.prepared import Prepared
from storage.questions import Questions, questions
from storage.session import Rows, Session, Values, literally, owned
from storage.tables import HOLDERS, KEYS, REQUESTS
from storage.view_bounds import Asked, Counts, Pair, alike, most_of_each, of_each, size

K = TypeVar("K")
V = TypeVar("V")
Sized = Sequence[Message]
Keys = dict[AgentId, tuple[AccessKey, ...]]
Residents = tuple[dict[AgentId, Agent], dict[AgentId, Room], Counts]
AGENT_END = len(AGENT_COLUMNS)
ROOM_END = AGENT_END + len(ROOM_COLUMNS)
KEY_ID, HOLDER = list(KEYS.c.keys()).index("id"), len(KEYS.c)
NOTHING: Mapping[AgentId, Never] = {}
KNOCKED_FOR = (
    select(*KEYS.c, HOLDERS.c.agent_id, *REQUESTS.c)
    .outerjoin(HOLDERS, and_(HOLDERS.c.community_id == KEYS.c.community_id, HOLDERS.c.key_id == KEYS.c.id))
    .outerjoin(
        REQUESTS,
        and_(
            REQUESTS.c.community_id == KEYS.c.community_id,
            REQUESTS.c.room_id == KEYS.c.room_id,
            REQUESTS.c.key_id == KEYS.c.id,
            REQUESTS.c.state.in_(literally("pending")),
        ),
    )
)


@dataclass(frozen=True, slots=True)
class SqlViews:
    """A community as it stands at one moment, for different needs."""

    session: Session
    config: CommunityConfig

    async def whole(
        self,
        community_id: CommunityId,
        *,
        agent_ids: Sequence[AgentId] = (),
        room_ids: Sequence[AgentId] = (),
        messages: int = 200,
    ) -> View:
        """Give what a slot needs of these agents (and their rooms) or of these rooms; raises NotFound."""
        community = await self._itself(community_id)
        memberships = await self._memberships(community_id, agent_ids, room_ids)
        wanted = {room for _, room in memberships} | set(room_ids)
        agents, all_rooms, counts = await self._residents(community_id, wanted, whole={*agent_ids, *room_ids})
        shown = wanted & set(all_rooms)
        asked = Asked(community_id, agent_ids, shown, messages)
        (keys, held_keys), (unposted, being_posted) = await self._keys(asked), await self._unposted(asked)
        return View(
            community=community,
            config=self.config.overlaid(community.overrides),
            agents=agents,
            all_rooms=all_rooms,
            rooms=await self._rooms(asked, all_rooms, memberships, counts),
            memberships=memberships,
            minds=await self._minds(asked),
            schedules=await self._schedules(asked),
            keys=keys,
            held_keys=held_keys,
            requests=await self._requests(asked),
            unposted=unposted,
            being_posted=being_posted,
            reasons=await self._reasons(asked, {agent for agent, _ in memberships}),
        )

    async def roster(
        self, community_id: CommunityId, *, agent_ids: Collection[AgentId] = (), room_ids: Collection[AgentId] = ()
    ) -> Roster:
        """Give no more than these agents, whole, and these rooms, as far as they are there; raises NotFound."""
        community = await self._itself(community_id)
        agents, rooms, _ = await self._some(community_id, {*agent_ids, *room_ids}, whole=agent_ids)
        return Roster(
            community=community,
            config=self.config.overlaid(community.overrides),
            agents=agents,
            all_rooms=rooms,
        )

    async def glance(
        self,
        community_id: CommunityId,
        *,
        agent_ids: Sequence[AgentId] = (),
        room_ids: Sequence[AgentId] = (),
        messages: int,
        letters: bool = True,
        summaries: bool = False,
    ) -> Glance:
        """Give these rooms, and these agents' ones, with members, reasons and newest messages; raises NotFound."""
        community = await self._itself(community_id)
        memberships = await self._memberships(community_id, agent_ids, room_ids)
        members = {agent for agent, _ in memberships} | set(agent_ids)
        wanted = {room for _, room in memberships} | set(room_ids)
        agents, around, counts = await self._some(community_id, members | wanted)
        all_rooms = {id_: room for id_, room in around.items() if id_ in wanted}
        asked = Asked(community_id, agent_ids, set(all_rooms), messages)
        unposted, being_posted = await self._unposted(asked) if letters else ({}, {})
        return Glance(
            community=community,
            config=self.config.overlaid(community.overrides),
            agents=agents,
            all_rooms=all_rooms,
            rooms=await self._rooms(asked, all_rooms, memberships, counts, summaries=summaries),
            memberships=memberships,
            unposted=unposted,
            being_posted=being_posted,
            reasons=await self._reasons(asked, members),
        )

    async def action_view(
        self, community_id: CommunityId, *, agent_ids: Sequence[AgentId], room_ids: Sequence[AgentId], doors: bool
    ) -> Subject:
        """Give a view with what actions look at and change, and nothing that only a HUD shows; raises NotFound."""
        community = await self._itself(community_id)
        memberships = await self._memberships(community_id, agent_ids, room_ids)
        wanted = {room for _, room in memberships} | set(room_ids)
        agents, all_rooms, counts = await self._residents(community_id, wanted, whole={*agent_ids, *room_ids})
        shown = wanted & set(all_rooms)
        asked = Asked(community_id, agent_ids, shown, 0)
        return Subject(
            community=community,
            config=self.config.overlaid(community.overrides),
            agents=agents,
            all_rooms=all_rooms,
            rooms=_seats(asked, all_rooms, memberships, counts),
            memberships=memberships,
            minds=await self._carried(asked),
            doors=await self._doors(asked) if doors else None,
        )

    async def _itself(self, community_id: CommunityId) -> Community:
        if self.session.community is not None and self.session.community.id == community_id:
            return self.session.community
        rows = await self.session.rows(self._questions.community, {"community_id": community_id})
        if not rows:
            raise NotFound("There is no such community.")
        self.session.community = community_of(rows)
        return self.session.community

    async def _residents(
        self, community_id: CommunityId, wanted: Collection[AgentId], *, whole: Collection[AgentId]
    ) -> Residents:
        """Give everyone and all rooms, of private threads only those that are wanted; with prompts who is `whole`."""
        of = {"rooms": self.session.many(wanted), "whole": self.session.many(whole)}
        return await self._residents_of(community_id, self._questions.residents, of)

    async def _some(
        self, community_id: CommunityId, wanted: Collection[AgentId], *, whole: Collection[AgentId] = ()
    ) -> Residents:
        """Give those of these agents and rooms that are there; with a private thread the room it is in."""
        of = {"rooms": self.session.many(wanted), "whole": self.session.many(whole)}
        return await self._residents_of(community_id, self._questions.roster, of)

    async def _residents_of(self, community_id: CommunityId, asked: Prepared, of: Values) -> Residents:
        rows = await self.session.rows(asked, {"community_id": community_id, **of})
        agents: dict[AgentId, Agent] = {}
        rooms: dict[AgentId, Room] = {}
        counts: dict[AgentId, int] = {}
        for row in rows:
            agent, room, prompt = agent_of(row[:AGENT_END]), place_of(row[AGENT_END:ROOM_END]), row[-1]
            agents[agent.id] = agent if prompt is None else whole_agent_of(agent, prompt)
            rooms[room.id], counts[room.id] = room, row[ROOM_END]
        return await self._told(community_id, agents), all_rooms_of(rooms), counts

    async def _told(self, community_id: int, agents: dict[AgentId, Agent]) -> dict[AgentId, Agent]:
        """Give agents with who paused them, which is kept by id, by name."""
        paused = {id_: agent.paused_reason for id_, agent in agents.items() if agent.paused_reason}
        why = await worded(self.session, community_id, list(paused.values()))
        return agents | {id_: replace(agents[id_], paused_reason=one) for id_, one in zip(paused, why, strict=True)}

    async def _memberships(
        self, community_id: CommunityId, agent_ids: Collection[AgentId], room_ids: Collection[AgentId]
    ) -> dict[Pair, Membership]:
        of = {
            "community_id": community_id,
            "agents": self.session.many(agent_ids),
            "rooms": self.session.many(room_ids),
        }
        rows = await self.session.rows(self._questions.memberships, of)
        return {(one.agent_id, one.room_id): one for one in (membership_of(tuple(row)) for row in rows)}

    async def _rooms(
        self,
        asked: Asked,
        all_rooms: Mapping[AgentId, Room],
        memberships: Mapping[Pair, Membership],
        counts: Counts,
        *,
        summaries: bool = True,
    ) -> dict[AgentId, RoomView]:
        newest = await self._newest(asked, counts, memberships)
        checkpoints = await self._checkpoints(asked) if summaries else {}
        seats = _seats(asked, all_rooms, memberships, counts, newest, checkpoints)
        if not summaries or asked.messages <= view_bounds.LEAST_OF_A_ROOM:
            return seats
        uncovered = await self._uncovered(asked, counts, newest)
        return seats | {id_: replace(seats[id_], uncovered_tokens=tokens) for id_, tokens in uncovered.items()}

    async def _newest(
        self, asked: Asked, counts: Counts, memberships: Mapping[Pair, Membership]
    ) -> dict[AgentId, list[Message]]:
        if asked.messages <= 0:
            return {}
        newest: dict[AgentId, list[Message]] = {}
        left = view_bounds.MOST_CHARACTERS
        for most, rooms in alike(most_of_each(asked, counts, memberships), counts):
            of = self._of(replace(asked, rooms=rooms)) | {"messages": most, "characters": left}
            found = await read_messages(self.session, asked.community_id, self._questions.newest, of)
            newest |= {room: list(lines)[::-1] for room, lines in groupby(found, key=lambda message: message.room_id)}
            left -= sum(size(one) for one in found)
        return newest

    async def _uncovered(self, asked: Asked, counts: Counts, newest: Mapping[AgentId, Sized]) -> dict[AgentId, int]:
        """Give what no summary covers of the rooms of which fewer messages were read than were asked for.

        Of so many full rooms that all of them together have more than a view may hold nobody asks it.
        """
        short = [id_ for id_ in asked.rooms if len(newest.get(id_, ())) < min(counts[id_], asked.messages)]
        if not short or of_each((counts[room] for room in asked.rooms), asked.messages) < asked.messages:
            return {}
        of = self._of(replace(asked, rooms=short)) | {"messages": asked.messages}
        return {row[0]: int(row[1] or 0) for row in await self.session.rows(self._questions.uncovered, of)}

    async def _checkpoints(self, asked: Asked) -> dict[AgentId, tuple[Checkpoint, int]]:
        """Give each room's newest summary, and how many there are."""
        rows = await self.session.mappings(self._questions.checkpoints, self._of(asked))
        return {row["room_id"]: (plain(Checkpoint, row), row["number"]) for row in rows}

    async def _minds(self, asked: Asked) -> dict[tuple[AgentId, Side], Mind]:
        of = self._of(asked)
        minds = {_side(row): row for row in await self.session.mappings(self._questions.minds, of)}
        done = await self.session.mappings(self._questions.actions, of)
        actions = gathered((_side(row), plain(ActionRecord, row)) for row in done)
        answers = await self.session.mappings(self._questions.lookups, of)
        lookups = gathered((_side(row), Lookup(question=row["question"], answer=row["answer"])) for row in answers)
        return {
            side: Mind(
                agent_id=side[0],
                side=side[1],
                knowledge=(minds[side]["knowledge"] if side in minds else None) or {},
                focus=focus_of(minds[side]["focus"] if side in minds else None),
                recent_actions=actions.get(side, ()),
                lookups=lookups.get(side, ()),
            )
            for side in sorted(minds.keys() | actions.keys() | lookups.keys())
        }

    async def _schedules(self, asked: Asked) -> dict[AgentId, tuple[Schedule, ...]]:
        rows = await self.session.mappings(self._questions.schedules, self._of(asked))
        return gathered((row["agent_id"], plain(Schedule, row)) for row in rows)

    async def _keys(self, asked: Asked) -> tuple[Keys, Keys]:
        """Give keys by room and by holder."""
        rows = await self.session.rows(self._questions.keys, self._of(asked))
        return _by_room_and_holder(rows, asked)

    async def _requests(self, asked: Asked) -> dict[AgentId, tuple[AccessRequest, ...]]:
        rows = await self.session.mappings(self._questions.requests, self._of(asked))
        return gathered((row["room_id"], plain(AccessRequest, row)) for row in rows)

    async def _unposted(
        self, asked: Asked
    ) -> tuple[dict[AgentId, tuple[Letter, ...]], dict[AgentId, tuple[Message, ...]]]:
        """Give the open letters, and what those of them say that are posts."""
        of = self._of(asked)
        letters = [letter_of(row) for row in await self.session.mappings(self._questions.letters, of)]
        words: Iterable[Message] = ()
        if any(letter.message_id is not None for letter in letters):
            words = await read_messages(self.session, asked.community_id, self._questions.being_posted, of)
            of_scenes = {one.id for one in words if one.scene_id is not None}  # they take no floor
            letters = [letter for letter in letters if letter.message_id not in of_scenes]
            words = [one for one in words if one.id not in of_scenes]
        return gathered((one.room_id, one) for one in letters), gathered((one.room_id, one) for one in words)

    async def _reasons(self, asked: Asked, members: set[AgentId]) -> dict[AgentId, tuple[Reason, ...]]:
        of = {"community_id": asked.community_id, "members": self.session.many(members.union(asked.agents))}
        rows = await self.session.mappings(self._questions.reasons, of)
        return gathered((row["agent_id"], reason_of(row)) for row in rows)

    @property
    def _questions(self) -> Questions:
        return questions(is_sqlite=self.session.is_sqlite)

    def _of(self, asked: Asked) -> dict[str, object]:
        return {
            "community_id": asked.community_id,
            "agents": self.session.many(asked.agents),
            "rooms": self.session.many(asked.rooms),
        }

    async def _doors(self, asked: Asked) -> Doors:
        """The keys of these rooms and those that these agents hold, with holders and the knocks they are good for."""
        mine = HOLDERS.alias("mine")
        held = select(mine.c.key_id).where(mine.c.community_id == asked.community_id, mine.c.agent_id.in_(asked.agents))
        wanted = or_(KEYS.c.room_id.in_(asked.rooms), KEYS.c.id.in_(held))
        rows = await self.session.rows(KNOCKED_FOR.where(owned(KEYS, asked.community_id), wanted).order_by(KEYS.c.id))
        keys, holding = _by_room_and_holder(rows, asked)
        return Doors(keys=keys, held_keys=holding, requests=_knocks(rows, asked))

    async def _carried(self, asked: Asked) -> Mapping[tuple[AgentId, Side], Mind]:
        rows = await self.session.mappings(self._questions.minds, self._of(asked))
        return {
            (row["agent_id"], row["side"]): Mind(
                agent_id=row["agent_id"],
                side=row["side"],
                knowledge=row["knowledge"] or {},
                focus=focus_of(row["focus"]),
            )
            for row in rows
        }


def _seats(
    asked: Asked,
    all_rooms: Mapping[AgentId, Room],
    memberships: Iterable[Pair],
    counts: Counts,
    messages: Mapping[AgentId, Sequence[Message]] = NOTHING,
    checkpoints: Mapping[AgentId, tuple[Checkpoint, int]] = NOTHING,
) -> dict[AgentId, RoomView]:
    members: dict[AgentId, list[AgentId]] = {}
    for agent, room in memberships:
        members.setdefault(room, []).append(agent)
    return {
        id_: RoomView(
            room=all_rooms[id_],
            members=_seated(all_rooms[id_].owner_id, members.get(id_, ())),
            messages=tuple(messages.get(id_, ())),
            older=max(0, counts[id_] - len(messages.get(id_, ()))),
            checkpoint=checkpoints[id_][0] if id_ in checkpoints else None,
            checkpoints=checkpoints[id_][1] if id_ in checkpoints else 0,
        )
        for id_ in sorted(asked.rooms)
    }


def all_rooms_of(rooms: Mapping[AgentId, Room]) -> dict[AgentId, Room]:
    """Give rooms by their ids; a private thread keeps the pace and the silence of the room it is in."""
    return {id_: _within(rooms.get(room.owner_id), room) for id_, room in rooms.items()}


def _within(around: Room | None, room: Room) -> Room:
    if around is None or room.thread_of is None:
        return room
    hushed = [until for until in (around.hushed_until, room.hushed_until) if until is not None]
    return replace(room, wpm=around.wpm, rpm=around.rpm, hushed_until=max(hushed, default=None))


def _seated(owner_id: AgentId, members: Iterable[AgentId]) -> tuple[AgentId, ...]:
    return tuple(sorted(members, key=lambda agent: (agent != owner_id, agent)))


def named(table: Table, row: Sequence[object]) -> dict[str, object]:
    """Give by name the columns of a table that begins the row."""
    return dict(zip(table.c.keys(), row, strict=False))


def gathered(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    """Give all values of each key in their order."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in found.items()}


def _by_room_and_holder(rows: Rows, asked: Asked) -> tuple[Keys, Keys]:
    """Give keys, of which there is a row for each holder."""
    groups = [list(group) for _, group in groupby(rows, key=lambda row: row[KEY_ID])]
    keys = [key_of(named(KEYS, its[0]), {row[HOLDER] for row in its if row[HOLDER] is not None}) for its in groups]
    here = gathered((key.room_id, key) for key in keys if key.room_id in asked.rooms)
    return here, gathered((agent_id, key) for key in keys for agent_id in key.held_by)


def _side(row: Values) -> tuple[AgentId, Side]:
    return row["agent_id"], row["side"]


def _knocks(rows: Rows, asked: Asked) -> dict[AgentId, tuple[AccessRequest, ...]]:
    found = [named(REQUESTS, row[HOLDER + 1 :]) for row in rows]
    waiting = {
        row["id"]: plain(AccessRequest, row) for row in found if row["id"] is not None and row["room_id"] in asked.rooms
    }
    return gathered((request.room_id, request) for _, request in sorted(waiting.items()))
