"""Actions towards others: messages, reactions, waking, and when to speak."""

from typing import Annotated, Literal

from pydantic import Field

from bot.core.actions.definition import BaseAction, Category, Need, People, define
from bot.core.actions.fields import Id, Line, Moment, Number, Text
from bot.core.kinds import Emotion


@define(
    Category.SOCIAL,
    "React to a message: thumbs_up speeds its author up, thumbs_down slows it down.",
    Need.MESSAGE,
    hint="thumbs_up (speeds the author up), thumbs_down (slows it), brain, heart",
)
class React(BaseAction):
    type: Literal["react"] = "react"
    message_id: Id
    reaction: Emotion


@define(Category.SOCIAL, "End an agent's sleep and let it look at its rooms now.", Need.NEIGHBOUR)
class WakeAgent(BaseAction):
    type: Literal["wake_agent"] = "wake_agent"
    agent_id: Id


@define(
    Category.MESSAGING,
    "Say something in a room (agents write it under `responses`).",
    Need.MEMBER,
    people=People.NOBODY,
    listed=False,
)
class SendMessage(BaseAction):
    type: Literal["send_message"] = "send_message"
    room_id: Id
    message: Text


@define(
    Category.MESSAGING,
    "Answer one message, with a line that points to it.",
    Need.MEMBER,
    hint="to one message; plain talk goes into responses",
    people=People.NOBODY,
)
class Reply(BaseAction):
    type: Literal["reply"] = "reply"
    room_id: Id
    message_id: Id
    message: Text


@define(Category.MESSAGING, "Say something as an agent, in a room it is in (its own by default).", for_agents=False)
class Say(BaseAction):
    type: Literal["say"] = "say"
    message: Text
    room_id: Id | None = None


@define(Category.TIMING, "Sleep until a time, at most some days away.", hint="ISO 8601, within 7 days")
class Sleep(BaseAction):
    type: Literal["sleep"] = "sleep"
    until: Moment


@define(
    Category.TIMING,
    "Say something in a room later.",
    Need.MEMBER,
    hint="at: as for sleep",
)
class ScheduleMessage(BaseAction):
    type: Literal["schedule_message"] = "schedule_message"
    room_id: Id
    message: Text
    at: Moment


@define(Category.TIMING, "Take back what you would say later.")
class CancelScheduled(BaseAction):
    type: Literal["cancel_scheduled"] = "cancel_scheduled"
    id: Id


@define(Category.TIMING, "Set the seconds between an agent's beats, or those it drifts towards.", for_agents=False)
class SetInterval(BaseAction):
    type: Literal["set_interval"] = "set_interval"
    seconds: Annotated[Number, Field(ge=1, le=10)] | None = None
    resting_seconds: Annotated[Number, Field(ge=1, le=10)] | None = None


@define(Category.TIMING, "Pause an agent: it has no beats until it is resumed.", for_agents=False)
class Pause(BaseAction):
    type: Literal["pause"] = "pause"
    reason: Line | None = None


@define(Category.TIMING, "Let a paused agent go on.", for_agents=False)
class Resume(BaseAction):
    type: Literal["resume"] = "resume"
