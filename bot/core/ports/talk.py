"""What is said: messages, reactions, letters and summaries."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.core.keeping import Unsummarised
from bot.core.kinds import LetterKind, LetterState
from bot.core.post_removal import Parts
from bot.core.records import (
    AgentId,
    Attachment,
    Checkpoint,
    CommunityId,
    Letter,
    LetterId,
    Message,
    MessageId,
    Sender,
    Snowflake,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message that came in; the store gives it its id, or finds that it is known."""

    room_id: AgentId
    discord_id: Snowflake
    thread_id: Snowflake | None
    sender: Sender
    content: str
    sent_at: datetime
    edited: bool
    reply_to: Snowflake | None
    attachments: tuple[Attachment, ...]
    tokens: int
    thread_name: str | None = None
    edited_at: datetime | None = None  # when its text was last changed, where that is known


class Talk(Protocol):
    """What is said."""

    async def find(self, community_id: CommunityId, discord_id: Snowflake) -> Message | None:
        """Find a message by Discord's id (of any of its parts)."""

    async def other_parts(self, community_id: CommunityId, discord_ids: Sequence[Snowflake]) -> Sequence[Parts]:
        """Give the parts on Discord, beside these, of the messages of which these are parts."""

    async def by_id(self, community_id: CommunityId, ids: Sequence[MessageId]) -> Mapping[MessageId, Message]:
        """Find messages by id, deleted ones left out."""

    async def history(
        self, community_id: CommunityId, room_id: AgentId, *, before: MessageId | None = None, limit: int = 50
    ) -> Sequence[Message]:
        """Page a room backwards; oldest first within the page."""

    async def lively(
        self, community_id: CommunityId, room_ids: Collection[AgentId], since: datetime
    ) -> Mapping[AgentId, int]:
        """Count what was said since then in those of these rooms in which something was."""

    async def search(
        self, community_id: CommunityId, query: str, *, room_ids: Sequence[AgentId], limit: int = 20
    ) -> Sequence[tuple[Message, str]]:
        """Find messages in these rooms by words, newest first, each with an excerpt around the match."""

    async def last_discord_id(self, community_id: CommunityId, room_id: AgentId) -> Snowflake | None:
        """Give the newest message known of a room, from which a backfill reads on."""

    async def known_as(
        self, community_id: CommunityId, discord_ids: Sequence[Snowflake]
    ) -> Mapping[Snowflake, MessageId]:
        """Give which messages these Discord ids are (of any of their parts), as far as they are known."""

    async def taken_back(self, community_id: CommunityId, discord_id: Snowflake) -> bool:
        """Tell whether a message that is only coming in was deleted, or changed, before."""

    async def after(
        self, community_id: CommunityId, room_id: AgentId, after: MessageId, *, limit: int
    ) -> Sequence[Message]:
        """Give a room's messages with later ids, in the order of their ids."""


class WritableTalk(Talk, Protocol):
    """What is said, changed and deleted."""

    async def add(self, community_id: CommunityId, messages: Sequence[NewMessage]) -> Sequence[Message | None]:
        """Store messages that came in, in this order; None for each that is known or was deleted before it came."""

    async def edit(
        self, community_id: CommunityId, discord_id: Snowflake, *, content: str, edited_at: datetime, tokens: int
    ) -> Message | None:
        """Store a message's new text; None when it is not known or a newer text is."""

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
        """Know a message as another post, made then, with that one's text; the first may be deleted on Discord."""

    async def delete(self, community_id: CommunityId, discord_ids: Sequence[Snowflake], at: datetime) -> int:
        """Remove content everywhere (stored HUDs, search, letters too), leaving tombstones; gives how many."""

    async def delete_room(
        self,
        community_id: CommunityId,
        room_id: AgentId,
        at: datetime,
        *,
        thread_id: Snowflake | None = None,
        limit: int | None = None,
    ) -> int:
        """Remove the content of messages of a room and its private threads, or of one public thread in it.

        All of them, or at most so many; gives how many.
        """


class Reactions(Protocol):
    """Reactions to messages."""

    async def effects(
        self, community_id: CommunityId, message_id: MessageId, reactions: Collection[tuple[Sender, str]]
    ) -> Mapping[tuple[Sender, str], float]:
        """Give the seconds by which those of these reactions (by whom, its name) that are stored moved the author."""

    async def given_to(
        self, community_id: CommunityId, message_ids: Sequence[MessageId]
    ) -> Sequence[tuple[MessageId, Sender, str]]:
        """Give who reacted to which of these messages with what (the name under which it is counted)."""

    async def feedback(self, community_id: CommunityId, agent_id: AgentId, since: datetime) -> Mapping[str, int]:
        """Count by name the reactions since then, of those that mean something, to what an agent said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Letters of one kind and state that wait to be sent; `since`: when the first is due."""

    kind: LetterKind
    state: LetterState
    letters: int
    since: datetime


class Letters(Protocol):
    """What waits to be sent."""

    async def due(self, now: datetime, *, limit: int) -> Sequence[Letter]:
        """Give the first unsent letter of each room and lane (core.letters) that is due; communities take turns.

        What lies beside a post is left out: `whole` gives it.
        """

    async def first_of(self, community_id: CommunityId) -> Sequence[Letter]:
        """Give the first unsent letter of each room and lane of a community, be it due or not, as `due` gives them."""

    async def whole(self, letter: Letter) -> Letter:
        """Give a letter with what lies beside its post."""

    async def next_due_at(self) -> datetime | None:
        """Give the time at which the next first letter of any room and lane is to be sent or looked for."""

    async def queues(self, community_id: CommunityId | None = None) -> Sequence[Queue]:
        """Give what waits to be sent in one community (None: in all), by kind and state."""

    async def carrying(self, community_id: CommunityId, ids: Collection[MessageId]) -> Mapping[MessageId, Letter]:
        """Give by message the newest letter that brought it to Discord, or is to, without what lies beside it."""

    async def unconfirmed(self, community_id: CommunityId, room_id: AgentId) -> Letter | None:
        """Give the room's POST letter that is being sent, if there is one."""

    async def last_posted(self, community_id: CommunityId, room_id: AgentId) -> Snowflake | None:
        """Give the newest Discord id among the confirmed parts of all letters of a room."""

    async def newest(self, community_id: CommunityId, room_id: AgentId, kind: LetterKind) -> Letter | None:
        """Give a room's newest letter of a kind, sent or not."""

    async def attempts(self, community_id: CommunityId, letter_id: LetterId) -> int:
        """Give how often a letter was tried, 0 for one that is gone."""

    async def held(self, community_id: CommunityId, *, only: LetterId | None = None) -> Sequence[Letter]:
        """Give the letters that moderation holds, the oldest first and of very many those; `only`: one of them."""


class WritableLetters(Letters, Protocol):
    """What waits to be sent, and how it moves on."""

    async def move(
        self,
        community_id: CommunityId,
        letter_id: LetterId,
        state: LetterState,
        *,
        attempts: int | None = None,
        not_before: datetime | None = None,
        posted_as: Sequence[Snowflake] = (),
        at: datetime | None = None,
        shown_at: datetime | None = None,
    ) -> bool:
        """Move a letter on; `posted_as`: ids of its parts, added to those known (SENT: its message is shown).

        `shown_at`: where its message has its place, by Discord's clock; `at` when nothing else is said.

        Gives whether it is still there afterwards: it is deleted with its message.
        """


class Summaries(Protocol):
    """Summaries of rooms, and the rooms that want one."""

    async def of_room(self, community_id: CommunityId, room_id: AgentId) -> Sequence[Checkpoint]:
        """Give a room's summaries, oldest first."""

    async def wanted(self, since: datetime | None) -> Sequence[Unsummarised]:
        """Give the rooms of all communities that spoke since then (None: none of these) or are asked for a summary."""
