"""Everything the playground knows: people, servers, channels, messages, and who hears of a change."""

import json
import secrets
from collections.abc import Iterable
from datetime import datetime

from bot.playground import permissions
from bot.playground.clock import Clock
from bot.playground.events import Event
from bot.playground.faults import Faults
from bot.playground.hub import Hub
from bot.playground.journal import Journal, Rows, Shelf
from bot.playground.kinds import DIRECT, THREADS, ChannelKind
from bot.playground.permissions import Permission
from bot.playground.ratelimits import Pace, RateLimits
from bot.playground.rows import Json
from bot.playground.session import Session
from bot.playground.snowflakes import Snowflakes, is_snowflake

# Plain numbers: they are asked for at every event of every session, where an enum's arithmetic is slow.
VIEW = int(Permission.VIEW_CHANNEL)
READ_ONLY = int(Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY)


class World:
    """The state behind REST and gateway; every change is in the journal before it is told to anyone."""

    def __init__(self, journal: Journal, *, cdn_url: str, gateway_url: str, pace: Pace = "off") -> None:
        self.journal = journal
        self.cdn_url = cdn_url
        self.gateway_url = gateway_url
        self.meta = Shelf(journal, "meta")
        self.users = Shelf(journal, "user")
        self.applications = Shelf(journal, "application")
        self.guilds = Shelf(journal, "guild")
        self.roles = Shelf(journal, "role")
        self.members = Shelf(journal, "member")
        self.channels = Shelf(journal, "channel")
        self.webhooks = Shelf(journal, "webhook")
        self.commands = Shelf(journal, "command", group="application_id")
        self.command_permissions = Shelf(journal, "command_permissions")
        self.interactions = Shelf(journal, "interaction")
        self.messages = MessageBook(journal)
        self.clock = Clock(offset_seconds=(self.meta.get("clock") or {}).get("offset_seconds", 0.0))
        self.ids = Snowflakes(self.clock, last=self._last_id())
        self.hub = Hub()
        self.faults = Faults()
        self.limits = RateLimits(self.clock, pace)
        self._tokens = {row["token"]: row for row in self.users.rows.values() if "token" in row}
        self._known: dict[tuple[str, str], int] = {}

    def _last_id(self) -> int:
        sql = "SELECT max((SELECT coalesce(max(id), 0) FROM messages), coalesce(max(CAST(key AS INTEGER)), 0))"
        return int(self.journal.read(sql + " FROM things")[0][0])

    # People and bots

    def user_with(self, token: str) -> Json | None:
        """Give whoever this token belongs to."""
        return self._tokens.get(token)

    def add_user(self, row: Json) -> Json:
        """Keep a new user and draw a token for it."""
        row["token"] = secrets.token_urlsafe(32)
        self._tokens[row["token"]] = row
        return self.users.put(row["id"], row)

    def rename(self, row: Json, name: str) -> Json:
        """Give a user another name."""
        return self.change_user(row, username=name)

    def change_user(self, row: Json, **changes: object) -> Json:
        """Change what is known of a user with a token."""
        row = row | changes
        self._tokens[row["token"]] = row
        return self.users.put(row["id"], row)

    def lock_out(self, row: Json) -> None:
        """Take a user's token away."""
        self._tokens.pop(row["token"], None)
        self.users.put(row["id"], {key: value for key, value in row.items() if key != "token"})

    def member(self, guild_id: object, user_id: object) -> Json | None:
        """Give a membership of a server."""
        return self.members.get(f"{guild_id}:{user_id}")

    def guilds_of(self, user_id: str) -> list[Json]:
        """Give the servers a user is in."""
        return [guild for guild in self.guilds.rows.values() if self.member(guild["id"], user_id)]

    def last_message_id(self, channel: Json) -> str | None:
        """Give the newest message of a channel."""
        if channel["type"] in THREADS:
            return str(found) if (found := channel.get("last_message_id")) else None
        return self.messages.last_id(channel["id"])

    # Permissions

    def forget_permissions(self) -> None:
        """Compute permissions anew: a role, a member or an overwrite has changed."""
        self._known.clear()

    def guild_permissions(self, guild_id: str, user_id: str) -> int:
        """Give what a user may do in a server as a whole; 0 for who isn't in it."""
        member, guild = self.member(guild_id, user_id), self.guilds.get(guild_id)
        if member is None or guild is None:
            return 0
        if guild["owner_id"] == user_id:
            return permissions.ALL
        return permissions.base_permissions(guild_id, member["roles"], self.roles.within(guild_id))

    def permissions_in(self, channel: Json, user_id: str) -> int:
        """Give what a user may do in a channel, a thread or a direct conversation."""
        key = (channel["id"], user_id)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._work_out(channel, user_id)
        return found & READ_ONLY if self._is_timed_out(channel, user_id) else found

    def _is_timed_out(self, channel: Json, user_id: str) -> bool:
        """Whether a moderator has silenced a member for now; owners and administrators can't be."""
        member = self.members.rows.get(f"{channel.get('guild_id')}:{user_id}")
        until = member and member.get("communication_disabled_until")
        if not until or datetime.fromisoformat(until) <= self.clock.now():
            return False
        return not self.guild_permissions(channel["guild_id"], user_id) & Permission.ADMINISTRATOR

    def _work_out(self, channel: Json, user_id: str) -> int:
        if channel["type"] in DIRECT:
            return permissions.EVERYONE if user_id in channel["recipients"] else 0
        if channel["type"] in THREADS:
            return self._in_thread(channel, user_id)
        guild_id = channel["guild_id"]
        member = self.member(guild_id, user_id)
        if member is None:
            return 0
        return permissions.with_overwrites(
            self.guild_permissions(guild_id, user_id),
            guild_id=guild_id,
            user_id=user_id,
            role_ids=member["roles"],
            overwrites=channel.get("permission_overwrites", ()),
        )

    def _in_thread(self, thread: Json, user_id: str) -> int:
        parent = self.channels.get(thread["parent_id"])
        total = self.permissions_in(parent, user_id) if parent else 0
        if thread["type"] == ChannelKind.PRIVATE_THREAD and not total & Permission.MANAGE_THREADS:
            total = total if user_id in thread["thread_members"] else 0
        writes = bool(total & Permission.SEND_MESSAGES_IN_THREADS)
        return total | Permission.SEND_MESSAGES if writes else total & ~Permission.SEND_MESSAGES

    def sees(self, user_id: str, channel: Json) -> bool:
        """Whether a user can look into a channel."""
        return bool(self.permissions_in(channel, user_id) & VIEW)

    # Telling

    def tell_channel(self, channel: Json, name: str, data: Json) -> None:
        """Send an event to everyone who sees the channel now."""
        guild_id = channel.get("guild_id")
        event = Event(name, data, direct=guild_id is None)
        for session in self.hub.sessions():
            if self.sees(session.user_id, channel):
                self._deliver(session, event, guild_id)

    def tell_guild(self, guild_id: str, name: str, data: Json, *, but: str | None = None) -> None:
        """Send an event to every member of a server, `but` one."""
        event = Event(name, data)
        for session in self.hub.sessions():
            if session.user_id != but and self.member(guild_id, session.user_id):
                self._deliver(session, event, guild_id)

    def tell_users(
        self,
        user_ids: Iterable[str],
        name: str,
        data: Json,
        *,
        guild_id: str | None = None,
        session_id: str | None = None,
    ) -> None:
        """Send an event to these users only (or only to the one session), whatever their intents."""
        event, wanted = Event(name, data, direct=True), set(user_ids)
        event.intent = 0
        for session in self.hub.sessions():
            if session.user_id in wanted and session_id in (None, session.id):
                self._deliver(session, event, guild_id)

    def _deliver(self, session: Session, event: Event, guild_id: str | None) -> None:
        if self.faults.none_for_events:
            session.take(event, guild_id=guild_id)
            return
        delay, copies = 0.0, 1
        for fault in self.faults.for_event(event.name, session.user_id):
            if fault.kind == "duplicate_events":
                copies += 1
            elif fault.kind == "maim_events":
                event = event.without(fault.lacks)
            else:
                delay += fault.seconds
        for _ in range(copies):
            if delay:
                event.freeze()
                self.hub.later(delay, lambda: session.take(event, guild_id=guild_id))
            else:
                session.take(event, guild_id=guild_id)


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


def _all(rows: Rows) -> list[Json]:
    return [json.loads(row[0]) for row in rows]


def _first(rows: Rows) -> Json | None:
    return json.loads(rows[0][0]) if rows else None
