"""Records with sensible defaults, so that a test names only what it is about."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bot.core.config import CommunityConfig
from bot.core.kinds import AgentType, SenderKind
from bot.core.records import (
    Agent,
    AgentId,
    Community,
    CommunityId,
    Membership,
    Message,
    MessageId,
    Person,
    Room,
    Sender,
    Snowflake,
    WholeAgent,
)
from bot.core.view import RoomView, View
from tests.fakes import START

Fields = dict[str, Any]

COMMUNITY_ID = CommunityId(1)
GUILD_ID = Snowflake(9_000_000_000_000_001)


def community(**fields: Any) -> Community:  # noqa: ANN401 - a factory passes fields on
    base: Fields = {"id": COMMUNITY_ID, "guild_id": GUILD_ID, "name": "Testers"}
    return Community(**(base | fields))


def agent(id: int = 1, **fields: Any) -> WholeAgent:  # noqa: ANN401
    base: Fields = {
        "community_id": COMMUNITY_ID,
        "id": AgentId(id),
        "name": f"Agent{id}",
        "type": AgentType.PERSONA,
        "prompt": f"You are the resident number {id}.",
        "model": "gpt-4o-mini",
        "created_at": START - timedelta(days=1),
    }
    return WholeAgent(**(base | fields))


def room(id: int = 1, **fields: Any) -> Room:  # noqa: ANN401
    base: Fields = {
        "community_id": COMMUNITY_ID,
        "id": AgentId(id),
        "channel_id": Snowflake(7_000_000_000_000_000 + id),
    }
    return Room(**(base | fields))


def membership(agent_id: int = 1, room_id: int | None = None, **fields: Any) -> Membership:  # noqa: ANN401
    base: Fields = {
        "agent_id": AgentId(agent_id),
        "room_id": AgentId(room_id or agent_id),
        "joined_at": START - timedelta(days=1),
    }
    return Membership(**(base | fields))


def person(name: str = "mira", id: int = 501, **fields: Any) -> Person:  # noqa: ANN401
    base: Fields = {"id": Snowflake(id), "username": name, "display_name": name.title()}
    return Person(**(base | fields))


def by_person(name: str = "mira", id: int = 501) -> Sender:
    return Sender(kind=SenderKind.PERSON, person_id=Snowflake(id), name=name)


def by_agent(id: int) -> Sender:
    return Sender(kind=SenderKind.AGENT, agent_id=AgentId(id))


def message(id: int = 1, content: str = "hello", *, room_id: int = 1, **fields: Any) -> Message:  # noqa: ANN401
    base: Fields = {
        "id": MessageId(id),
        "room_id": AgentId(room_id),
        "sender": by_person(),
        "content": content,
        "sent_at": START + timedelta(seconds=id),
        "discord_id": Snowflake(8_000_000_000_000_000 + id),
    }
    return Message(**(base | fields))


def view(
    agents: Iterable[Agent] = (),
    *,
    rooms: Iterable[RoomView] = (),
    memberships: Iterable[Membership] = (),
    config: CommunityConfig | None = None,
    **fields: Any,  # noqa: ANN401
) -> View:
    """A view of these agents, each at least with its own room and membership."""
    them = {one.id: one for one in agents}
    shown = {one.room.id: one for one in rooms}
    member = {(one.agent_id, one.room_id): one for one in memberships}
    for id in them:
        member.setdefault((id, id), membership(id))
        shown.setdefault(id, RoomView(room=room(id), members=(id,)))
    base: Fields = {"community": community(), "config": config or CommunityConfig(), "agents": them, "rooms": shown}
    full = base | {"all_rooms": {id: one.room for id, one in shown.items()}, "memberships": member}
    return View(**(full | fields))


def later(seconds: float, *, start: datetime = START) -> datetime:
    return start + timedelta(seconds=seconds)


def with_messages(one: RoomView, *messages: Message) -> RoomView:
    return replace(one, messages=messages)
