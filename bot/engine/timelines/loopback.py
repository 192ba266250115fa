"""A Discord that is nowhere: what is posted there gets an id and stands at once, and no request leaves the process."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.core.ports import Clock, Post
from bot.core.publishing import NewChannel
from bot.core.records import AgentId, LetterId, Snowflake
from bot.core.scenes.showing import Board

DISCORD_EPOCH_MS = 1_420_070_400_000
COUNTED = 1 << 22  # ids of one millisecond
OF_A_NODE = 1 << 12


@dataclass
class Loopback:
    """Implements `ports.Publisher`; `depth` keeps the ids of a world apart from those of the worlds before it."""

    clock: Clock
    depth: int = 0
    _count: int = 0
    _channels: dict[str, Snowflake] = field(default_factory=dict)

    def id(self) -> Snowflake:
        """Give the next Discord id at this moment."""
        self._count += 1
        milliseconds = int(self.clock.now().timestamp() * 1000) - DISCORD_EPOCH_MS
        return Snowflake((milliseconds << 22) + (self.depth * OF_A_NODE + self._count) % COUNTED)

    async def post(self, post: Post) -> Snowflake:
        """Let it stand."""
        return self.id()

    async def posted_after(
        self, guild_id: Snowflake, channel_id: Snowflake, after: Snowflake | None
    ) -> Sequence[tuple[Snowflake, str, str]]:
        """Give nothing: no answer to a post is ever lost here."""
        return ()

    async def typing(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        """Show nobody."""

    async def react(
        self, guild_id: Snowflake, channel_id: Snowflake, message_id: Snowflake, emoji: str, *, added: bool = True
    ) -> None:
        """Show nobody: the store has it."""

    async def remove(self, guild_id: Snowflake, channel_id: Snowflake, *message_ids: Snowflake) -> None:
        """Take nothing away: the store has done it."""

    async def reword(
        self, guild_id: Snowflake, channel_id: Snowflake, post_id: Snowflake, text: str, *, thread_id: Snowflake | None
    ) -> None:
        """Change nothing: the store has done it."""

    async def unpinned_before(
        self, guild_id: Snowflake, channel_id: Snowflake, before: Snowflake
    ) -> tuple[Sequence[Snowflake], Snowflake | None]:
        """Give nothing."""
        return (), None

    async def pin_billboard(
        self, guild_id: Snowflake, channel_id: Snowflake, message_id: Snowflake | None, text: str
    ) -> Snowflake | None:
        """Let it be pinned."""
        return (message_id or self.id()) if text else None

    async def edit_channel(
        self, guild_id: Snowflake, channel_id: Snowflake, *, name: str | None = None, topic: str | None = None
    ) -> None:
        """Change nothing: the store has done it."""

    async def make_channel(self, guild_id: Snowflake, new: NewChannel) -> Snowflake:
        """Give a new agent a channel that is nowhere."""
        return self._channels.setdefault(new.topic, self.id())

    async def open_thread(self, guild_id: Snowflake, channel_id: Snowflake, name: str) -> Snowflake:
        """Open a thread that is nowhere."""
        return self.id()

    async def show_board(
        self, guild_id: Snowflake, thread_id: Snowflake, post_id: Snowflake | None, board: Board
    ) -> Snowflake:
        """Show nobody."""
        return post_id or self.id()

    async def remove_channel(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        """Remove nothing: the store has done it."""

    async def allow(
        self,
        guild_id: Snowflake,
        channel_id: Snowflake,
        person_id: Snowflake | None,
        *,
        allowed: bool | None,
        writable: bool = True,
    ) -> None:
        """Let nobody in: there is no channel."""

    async def face(
        self, guild_id: Snowflake, channel_id: Snowflake, agent_id: AgentId, name: str, *, redraw: bool = False
    ) -> str | None:
        """Draw none."""
        return None

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
        """Tell nobody."""

    async def tell(self, person_id: Snowflake, text: str) -> None:
        """Tell nobody."""
