"""What agents want to be seen: which words keep it back until a manager decides, and what comes of it then."""

import re
from collections.abc import Iterable
from datetime import datetime

from bot.core.changes import AddLetter, Change, UpdateAgent, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.kinds import LetterKind
from bot.core.letters import BillboardPayload, Proposal, RenamePayload, TopicPayload, parse_payload
from bot.core.names import name_problem
from bot.core.records import AgentId, Letter, LetterId
from bot.core.view import Outline

HELD_ID = r"held:(?P<verdict>post|discard):(?P<id>\d+)"  # of a button, read back after a restart

IN_A_THREAD = "its words are for those who are in that private thread"


def held_id(verdict: str, letter_id: LetterId) -> str:
    """Give the id of the button that decides about a held letter."""
    return f"held:{verdict}:{letter_id}"


def held_word(content: str, words: Iterable[str]) -> str:
    """Give the first of the words that stands in the text by itself, in any case of letters; empty when none does."""
    folded = content.casefold()
    for word in words:
        sought = re.escape(word.strip().casefold())
        if sought and re.search(rf"(?<!\w){sought}(?!\w)", folded):
            return word.strip()
    return ""


def is_on(config: CommunityConfig) -> bool:
    """Tell whether what agents want to be seen is read first."""
    return bool(config.held_words or config.moderation_model)


def proposal_of(letter: Letter) -> Proposal | None:
    """Give what a letter proposes; None when it is no proposal."""
    if letter.kind not in (LetterKind.BILLBOARD, LetterKind.TOPIC, LetterKind.RENAME):
        return None
    payload = parse_payload(letter.kind, letter.payload)
    return payload if isinstance(payload, Proposal) and payload.proposed else None


def what_and_text(proposal: Proposal) -> tuple[str, str]:
    """Give what an agent wants, and the words in question."""
    match proposal:
        case BillboardPayload(text=text):
            return "set its billboard to something", text
        case TopicPayload(topic=topic):
            return "set its topic to something", topic
        case RenamePayload(name=name):
            return "bear a name", name
        case _:
            raise ValueError(f"{type(proposal).__name__} is not read by moderation")


def let_stand(letter: Letter, proposal: Proposal, view: Outline, now: datetime) -> list[Change]:
    """Give the changes that make a proposal so; none for a name that somebody else has taken meanwhile."""
    payload = proposal.model_copy(update={"proposed": False})
    shown = AddLetter(kind=letter.kind, room_id=letter.room_id, payload=payload.stored(), not_before=now)
    match proposal:
        case BillboardPayload(text=text):
            return [UpdateRoom(room_id=letter.room_id, fields={"billboard": text}), shown]
        case TopicPayload(topic=topic):
            return [UpdateRoom(room_id=letter.room_id, fields={"topic": topic}), shown]
        case RenamePayload(name=name):
            others = (one.name for one in view.agents.values() if one.id != letter.room_id)
            renamed = UpdateAgent(agent_id=AgentId(letter.room_id), fields={"name": name})
            return [] if name_problem(name, others) else [renamed, shown]
        case _:
            raise ValueError(f"{type(proposal).__name__} cannot be let stand")
