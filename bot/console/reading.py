"""What managers read in the console: each page of it from the same readers as the commands."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from aiohttp import web

from bot.console import rows, shapes
from bot.console.feed import Feed
from bot.console.glances import Glances, Read
from bot.console.routes import Route
from bot.console.rows import Row
from bot.console.standing import Asker
from bot.core.errors import NotFound, Rejected
from bot.core.hud.changed import changed
from bot.core.next_beat import NextBeat, Waiting
from bot.core.page_rows import beat_row
from bot.core.records import PUBLIC_SIDE, AgentId, Beat, Message, MessageId, Room, Side, Snowflake
from bot.core.sight import Sight, members_of
from bot.core.view import Glance, View
from bot.engine.aside import aside
from bot.engine.front_desk import FrontDesk

ELSEWHERE: Final = "what it is in a room for that is closed to you"
CLOSED: Final = "This room is closed to you on Discord: somebody who sees it can let you in there."
PAGE: Final = 50  # messages or beats at a time
MOST_THREADS: Final = 20
SMALLEST_SNOWFLAKE: Final = 10**15  # our own ids are counted, and far below
LARGEST: Final = 2**63
LARGEST_COUNTED: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Readings:
    """Pages, by who asks."""

    desk: FrontDesk
    feed: Feed
    glances: Glances

    def routes(self) -> list[Route]:
        """Give what can be asked."""
        agent = "/agents/{agent}"
        past = {"before": "only beats before this one"}
        stretch = {"before": "only what came before this message", "at": "what came up to this message"}
        whose = "Whom the session or token is for."
        return [
            Route(path="/communities", told=self.communities, about=whose, gives=shapes.Communities),
            Route(
                path="/overview",
                told=self.overview,
                about="Everything at a glance.",
                gives=shapes.Overview,
            ),
            Route(
                path="/rooms/{room}",
                told=self.room,
                about="A stretch of a room's transcript.",
                query=stretch,
                gives=shapes.Transcript,
            ),
            Route(path="/messages/{message}", told=self.message, about="One message.", gives=shapes.Said),
            Route(path=agent, told=self.agent, about="One agent.", gives=shapes.OneAgent),
            Route(
                path=f"{agent}/beats",
                told=self.beats,
                about="An agent's beats, the newest first.",
                query=past,
                gives=shapes.Beats,
            ),
            Route(path=f"{agent}/beats/{{beat}}", told=self.beat, about="One beat.", gives=shapes.Looked),
        ]

    async def communities(self, asker: Asker, _: web.Request) -> Row:
        """Give the communities that who asks may ask about: the one that the session or token is for."""
        community, _config = await self.desk.community.settings(asker.guild_id)
        one: Row = {"server": str(asker.guild_id), "name": asker.server, "paused": community.paused}
        return {"communities": [one | {"for": asker.person.username}]}

    async def overview(self, asker: Asker, _: web.Request) -> web.Response:
        """Give everything at a glance: rooms, agents, money, what waits for a manager, models and letters."""
        read = await self.glances.of(asker.guild_id, self.feed.seq)
        closed = frozenset(id_ for id_, room in read.view.all_rooms.items() if asker.is_closed(room))
        if closed not in read.told:
            read.told[closed] = json.dumps(self._at_a_glance(asker, read)).encode()
        return web.Response(body=read.told[closed], content_type="application/json")

    def _at_a_glance(self, asker: Asker, read: Read) -> Row:
        view, spent = read.view, read.spent
        shown, looks = open_to(asker, view, read.looks)
        return {
            "server": asker.server,
            "seq": read.seq,
            "at": read.at.isoformat(),
            "paused": view.community.paused,
            "budget": rows.budget_row(spent),
            "rooms": [
                rows.room_row(shown, room, read.lately.get(room.id, 0), closed=asker.is_closed(room))
                for room in read.own
            ],
            "agents": [
                rows.resident_row(shown, one, looks[one.id], spent.by_agent.get(one.id), read.at)
                for one in shown.agents.values()
                if one.retired_at is None
            ],
            "waits": _waits(asker, read),
            "models": _models(view, spent.model.is_failing),
            "letters": [rows.queue_row(one) for one in read.letters],
        }

    async def room(self, asker: Asker, request: web.Request) -> Row:
        """Give a stretch of a room's transcript: the newest, or what came `before` a message, or up to `at` one."""
        place = await self.place(asker, AgentId(int(request.match_info["room"])))
        before, at = (_number(request.query.get(name, "")) for name in ("before", "at"))
        last = await self._found(asker, at) if at is not None else None
        if last is not None and last.room_id != place.id:
            raise NotFound("That message is in another room.")
        mark = last.id if last is not None else before
        found = await self.desk.rooms.history(
            asker.guild_id, place.id, before=None if mark is None else MessageId(mark), limit=PAGE
        )
        told = await self.told(asker, [*found, *([last] if last is not None else [])])
        roster = await self.desk.community.view(asker.guild_id, messages=0)
        here = rows.place_row(roster, place) | {"topic": place.topic, "billboard": place.billboard}
        threads = await self._threads(asker, place)
        return {
            "room": here,
            "messages": told,
            "more": len(found) == PAGE,
            "newest": mark is None,
            "threads": [rows.place_row(roster, one) for one in threads],
        }

    async def message(self, asker: Asker, request: web.Request) -> Row:
        """Give one message by our own id or by Discord's, with what lies behind it."""
        found = await self._found(asker, _number(request.match_info["message"]))
        await self.place(asker, found.room_id)
        return (await self.told(asker, [found]))[0]

    async def agent(self, asker: Asker, request: web.Request) -> Row:
        """Give what an agent is, carries, sees where, and costs."""
        guild_id, agent_id = asker.guild_id, AgentId(int(request.match_info["agent"]))
        view, looks = await self.desk.agents.foreseen(guild_id)
        if agent_id not in view.agents:
            raise NotFound(f"There is no agent {agent_id}.")
        await self.desk.minds.side(guild_id, view.agents[agent_id], None, who=asker.person.id)
        spent = await self.desk.money.spent_today(guild_id)
        view, looks = open_to(asker, view, looks)
        whole, agent = await self.desk.community.view(guild_id, agent_id, messages=0), view.agents[agent_id]
        sides = {PUBLIC_SIDE, *(whole.all_rooms[room_id].side for room_id in whole.joined(agent_id))}
        minds, more = await self.desk.minds.held(guild_id, agent_id, sides - closed_sides(asker, whole, agent_id))
        return {
            "agent": rows.resident_row(
                view, agent, looks[agent_id], spent.by_agent.get(agent_id), self.desk.clock.now()
            ),
            "prompt": whole.whole_agent(agent_id).prompt,
            "minds": [rows.mind_row(whole, one) for one in minds],
            "more_minds": more,
            "attention": rows.attention_rows(whole, agent_id),
            "feedback": dict(await self.desk.agents.feedback(guild_id, agent_id)),
            "days": rows.day_rows(await self.desk.money.days_of(guild_id, agent_id)),
            "coin": spent.model.source.coin,
        }

    async def beats(self, asker: Asker, request: web.Request) -> Row:
        """Give an agent's beats: the newest, or what came `before` one; `earlier`: before which there may be more."""
        model, agent_id = await self.desk.providers.model(asker.guild_id), AgentId(int(request.match_info["agent"]))
        found = await self.desk.beats.of(
            asker.guild_id,
            agent_id,
            who=asker.person.id,
            may_read=asker.may_read,
            before=_number(request.query.get("before", "")),
            limit=PAGE,
        )
        view = await self.desk.community.view(asker.guild_id, agent_id, messages=0)
        shut = closed_sides(asker, view, agent_id)
        return {
            "beats": [rows.brief_row(one, model) for one in found if one.side not in shut],
            "earlier": found[-1].id if len(found) == PAGE else None,
        }

    async def beat(self, asker: Asker, request: web.Request) -> Row:
        """Give what an agent saw at a beat, what of it was new, what it answered, and what came of that."""
        agent_id, number = AgentId(int(request.match_info["agent"])), int(request.match_info["beat"])
        guild_id, who, may_read = asker.guild_id, asker.person.id, asker.may_read
        beat = await self.desk.beats.one(guild_id, agent_id, number, who=who, may_read=may_read)
        view = await self.desk.community.view(guild_id, agent_id, messages=0)
        if beat.side in closed_sides(asker, view, agent_id):
            raise Rejected(CLOSED)
        before = await self.desk.beats.before(guild_id, beat, who=who, may_read=may_read)
        model = await self.desk.providers.model(guild_id)
        place = view.all_rooms.get(beat.room_id) if beat.room_id is not None else None
        compared = await aside(changed, before.hud, beat.hud) if before is not None and before.hud else None
        return {
            "agent": {"id": agent_id, "name": view.agents[agent_id].name if agent_id in view.agents else ""},
            "beat": beat_row(beat, model) | rows.brief_row(beat, model),
            "where": rows.place_row(view, place) if place is not None else None,
            "by": await self._name(asker, beat.person_id),
            "before": None if before is None else {"id": before.id, "at": before.at.isoformat()},
            "sections": rows.section_rows(beat, before),
            "stretches": compared.stretches if compared else [(beat.hud, False)],
            "gone": compared.gone if compared else [],
        }

    async def _name(self, asker: Asker, person_id: Snowflake | None) -> str | None:
        """Give the username of who caused a beat; None for nobody, and who is known no longer."""
        known = await self.desk.community.people(asker.guild_id, [person_id] if person_id is not None else [])
        return next((f"@{one.username}" for one in known.values()), None)

    async def told(self, asker: Asker, messages: list[Message]) -> list[Row]:
        """Give messages with the beats and letters behind them."""
        view = await self.desk.community.view(asker.guild_id, messages=0)
        model = await self.desk.providers.model(asker.guild_id)
        beats: Mapping[MessageId, Beat] = await self.desk.beats.said(asker.guild_id, messages, who=asker.person.id)
        letters = await self.desk.messages.deliveries(asker.guild_id, messages)
        return [rows.message_row(view, one, beats.get(one.id), letters.get(one.id), model) for one in messages]

    async def _found(self, asker: Asker, number: int | None) -> Message:
        if number is not None and number >= SMALLEST_SNOWFLAKE:
            return await self.desk.messages.at(asker.guild_id, number, may_read=asker.may_read)
        if number is None or number > LARGEST_COUNTED:
            raise NotFound("There is no such message: paste the link of one in an agent's room.")
        found = await self.desk.messages.by_id(asker.guild_id, MessageId(number), may_read=asker.may_read)
        if found.scene_id is not None:  # counted through, these would tell what its seats say among themselves
            raise NotFound("That was said in a scene: paste its link from Discord.")
        return found

    async def place(self, asker: Asker, room_id: AgentId) -> Room:
        """Give a room, or a private thread that who asks may read now; raises NotFound."""
        place = await self.desk.rooms.place(asker.guild_id, room_id)
        if place is not None and place.thread_of is not None:
            place = await self.desk.rooms.thread_at(asker.guild_id, place.channel_id, asker.may_read)
        if place is None:
            raise NotFound(f"There is no room {room_id}, or it is not for you.")
        if asker.is_closed(place):
            raise Rejected(CLOSED)
        return place

    async def _threads(self, asker: Asker, place: Room) -> list[Room]:
        """Give the newest private threads in a room that who asks may read now."""
        there = [one for one in (await self.desk.rooms.threads(asker.guild_id)).values() if one.thread_of == place.id]
        newest = sorted(there, key=lambda one: one.id, reverse=True)[:MOST_THREADS]
        found = [await self.desk.rooms.thread_at(asker.guild_id, one.channel_id, asker.may_read) for one in newest]
        return [one for one in found if one is not None]


def _waits(asker: Asker, read: Read) -> list[Row]:
    """Give what a manager is to decide or to mend."""
    view = read.view
    names = {id_: agent.name for id_, agent in view.agents.items()}

    def of(room_id: AgentId) -> str:
        place = view.all_rooms.get(room_id)
        return names.get(place.owner_id if place is not None else room_id, "")

    found: list[Row] = []
    for knock in read.knocks:
        who = names.get(knock.requester_agent_id or AgentId(0)) or f"@{knock.requester_name}"
        words = f"{who} knocks at {of(knock.room_id)}'s room."
        found.append(rows.wait_row("knock", knock.room_id, knock.created_at, words))
    for letter, said in read.held:
        place = view.all_rooms.get(letter.room_id)
        what = said if place is not None and not asker.is_closed(place) else "that room is closed to you."
        words = f"What {of(letter.room_id)}'s room was to show is held: {what}"
        found.append(rows.wait_row("held", letter.room_id, letter.created_at, words))
    for room in view.all_rooms.values():
        if room.thread_of is None and room.fault_told_at is not None:
            found.append(rows.wait_row("fault", room.id, room.fault_told_at, f"{of(room.id)}'s model fails."))
    return found


def _models(view: Glance, is_failing: Callable[[str], bool]) -> list[Row]:
    """Give how the models are: how many agents ask each, or have it as a spare one, and whether it fails."""
    living = [one for one in view.agents.values() if one.retired_at is None]
    return [
        {
            "name": name,
            "agents": sum(one.model == name for one in living),
            "spare_for": sum(name in one.spare_models for one in living),
            "failing": is_failing(name),
            "failures": sum(one.failures_in_a_row for one in living if one.model == name),
        }
        for name in sorted({name for one in living for name in (one.model, *one.spare_models)})
    ]


def _number(text: str) -> int | None:
    """Read a number that anybody may have written, if a database can hold it."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else None
    return number if number is not None and number < LARGEST else None


def open_to(asker: Asker, view: Glance, looks: Mapping[AgentId, NextBeat]) -> tuple[Glance, Mapping[AgentId, NextBeat]]:
    """Give a view, and what everybody is at, without what that tells of rooms that are closed to who asks."""
    closed = frozenset(id_ for id_, room in view.all_rooms.items() if asker.is_closed(room))
    inside = members_of(view, closed)
    shown = {
        id_: replace(
            look,
            waiting=Waiting.NEWS,
            words=ELSEWHERE,
            at=None,
            doing={room_id: what for room_id, what in look.doing.items() if room_id not in closed},
        )
        if id_ in inside
        else look
        for id_, look in looks.items()
    }
    return Sight(hidden_rooms=closed, hidden_agents=inside).of(view), shown


def closed_sides(asker: Asker, view: View, agent_id: AgentId) -> frozenset[Side]:
    """Give the sides of an agent on which it sees a room that is closed to who asks: so its whole HUD there is.

    `view`: one that was asked for this agent, and so holds where it is.
    """
    rooms = [view.all_rooms[room_id] for room_id in view.joined(agent_id)]
    rooms.extend(room for room in view.all_rooms.values() if room.side != PUBLIC_SIDE)
    return frozenset(room.side for room in rooms if asker.is_closed(room))
