"""A Discord of our own for engine tests: it keeps what is published and fails as it is told to."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bot.core.errors import ChannelGone, FateUnknown, PublishError
from bot.core.ports import Clock, Post
from bot.core.publishing import NewChannel
from bot.core.records import AgentId, LetterId, Snowflake
from bot.core.scenes.showing import Board

DISCORD_EPOCH_MS = 1_420_070_400_000
PAGE = 100
OWN_FACE = "https://cdn.example/selfroom.png"


@dataclass(frozen=True, slots=True)
class Trouble:
    """What happens to one request: an error before or after its effect, or the effect twice."""

    error: PublishError | None = None
    after_effect: bool = False
    twice: bool = False


LOST_BEFORE = Trouble(FateUnknown("The line broke."))
LOST_AFTER = Trouble(FateUnknown("The line broke."), after_effect=True)


@dataclass
class RecordingPublisher:
    """Implements `ports.Publisher` in memory; `trouble` is used up one request after the other."""

    clock: Clock
    lines: list[Snowflake] = field(default_factory=list)  # what people said, oldest first
    pinned: set[Snowflake] = field(default_factory=set)
    posts: list[tuple[Snowflake, Post]] = field(default_factory=list)
    done: list[tuple[object, ...]] = field(default_factory=list)
    trouble: deque[Trouble | None] = field(default_factory=deque)
    gone: set[int] = field(default_factory=set)
    channels: dict[str, Snowflake] = field(default_factory=dict)
    threads: dict[str, Snowflake] = field(default_factory=dict)
    boards: list[Board] = field(default_factory=list)
    seconds_per_post: float = 0.0
    seconds_ahead: float = 0.0  # its clock's, of ours
    to_decide: list[LetterId] = field(default_factory=list)
    blind: int = 0  # how often history cannot be read
    looked_in: list[tuple[Snowflake, Snowflake]] = field(default_factory=list)  # servers and channels, for posts
    faceless: set[int] = field(default_factory=set)  # agents whose pictures cannot be had
    _count: int = 0

    def id(self) -> Snowflake:
        """Give the next Discord id at this moment."""
        self._count += 1
        milliseconds = int((self.clock.now().timestamp() + self.seconds_ahead) * 1000) - DISCORD_EPOCH_MS
        return Snowflake((milliseconds << 22) + self._count)

    def said(self, channel_id: int | None = None) -> list[str]:
        """Give what can be read on Discord, in order."""
        return [post.content for _, post in self.posts if channel_id in (None, post.channel_id)]

    def _happens(self, channel_id: int, *, before: bool) -> bool:
        """Raise what is to go wrong at this moment; gives whether the effect happens twice."""
        if channel_id in self.gone:
            raise ChannelGone("The channel is gone.")
        trouble = self.trouble[0] if self.trouble else None
        if trouble is None or trouble.after_effect is before:
            if not before and self.trouble:
                self.trouble.popleft()
            return bool(trouble and trouble.twice)
        self.trouble.popleft()
        if trouble.error:
            raise trouble.error
        return trouble.twice

    async def post(self, post: Post) -> Snowflake:
        if self.seconds_per_post:
            await self.clock.sleep(self.seconds_per_post)
        self._happens(post.channel_id, before=True)
        made = self.id()
        self.posts.append((made, post))
        self._happens(post.channel_id, before=False)
        return made

    async def posted_after(
        self, guild_id: Snowflake, channel_id: Snowflake, after: Snowflake | None
    ) -> Sequence[tuple[Snowflake, str, str]]:
        self.looked_in.append((guild_id, channel_id))
        if channel_id in self.gone:
            raise ChannelGone("The channel is gone.")
        if self.blind:
            self.blind -= 1
            raise FateUnknown("The line broke.")
        return [
            (id, post.name, post.content)
            for id, post in self.posts
            if (post.thread_id or post.channel_id) == channel_id and id > (after or 0)
        ]

    async def _note(self, channel_id: int, *what: object) -> None:
        self._happens(channel_id, before=True)
        self.done.append(what)
        self._happens(channel_id, before=False)

    async def typing(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        await self._note(channel_id, "typing", channel_id)

    async def react(
        self, guild_id: Snowflake, channel_id: Snowflake, message_id: Snowflake, emoji: str, *, added: bool = True
    ) -> None:
        await self._note(channel_id, "react", message_id, emoji, added)

    async def remove(self, guild_id: Snowflake, channel_id: Snowflake, *message_ids: Snowflake) -> None:
        self._happens(channel_id, before=True)
        self.posts = [(id, post) for id, post in self.posts if id not in message_ids]
        self.lines = [id for id in self.lines if id not in message_ids]
        self.done.append(("remove", *message_ids))
        self._happens(channel_id, before=False)

    async def reword(
        self, guild_id: Snowflake, channel_id: Snowflake, post_id: Snowflake, text: str, *, thread_id: Snowflake | None
    ) -> None:
        self._happens(channel_id, before=True)
        self.posts = [(id, replace(post, content=text) if id == post_id else post) for id, post in self.posts]
        self.done.append(("reword", post_id))
        self._happens(channel_id, before=False)

    async def unpinned_before(
        self, guild_id: Snowflake, channel_id: Snowflake, before: Snowflake
    ) -> tuple[Sequence[Snowflake], Snowflake | None]:
        page = [id for id in self.lines[::-1] if id < before][:PAGE]
        return [id for id in page if id not in self.pinned], page[-1] if len(page) == PAGE else None

    async def pin_billboard(
        self, guild_id: Snowflake, channel_id: Snowflake, message_id: Snowflake | None, text: str
    ) -> Snowflake | None:
        await self._note(channel_id, "billboard", text)
        return self.id()

    async def edit_channel(
        self, guild_id: Snowflake, channel_id: Snowflake, *, name: str | None = None, topic: str | None = None
    ) -> None:
        await self._note(channel_id, "channel", name, topic)

    async def make_channel(self, guild_id: Snowflake, new: NewChannel) -> Snowflake:
        self._happens(0, before=True)
        made = self.channels.setdefault(new.topic, self.id())
        self._happens(0, before=False)
        return made

    async def open_thread(self, guild_id: Snowflake, channel_id: Snowflake, name: str) -> Snowflake:
        self._happens(channel_id, before=True)
        made = self.threads.setdefault(name, self.id())
        self._happens(channel_id, before=False)
        return made

    async def show_board(
        self, guild_id: Snowflake, thread_id: Snowflake, post_id: Snowflake | None, board: Board
    ) -> Snowflake:
        self._happens(thread_id, before=True)
        self.boards.append(board)
        self._happens(thread_id, before=False)
        return post_id or self.id()

    async def remove_channel(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        await self._note(channel_id, "remove_channel", channel_id)

    async def allow(
        self,
        guild_id: Snowflake,
        channel_id: Snowflake,
        person_id: Snowflake | None,
        *,
        allowed: bool | None,
        writable: bool = True,
    ) -> None:
        await self._note(channel_id, "allow", person_id, allowed, *([] if writable else ["read-only"]))

    def own_face(self) -> str | None:
        return OWN_FACE

    async def face(
        self, guild_id: Snowflake, channel_id: Snowflake, agent_id: AgentId, name: str, *, redraw: bool = False
    ) -> str | None:
        if agent_id in self.faceless:
            raise PublishError("No picture.")
        return f"https://cdn.example/{guild_id}/{channel_id}/{agent_id}.png"

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
        await self._note(channel_id, "notify", channel_id, text, *([called] if called else []))
        self.to_decide += [held] if held is not None else []

    async def tell(self, person_id: Snowflake, text: str) -> None:
        await self._note(0, "tell", person_id, text)
