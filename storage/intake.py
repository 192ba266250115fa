"""Messages that come in: stored once, whatever the order in which they, their edits and their ends arrive."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, literal, or_, select, union_all, update

from bot.core.kinds import MessageType
from bot.core.ports import NewMessage
from bot.core.records import CommunityId, Message, MessageId, Snowflake
from storage.convert import attachments_of, sender_columns
from storage.erasing import erase
from storage.finding import Finding
from storage.ids import CountedIds
from storage.session import owned
from storage.tables import EARLY_EDITS, MESSAGES, PARTS, TOMBSTONES
from storage.talking import count_messages, index, unindex


class Intake(Finding):
    """What the gateway and the backfill bring."""

    ids: CountedIds

    async def add_message(self, community_id: CommunityId, message: NewMessage) -> Message | None:
        """Store a message that came in; None when it is known or was deleted before it came."""
        known = await self._what_is_known(community_id, message.discord_id, message.reply_to)
        if "tombstone" in known or "part" in known:
            return None
        if "message" in known:
            await self._catch_up(community_id, message)
            return None
        row = self._row(community_id, message, known.get("reply"))
        if "edit" in known:
            row |= await self._take_early_edit(community_id, message)
        await self.run(self.insert(MESSAGES), row)
        agent_run = {"agent_run": 0} if message.sender.is_human else {}
        await count_messages(self, community_id, message.room_id, 1, message.sent_at, **agent_run)
        await index(self, community_id, [(row["id"], message.room_id, row["content"])])
        await self._resolve_replies(community_id, message.discord_id, row["id"])
        return _message(message, row)

    async def _what_is_known(
        self, community_id: int, discord_id: Snowflake, reply_to: Snowflake | None
    ) -> dict[str, int]:
        """Ask all tables in one statement what they know of a message."""

        def ask(name: str, table: Any, sought: int | None, value: Any = None) -> Any:  # noqa: ANN401  # SQL
            column = table.c.discord_id if value is None else value
            where = and_(owned(table, community_id), table.c.discord_id == sought)
            return select(literal(name).label("what"), column.label("value")).where(where)

        asked = [
            ask("message", MESSAGES, discord_id, MESSAGES.c.id),
            ask("part", PARTS, discord_id),
            ask("tombstone", TOMBSTONES, discord_id),
            ask("edit", EARLY_EDITS, discord_id),
        ]
        if reply_to is not None:
            asked.append(ask("reply", MESSAGES, reply_to, MESSAGES.c.id))
            asked.append(ask("reply", PARTS, reply_to, PARTS.c.message_id))
        return {what: value for what, value in await self.rows(union_all(*asked))}

    def _row(self, community_id: int, message: NewMessage, reply_to: int | None) -> dict[str, Any]:
        edited_at = message.edited_at or (message.sent_at if message.edited else None)
        return sender_columns(message.sender) | {
            "community_id": community_id,
            "id": self.ids.take("message"),
            "room_id": message.room_id,
            "content": message.content,
            "type": type_of(message.attachments),
            "sent_at": message.sent_at,
            "reply_to": reply_to,
            "reply_to_discord_id": message.reply_to if reply_to is None else None,
            "edited_at": edited_at,
            "attachments": list(message.attachments) or None,
            "discord_id": message.discord_id,
            "thread_id": message.thread_id,
            "tokens": message.tokens,
        }

    async def _take_early_edit(self, community_id: int, message: NewMessage) -> dict[str, Any]:
        this = and_(owned(EARLY_EDITS, community_id), EARLY_EDITS.c.discord_id == message.discord_id)
        edit = await self.first(select(EARLY_EDITS).where(this))
        await self.run(delete(EARLY_EDITS).where(this))
        if edit is None or (message.edited_at is not None and message.edited_at >= edit["edited_at"]):
            return {}
        return {name: edit[name] for name in ("content", "tokens", "edited_at")}

    async def _catch_up(self, community_id: CommunityId, message: NewMessage) -> None:
        """A backfill may bring the newer text of a message whose edit was missed."""
        if message.edited_at is not None:
            await self.edit_message(
                community_id,
                message.discord_id,
                content=message.content,
                edited_at=message.edited_at,
                tokens=message.tokens,
            )

    async def _resolve_replies(self, community_id: int, discord_id: Snowflake, message_id: int) -> None:
        """Replies that came before what they answer find it now."""
        waiting = and_(owned(MESSAGES, community_id), MESSAGES.c.reply_to_discord_id == discord_id)
        await self.run(update(MESSAGES).where(waiting).values(reply_to=message_id, reply_to_discord_id=None))

    async def edit_message(
        self, community_id: CommunityId, discord_id: Snowflake, *, content: str, edited_at: datetime, tokens: int
    ) -> Message | None:
        """Store a message's new text; None when it is not known (then kept for its arrival) or a newer text is."""
        known = await self._what_is_known(community_id, discord_id, None)
        if "tombstone" in known or "part" in known:
            return None
        if "message" not in known:
            await self._keep_early_edit(community_id, discord_id, content, edited_at, tokens)
            return None
        this = and_(owned(MESSAGES, community_id), MESSAGES.c.id == known["message"])
        older = or_(MESSAGES.c.edited_at.is_(None), MESSAGES.c.edited_at < edited_at)
        before = await self.first(select(MESSAGES.c.room_id, MESSAGES.c.content, MESSAGES.c.shown).where(this, older))
        if before is None:
            return None
        await self.run(update(MESSAGES).where(this).values(content=content, edited_at=edited_at, tokens=tokens))
        if before["shown"]:
            await unindex(self, community_id, [(known["message"], before["room_id"], before["content"])])
            await index(self, community_id, [(known["message"], before["room_id"], content)])
        changed = await self.messages_by_id(community_id, [MessageId(known["message"])])
        return changed[MessageId(known["message"])]

    async def _keep_early_edit(
        self, community_id: int, discord_id: Snowflake, content: str, edited_at: datetime, tokens: int
    ) -> None:
        statement = self.insert(EARLY_EDITS)
        new = {name: statement.excluded[name] for name in ("content", "tokens", "edited_at")}
        row = {"content": content, "tokens": tokens, "edited_at": edited_at}
        await self.run(
            statement.on_conflict_do_update(
                index_elements=["community_id", "discord_id"],
                set_=new,
                where=EARLY_EDITS.c.edited_at < statement.excluded.edited_at,
            ),
            {"community_id": community_id, "discord_id": discord_id} | row,
        )

    async def delete_messages(self, community_id: CommunityId, discord_ids: Sequence[Snowflake], at: datetime) -> int:
        """Remove content everywhere (stored HUDs, search, letters too), leaving tombstones; gives how many."""
        tombstones = self.insert(TOMBSTONES).on_conflict_do_nothing()
        rows = [{"community_id": community_id, "discord_id": id, "at": at} for id in dict.fromkeys(discord_ids)]
        await self.run(tombstones, rows)
        await self.run(
            delete(EARLY_EDITS).where(owned(EARLY_EDITS, community_id), EARLY_EDITS.c.discord_id.in_(discord_ids))
        )
        parts = select(PARTS.c.message_id).where(owned(PARTS, community_id), PARTS.c.discord_id.in_(discord_ids))
        return await erase(self, community_id, or_(MESSAGES.c.discord_id.in_(discord_ids), MESSAGES.c.id.in_(parts)))


def type_of(attachments: Sequence[Any]) -> MessageType:
    """Give the type of a message by what is attached to it."""
    shows = any(str(item.get("media_type", "")).startswith("image/") for item in attachments if isinstance(item, dict))
    return MessageType.IMAGE if shows else MessageType.TEXT


def _message(new: NewMessage, row: dict[str, Any]) -> Message:
    return Message(
        id=row["id"],
        room_id=new.room_id,
        sender=new.sender,
        content=row["content"],
        type=row["type"],
        sent_at=new.sent_at,
        reply_to=row["reply_to"],
        edited=row["edited_at"] is not None,
        attachments=attachments_of(row["attachments"] or ()),
        discord_id=new.discord_id,
        thread_id=new.thread_id,
        tokens=row["tokens"],
    )
