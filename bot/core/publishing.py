"""The door to Discord's writing side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.core.records import AgentId, LetterId, Snowflake
from bot.core.scenes.showing import Board


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One message on Discord as an agent, by the channel's webhook."""

    guild_id: Snowflake
    channel_id: Snowflake
    name: str
    avatar_url: str | None
    content: str
    thread_id: Snowflake | None = None
    only_there: bool = False  # never in the channel, should the thread be gone
    files: tuple[tuple[str, bytes], ...] = ()
    pings: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewChannel:
    """An agent's channel as it is to be made; without a category it goes to ours.

    It may have been made already: then its topic bears one of the `marks`, and it is newer than `after` and none of the
    `rooms`, which are channels of agents.
    """

    agent_id: AgentId
    name: str
    topic: str
    marks: tuple[str, ...]
    after: Snowflake
    rooms: frozenset[Snowflake] = frozenset()
    private: bool = False
    category_id: Snowflake | None = None


class Publisher(Protocol):
    """Discord's writing side; raises PublishError's children: ChannelGone, too, for a channel of another server."""

    async def post(self, post: Post) -> Snowflake:
        """Post once and give the message's id."""

    async def posted_after(
        self, guild_id: Snowflake, channel_id: Snowflake, after: Snowflake | None
    ) -> Sequence[tuple[Snowflake, str, str]]:
        """Give our webhook's posts after a message, oldest first: id, author name, content."""

    async def typing(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        """Show the bot typing for some seconds."""

    async def react(
        self, guild_id: Snowflake, channel_id: Snowflake, message_id: Snowflake, emoji: str, *, added: bool = True
    ) -> None:
        """Put or take back the bot's own reaction."""

    async def remove(self, guild_id: Snowflake, channel_id: Snowflake, *message_ids: Snowflake) -> None:
        """Delete messages, 100 at most; those that are gone already are no error."""

    async def reword(
        self, guild_id: Snowflake, channel_id: Snowflake, post_id: Snowflake, text: str, *, thread_id: Snowflake | None
    ) -> None:
        """Put other words into a post of ours, with no file beside them; one that cannot be changed is deleted."""

    async def unpinned_before(
        self, guild_id: Snowflake, channel_id: Snowflake, before: Snowflake
    ) -> tuple[Sequence[Snowflake], Snowflake | None]:
        """Give the messages before one that are not pinned, the newest first, and from where to read on, if at all."""

    async def pin_billboard(
        self, guild_id: Snowflake, channel_id: Snowflake, message_id: Snowflake | None, text: str
    ) -> Snowflake | None:
        """Write the billboard into the bot's one pinned message (made when there is none; removed when empty)."""

    async def edit_channel(
        self, guild_id: Snowflake, channel_id: Snowflake, *, name: str | None = None, topic: str | None = None
    ) -> None:
        """Rename a channel or change its topic."""

    async def make_channel(self, guild_id: Snowflake, new: NewChannel) -> Snowflake:
        """Make an agent's channel in the category, or find the one that was made for it already."""

    async def open_thread(self, guild_id: Snowflake, channel_id: Snowflake, name: str) -> Snowflake:
        """Open a public thread in a channel, or find the one of that name that was opened for it already."""

    async def show_board(
        self, guild_id: Snowflake, thread_id: Snowflake, post_id: Snowflake | None, board: Board
    ) -> Snowflake:
        """Bring a scene's board up to date (posted where there is none) and give the message's id."""

    async def remove_channel(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        """Delete a channel; one that is gone already is no error."""

    async def allow(
        self,
        guild_id: Snowflake,
        channel_id: Snowflake,
        person_id: Snowflake | None,
        *,
        allowed: bool | None,
        writable: bool = True,
    ) -> None:
        """Let a person (None: everyone) see a channel, or no longer; everyone may also be kept from writing.

        `allowed` None: who sees it stays as it is.
        """

    def own_face(self) -> str | None:
        """Give the public address of the bot's own picture."""

    async def face(
        self, guild_id: Snowflake, channel_id: Snowflake, agent_id: AgentId, name: str, *, redraw: bool = False
    ) -> str | None:
        """Give the public address of an agent's drawn avatar, set on the webhook of its own room's channel."""

    async def notify(
        self,
        guild_id: Snowflake,
        channel_id: Snowflake,
        text: str,
        *,
        held: LetterId | None = None,
        traces: Sequence[str] = (),
        called: Sequence[Snowflake] = (),
    ) -> None:
        """Say something as the bot itself; with buttons to decide about a held letter, or about places by number.

        `called`: people who are named in it, and are told of it by Discord.
        """

    async def tell(self, person_id: Snowflake, text: str) -> None:
        """Say something to a person alone."""
