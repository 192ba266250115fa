"""One read that gives a slot all that its gates, plans and HUDs need, in a fixed number of statements."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Never

from sqlalchemy import Table

from bot.core.config import CommunityConfig
from bot.core.errors import NotFound
from bot.core.kinds import SenderKind
from bot.core.records import (
    AccessKey,
    AccessRequest,
    Agent,
    AgentId,
    Checkpoint,
    Community,
    CommunityId,
    Letter,
    Membership,
    Message,
    MessageId,
    Mind,
    MindId,
    Reason,
    Room,
    Schedule,
)
from bot.core.sentences import Sentence
from bot.core.view import Belongings, Doors, Glance, RoomView, Roster, Subject, ToPost, View
from storage import view_bounds
from storage.communities import community_of
from storage.convert import (
    AGENT_COLUMNS,
    ROOM_COLUMNS,
    agent_of,
    gathered,
    key_of,
    letter_of,
    membership_of,
    place_of,
    plain,
    reason_of,
    whole_agent_of,
)
from storage.messages import messages_in
from storage.minds import each_mind, knowledge_and_focus, minds_in, minds_of, pairs
from storage.names import worded
from storage.prepared import Answers
from storage.questions import (
    Questions,
    doors_question,
    glance_question,
    house_question,
    hud_question,
    post_question,
    questions,
)
from storage.session import Rows, Session, Values
from storage.tables import KEYS
from storage.view_bounds import Asked, Counts, Pair, alike, most_of_each, of_each, size

Sized = Sequence[Message]
Keys = dict[AgentId, tuple[AccessKey, ...]]
Residents = tuple[dict[AgentId, Agent], dict[AgentId, Room], Counts]
AGENT_END = len(AGENT_COLUMNS)
ROOM_END = AGENT_END + len(ROOM_COLUMNS)
THREAD_OF, ROOM_ID = (AGENT_END + ROOM_COLUMNS.index(name) for name in ("thread_of", "id"))
KEY_ID, HOLDER = list(KEYS.c.keys()).index("id"), len(KEYS.c)
NOTHING: Mapping[AgentId, Never] = {}
AT_A_TIME = 100  # rows of residents that become records between two turns of the loop


@dataclass(frozen=True, slots=True)
class _House:
    """Who and what is there, with the rooms that are asked for, by themselves or for an agent."""

    community: Community
    memberships: Mapping[Pair, Membership]
    agents: Mapping[AgentId, Agent]
    all_rooms: Mapping[AgentId, Room]
    counts: Counts
    wanted: set[AgentId]


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
        minds: Collection[MindId] | None = (),
    ) -> View:
        """Give what a slot needs of these agents (and their rooms) or of these rooms; raises NotFound."""
        house = await self._house(community_id, agent_ids, room_ids)
        shown = house.wanted & set(house.all_rooms)
        asked = Asked(community_id, agent_ids, shown, messages)
        members = {agent for agent, _ in house.memberships}.union(agent_ids)
        of = self._of(asked) | {"members": self.session.many(members), "minds": pairs(minds or ())}
        carried = "all" if minds is None else "some" if minds else "nothing"
        found = await self.session.together(hud_question(is_sqlite=self.session.is_sqlite, carried=carried), of)
        keys, held_keys = _by_room_and_holder(found.rows("keys"), asked)
        unposted, being_posted = await self._unposted(community_id, found)
        return View(
            community=house.community,
            config=self.config.overlaid(house.community.overrides),
            agents=house.agents,
            all_rooms=house.all_rooms,
            rooms=await self._rooms(asked, house, _checkpoints(found)),
            memberships=house.memberships,
            minds={} if carried == "nothing" else await minds_in(found),
            looked_into=None if minds is None else frozenset(minds),
            schedules=_schedules(found),
            keys=keys,
            held_keys=held_keys,
            requests=_requests(found),
            unposted=unposted,
            being_posted=being_posted,
            reasons=_reasons(found),
        )

    async def minds(self, community_id: CommunityId, minds: Collection[MindId]) -> Belongings:
        """Give some minds as `whole` gives them."""
        return await minds_of(self.session, community_id, minds)

    def each_mind(self, community_id: CommunityId, agent_ids: Collection[AgentId]) -> AsyncIterator[Mind]:
        """Give what agents know and have in view on every side, one mind after the other: many may be large."""
        return each_mind(self.session, community_id, agent_ids)

    async def mind_sizes(self, community_id: CommunityId, minds: Collection[MindId]) -> Mapping[MindId, int]:
        """Give how many characters there are to each of some minds, about; none of which nothing was written."""
        of = {"community_id": community_id, "minds": pairs(minds)}
        return {(row[0], row[1]): int(row[2]) for row in await self.session.rows(self._questions.mind_sizes, of)}

    async def roster(
        self, community_id: CommunityId, *, agent_ids: Collection[AgentId] = (), room_ids: Collection[AgentId] = ()
    ) -> Roster:
        """Give no more than these agents, whole, and these rooms, as far as they are there; raises NotFound."""
        of = {"rooms": self.session.many({*agent_ids, *room_ids}), "whole": self.session.many(agent_ids)}
        community = await self._itself(community_id)
        rows = await self.session.rows(self._questions.roster, {"community_id": community_id, **of})
        agents, rooms, _ = await self._residents_of(community_id, rows)
        return Roster(
            community=community,
            config=self.config.overlaid(community.overrides),
            agents=agents,
            all_rooms=rooms,
        )

    async def to_post(self, community_id: CommunityId, *, message_id: MessageId, room_id: AgentId) -> ToPost | None:
        """Give what a message is posted with, its speakers without their prompts."""
        question = post_question(is_sqlite=self.session.is_sqlite, itself=not self._is_known(community_id))
        of = {"community_id": community_id, "said": message_id, "place": room_id, "whole": self.session.many(())}
        found = await self.session.together(question, of)
        said = {one.id: one for one in await messages_in(self.session, community_id, found.rows("said"))}
        if (message := said.get(message_id)) is None:
            return None
        house = await self._house_of(Asked(community_id, (), (), 0), found, "roster")
        config = self.config.overlaid(house.community.overrides)
        earlier = found.rows("earlier") if message.sender.kind is SenderKind.AGENT else ()
        return ToPost(
            view=Roster(community=house.community, config=config, agents=house.agents, all_rooms=house.all_rooms),
            message=message,
            answered=said.get(message.reply_to) if message.reply_to is not None else None,
            last_posted=found.rows("last")[0][0],
            earlier_at=earlier[0][0] if earlier else None,
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
        asked = Asked(community_id, agent_ids, room_ids, messages)
        # SQLite loses time where messages and residents, which are wide, are columns of one answer
        beside = messages > 0 and view_bounds.is_even(asked) and not self.session.is_sqlite
        question = glance_question(
            is_sqlite=self.session.is_sqlite,
            itself=not self._is_known(community_id),
            newest=beside,
            letters=letters,
            summaries=summaries,
        )
        bounds = {"messages": messages, "characters": view_bounds.MOST_CHARACTERS, "whole": self.session.many(())}
        found = await self.session.together(question, self._of(asked) | bounds)
        house = await self._house_of(asked, found, "roster")
        house = replace(house, all_rooms={id_: room for id_, room in house.all_rooms.items() if id_ in house.wanted})
        unposted, being_posted = await self._unposted(community_id, found) if letters else ({}, {})
        newest = await self._newest_in(community_id, found.rows("newest")) if beside else None
        shown = replace(asked, rooms=set(house.all_rooms))
        return Glance(
            community=house.community,
            config=self.config.overlaid(house.community.overrides),
            agents=house.agents,
            all_rooms=house.all_rooms,
            rooms=await self._rooms(shown, house, _checkpoints(found) if summaries else None, newest),
            memberships=house.memberships,
            unposted=unposted,
            being_posted=being_posted,
            reasons=_reasons(found),
        )

    async def action_view(
        self,
        community_id: CommunityId,
        *,
        agent_ids: Sequence[AgentId],
        room_ids: Sequence[AgentId],
        doors: bool,
        minds: Collection[MindId] | None = (),
    ) -> Subject:
        """Give a view with what actions look at and change, and nothing that only a HUD shows; raises NotFound."""
        house = await self._house(community_id, agent_ids, room_ids)
        asked = Asked(community_id, agent_ids, house.wanted & set(house.all_rooms), 0)
        return Subject(
            community=house.community,
            config=self.config.overlaid(house.community.overrides),
            agents=house.agents,
            all_rooms=house.all_rooms,
            rooms=_seats(asked, house),
            memberships=house.memberships,
            minds=await knowledge_and_focus(self.session, community_id, agent_ids, minds),
            looked_into=None if minds is None else frozenset(minds),
            doors=await self._doors(asked) if doors else None,
        )

    def _is_known(self, community_id: CommunityId) -> bool:
        return self.session.community is not None and self.session.community.id == community_id

    async def _itself(self, community_id: CommunityId) -> Community:
        if self.session.community is not None and self._is_known(community_id):
            return self.session.community
        return self._made(await self.session.rows(self._questions.community, {"community_id": community_id}))

    def _made(self, rows: Rows) -> Community:
        if not rows:
            raise NotFound(Sentence("There is no such community: see the list of communities."))
        self.session.community = community_of(rows)
        return self.session.community

    async def _house(
        self, community_id: CommunityId, agent_ids: Collection[AgentId], room_ids: Collection[AgentId]
    ) -> "_House":
        """Give everyone and all rooms, of private threads only those that are asked for; with prompts who is."""
        asked = Asked(community_id, agent_ids, room_ids, 0)
        question = house_question(is_sqlite=self.session.is_sqlite, itself=not self._is_known(community_id))
        of = self._of(asked) | {"whole": self.session.many({*agent_ids, *room_ids})}
        return await self._house_of(asked, await self.session.together(question, of), "residents")

    async def _house_of(self, asked: Asked, found: Answers, residents: str) -> "_House":
        known = self.session.community if self._is_known(asked.community_id) else None
        community = known or self._made(found.rows("community"))
        seats = (membership_of(tuple(row)) for row in found.rows("memberships"))
        memberships = {(one.agent_id, one.room_id): one for one in sorted(seats, key=_by_agent_and_room)}
        agents, all_rooms, counts = await self._residents_of(asked.community_id, found.rows(residents))
        wanted = {room for _, room in memberships}.union(asked.rooms)
        return _House(community, memberships, agents, all_rooms, counts, wanted)

    async def _residents_of(self, community_id: CommunityId, rows: Rows) -> Residents:
        """Give agents and rooms of rows of `questions.residents`, the agents' own rooms first."""
        agents: dict[AgentId, Agent] = {}
        rooms: dict[AgentId, Room] = {}
        counts: dict[AgentId, int] = {}
        for number, row in enumerate(sorted(rows, key=lambda row: (row[THREAD_OF] is not None, row[ROOM_ID])), 1):
            agent, room = agent_of(row[:AGENT_END]), place_of(row[AGENT_END:ROOM_END])
            prompt, lore = row[ROOM_END + 1 :]
            agents[agent.id] = agent if prompt is None else whole_agent_of(agent, prompt, lore)
            rooms[room.id], counts[room.id] = room, row[ROOM_END]
            if number % AT_A_TIME == 0:
                await asyncio.sleep(0)  # others have work too
        return await self._told(community_id, agents), all_rooms_of(rooms), counts

    async def _told(self, community_id: int, agents: dict[AgentId, Agent]) -> dict[AgentId, Agent]:
        """Give agents with who paused them, which is kept by id, by name."""
        paused = {id_: agent.paused_reason for id_, agent in agents.items() if agent.paused_reason}
        why = await worded(self.session, community_id, list(paused.values()))
        return agents | {id_: replace(agents[id_], paused_reason=one) for id_, one in zip(paused, why, strict=True)}

    async def _rooms(
        self,
        asked: Asked,
        house: "_House",
        checkpoints: Mapping[AgentId, tuple[Checkpoint, int]] | None,
        newest: Mapping[AgentId, Sequence[Message]] | None = None,
    ) -> dict[AgentId, RoomView]:
        """Give rooms with what is said there; without `checkpoints` nobody asks what they cover."""
        if newest is None:
            newest = await self._newest(asked, house)
        seats = _seats(asked, house, newest, checkpoints or NOTHING)
        if checkpoints is None or asked.messages <= view_bounds.LEAST_OF_A_ROOM:
            return seats
        uncovered = await self._uncovered(asked, house.counts, newest)
        return seats | {id_: replace(seats[id_], uncovered_tokens=tokens) for id_, tokens in uncovered.items()}

    async def _newest(self, asked: Asked, house: "_House") -> dict[AgentId, list[Message]]:
        if asked.messages <= 0:
            return {}
        newest: dict[AgentId, list[Message]] = {}
        left = view_bounds.MOST_CHARACTERS
        for most, rooms in alike(most_of_each(asked, house.counts, house.memberships), house.counts):
            of = self._of(replace(asked, rooms=rooms)) | {"messages": most, "characters": left}
            found = await self._newest_in(asked.community_id, await self.session.rows(self._questions.newest, of))
            newest |= found
            left -= sum(size(one) for lines in found.values() for one in lines)
        return newest

    async def _newest_in(self, community_id: CommunityId, rows: Rows) -> dict[AgentId, list[Message]]:
        """Give messages by room in Discord's order."""
        found = sorted(await messages_in(self.session, community_id, rows), key=_by_room_and_time)
        return {room: list(lines) for room, lines in groupby(found, key=lambda message: message.room_id)}

    async def _uncovered(self, asked: Asked, counts: Counts, newest: Mapping[AgentId, Sized]) -> dict[AgentId, int]:
        """Give what no summary covers of the rooms of which fewer messages were read than were asked for.

        Of so many full rooms that all of them together have more than a view may hold nobody asks it.
        """
        short = [id_ for id_ in asked.rooms if len(newest.get(id_, ())) < min(counts[id_], asked.messages)]
        if not short or of_each((counts[room] for room in asked.rooms), asked.messages) < asked.messages:
            return {}
        of = self._of(replace(asked, rooms=short)) | {"messages": asked.messages}
        return {row[0]: int(row[1] or 0) for row in await self.session.rows(self._questions.uncovered, of)}

    async def _unposted(
        self, community_id: CommunityId, found: Answers
    ) -> tuple[dict[AgentId, tuple[Letter, ...]], dict[AgentId, tuple[Message, ...]]]:
        """Give the open letters, and what those of them say that are posts."""
        letters = sorted(map(letter_of, found.mappings("letters")), key=lambda letter: letter.id)
        words: list[Message] = []
        if rows := found.rows("being_posted"):
            words = sorted(await messages_in(self.session, community_id, rows), key=lambda one: (one.room_id, one.id))
            of_scenes = {one.id for one in words if one.scene_id is not None}  # they take no floor
            letters = [letter for letter in letters if letter.message_id not in of_scenes]
            words = [one for one in words if one.id not in of_scenes]
        return gathered((one.room_id, one) for one in letters), gathered((one.room_id, one) for one in words)

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
        found = await self.session.together(doors_question(is_sqlite=self.session.is_sqlite), self._of(asked))
        keys, holding = _by_room_and_holder(found.rows("keys"), asked)
        return Doors(keys=keys, held_keys=holding, requests=_requests(found))


def _seats(
    asked: Asked,
    house: "_House",
    messages: Mapping[AgentId, Sequence[Message]] = NOTHING,
    checkpoints: Mapping[AgentId, tuple[Checkpoint, int]] = NOTHING,
) -> dict[AgentId, RoomView]:
    members: dict[AgentId, list[AgentId]] = {}
    for agent, room in house.memberships:
        members.setdefault(room, []).append(agent)
    rooms = house.all_rooms
    return {
        id_: RoomView(
            room=rooms[id_],
            members=_seated(rooms[id_].owner_id, members.get(id_, ())),
            messages=tuple(messages.get(id_, ())),
            older=max(0, house.counts[id_] - len(messages.get(id_, ()))),
            checkpoint=checkpoints[id_][0] if id_ in checkpoints else None,
            checkpoints=checkpoints[id_][1] if id_ in checkpoints else 0,
        )
        for id_ in sorted(asked.rooms)
    }


# What is asked together comes in any order: how it is read is told here.


def _by_agent_and_room(seat: Membership) -> Pair:
    return seat.agent_id, seat.room_id


def _by_room_and_time(message: Message) -> tuple[int, datetime, int, int]:
    return message.room_id, message.sent_at, message.discord_id or 0, message.id


def _reasons(found: Answers) -> dict[AgentId, tuple[Reason, ...]]:
    rows = sorted(found.mappings("reasons"), key=lambda row: (row["due_at"], row["kind"], row["room_id"]))
    return gathered((row["agent_id"], reason_of(row)) for row in rows)


def _checkpoints(found: Answers) -> dict[AgentId, tuple[Checkpoint, int]]:
    """Give each room's newest summary, and how many there are."""
    return {row["room_id"]: (plain(Checkpoint, row), row["number"]) for row in found.mappings("checkpoints")}


def _schedules(found: Answers) -> dict[AgentId, tuple[Schedule, ...]]:
    rows = sorted(found.mappings("schedules"), key=lambda row: (row["at"], row["id"]))
    return gathered((row["agent_id"], plain(Schedule, row)) for row in rows)


def _requests(found: Answers) -> dict[AgentId, tuple[AccessRequest, ...]]:
    rows = sorted(found.mappings("requests"), key=_by_id)
    return gathered((row["room_id"], plain(AccessRequest, row)) for row in rows)


def _by_id(row: Values) -> int:
    return int(row["id"])


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


def _by_room_and_holder(rows: Rows, asked: Asked) -> tuple[Keys, Keys]:
    """Give keys by room and by holder; there is a row for each holder."""
    ordered = sorted(rows, key=lambda row: int(row[KEY_ID]))
    groups = [list(group) for _, group in groupby(ordered, key=lambda row: row[KEY_ID])]
    keys = [key_of(named(KEYS, its[0]), {row[HOLDER] for row in its if row[HOLDER] is not None}) for its in groups]
    here = gathered((key.room_id, key) for key in keys if key.room_id in asked.rooms)
    return here, gathered((agent_id, key) for key in keys for agent_id in key.held_by)
