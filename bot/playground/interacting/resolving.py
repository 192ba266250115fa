"""What the ids in an interaction stand for: the `resolved` part of its data."""

from bot.playground.rows import Json
from bot.playground.shapes.channel import show_any
from bot.playground.shapes.guild import show_bare_member, show_role
from bot.playground.shapes.message import show_message
from bot.playground.shapes.user import show_user
from bot.playground.world import World


class Resolved:
    """Gathers what is behind ids; `found` is the JSON, without empty parts."""

    def __init__(self, world: World, channel: Json, person: str) -> None:
        self._world = world
        self._channel = channel
        self._guild_id = channel.get("guild_id")
        self._person = person
        self.found: dict[str, Json] = {}

    def user(self, user_id: str) -> bool:
        """Resolve a user, with its membership here."""
        row = self._world.users.get(user_id)
        member = self._world.member(self._guild_id, user_id)
        if row is None or (self._guild_id and member is None):
            return False
        self._put("users", user_id, show_user(row))
        if member is not None:
            rights = str(self._world.permissions_in(self._channel, user_id))
            self._put("members", user_id, show_bare_member(member) | {"permissions": rights})
        return True

    def role(self, role_id: str) -> bool:
        """Resolve a role of this server."""
        row = self._world.roles.within(self._guild_id).get(role_id)
        if row is None:
            return False
        self._put("roles", role_id, show_role(row))
        return True

    def channel(self, channel_id: str, kinds: list[int] | None = None) -> bool:
        """Resolve a channel of this server that the person sees, of one of these kinds."""
        row = self._world.channels.within(self._guild_id).get(channel_id)
        if row is None or not self._world.sees(self._person, row) or (kinds and row["type"] not in kinds):
            return False
        shown = show_any(self._world, row, viewer=self._person)
        rights = str(self._world.permissions_in(row, self._person))
        self._put("channels", channel_id, shown | {"permissions": rights})
        return True

    def message(self, row: Json) -> None:
        """Resolve a message."""
        self._put("messages", row["id"], show_message(self._world, row, viewer=None))

    def attachment(self, attachment: Json) -> None:
        """Resolve a file that came along."""
        self._put("attachments", attachment["id"], attachment | {"ephemeral": True})

    def _put(self, kind: str, key: str, shown: Json) -> None:
        self.found.setdefault(kind, {})[key] = shown
