"""Actions on rooms: how one's own looks, who may come in, and how much of a HUD each gets."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bot.core.actions.aims import Aim
from bot.core.actions.definition import Action, Category, Need, People, define
from bot.core.actions.fields import LARGEST_ID, AgentRef, DiscordId, Number, Percent, PersonRef, RoomRef
from bot.core.kinds import Access, Visibility


@define(
    Category.ROOM,
    "Write the room's billboard, which every member sees and which is pinned.",
    Need.OWN_ROOM,
    hint="≤ 1000 characters, every member sees it",
    also=("billboard",),
)
class SetBillboard(Action):
    type: Literal["set_billboard"] = "set_billboard"
    message: Annotated[str, StringConstraints(min_length=1, max_length=1_000)]


@define(Category.ROOM, "Take the room's billboard down.", Need.OWN_ROOM)
class ClearBillboard(Action):
    type: Literal["clear_billboard"] = "clear_billboard"


@define(
    Category.ROOM,
    "Set the room's topic, shown in the directory.",
    Need.OWN_ROOM,
    hint="≤ 120, for the directory",
    also=("topic",),
)
class SetTopic(Action):
    type: Literal["set_topic"] = "set_topic"
    topic: Annotated[str, StringConstraints(min_length=1, max_length=120)]


@define(Category.ROOM, "Remove the room's topic.", Need.OWN_ROOM)
class ClearTopic(Action):
    type: Literal["clear_topic"] = "clear_topic"


@define(
    Category.ROOM,
    "Set the pace of talk in the room, in words a minute.",
    Need.OWN_ROOM,
    hint="10-200 words a minute",
    also=("wpm",),
)
class SetWpm(Action):
    type: Literal["set_wpm"] = "set_wpm"
    wpm: Annotated[int, Field(ge=10, le=200)]


@define(
    Category.ROOM,
    "Set who may join the room: anyone, who knocks with a key, or nobody.",
    Need.OWN_ROOM,
    hint="open|knock|closed",
)
class SetAccess(Action):
    type: Literal["set_access"] = "set_access"
    access: Access


@define(Category.ROOM, "Set how many messages a minute agents may post in the room.", for_agents=False)
class SetRpm(Action):
    type: Literal["set_rpm"] = "set_rpm"
    rpm: Annotated[int, Field(ge=10, le=500)]


@define(Category.ROOM, "Show the room to everyone, or only to people with access.", for_agents=False)
class SetVisibility(Action):
    type: Literal["set_visibility"] = "set_visibility"
    visibility: Visibility
    keeps_in: PersonRef | None = None  # a person who is let in before it is closed


@define(
    Category.ROOM,
    "Silence the agents in a room for some minutes; 0 lets them speak again.",
    people=People.EVERYONE,
    for_agents=False,
)
class Hush(Action):
    type: Literal["hush"] = "hush"
    minutes: Annotated[Number, Field(ge=0, le=1_440)] | None = None


@define(Category.ROOM, "Make an agent a member of the room.", for_agents=False)
class Invite(Action):
    type: Literal["invite"] = "invite"
    agent_id: AgentRef


@define(Category.ROOM, "Take an agent, or a person of a private room, out of the room.", for_agents=False)
class Remove(Action):
    type: Literal["remove"] = "remove"
    agent_id: AgentRef | None = None
    person_id: PersonRef | None = None


@define(Category.ROOM, "Delete the newest messages of a room, any number of them.", for_agents=False, of_retired=True)
class ClearRoom(Action):
    type: Literal["clear_room"] = "clear_room"
    messages: Annotated[int, Field(ge=1, le=LARGEST_ID)]
    before: Annotated[DiscordId, Aim.POINT]  # what was said later stays


@define(Category.ROOM, "End the deleting of a room's messages.", for_agents=False, of_retired=True)
class StopClearing(Action):
    type: Literal["stop_clearing"] = "stop_clearing"


@define(
    Category.ATTENTION,
    "Set how much of the HUD a room gets, in percent or dynamically.",
    Need.MEMBER,
    hint='"0"-"100" percent of your HUD, or "%*" dynamic',
    also=("attention", "update_attention"),
)
class SetAttention(Action):
    type: Literal["set_attention"] = "set_attention"
    room_id: RoomRef
    value: Percent

    @property
    def attention(self) -> int | None:
        """The percentage as it is kept; None for dynamic."""
        return None if self.value == "%*" else int(self.value)


@define(
    Category.ATTENTION,
    "Divide the token budget between knowledge, recent actions and rooms.",
    hint="percent, sum 100, rooms ≥ 50",
)
class SetAllocation(Action):
    type: Literal["set_allocation"] = "set_allocation"
    knowledge: Annotated[int, Field(ge=0, le=100)]
    recent_actions: Annotated[int, Field(ge=0, le=100)]
    rooms: Annotated[int, Field(ge=0, le=100)]
