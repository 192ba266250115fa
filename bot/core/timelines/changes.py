"""What somebody may change in a world before it goes on: six kinds, each held to the limits of real life."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from bot.core.actions import (
    AlterAgent,
    Append,
    ClearPlan,
    Delete,
    HudBlocker,
    HudClear,
    HudDecision,
    HudFile,
    HudNote,
    HudStep,
    HudUpdate,
    PlanGoal,
    PlanMilestone,
    PlanStrategy,
    Set,
    SetAllocation,
    SetAttention,
    SetPlan,
)
from bot.core.actions.fields import LONGEST_LINE, AgentRef, Line, RoomRef

MOST_CHANGES = 10
MindAction = Annotated[
    Set | Append | Delete | HudUpdate | HudNote | HudDecision | HudFile | HudBlocker | HudStep | HudClear,
    Field(discriminator="type"),
]
PlanAction = Annotated[
    PlanGoal | PlanMilestone | PlanStrategy | SetPlan | ClearPlan,
    Field(discriminator="type"),
]


class _Change(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AgentCtx(_Change):
    """Knowledge and focus of an agent, by its own actions, and a line that it alone is told once.

    `side`: of the barrier; 0 for the public rooms.
    """

    kind: Literal["agent_ctx"] = "agent_ctx"
    agent_id: AgentRef
    side: int = Field(default=0, ge=0)
    actions: tuple[MindAction, ...] = ()
    told: Annotated[str, Field(max_length=LONGEST_LINE)] = ""


class AgentPlan(_Change):
    """The plan of an agent, replaced or patched by plan actions."""

    kind: Literal["agent_plan"] = "agent_plan"
    agent_id: AgentRef
    side: int = Field(default=0, ge=0)
    actions: tuple[PlanAction, ...] = Field(min_length=1)


class AgentProps(_Change):
    """What an agent is, as the slash commands set it; None leaves a property as it is.

    `altered`, `allocation` and `attention` name the agent once more, as these actions do: it has to be the same.
    """

    kind: Literal["agent_props"] = "agent_props"
    agent_id: AgentRef
    altered: AlterAgent | None = None
    allocation: SetAllocation | None = None
    attention: tuple[SetAttention, ...] = ()
    interval_seconds: float | None = Field(default=None, ge=1, le=10)
    resting_interval_seconds: float | None = Field(default=None, ge=1, le=10)
    emotion: Line | None = None
    paused: bool | None = None
    joins: tuple[RoomRef, ...] = ()
    leaves: tuple[RoomRef, ...] = ()


class SceneState(_Change):
    """Where a scene stands, by what the kind's `edit` form offers."""

    kind: Literal["scene_state"] = "scene_state"
    scene_id: int = Field(ge=1)
    edit: Mapping[str, JsonValue]


class PublicEvent(_Change):
    """A line that System, or a visitor, says in a room."""

    kind: Literal["public_event"] = "public_event"
    room_id: RoomRef
    text: Line
    visitor: Annotated[str, Field(max_length=32)] = ""  # without @; empty: System


class Settings(_Change):
    """Settings of the community, by name; money, provider and places are refused."""

    kind: Literal["settings"] = "settings"
    values: Mapping[str, JsonValue] = Field(min_length=1)


Change = Annotated[AgentCtx | AgentPlan | AgentProps | SceneState | PublicEvent | Settings, Field(discriminator="kind")]
CHANGES: TypeAdapter[tuple[Change, ...]] = TypeAdapter(Annotated[tuple[Change, ...], Field(max_length=MOST_CHANGES)])
