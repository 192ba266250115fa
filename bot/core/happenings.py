"""What happened, as the console tells it live: which kind, to whom and where, and never what was said."""

from dataclasses import dataclass
from enum import StrEnum

from bot.core.records import PUBLIC_SIDE, AgentId, BeatId, CommunityId, MessageId, Side


class Happened(StrEnum):
    """What can happen."""

    BEGUN = "begun"  # an agent was claimed for a beat
    CALLED = "called"  # its model is about to be asked: the money is set aside
    ANSWERED = "answered"  # its model has answered
    APPLIED = "applied"  # what its model answered is done
    LET_GO = "let_go"  # its beat was put off
    HEARD = "heard"  # somebody said something on Discord
    SAID = "said"  # an agent, or System, said something that is to be posted
    LETTER = "letter"  # something for Discord was written, sent, held or given up
    KNOWLEDGE = "knowledge"
    FOCUS = "focus"
    PLAN = "plan"
    REACTED = "reacted"
    MOVED = "moved"  # somebody moved in a scene that is not closed
    CAME = "came"  # an agent into a room
    WENT = "went"
    KNOCKED = "knocked"
    CHANGED = "changed"  # something of an agent, a room or the settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One thing that happened, told once it is written for good, or heard; `what` says more in a word of our own."""

    kind: Happened
    community_id: CommunityId
    agent_id: AgentId | None = None
    room_id: AgentId | None = None
    side: Side = PUBLIC_SIDE
    beat_id: BeatId | None = None
    message_id: MessageId | None = None
    what: str = ""
