"""The closed sets that everything else is made from."""

from enum import StrEnum


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
    """The four reactions that agents know by name (SPEC §5)."""

    THUMBS_UP = "thumbs_up"
    THUMBS_DOWN = "thumbs_down"
    BRAIN = "brain"
    HEART = "heart"


class InputFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    COMPACT_JSON = "compact_json"
    TOON = "toon"


class OutputFormat(StrEnum):
    JSON = "json"
    TOON = "toon"


class ReasonKind(StrEnum):
    """Why a beat is run, the most urgent first."""

    ADDRESSED = "addressed"
    ACCESS = "access"
    ANSWER = "answer"
    WOKEN = "woken"
    TIMER = "timer"
    AMBIENT = "ambient"
    INITIATIVE = "initiative"


class SenderKind(StrEnum):
    AGENT = "agent"
    PERSON = "person"
    ARCHITECT = "architect"
    SYSTEM = "system"


class RequestState(StrEnum):
    PENDING = "pending"
    GRANTED = "granted"
    DENIED = "denied"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


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


class LetterState(StrEnum):
    WAITING = "waiting"
    HELD = "held"  # by moderation, until a manager decides
    SENDING = "sending"  # its fate is unknown until it is confirmed
    SENT = "sent"
    FAILED = "failed"
