"""What agents say, and what is done to messages: reactions, letters, summaries."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import and_, delete, select

from bot.core.changes import AddCheckpoint, AddLetter, React, Say, Unreact, UpdateLetter, UpdateMessage
from bot.core.kinds import LetterKind, LetterState, SenderKind
from storage.changes.columns import update_columns
from storage.convert import columns_of, lane_of, reactor_mark, sender_columns
from storage.ids import CountedIds
from storage.outbox import Posting
from storage.session import Session, owned
from storage.tables import CHECKPOINTS, LETTERS, MESSAGES, REACTIONS
from storage.talking import More, count_messages, count_reactions, index


class Talking(Posting):
    """Changes to what is said."""

    ids: CountedIds

    async def say(self, community_id: int, changes: Sequence[Say]) -> None:
        """Store messages of agents and of System; `add_letters` brings them to Discord."""
        await self.run(self.insert(MESSAGES), [_message_row(community_id, change) for change in changes])
        at_once = [change for change in changes if not change.post]
        await index(self, community_id, [(c.message_id, c.room_id, c.content) for c in at_once])
        await count_messages(self, community_id, [more for change in changes if (more := _more(change)) is not None])

    async def add_letters(self, community_id: int, changes: Sequence[Say | AddLetter]) -> None:
        """Store what brings messages and other effects to Discord."""
        letters = [_letter(change) for change in changes if isinstance(change, AddLetter) or change.post]
        rows = [
            {
                "community_id": community_id,
                "id": self.ids.take("letter"),
                "lane": lane_of(letter["kind"]),
                "state": LetterState.WAITING,
                "message_id": None,
            }
            | letter
            | {"payload": dict(letter["payload"])}
            for letter in letters
        ]
        await self.run(self.insert(LETTERS), rows)

    async def update_letters(self, community_id: int, changes: Sequence[UpdateLetter]) -> None:
        """Move letters on, with other fields of theirs."""
        for change in changes:
            fields = dict(change.fields)
            known = {name: fields.pop(name) for name in ("attempts", "not_before", "posted_as", "at") if name in fields}
            await self.update_letter(community_id, change.letter_id, change.state, **known)  # type: ignore[arg-type]
            await update_columns(self, LETTERS, community_id, [({"id": change.letter_id}, fields)])


def _more(change: Say) -> More | None:
    by_agents = int(change.sender.kind is SenderKind.AGENT)
    if change.post:
        return More(room_id=change.room_id, by_agents=by_agents) if by_agents else None
    return More(room_id=change.room_id, shown=1, newest=change.sent_at, by_agents=by_agents)


def _message_row(community_id: int, change: Say) -> dict[str, Any]:
    row = columns_of(change, "message_id", "sender", "not_before", "post") | sender_columns(change.sender)
    return row | {"community_id": community_id, "id": change.message_id, "shown": not change.post}


def _letter(change: Say | AddLetter) -> dict[str, Any]:
    if isinstance(change, AddLetter):
        return columns_of(change) | {"created_at": change.not_before}
    return {
        "room_id": change.room_id,
        "kind": LetterKind.POST,
        "payload": {},
        "message_id": change.message_id,
        "beat_id": change.beat_id,
        "not_before": change.not_before or change.sent_at,
        "created_at": change.sent_at,
    }


async def react(session: Session, community_id: int, changes: Sequence[React]) -> None:
    """Count reactions to messages that are there, once per reactor, message and emoji."""
    known = await _known(session, community_id, {change.message_id for change in changes})
    rows = [
        {
            "community_id": community_id,
            "message_id": change.message_id,
            "emoji": change.emoji,
            "reactor": reactor_mark(change.reactor),
            "reactor_name": change.reactor.name,
            "emotion": change.emotion,
            "moved_seconds": change.moved_seconds,
            "at": change.at,
        }
        for change in changes
        if change.message_id in known
    ]
    await session.run(session.insert(REACTIONS).on_conflict_do_nothing(), rows)
    await count_reactions(session, community_id, sorted(known))


async def unreact(session: Session, community_id: int, changes: Sequence[Unreact]) -> None:
    """Take reactions back."""
    for change in changes:
        this = and_(
            REACTIONS.c.message_id == change.message_id,
            REACTIONS.c.emoji == change.emoji,
            REACTIONS.c.reactor == reactor_mark(change.reactor),
        )
        await session.run(delete(REACTIONS).where(owned(REACTIONS, community_id), this))
    await count_reactions(session, community_id, sorted({change.message_id for change in changes}))


async def _known(session: Session, community_id: int, ids: set[Any]) -> set[int]:
    asked = select(MESSAGES.c.id).where(owned(MESSAGES, community_id), MESSAGES.c.id.in_(ids))
    return {row[0] for row in await session.rows(asked)}


async def update_messages(session: Session, community_id: int, changes: Sequence[UpdateMessage]) -> None:
    """Set columns of messages (not their text: that is an edit)."""
    for names, group in groupby(changes, key=lambda change: tuple(change.fields)):
        if "content" in names:
            raise ValueError("a message's text is changed by edit_message, which also mends the index")
        await update_columns(session, MESSAGES, community_id, [({"id": c.message_id}, c.fields) for c in group])


async def add_checkpoints(session: Session, community_id: int, changes: Sequence[AddCheckpoint]) -> None:
    """Keep summaries."""
    await session.run(
        session.insert(CHECKPOINTS), [columns_of(c.checkpoint) | {"community_id": community_id} for c in changes]
    )
