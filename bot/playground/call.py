"""One REST call as its handler sees it, and the questions every handler asks."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.playground.errors import Refused, Unknown, unauthorized
from bot.playground.permissions import Permission
from bot.playground.rows import Json
from bot.playground.world import World
from bot.playground.writing.attachments import Upload


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
    body: object = field(default_factory=dict)
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
