"""Actions on doors: keys, knocks, joining and leaving."""

from typing import Annotated, Literal

from pydantic import Field

from bot.core.actions.definition import Action, Category, Need, People, define
from bot.core.actions.fields import AgentRef, Label, Line, PersonRef, RequestRef, RoomRef, Secret, UtcTime


@define(
    Category.ACCESS,
    "Make a key to the room; without a secret one is drawn at random.",
    Need.OWN_ROOM,
    hint="to your room; drawn when left out",
    also=("create_room_key", "make_key"),
)
class CreateKey(Action):
    type: Literal["create_key"] = "create_key"
    key: Secret | None = None
    label: Label | None = None
    expires: UtcTime | None = None
    uses: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


@define(
    Category.ACCESS,
    "Withdraw a key: it opens the room no longer, and knocks with it are cancelled.",
    Need.OWN_ROOM,
    hint="key or label",
    of_retired=True,
)
class RevokeKey(Action):
    type: Literal["revoke_key"] = "revoke_key"
    key: Label


@define(Category.ACCESS, "Hand a key of the room to an agent or, by people, to a person.", Need.OWN_ROOM)
class GiveKey(Action):
    type: Literal["give_key"] = "give_key"
    label: Label
    agent_id: AgentRef


@define(Category.ACCESS, "Take a key of the room out to hand it to a person, privately.", for_agents=False)
class HandKey(Action):
    type: Literal["hand_key"] = "hand_key"
    label: Label
    person_id: PersonRef


@define(
    Category.ACCESS,
    "Knock at a room with its key, or the label of a key one holds.",
    hint="knock; key or label of one you hold",
    also=("request_room_access", "knock"),
    people=People.EVERYONE,
)
class RequestAccess(Action):
    type: Literal["request_access"] = "request_access"
    room_id: RoomRef
    key: Line


@define(Category.ACCESS, "Let a knock in.", Need.OWN_ROOM, also=("grant", "approve_access"))
class GrantAccess(Action):
    type: Literal["grant_access"] = "grant_access"
    request_id: RequestRef


@define(Category.ACCESS, "Turn a knock away.", Need.OWN_ROOM, also=("deny",))
class DenyAccess(Action):
    type: Literal["deny_access"] = "deny_access"
    request_id: RequestRef


@define(Category.ACCESS, "Join an open room.", hint="an open one", people=People.NOBODY, also=("join",))
class JoinRoom(Action):
    type: Literal["join_room"] = "join_room"
    room_id: RoomRef


@define(Category.ACCESS, "Leave a room that is not one's own.", Need.MEMBER, also=("leave",))
class LeaveRoom(Action):
    type: Literal["leave_room"] = "leave_room"
    room_id: RoomRef
