"""Actions in scenes: starting one, sitting down, directing it, and the one by which every move is made."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, JsonValue

from bot.core.actions.definition import Action, Category, People, define
from bot.core.actions.fields import AgentRef, Label, RoomRef, SceneRef

Direction = Literal["begin", "pause", "resume", "stop", "skip", "extend", "add", "choose"]


@define(Category.SCENES, "Open the lobby of a scene in a thread of a room.", for_agents=False)
class StartScene(Action):
    type: Literal["start_scene"] = "start_scene"
    room_id: RoomRef
    kind: Label
    title: str = Field(default="", max_length=100)
    options: Mapping[str, JsonValue] = Field(default_factory=dict)


@define(
    Category.SCENES,
    "Take a seat in a scene, or (who started it, and managers) let an agent take one.",
    people=People.EVERYONE,
    for_agents=False,
)
class TakeSeat(Action):
    type: Literal["take_seat"] = "take_seat"
    scene_id: SceneRef
    agent_id: AgentRef | None = None
    seat: int | None = Field(default=None, ge=1, le=50)  # one that was left
    comments: bool = False  # the agent takes none, but watches and comments
    pings: bool | None = None  # whether a person is called when it is their turn; who sits there already may say so


@define(
    Category.SCENES,
    "Leave one's seat in a scene, or (who started it, and managers) take an agent from its seat.",
    people=People.EVERYONE,
    for_agents=False,
)
class LeaveSeat(Action):
    type: Literal["leave_seat"] = "leave_seat"
    scene_id: SceneRef
    agent_id: AgentRef | None = None


@define(
    Category.SCENES,
    "Begin, pause, resume or stop a scene, skip who is awaited, give more time, or name who is next.",
    people=People.EVERYONE,
    for_agents=False,
)
class DirectScene(Action):
    type: Literal["direct_scene"] = "direct_scene"
    scene_id: SceneRef
    what: Direction
    seat: int | None = Field(default=None, ge=1, le=50)


@define(
    Category.SCENES,
    "Make a move in a scene, on one's turn.",
    people=People.EVERYONE,
    listed=False,
)
class Play(Action):
    type: Literal["play"] = "play"
    scene_id: SceneRef
    window: int = Field(ge=0)  # the step since which it is asked
    move: Label
    arguments: Mapping[str, JsonValue] = Field(default_factory=dict)
