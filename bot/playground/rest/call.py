"""One REST call as its handler sees it, and the questions every handler asks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.playground.errors import ApiError, Refused, Unknown, invalid, unauthorized
from bot.playground.permissions import Permission
from bot.playground.snowflakes import is_snowflake
from bot.playground.world import World

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file sent along; `slot` is the number in `files[0]`."""

    slot: int
    name: str
    content_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with a status of its own; handlers that give plain JSON answer 200, and 204 for None."""

    status: int
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Call:
    """What was asked, by whom, of which world."""

    world: World
    params: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = field(default_factory=dict)
    files: tuple[Upload, ...] = ()
    user: Json | None = None
    reason: str | None = None

    @property
    def me(self) -> str:
        """Give the id of whoever asks."""
        if self.user is None:
            raise unauthorized()
        return str(self.user["id"])

    @property
    def is_bot(self) -> bool:
        """Whether a bot asks."""
        return bool(self.user and self.user.get("bot"))

    @property
    def form(self) -> Json:
        """Give the body, which has to be an object."""
        if not isinstance(self.body, dict):
            raise ApiError(400, 50035)
        return self.body

    def flag(self, name: str) -> bool:
        """Read a switch from the query."""
        return self.query.get(name, "").lower() in ("1", "true")

    def number(self, name: str, default: int, *, low: int, high: int) -> int:
        """Read a number from the query."""
        text = self.query.get(name, str(default))
        if not text.isdecimal() or not low <= int(text) <= high:
            raise ApiError(400, 50035, fields={name: _out_of_range(low, high)})
        return int(text)

    def id_of(self, name: str) -> int | None:
        """Read an id from the query."""
        text = self.query.get(name)
        if text is not None and not is_snowflake(text):
            raise invalid(name, "NUMBER_TYPE_COERCE", f'Value "{text}" is not snowflake.')
        return None if text is None else int(text)

    # What the path names

    def guild(self) -> Json:
        """Give the server of the path; who is not in it has no access."""
        guild = self.world.guilds.get(self.params["guild_id"])
        if guild is None:
            raise Unknown(10004)
        if self.world.member(guild["id"], self.me) is None:
            raise Refused(50001)
        return guild

    def channel(self, *needs: Permission) -> Json:
        """Give the channel of the path; who can't see it has no access, who lacks a permission is refused."""
        channel = self.world.channels.get(self.params["channel_id"])
        if channel is None:
            raise Unknown(10003)
        self.may(channel, *needs)
        return channel

    def may(self, channel: Json, *needs: Permission) -> None:
        """Raise Refused unless whoever asks sees the channel and has these permissions in it."""
        has = self.world.permissions_in(channel, self.me)
        if not has & Permission.VIEW_CHANNEL:
            raise Refused(50001)
        if any(not has & need for need in needs):
            raise Refused

    def may_in_guild(self, guild: Json, *needs: Permission) -> None:
        """Raise Refused unless whoever asks has these permissions in the server."""
        has = self.world.guild_permissions(guild["id"], self.me)
        if any(not has & need for need in needs):
            raise Refused

    def message(self, channel: Json) -> Json:
        """Give the message of the path, which has to be in the channel and visible."""
        row = self.world.messages.get(self.params["message_id"])
        if row is None or row["channel_id"] != channel["id"] or "only_for" in row:
            raise Unknown(10008)
        return row


def _out_of_range(low: int, high: int) -> Json:
    message = f"int value should be between {low} and {high}."
    return {"_errors": [{"code": "NUMBER_TYPE_COERCE", "message": message}]}
