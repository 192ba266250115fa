"""All messages: kept in the journal, not in memory, so that a long history costs little."""

import json
from collections.abc import Iterable
from typing import Any

from bot.playground.journal import Journal
from bot.playground.rows import Json
from bot.playground.snowflakes import is_snowflake

PUT = """INSERT INTO messages(id, channel_id, author_id, nonce, pinned_at, hidden, body) VALUES(?,?,?,?,?,?,?)
  ON CONFLICT(id) DO UPDATE SET pinned_at = excluded.pinned_at, body = excluded.body"""


class MessageBook:
    """Messages by id and by channel, as compact records (see `shapes.message` for the form people get)."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def put(self, row: Json) -> Json:
        """Keep a message, new or changed."""
        nonce = row.get("nonce")
        values = (int(row["id"]), int(row["channel_id"]), int(row["author_id"]), None if nonce is None else str(nonce))
        hidden = int("only_for" in row)
        body = json.dumps(row, separators=(",", ":"))
        self._journal.write(PUT, (*values, row.get("pinned_at"), hidden, body))
        return row

    def get(self, message_id: object) -> Json | None:
        """Give one message, ephemeral ones too."""
        if not is_snowflake(message_id):
            return None
        return _first(self._journal.read("SELECT body FROM messages WHERE id = ?", (int(str(message_id)),)))

    def drop(self, message_ids: Iterable[str]) -> None:
        """Remove messages for good."""
        for message_id in message_ids:
            self._journal.write("DELETE FROM messages WHERE id = ?", (int(message_id),))

    def drop_channel(self, channel_id: str) -> None:
        """Remove everything said in a channel."""
        self._journal.write("DELETE FROM messages WHERE channel_id = ?", (int(channel_id),))

    def page(self, channel_id: str, *, limit: int, before: int | None = None, after: int | None = None) -> list[Json]:
        """Give a page of a channel's history, newest first; with `after` the oldest that follow it."""
        where, values, order = "", [int(channel_id)], "DESC"
        if before is not None:
            where += " AND id < ?"
            values.append(before)
        if after is not None:
            where += " AND id > ?"
            values.append(after)
            order = "ASC"
        sql = f"SELECT body FROM messages WHERE channel_id = ? AND hidden = 0{where} ORDER BY id {order} LIMIT ?"  # noqa: S608
        rows = _all(self._journal.read(sql, (*values, limit)))
        return rows[::-1] if order == "ASC" else rows

    def beginning_of(self, *, before: int, limit: int) -> int | None:
        """Give the id of the oldest of so many messages of all channels; None when there are none."""
        sql = "SELECT min(id) FROM (SELECT id FROM messages WHERE id < ? ORDER BY id DESC LIMIT ?)"
        found = self._journal.read(sql, (before, limit))[0][0]
        return None if found is None else int(found)

    def holding(self, words: Iterable[str], channel_ids: Iterable[str], *, since: int, before: int) -> list[Json]:
        """Give messages of these channels in which the words may stand, newest first; letters beyond ASCII pass."""
        likely = [f"%{word}%" for word in words if word.isascii() and word.isalnum()]
        places = [int(channel_id) for channel_id in channel_ids]
        sql = (
            f"SELECT body FROM messages WHERE id >= ? AND id < ? AND hidden = 0 "  # noqa: S608
            f"AND +channel_id IN ({','.join('?' * len(places))}){' AND body LIKE ?' * len(likely)} ORDER BY id DESC"
        )  # by id, with few to look through: by channel all of its messages would be
        return _all(self._journal.read(sql, (since, before, *places, *likely)))

    def pinned(self, channel_id: str, *, before: str | None, limit: int) -> list[Json]:
        """Give a channel's pinned messages, the latest pin first."""
        sql = (
            "SELECT body FROM messages WHERE channel_id = ? AND pinned_at IS NOT NULL AND pinned_at < ? "
            "ORDER BY pinned_at DESC, id DESC LIMIT ?"
        )
        return _all(self._journal.read(sql, (int(channel_id), before or "9999", limit)))

    def by_nonce(self, author_id: str, nonce: str, *, after: int) -> Json | None:
        """Give the message that an author sent with this nonce since the given id."""
        sql = "SELECT body FROM messages WHERE author_id = ? AND nonce = ? AND id > ? ORDER BY id DESC LIMIT 1"
        return _first(self._journal.read(sql, (int(author_id), nonce, after)))

    def by_author(self, channel_id: str, author_id: str, *, after: int) -> list[Json]:
        """Give what an author has said in a channel since the given id."""
        sql = "SELECT body FROM messages WHERE channel_id = ? AND author_id = ? AND id > ? AND hidden = 0"
        return _all(self._journal.read(sql, (int(channel_id), int(author_id), after)))

    def last_id(self, channel_id: str) -> str | None:
        """Give the id of the newest message of a channel."""
        sql = "SELECT id FROM messages WHERE channel_id = ? AND hidden = 0 ORDER BY id DESC LIMIT 1"
        found = self._journal.read(sql, (int(channel_id),))
        return str(found[0][0]) if found else None

    def count(self, channel_id: str) -> int:
        """Count a channel's messages."""
        sql = "SELECT count(*) FROM messages WHERE channel_id = ? AND hidden = 0"
        return int(self._journal.read(sql, (int(channel_id),))[0][0])


def _all(rows: list[tuple[Any, ...]]) -> list[Json]:
    return [json.loads(row[0]) for row in rows]


def _first(rows: list[tuple[Any, ...]]) -> Json | None:
    return json.loads(rows[0][0]) if rows else None
