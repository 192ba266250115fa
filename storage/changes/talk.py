"""What agents say, and what is done to messages: reactions, letters, summaries."""

from collections.abc import Sequence
from functools import cache
from itertools import chain

from sqlalchemy import and_, bindparam, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from bot.core.changes import AddCheckpoint, AddLetter, React, Say, Unreact, UpdateMessage
from bot.core.happenings import Happened, Happening
from bot.core.kinds import LetterKind, LetterState, SenderKind
from bot.core.letters import LANE, PostPayload
from bot.core.records import CommunityId
from storage.changes.columns import update_columns
from storage.convert import columns_of, reactor_mark, sender_columns
from storage.messages import file_rows
from storage.session import Insert, Session, owned
from storage.tables import ATTACHMENTS, CHECKPOINTS, LETTERS, MESSAGES, REACTIONS
from storage.talking import More, count_messages, count_reactions, index


async def say(session: Session, community_id: int, changes: Sequence[Say]) -> None:
    """Store messages of agents and of System; `add_letters` brings them to Discord."""
    await session.put(MESSAGES, [_message_row(community_id, change) for change in changes])
    files = [file_rows(community_id, change.message_id, map(columns_of, change.attachments)) for change in changes]
    await session.put(ATTACHMENTS, list(chain(*files)))
    at_once = [change for change in changes if not change.post and change.scene_id is None]
    await index(session, community_id, [(c.message_id, c.room_id, c.content) for c in at_once])
    await count_messages(session, community_id, [_shown(change) for change in at_once])


async def add_letters(session: Session, community_id: int, changes: Sequence[Say | AddLetter]) -> None:
    """Store what brings messages and other effects to Discord."""
    letters = [_letter(change) for change in changes if isinstance(change, AddLetter) or change.post]
    rows = [
        {
            "community_id": community_id,
            "id": session.ids.take("letter"),
            "lane": LANE[kind],
            "state": LetterState.WAITING,
            "message_id": None,
        }
        | letter
        for kind, letter in letters
    ]
    await session.put(LETTERS, rows)


def _shown(change: Say) -> More:
    by_agents = int(change.sender.kind is SenderKind.AGENT)
    return More(room_id=change.room_id, shown=1, newest=change.sent_at, by_agents=by_agents)


def _message_row(community_id: int, change: Say) -> dict[str, object]:
    row = columns_of(change, "message_id", "sender", "not_before", "post", "attachments", "files")
    row |= {"community_id": community_id, "id": change.message_id, "attachment_count": len(change.attachments)}
    return row | sender_columns(change.sender) | {"shown": not change.post and change.scene_id is None}


def _letter(change: Say | AddLetter) -> tuple[LetterKind, dict[str, object]]:
    if isinstance(change, AddLetter):
        payload = dict(change.payload)
        return change.kind, columns_of(change) | {"created_at": change.not_before, "payload": payload}
    return LetterKind.POST, {
        "room_id": change.room_id,
        "kind": LetterKind.POST,
        "payload": PostPayload(files=change.files).stored(),
        "message_id": change.message_id,
        "beat_id": change.beat_id,
        "not_before": change.not_before or change.sent_at,
        "created_at": change.sent_at,
    }


async def react(session: Session, community_id: int, changes: Sequence[React]) -> None:
    """Count reactions to messages that are there, once per reactor, message and emoji."""
    rows = [
        {
            "of_community": community_id,
            "of_message": change.message_id,
            "new_emoji": change.emoji,
            "new_reactor": reactor_mark(change.reactor),
            "new_reactor_name": change.reactor.name,
            "new_emotion": change.emotion,
            "new_moved_seconds": change.moved_seconds,
            "new_at": change.at,
        }
        for change in changes
    ]
    await session.run(_reacting(is_sqlite=session.is_sqlite), rows)
    await _tell_of(session, community_id, changes)
    await count_reactions(session, community_id, sorted({change.message_id for change in changes}))


async def _tell_of(session: Session, community_id: int, changes: Sequence[React]) -> None:
    """Tell where there were reactions: whoever may not read there hears nothing of them, and of scenes nobody."""
    these = MESSAGES.c.id.in_(sorted({change.message_id for change in changes}))
    asked = select(MESSAGES.c.id, MESSAGES.c.room_id).where(owned(MESSAGES, community_id), these)
    places = {row[0]: row[1] for row in await session.rows(asked.where(MESSAGES.c.scene_id.is_(None)))}
    session.happenings += [
        Happening(
            kind=Happened.REACTED,
            community_id=CommunityId(community_id),
            agent_id=change.reactor.agent_id,
            room_id=places[change.message_id],
            message_id=change.message_id,
        )
        for change in changes
        if change.message_id in places
    ]


@cache  # to word it takes longer than to execute it
def _reacting(*, is_sqlite: bool) -> Insert:
    """Insert a reaction if its message is there."""
    names = ("emoji", "reactor", "reactor_name", "emotion", "moved_seconds", "at")
    given = [bindparam(f"new_{name}", type_=REACTIONS.c[name].type) for name in names]
    this = and_(MESSAGES.c.community_id == bindparam("of_community"), MESSAGES.c.id == bindparam("of_message"))
    statement: Insert = sqlite.insert(REACTIONS) if is_sqlite else postgresql.insert(REACTIONS)
    columns = ["community_id", "message_id", *names]
    found = select(MESSAGES.c.community_id, MESSAGES.c.id, *given).where(this)
    return statement.from_select(columns, found).on_conflict_do_nothing()


async def unreact(session: Session, community_id: int, changes: Sequence[Unreact]) -> None:
    """Take reactions back."""
    this = and_(
        REACTIONS.c.message_id == bindparam("of_message"),
        REACTIONS.c.emoji == bindparam("old_emoji"),
        REACTIONS.c.reactor == bindparam("old_reactor"),
    )
    rows = [{"of_message": c.message_id, "old_emoji": c.emoji, "old_reactor": reactor_mark(c.reactor)} for c in changes]
    await session.run(delete(REACTIONS).where(owned(REACTIONS, community_id), this), rows)
    await count_reactions(session, community_id, sorted({change.message_id for change in changes}))


async def update_messages(session: Session, community_id: int, changes: Sequence[UpdateMessage]) -> None:
    """Set columns of messages (their text is changed by an edit, which also mends the index)."""
    await update_columns(session, MESSAGES, community_id, [({"id": c.message_id}, c.fields) for c in changes])


async def add_checkpoints(session: Session, community_id: int, changes: Sequence[AddCheckpoint]) -> None:
    """Keep summaries."""
    await session.put(CHECKPOINTS, [columns_of(c.checkpoint) | {"community_id": community_id} for c in changes])
