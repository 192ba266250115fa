"""What agents want to be seen: which words keep it back until a manager decides, and what comes of it then."""

import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

from bot.core.changes import AddLetter, Change, UpdateAgent, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.finder import Finder
from bot.core.kinds import LetterKind
from bot.core.letters import BillboardPayload, Proposal, RenamePayload, TopicPayload, parse_payload
from bot.core.names import name_problem
from bot.core.records import AgentId, Letter, LetterId
from bot.core.view import Outline

LISTS_KEPT = 64  # of communities' words
_BEGINS, _ENDS = re.compile(r"(?<!\w)"), re.compile(r"(?!\x02?\w)")
HELD_ID = r"held:(?P<verdict>post|discard):(?P<id>\d+)"  # of a button, read back after a restart

IN_A_THREAD = "its words are for those who are in that private thread"


def held_id(verdict: str, letter_id: LetterId) -> str:
    """Give the id of the button that decides about a held letter."""
    return f"held:{verdict}:{letter_id}"


def held_word(content: str, words: Iterable[str]) -> str:
    """Give one of the words that stands in the text by itself, in any case of letters; empty when none does.

    Takes as long as the text, however many words there are.
    """
    known = tuple(bare for word in words if (bare := word.strip()))
    found = _finder(known).found(_edged(content)) if known else []
    return known[min(number for number, _, _ in found)] if found else ""


@lru_cache(maxsize=LISTS_KEPT)
def _finder(words: tuple[str, ...]) -> Finder:
    return Finder([_edged(word) for word in words])


def _edged(text: str) -> str:
    """Mark where words may begin and end, in a word as in a text that holds it by itself."""
    return _ENDS.sub("\x03", _BEGINS.sub("\x02", text.casefold()))


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
            return "take a name", name
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
