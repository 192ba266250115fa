"""Actions towards others: messages, reactions, waking, and when to speak."""

from typing import Annotated, Literal

from pydantic import Field

from bot.core.actions.definition import Action, Category, Need, People, define
from bot.core.actions.fields import (
    AgentRef,
    FileText,
    Label,
    Line,
    MessageRef,
    Number,
    RoomRef,
    ScheduledRef,
    Text,
    UtcTime,
)
from bot.core.kinds import Emotion


@define(
    Category.SOCIAL,
    "React to a message: thumbs_up speeds its author up, thumbs_down slows it down.",
    Need.MESSAGE,
    hint="thumbs_up (speeds the author up), thumbs_down (slows it), brain, heart",
    also=("reaction", "add_reaction"),
)
class React(Action):
    type: Literal["react"] = "react"
    message_id: MessageRef
    reaction: Emotion


@define(Category.SOCIAL, "End an agent's sleep and let it look at its rooms now.", Need.NEIGHBOUR, also=("wake",))
class WakeAgent(Action):
    type: Literal["wake_agent"] = "wake_agent"
    agent_id: AgentRef


@define(
    Category.MESSAGING,
    "Say something in a room (agents write it under `responses`).",
    Need.MEMBER,
    people=People.NOBODY,
    listed=False,
    also=("speak", "say", "message", "send", "post", "respond", "post_message"),
)
class SendMessage(Action):
    type: Literal["send_message"] = "send_message"
    room_id: RoomRef
    message: Text


@define(
    Category.MESSAGING,
    "Answer one message, with a line that points to it.",
    Need.MEMBER,
    hint="to one message; plain talk goes into responses",
    also=("reply_to", "reply_to_message"),
    people=People.NOBODY,
)
class Reply(Action):
    type: Literal["reply"] = "reply"
    room_id: RoomRef
    message_id: MessageRef
    message: Text


@define(
    Category.MESSAGING,
    "Give a text as a file along with the first message of the same answer.",
    hint="a file beside your first message, ≤ 200 kB",
    also=("attach_file", "send_file", "upload_file"),
    people=People.NOBODY,
)
class Attach(Action):
    type: Literal["attach"] = "attach"
    name: Label
    text: FileText


@define(Category.MESSAGING, "Say something as an agent, in a room it is in (its own by default).", for_agents=False)
class Say(Action):
    type: Literal["say"] = "say"
    message: Text
    room_id: RoomRef | None = None


@define(Category.TIMING, "Sleep until a time, at most some days away.", hint="ISO 8601, within 7 days")
class Sleep(Action):
    type: Literal["sleep"] = "sleep"
    until: UtcTime


@define(
    Category.TIMING,
    "Say something in a room later.",
    Need.MEMBER,
    hint="at: as for sleep",
    also=("schedule",),
)
class ScheduleMessage(Action):
    type: Literal["schedule_message"] = "schedule_message"
    room_id: RoomRef
    message: Text
    at: UtcTime


@define(Category.TIMING, "Take back what you would say later.")
class CancelScheduled(Action):
    type: Literal["cancel_scheduled"] = "cancel_scheduled"
    id: ScheduledRef


@define(Category.TIMING, "Set the seconds between an agent's beats, or those it drifts towards.", for_agents=False)
class SetInterval(Action):
    type: Literal["set_interval"] = "set_interval"
    seconds: Annotated[Number, Field(ge=1, le=10)] | None = None
    resting_seconds: Annotated[Number, Field(ge=1, le=10)] | None = None


@define(Category.TIMING, "Pause an agent: it has no beats until it is resumed.", for_agents=False)
class Pause(Action):
    type: Literal["pause"] = "pause"
    reason: Line | None = None


@define(Category.TIMING, "Let a paused agent go on.", for_agents=False)
class Resume(Action):
    type: Literal["resume"] = "resume"
