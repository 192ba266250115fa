"""Where a person who is forgotten may still be named in words that are not ours to change: managers decide there."""

from collections.abc import Collection

from sqlalchemy import Column, select

from bot.core.name_redaction import NameRedactor, Trace, TraceKind, words_of
from storage.columns import to_json
from storage.names import names_of_agents
from storage.session import Session, owned
from storage.tables import AGENTS, KEYS, MINDS, ROOMS

PLACES: tuple[tuple[TraceKind, Column[int], Column[str]], ...] = (  # kind, whose, text
    (TraceKind.PROMPT, AGENTS.c.id, AGENTS.c.prompt),
    (TraceKind.TOPIC, ROOMS.c.id, ROOMS.c.topic),
    (TraceKind.BILLBOARD, ROOMS.c.id, ROOMS.c.billboard),
    (TraceKind.LABEL, KEYS.c.id, KEYS.c.label),
    (TraceKind.KNOWLEDGE, MINDS.c.agent_id, MINDS.c.knowledge),
    (TraceKind.FOCUS, MINDS.c.agent_id, MINDS.c.focus),
)


async def traces_of(session: Session, community_id: int, called: Collection[str], removed: NameRedactor) -> list[Trace]:
    """Give the places where one of these names stands as a word; what minds lose anyway does not count."""
    agents = await names_of_agents(session, community_id)
    words = [word for name in called for word in words_of(name, agents)]
    named = NameRedactor(sorted(called), words, others=removed.others)
    found: list[Trace] = []
    for kind, whose, text in PLACES:
        rows = await session.rows(select(whose, text).where(owned(whose.table, community_id)).order_by(whose))
        ids = [id_ for id_, value in rows if named.found_in(_left(kind, value, removed))]
        found += [Trace(kind=kind, id=id_) for id_ in dict.fromkeys(ids)]
    return found


def _left(kind: TraceKind, value: object, removed: NameRedactor) -> str:
    if isinstance(value, dict):  # what a mind holds
        return to_json(removed.knowledge(value) if kind is TraceKind.KNOWLEDGE else removed.rewritten(value))
    return str(value or "")
