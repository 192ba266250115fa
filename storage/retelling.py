"""What System told on Discord follows what is kept of it: words that are taken back go there too."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import and_, select

from bot.core.changes import AddLetter
from bot.core.kinds import LetterKind, SenderKind
from bot.core.letters import BoardPayload, RemovalPayload
from bot.core.records import AgentId, SceneId
from storage.changes.talk import add_letters
from storage.session import Session, owned
from storage.tables import MESSAGES, PARTS, SCENES


async def retell(session: Session, community_id: int, message_ids: Collection[int], at: datetime) -> None:
    """Have posts of System say what is stored of them now."""
    these = (owned(MESSAGES, community_id), MESSAGES.c.id.in_(message_ids), MESSAGES.c.discord_id.is_not(None))
    asked = select(MESSAGES.c.id, MESSAGES.c.room_id, MESSAGES.c.thread_id, MESSAGES.c.discord_id)
    found = await session.rows(asked.where(*these, MESSAGES.c.sender_kind == SenderKind.SYSTEM))
    of_these = and_(owned(PARTS, community_id), PARTS.c.message_id.in_([row.id for row in found]))
    parts: dict[int, list[int]] = {}
    for message_id, discord_id in await session.rows(select(PARTS.c.message_id, PARTS.c.discord_id).where(of_these)):
        parts.setdefault(message_id, []).append(discord_id)
    letters = [
        AddLetter(
            kind=LetterKind.REMOVAL,
            room_id=AgentId(row.room_id),
            payload=RemovalPayload.model_validate(
                {
                    "post_ids": sorted({row.discord_id, *parts.get(row.id, ())}),
                    "thread_id": row.thread_id,
                    "message_id": row.id,
                }
            ).stored(),
            not_before=at,
        )
        for row in found
    ]
    await add_letters(session, community_id, letters)


async def redraw(session: Session, community_id: int, scene_ids: Collection[int], at: datetime) -> None:
    """Have the boards of scenes drawn as they stand now."""
    these = (owned(SCENES, community_id), SCENES.c.id.in_(scene_ids), SCENES.c.board_post_id.is_not(None))
    letters = [
        AddLetter(
            kind=LetterKind.BOARD,
            room_id=AgentId(row.room_id),
            payload=BoardPayload(scene_id=SceneId(row.id)).stored(),
            not_before=at,
        )
        for row in await session.rows(select(SCENES.c.id, SCENES.c.room_id).where(*these))
    ]
    await add_letters(session, community_id, letters)
