"""The closed set of actions: their union, their order and their definitions by name."""

from typing import Annotated

from pydantic import Field, TypeAdapter

from bot.core.actions.access import (
    CreateKey,
    DenyAccess,
    GiveKey,
    GrantAccess,
    HandKey,
    JoinRoom,
    LeaveRoom,
    RequestAccess,
    RevokeKey,
)
from bot.core.actions.agents import (
    AlterAgent,
    CloneAgent,
    CreateAgent,
    DeleteAgent,
    PermitAgent,
    RestoreAgent,
    RetireAgent,
    SetName,
)
from bot.core.actions.community import SetIgnored, SetMuted, SetSetting
from bot.core.actions.definition import BaseAction, Category, Definition
from bot.core.actions.mind import (
    Append,
    Checkpoints,
    Compact,
    Delete,
    Get,
    Hud,
    HudBlocker,
    HudClear,
    HudDecision,
    HudFile,
    HudNote,
    HudStep,
    HudUpdate,
    ReadHistory,
    ReadMessage,
    Recall,
    Set,
    UndoKnowledge,
)
from bot.core.actions.room import (
    ClearBillboard,
    ClearTopic,
    Hush,
    Invite,
    Remove,
    SetAccess,
    SetAllocation,
    SetAttention,
    SetBillboard,
    SetRpm,
    SetTopic,
    SetVisibility,
    SetWpm,
)
from bot.core.actions.talk import (
    CancelScheduled,
    Pause,
    React,
    Reply,
    Resume,
    Say,
    ScheduleMessage,
    SendMessage,
    SetInterval,
    Sleep,
    WakeAgent,
)

MindAction = (
    Set
    | Append
    | Delete
    | Get
    | UndoKnowledge
    | Hud
    | HudUpdate
    | HudNote
    | HudDecision
    | HudFile
    | HudBlocker
    | HudStep
    | HudClear
    | Recall
    | ReadHistory
    | ReadMessage
    | Checkpoints
    | Compact
)
TalkAction = (
    React
    | WakeAgent
    | SendMessage
    | Reply
    | Say
    | Sleep
    | ScheduleMessage
    | CancelScheduled
    | SetInterval
    | Pause
    | Resume
)
RoomAction = (
    SetBillboard
    | ClearBillboard
    | SetTopic
    | ClearTopic
    | SetWpm
    | SetAccess
    | SetRpm
    | SetVisibility
    | Hush
    | Invite
    | Remove
    | SetAttention
    | SetAllocation
)
KeyAction = CreateKey | RevokeKey | GiveKey | HandKey
DoorAction = RequestAccess | GrantAccess | DenyAccess | JoinRoom | LeaveRoom
AgentAction = SetName | CreateAgent | AlterAgent | RetireAgent | RestoreAgent | PermitAgent | CloneAgent | DeleteAgent
CommunityAction = SetSetting | SetIgnored | SetMuted
Action = MindAction | TalkAction | RoomAction | KeyAction | DoorAction | AgentAction | CommunityAction

ACTION: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="type")])

MODELS: tuple[type[BaseAction], ...] = Action.__args__
ORDER = tuple(Category)
CATALOGUE: tuple[Definition, ...] = tuple(
    sorted((model.definition for model in MODELS), key=lambda definition: ORDER.index(definition.category))
)
BY_NAME = {definition.name: definition for definition in CATALOGUE}


def hud_actions(*, privileged: bool) -> dict[str, tuple[str, ...]]:
    """Give the HUD's list of actions by category: those every agent has, or only those of the privileged."""
    shown = [each for each in CATALOGUE if each.listed and each.privileged is privileged]
    return {
        category.value: tuple(each.hud_line for each in shown if each.category is category)
        for category in Category
        if any(each.category is category for each in shown)
    }
