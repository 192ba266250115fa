"""Messages: stored once, whatever the order in which they, their edits and their ends arrive; found by id and word."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    and_,
    bindparam,
    delete,
    func,
    or_,
    select,
    true,
    tuple_,
    union_all,
    update,
)

from bot.core.happenings import Happened, Happening
from bot.core.kinds import MessageType, SenderKind
from bot.core.ports import NewMessage
from bot.core.post_removal import Parts
from bot.core.records import (
    AgentId,
    Attachment,
    CommunityId,
    Message,
    MessageId,
    Sender,
    Snowflake,
)
from storage.convert import columns_of, reactor_mark, sender_columns
from storage.erasing import WORDS, erase, reword
from storage.index_purging import owe_purge
from storage.inline import unhurried
from storage.messages import ORDER, file_rows, messages_where, newest, read_messages
from storage.postgresql import store_at_once
from storage.prepared import Prepared
from storage.questions import questions
from storage.scenes import blank_said, unsay
from storage.search import search
from storage.session import Session, Values, owned
from storage.tables import (
    ATTACHMENTS,
    EARLY_EDITS,
    EVENTS,
    MESSAGES,
    PARTS,
    REACTIONS,
    ROOMS,
    SCENES,
    TOMBSTONES,
)
from storage.talking import Known, More, count_messages, index, known_of, unindex

AT_A_TIME = 500
NewRow = dict[str, Any]  # of a message, by column
T = TypeVar("T")

IN_ROOM = messages_where(
    MESSAGES.c.community_id == bindparam("community_id"), MESSAGES.c.room_id == bindparam("room_id"), MESSAGES.c.shown
)
NEWEST = {is_sqlite: Prepared(newest(IN_ROOM, is_sqlite=is_sqlite)) for is_sqlite in (True, False)}


def ids_of(community_id: int, discord_ids: Sequence[int]) -> CompoundSelect[int]:
    """Give the SELECT of the messages with these Discord ids, or with a part of these."""
    whole = select(MESSAGES.c.id).where(owned(MESSAGES, community_id), MESSAGES.c.discord_id.in_(discord_ids))
    part = select(PARTS.c.message_id).where(owned(PARTS, community_id), PARTS.c.discord_id.in_(discord_ids))
    return union_all(whole, part)


@dataclass(frozen=True, slots=True)
class SqlTalk:
    """What is said: stored once, found, changed and deleted."""

    session: Session

    async def find(self, community_id: CommunityId, discord_id: Snowflake) -> Message | None:
        known = MESSAGES.c.id.in_(ids_of(community_id, [discord_id]))
        found = await read_messages(self.session, community_id, messages_where(owned(MESSAGES, community_id), known))
        return found[0] if found else None

    async def other_parts(self, community_id: CommunityId, discord_ids: Sequence[Snowflake]) -> Sequence[Parts]:
        asked = (
            select(MESSAGES.c.id, MESSAGES.c.room_id, MESSAGES.c.thread_id, MESSAGES.c.discord_id, PARTS.c.discord_id)
            .join(PARTS, and_(PARTS.c.community_id == MESSAGES.c.community_id, PARTS.c.message_id == MESSAGES.c.id))
            .where(owned(MESSAGES, community_id), MESSAGES.c.id.in_(ids_of(community_id, discord_ids)))
        )
        found: dict[tuple[AgentId, Snowflake | None, int], set[Snowflake]] = {}
        for id_, room_id, thread_id, first, other in await self.session.rows(asked):
            found.setdefault((room_id, thread_id, id_), set()).update({first, other} - set(discord_ids))
        return [
            Parts(room_id=room_id, thread_id=thread_id, post_ids=tuple(sorted(ids)))
            for (room_id, thread_id, _), ids in found.items()
            if ids
        ]

    async def by_id(self, community_id: CommunityId, ids: Sequence[MessageId]) -> Mapping[MessageId, Message]:
        """Find messages by id, those not yet posted too, deleted ones left out."""
        these = questions(is_sqlite=self.session.is_sqlite).messages
        of = {"community_id": community_id, "ids": self.session.many(ids)}
        return {message.id: message for message in await read_messages(self.session, community_id, these, of)}

    async def lively(
        self, community_id: CommunityId, room_ids: Collection[AgentId], since: datetime
    ) -> Mapping[AgentId, int]:
        here = and_(owned(MESSAGES, community_id), self.session.is_one_of(MESSAGES.c.room_id, sorted(room_ids)))
        lately = and_(here, MESSAGES.c.shown.is_(True), MESSAGES.c.sent_at >= since)
        asked = select(MESSAGES.c.room_id, func.count()).where(lately).group_by(MESSAGES.c.room_id)
        return {row[0]: int(row[1]) for row in await self.session.rows(asked)}

    async def history(
        self, community_id: CommunityId, room_id: AgentId, *, before: MessageId | None = None, limit: int = 50
    ) -> Sequence[Message]:
        of = {"community_id": community_id, "room_id": room_id, "limit": limit}
        if before is None:
            return (await read_messages(self.session, community_id, NEWEST[self.session.is_sqlite], of))[::-1]
        this = and_(owned(MESSAGES, community_id), MESSAGES.c.id == before)
        mark = await self.session.first(select(*ORDER).where(this))
        earlier = IN_ROOM.where(MESSAGES.c.id < before if mark is None else _earlier(tuple(mark.values())))
        return (await read_messages(self.session, community_id, newest(earlier, is_sqlite=self.session.is_sqlite), of))[
            ::-1
        ]

    async def search(
        self, community_id: CommunityId, query: str, *, room_ids: Sequence[AgentId], limit: int = 20
    ) -> Sequence[tuple[Message, str]]:
        return await search(self.session, community_id, query, room_ids=room_ids, limit=limit)

    async def last_discord_id(self, community_id: CommunityId, room_id: AgentId) -> Snowflake | None:
        """Give the newest message known of a room, from which a backfill reads on.

        Only what came in counts: our own posts are confirmed ahead of people's messages that wait to be stored.
        """
        heard = MESSAGES.c.sender_kind.in_((SenderKind.PERSON, SenderKind.BOT, SenderKind.ARCHITECT))
        in_room = and_(owned(MESSAGES, community_id), MESSAGES.c.room_id == room_id, heard)
        known = select(MESSAGES.c.discord_id).where(in_room, MESSAGES.c.shown, MESSAGES.c.discord_id.is_not(None))
        last = known.order_by(MESSAGES.c.sent_at.desc(), MESSAGES.c.id.desc()).limit(1)
        found: Snowflake | None = await self.session.value(last)
        return found

    async def known_as(
        self, community_id: CommunityId, discord_ids: Sequence[Snowflake]
    ) -> Mapping[Snowflake, MessageId]:
        known = await known_of(self.session, community_id, discord_ids)
        return {Snowflake(one): MessageId(id_) for one, id_ in (known.messages | known.parts).items()}

    async def taken_back(self, community_id: CommunityId, discord_id: Snowflake) -> bool:
        known = await known_of(self.session, community_id, [discord_id])
        return discord_id in known.deleted or discord_id in known.early

    async def after(
        self, community_id: CommunityId, room_id: AgentId, after: MessageId, *, limit: int
    ) -> Sequence[Message]:
        here = (owned(MESSAGES, community_id), MESSAGES.c.room_id == room_id, MESSAGES.c.shown == true())
        asked = messages_where(*here, MESSAGES.c.id > after).order_by(MESSAGES.c.id).limit(limit)
        return await read_messages(self.session, community_id, asked)

    async def add(self, community_id: CommunityId, messages: Sequence[NewMessage]) -> Sequence[Message | None]:
        stored: list[Message | None] = []
        for some in _slices(messages):
            stored += await self._add(community_id, some)
        return stored

    async def _add(self, community_id: CommunityId, messages: Sequence[NewMessage]) -> list[Message | None]:
        answered = [message.reply_to for message in messages if message.reply_to is not None]
        known = await known_of(self.session, community_id, [message.discord_id for message in messages], answered)
        rows: dict[int, NewRow] = {}
        files: list[dict[str, object]] = []
        repeated: list[NewMessage] = []
        stored: list[Message | None] = [None] * len(messages)
        early = await self._take_early_edits(community_id, known)
        for place, message in enumerate(messages):
            id_ = message.discord_id
            if id_ in known.messages or id_ in rows:
                repeated.append(message)
            elif id_ not in known.deleted and id_ not in known.parts:
                known_reply = known.reply(message.reply_to) or rows.get(message.reply_to or 0, {}).get("id")
                rows[id_] = _row(community_id, self.session.ids.take("message"), message, known_reply, early.get(id_))
                files += file_rows(community_id, rows[id_]["id"], map(columns_of, message.attachments))
                stored[place] = _message(message, rows[id_])
        await self._insert(community_id, rows, known)
        self.session.happenings += [
            Happening(kind=Happened.HEARD, community_id=community_id, room_id=one.room_id, message_id=one.id)
            for one in stored
            if one is not None
        ]
        await self.session.put(ATTACHMENTS, files)
        for message in repeated:
            await self._catch_up(community_id, message)
        return stored

    async def _insert(self, community_id: int, rows: dict[int, NewRow], known: Known) -> None:
        new = list(rows.values())
        by_room = groupby(sorted(new, key=lambda row: (row["room_id"], row["sent_at"])), key=lambda row: row["room_id"])
        more = [_more(room_id, list(group)) for room_id, group in by_room]
        if self.session.is_sqlite:
            await self.session.put(MESSAGES, new)
            await count_messages(self.session, community_id, more)
            await index(self.session, community_id, [(row["id"], row["room_id"], row["content"]) for row in new])
        else:
            await store_at_once(self.session, community_id, new, more)
        late = [row["reply_to_discord_id"] for row in new if row["reply_to_discord_id"] in rows]
        for discord_id in {*known.awaited, *late} & rows.keys():
            await self._resolve_replies(community_id, discord_id, rows[discord_id]["id"])

    async def _resolve_replies(self, community_id: int, discord_id: int, message_id: int) -> None:
        """Replies that came before what they answer find it now."""
        waiting = and_(owned(MESSAGES, community_id), MESSAGES.c.reply_to_discord_id == discord_id)
        await self.session.run(update(MESSAGES).where(waiting).values(reply_to=message_id, reply_to_discord_id=None))

    async def _take_early_edits(self, community_id: int, known: Known) -> dict[int, Values]:
        if not known.early:
            return {}
        these = and_(owned(EARLY_EDITS, community_id), EARLY_EDITS.c.discord_id.in_(known.early))
        edits = {row["discord_id"]: row for row in await self.session.mappings(select(EARLY_EDITS).where(these))}
        await self.session.run(delete(EARLY_EDITS).where(these))
        return edits

    async def _catch_up(self, community_id: CommunityId, message: NewMessage) -> None:
        """A backfill may bring the newer text of a message whose edit was missed."""
        if message.edited_at is not None:
            await self.edit(
                community_id,
                message.discord_id,
                content=message.content,
                edited_at=message.edited_at,
                tokens=message.tokens,
            )

    async def edit(
        self, community_id: CommunityId, discord_id: Snowflake, *, content: str, edited_at: datetime, tokens: int
    ) -> Message | None:
        """Store a message's new text; None when it is not known (then kept for its arrival) or a newer text is."""
        known = await known_of(self.session, community_id, [discord_id])
        if discord_id in known.deleted or discord_id in known.parts:
            return None
        if discord_id not in known.messages:
            if await unsay(self.session, community_id, discord_id, content, edited_at):
                return None
            row = {"content": content, "tokens": tokens, "edited_at": edited_at}
            await self._keep_early_edit(row | {"community_id": community_id, "discord_id": discord_id})
            return None
        id_ = known.messages[discord_id]
        this = and_(owned(MESSAGES, community_id), MESSAGES.c.id == id_)
        older = or_(MESSAGES.c.edited_at.is_(None), MESSAGES.c.edited_at < edited_at)
        found = await self.session.rows(select(*WORDS).where(this, older))
        if not found:
            return None
        before = found[0]
        await self.session.run(update(MESSAGES).where(this).values(content=content, edited_at=edited_at, tokens=tokens))
        if before.shown and before.content != content:
            await unindex(self.session, community_id, [(id_, before.room_id, before.content)])
            await index(self.session, community_id, [(id_, before.room_id, content)])
            await reword(self.session, community_id, before, content, edited_at)
            await owe_purge(self.session)
        return (await self.by_id(community_id, [MessageId(id_)]))[MessageId(id_)]

    async def repost(
        self,
        community_id: CommunityId,
        discord_id: Snowflake,
        posted_as: Snowflake,
        *,
        content: str,
        tokens: int,
        at: datetime,
    ) -> None:
        await self.edit(community_id, discord_id, content=content, edited_at=at, tokens=tokens)
        this = and_(owned(MESSAGES, community_id), MESSAGES.c.discord_id == discord_id)
        await self.session.run(update(MESSAGES).where(this).values(discord_id=posted_as, edited_at=None))
        await self._bury(community_id, [discord_id], at)

    async def _keep_early_edit(self, row: Values) -> None:
        statement = self.session.insert(EARLY_EDITS)
        newer = statement.on_conflict_do_update(
            index_elements=EARLY_EDITS.primary_key,
            set_={name: statement.excluded[name] for name in ("content", "tokens", "edited_at")},
            where=EARLY_EDITS.c.edited_at < statement.excluded.edited_at,
        )
        await self.session.run(newer, row)

    async def delete(self, community_id: CommunityId, discord_ids: Sequence[Snowflake], at: datetime) -> int:
        gone = 0
        for some in _slices(discord_ids):  # no statement takes any number of values
            await self._bury(community_id, some, at)
            gone += await erase(self.session, community_id, MESSAGES.c.id.in_(ids_of(community_id, some)), at=at)
            await blank_said(self.session, community_id, EVENTS.c.post_id.in_(some), at=at)
        return gone

    async def delete_room(
        self,
        community_id: CommunityId,
        room_id: AgentId,
        at: datetime,
        *,
        thread_id: Snowflake | None = None,
        limit: int | None = None,
    ) -> int:
        here = and_(MESSAGES.c.room_id == room_id, MESSAGES.c.thread_id == thread_id)
        if thread_id is None:
            inside = or_(ROOMS.c.id == room_id, ROOMS.c.thread_of == room_id)
            here = MESSAGES.c.room_id.in_(select(ROOMS.c.id).where(owned(ROOMS, community_id), inside))
        said = select(MESSAGES.c.id, MESSAGES.c.discord_id).where(owned(MESSAGES, community_id), here).limit(limit)
        with unhurried():  # there is no telling how much was said there
            found = await self.session.rows(said)
            for some in _slices([row.discord_id for row in found if row.discord_id is not None]):
                await self._bury(community_id, some, at)
            of = SCENES.c.room_id == room_id if thread_id is None else SCENES.c.thread_id == thread_id
            played = select(SCENES.c.id).where(owned(SCENES, community_id), of)
            await blank_said(self.session, community_id, EVENTS.c.scene_id.in_(played))
            these = here if limit is None else MESSAGES.c.id.in_([row.id for row in found])
            return await erase(self.session, community_id, these)

    async def _bury(self, community_id: int, discord_ids: Iterable[int], at: datetime) -> None:
        rows = [{"community_id": community_id, "discord_id": id_, "at": at} for id_ in dict.fromkeys(discord_ids)]
        await self.session.run(self.session.insert(TOMBSTONES).on_conflict_do_nothing(), rows)
        early = and_(
            owned(EARLY_EDITS, community_id), EARLY_EDITS.c.discord_id.in_([row["discord_id"] for row in rows])
        )
        await self.session.run(delete(EARLY_EDITS).where(early))


def _slices(values: Sequence[T]) -> Iterator[Sequence[T]]:
    return (values[start : start + AT_A_TIME] for start in range(0, len(values), AT_A_TIME))


def _row(community_id: int, id_: int, message: NewMessage, reply_to: int | None, edit: Values | None) -> NewRow:
    row = sender_columns(message.sender) | {
        "community_id": community_id,
        "id": id_,
        "room_id": message.room_id,
        "content": message.content,
        "type": type_of(message.attachments),
        "sent_at": message.sent_at,
        "reply_to": reply_to,
        "reply_to_discord_id": message.reply_to if reply_to is None else None,
        "edited_at": message.edited_at or (message.sent_at if message.edited else None),
        "attachment_count": len(message.attachments),
        "discord_id": message.discord_id,
        "thread_id": message.thread_id,
        "thread_name": message.thread_name,
        "tokens": message.tokens,
    }
    if edit is not None and (row["edited_at"] is None or row["edited_at"] < edit["edited_at"]):
        row |= {name: edit[name] for name in ("content", "tokens", "edited_at")}
    return row


def _more(room_id: int, rows: Sequence[Values]) -> More:
    spoken = any(row["sender_kind"] in (SenderKind.PERSON, SenderKind.ARCHITECT) for row in rows)
    return More(room_id=room_id, shown=len(rows), newest=rows[-1]["sent_at"], spoken=spoken)


def type_of(attachments: Iterable[Attachment]) -> MessageType:
    """Give the type of a message by what is attached to it."""
    shows = any(one.media_type.startswith("image/") for one in attachments)
    return MessageType.IMAGE if shows else MessageType.TEXT


def _message(new: NewMessage, row: Values) -> Message:
    return Message(
        id=row["id"],
        room_id=new.room_id,
        sender=new.sender,
        content=row["content"],
        type=row["type"],
        sent_at=new.sent_at,
        reply_to=row["reply_to"],
        edited=row["edited_at"] is not None,
        attachments=new.attachments,
        discord_id=new.discord_id,
        thread_id=new.thread_id,
        thread_name=new.thread_name,
        tokens=row["tokens"],
    )


def _earlier(mark: tuple[object, ...]) -> ColumnElement[bool]:
    return tuple_(*ORDER) < tuple_(*mark, types=[part.type for part in ORDER])


@dataclass(frozen=True, slots=True)
class SqlReactions:
    """Reactions to messages."""

    session: Session

    async def effects(
        self, community_id: CommunityId, message_id: MessageId, reactions: Collection[tuple[Sender, str]]
    ) -> Mapping[tuple[Sender, str], float]:
        wanted = {(reactor_mark(reactor), emoji): (reactor, emoji) for reactor, emoji in reactions}
        of_them = (
            REACTIONS.c.reactor.in_({mark for mark, _ in wanted}),
            REACTIONS.c.emoji.in_({emoji for _, emoji in wanted}),
        )
        columns = (REACTIONS.c.reactor, REACTIONS.c.emoji, REACTIONS.c.moved_seconds)
        asked = select(*columns).where(owned(REACTIONS, community_id), REACTIONS.c.message_id == message_id, *of_them)
        found = {(mark, emoji): moved for mark, emoji, moved in await self.session.rows(asked)}
        return {wanted[key]: moved for key, moved in found.items() if key in wanted}

    async def given_to(
        self, community_id: CommunityId, message_ids: Sequence[MessageId]
    ) -> Sequence[tuple[MessageId, Sender, str]]:
        columns = (REACTIONS.c.message_id, REACTIONS.c.reactor, REACTIONS.c.reactor_name, REACTIONS.c.emoji)
        asked = select(*columns).where(owned(REACTIONS, community_id), REACTIONS.c.message_id.in_(message_ids))
        rows = await self.session.rows(asked.order_by(REACTIONS.c.at, REACTIONS.c.reactor))
        return [(id_, _reactor(mark, name), emoji) for id_, mark, name, emoji in rows]

    async def feedback(self, community_id: CommunityId, agent_id: AgentId, since: datetime) -> Mapping[str, int]:
        lately = and_(owned(REACTIONS, community_id), REACTIONS.c.at >= since, REACTIONS.c.emotion.is_not(None))
        its = and_(
            MESSAGES.c.community_id == REACTIONS.c.community_id,
            MESSAGES.c.id == REACTIONS.c.message_id,
            MESSAGES.c.sender_agent_id == agent_id,
        )
        counted = select(REACTIONS.c.emotion, func.count()).join(MESSAGES, its).where(lately)
        return {emotion: count for emotion, count in await self.session.rows(counted.group_by(REACTIONS.c.emotion))}


def _reactor(mark: str, name: str) -> Sender:
    kind, _, id_ = mark.partition(":")
    match kind:
        case "agent":
            return Sender(kind=SenderKind.AGENT, agent_id=AgentId(int(id_)))
        case "person":
            return Sender(kind=SenderKind.PERSON, person_id=Snowflake(int(id_)), name=name)
        case _:
            return Sender(kind=SenderKind(kind), name=name)
