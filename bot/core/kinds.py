"""The closed sets that everything else is made from."""

from enum import StrEnum
from typing import Final

from bot.core.sentences import Sentence


class AgentType(StrEnum):
    PERSONA = "persona"
    BOT = "bot"


class State(StrEnum):
    IDLE = "idle"
    THINKING = "thinking"
    TYPING = "typing"
    SLEEPING = "sleeping"
    PAUSED = "paused"
    RETIRED = "retired"


class Doing(StrEnum):
    """What an agent is at in one room."""

    THINKING = "thinking"
    TYPING = "typing"
    WAITING = "waiting for the floor"
    QUEUED = "waiting to post"


class Access(StrEnum):
    OPEN = "open"
    KNOCK = "knock"
    CLOSED = "closed"


class Visibility(StrEnum):
    PUBLIC = "public"
    PRIVATE = "private"


class MessageType(StrEnum):
    TEXT = "text"
    SYSTEM = "system"
    IMAGE = "image"


class Emotion(StrEnum):
    """The four reactions that agents know by name (docs/heartbeat.md#tempo)."""

    THUMBS_UP = "thumbs_up"
    THUMBS_DOWN = "thumbs_down"
    BRAIN = "brain"
    HEART = "heart"


class UsedBy(StrEnum):
    """By what it is told what was used."""

    AGENT = "agent"
    ROOM = "room"
    MODEL = "model"
    FORMAT = "format"


class InputFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    COMPACT_JSON = "compact_json"
    TOON = "toon"


class OutputFormat(StrEnum):
    JSON = "json"
    TOON = "toon"


class Detail(StrEnum):
    """How much an agent is shown; `auto`: lean where its model is not known, unless a trial found otherwise."""

    AUTO = "auto"
    FULL = "full"
    LEAN = "lean"  # what a weak mind can bear


class ReasonKind(StrEnum):
    """Why a beat is run, the most urgent first."""

    ADDRESSED = "addressed"
    TURN = "turn"
    ACCESS = "access"
    ANSWER = "answer"
    WOKEN = "woken"
    TIMER = "timer"
    AMBIENT = "ambient"
    INITIATIVE = "initiative"


BECAUSE: Final = {
    ReasonKind.ADDRESSED: Sentence("somebody spoke to it"),
    ReasonKind.TURN: Sentence("it was its turn in a scene"),
    ReasonKind.AMBIENT: Sentence("something was said where it listens"),
    ReasonKind.ACCESS: Sentence("somebody knocked at its door"),
    ReasonKind.ANSWER: Sentence("an answer was ready for it"),
    ReasonKind.WOKEN: Sentence("somebody woke it"),
    ReasonKind.TIMER: Sentence("its sleep had ended"),
    ReasonKind.INITIATIVE: Sentence("nothing had happened for long"),
}
"""Why an agent beat, as people are told."""


class HeldFor(StrEnum):
    """Why a beat whose reason was due did not come."""

    FLOOR = "floor"  # others speak there
    CALLED = "called"  # it answers a person first, and listens then
    LIMIT = "limit"  # too many beats in an hour that no person caused
    BUDGET = "budget"  # the day's money is spent, or short
    MODEL = "model"  # its community may ask no model: it has to bring its own
    HUSH = "hush"  # the room is silent: what a person asked of it there is answered afterwards
    POSTING = "posting"  # its own words there are not posted yet


class SenderKind(StrEnum):
    AGENT = "agent"
    BOT = "bot"  # another program's, which the community listens to
    PERSON = "person"
    ARCHITECT = "architect"
    SYSTEM = "system"


class RequestState(StrEnum):
    PENDING = "pending"
    GRANTED = "granted"
    DENIED = "denied"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class MindPart(StrEnum):
    """What of a mind has a journal."""

    KNOWLEDGE = "knowledge"
    PLAN = "plan"
    FOCUS = "focus"  # only what was taken over from a timeline


class LetterKind(StrEnum):
    """An outgoing effect on Discord; the payload of each kind is in `core.letters`."""

    POST = "post"
    REACT = "react"
    BILLBOARD = "billboard"
    TOPIC = "topic"
    RENAME = "rename"
    CHANNEL = "channel"
    PERMISSION = "permission"
    NOTICE = "notice"
    CUE = "cue"
    REMOVAL = "removal"
    BOARD = "board"
    CLEARING = "clearing"


class LetterState(StrEnum):
    WAITING = "waiting"
    HELD = "held"  # by moderation, until a manager decides
    SENDING = "sending"  # its fate is unknown until it is confirmed
    SENT = "sent"
    FAILED = "failed"
