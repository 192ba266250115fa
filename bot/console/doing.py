"""What managers change in the console: the same actions as by commands, at the same front desk, in the same audit."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from aiohttp import web
from pydantic import Field, RootModel

from bot.console import shapes
from bot.console.reading import CLOSED, Readings, closed_sides
from bot.console.routes import Route, Scope, read_body
from bot.console.rows import Row, place_row, stamp
from bot.console.standing import Asker
from bot.core.actions import (
    Action,
    ClearBillboard,
    ClearTopic,
    CreateKey,
    Delete,
    DenyAccess,
    GiveKey,
    GrantAccess,
    Hush,
    Invite,
    Remove,
    RevokeKey,
    Set,
    SetAccess,
    SetBillboard,
    SetRpm,
    SetTopic,
    SetWpm,
    UndoKnowledge,
)
from bot.core.errors import NotFound, Rejected
from bot.core.hud.changed import changed
from bot.core.keeping import JournalEntry
from bot.core.kinds import Access
from bot.core.records import AccessKey, Agent, AgentId, Side
from bot.engine.aside import aside
from bot.engine.front_desk import FrontDesk

FOUND_MOST: Final = 50
LONGEST_QUERY: Final = 60  # characters, as of /search
JOURNAL: Final = 50

ActionInARoom = Annotated[
    SetBillboard
    | ClearBillboard
    | SetTopic
    | ClearTopic
    | SetWpm
    | SetRpm
    | SetAccess
    | Hush
    | Invite
    | Remove
    | CreateKey
    | RevokeKey
    | GiveKey
    | GrantAccess
    | DenyAccess,
    Field(discriminator="type"),
]
ActionOnAMind = Annotated[Set | Delete | UndoKnowledge, Field(discriminator="type")]


class DoneInARoom(RootModel[ActionInARoom]):
    """What is done in a room: an action of docs/actions.md."""


class DoneToAMind(RootModel[ActionOnAMind]):
    """What is done to what an agent knows: an action of docs/actions.md."""


@dataclass(frozen=True, slots=True)
class Doings:
    """Changes, and what is read to make them; `readings` judges who may see what."""

    desk: FrontDesk
    readings: Readings

    def routes(self) -> list[Route]:
        """Give what can be asked."""
        room, agent, manage = "/rooms/{room}", "/agents/{agent}", Scope.MANAGE
        where = {"room": "a private room, for what it keeps beside that room alone"}
        words = {"words": "what to look for"}
        keys = manage  # their secrets are among the settings
        about = ("A room's members, keys, knocks and settings.", "Change what an agent knows, or undo a change.")
        history = f"{agent}/knowledge/history"
        return [
            Route(
                path=f"{room}/search", told=self.search, about="Find what was said.", query=words, gives=shapes.Found
            ),
            Route(path=f"{room}/settings", told=self.settings, scope=keys, about=about[0], gives=shapes.RoomSettings),
            Route(
                path=f"{room}/do",
                method="POST",
                scope=manage,
                body=DoneInARoom,
                told=self.in_a_room,
                about="Do something in a room.",
                gives=shapes.DoneThere,
            ),
            Route(
                path=f"{agent}/hud", told=self.hud, about="What an agent sees now.", query=where, gives=shapes.SeenNow
            ),
            Route(path=history, told=self.journal, about="How knowledge changed.", query=where, gives=shapes.Changes),
            Route(
                path=f"{agent}/knowledge",
                method="POST",
                scope=manage,
                body=DoneToAMind,
                told=self.to_a_mind,
                about=about[1],
                query=where,
                gives=shapes.Done,
            ),
        ]

    async def search(self, asker: Asker, request: web.Request) -> Row:
        """Find what was said in a room and its private threads, for who may read it now."""
        place = await self.readings.place(asker, AgentId(int(request.match_info["room"])))
        words = request.query.get("words", "").strip()[:LONGEST_QUERY]
        if not words or place.thread_of is not None:
            return {"found": []}
        found = await self.desk.messages.search(
            asker.guild_id, words, room_ids=[place.id], may_read=asker.may_read, limit=FOUND_MOST
        )
        told = await self.readings.told(asker, [one for one, _ in found])
        return {"found": [row | {"excerpt": excerpt} for row, (_, excerpt) in zip(told, found, strict=True)]}

    async def settings(self, asker: Asker, request: web.Request) -> Row:
        """Give what is set of a room, who is in it, and what opens it."""
        guild_id = asker.guild_id
        place = await self.readings.place(asker, AgentId(int(request.match_info["room"])))
        if place.thread_of is not None:
            raise NotFound("A private thread has no settings of its own: look at those of its room.")
        view = await self.desk.community.view(guild_id, place.id, messages=0)
        keys, secrets = await self.desk.doors.keys(guild_id, asker.person, place.id)
        knocks = [one for one in await self.desk.doors.knocks(guild_id) if one.room_id == place.id]
        names = {id_: one.name for id_, one in view.agents.items()}
        members = view.rooms[place.id].members if place.id in view.rooms else ()
        living = [id_ for id_, one in view.agents.items() if one.retired_at is None]
        return {
            "room": place_row(view, place)
            | {"topic": place.topic, "billboard": place.billboard, "wpm": place.wpm, "rpm": place.rpm}
            | {"access": place.access, "visibility": place.visibility, "hushed_until": stamp(place.hushed_until)},
            "members": [{"id": id_, "name": names.get(id_, ""), "owns": id_ == place.id} for id_ in members],
            "others": [{"id": id_, "name": names[id_]} for id_ in living if id_ not in members],
            "keys": [_key(one, secrets.get(one.id, ""), names) for one in keys],
            "knocks": [
                {
                    "id": one.id,
                    "by": names.get(one.requester_agent_id or AgentId(0)) or f"@{one.requester_name}",
                    "key": one.key_label,
                    "at": one.created_at.isoformat(),
                }
                for one in knocks
            ],
            "access": [one.value for one in Access],
        }

    async def in_a_room(self, asker: Asker, request: web.Request) -> Row:
        """Do something in a room, as its manager."""
        place = await self.readings.place(asker, AgentId(int(request.match_info["room"])))
        action = (await read_body(request, DoneInARoom)).root
        if isinstance(action, GrantAccess | DenyAccess):
            knock = await self.desk.doors.knock(asker.guild_id, action.request_id)
            if knock.room_id != place.id:
                raise NotFound("That knock is at another room.")
            grant = isinstance(action, GrantAccess)
            outcome = await self.desk.doors.decide(asker.guild_id, asker.person, knock.id, grant=grant)
        else:
            outcome = await self.desk.actions.take(asker.guild_id, asker.person, action, subject=place.owner_id)
        return {"told": outcome.result, "secret": outcome.secret or None}

    async def hud(self, asker: Asker, request: web.Request) -> Row:
        """Give what an agent would see now, and what of it is new since its last beat there."""
        agent, side = await self._mind(asker, request)
        seen = await self.desk.minds.hud(asker.guild_id, agent, side)
        text, sections = seen
        found = await self.desk.beats.of(
            asker.guild_id, agent.id, who=asker.person.id, may_read=asker.may_read, limit=FOUND_MOST
        )
        last = next((one for one in found if one.side == side), None)
        before = last and await self.desk.beats.one(
            asker.guild_id, agent.id, last.id, who=asker.person.id, may_read=asker.may_read
        )
        compared = await aside(changed, before.hud, text) if before is not None and before.hud else None
        were = dict(before.sections) if before is not None else {}
        return {
            "agent": {"id": agent.id, "name": agent.name},
            "side": side,
            "hud": text,
            "before": None if before is None else {"id": before.id, "at": before.at.isoformat()},
            "sections": [{"name": name, "tokens": tokens, "before": were.get(name)} for name, tokens in sections],
            "stretches": compared.stretches if compared else [(text, False)],
            "gone": list(compared.gone) if compared else [],
        }

    async def journal(self, asker: Asker, request: web.Request) -> Row:
        """Give the newest changes of what an agent knows."""
        agent, side = await self._mind(asker, request)
        entries = await self.desk.minds.journal(asker.guild_id, agent.id, side=side, limit=JOURNAL)
        return {"changes": [_change(one) for one in entries]}

    async def to_a_mind(self, asker: Asker, request: web.Request) -> Row:
        """Change what an agent knows."""
        agent, side = await self._mind(asker, request)
        action: Action = (await read_body(request, DoneToAMind)).root
        outcome = await self.desk.actions.take(asker.guild_id, asker.person, action, subject=agent.id, side=side)
        return {"told": outcome.result}

    async def _mind(self, asker: Asker, request: web.Request) -> tuple[Agent, Side]:
        """Give whose mind is meant, and on which side, if who asks may look into it there."""
        agent_id, said = AgentId(int(request.match_info["agent"])), request.query.get("room", "")
        view = await self.desk.community.view(asker.guild_id, agent_id, messages=0)
        room_id = AgentId(int(said)) if said.isascii() and said.isdigit() and len(said) < 10 else None
        agent, room = view.agents.get(agent_id), None if not room_id else view.agents.get(room_id)
        if agent is None or (said not in ("", "0") and room is None):
            raise NotFound(f"There is no agent {agent_id if agent is None else said}.")
        side = await self.desk.minds.side(asker.guild_id, agent, room, who=asker.person.id)
        if side in closed_sides(asker, view, agent_id):
            raise Rejected(CLOSED)
        return agent, side


def _key(key: AccessKey, secret: str, names: Mapping[AgentId, str]) -> Row:
    return {
        "label": key.label,
        "secret": secret,
        "expires_at": stamp(key.expires_at),
        "uses_left": key.uses_left,
        "held_by": [names.get(one, "") for one in key.held_by],
    }


def _change(one: JournalEntry) -> Row:
    return {
        "id": one.id,
        "at": one.at.isoformat(),
        "path": one.path,
        "before": one.before,
        "after": one.after,
        "by": one.by,
    }
