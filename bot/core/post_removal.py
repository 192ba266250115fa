"""What is left on Discord of a message that was deleted goes too."""

from dataclasses import dataclass
from datetime import datetime

from bot.core.changes import AddLetter
from bot.core.kinds import LetterKind
from bot.core.letters import RemovalPayload
from bot.core.records import AgentId, Snowflake


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Posts of one message of ours."""

    room_id: AgentId
    thread_id: Snowflake | None
    post_ids: tuple[Snowflake, ...]


def removal(parts: Parts, now: datetime) -> AddLetter:
    """Give the letter that takes posts away."""
    payload = RemovalPayload(post_ids=parts.post_ids, thread_id=parts.thread_id).stored()
    return AddLetter(kind=LetterKind.REMOVAL, room_id=parts.room_id, payload=payload, not_before=now)
