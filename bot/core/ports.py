"""The doors to the outside: small protocols that the engine asks for and that adapters and storage keep."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Final, Literal, ParamSpec, Protocol, TypeVar

from bot.core.changes import Change
from bot.core.circumstances import Circumstances, Inquiry
from bot.core.errors import Unreadable
from bot.core.keeping import KeptReading, KeptWriting
from bot.core.kinds import HeldFor, LetterState
from bot.core.models import Model as Model
from bot.core.models import ModelAnswer as ModelAnswer
from bot.core.models import ModelCall as ModelCall
from bot.core.models import Models as Models
from bot.core.models import Tokenizer as Tokenizer
from bot.core.publishing import Post as Post
from bot.core.publishing import Publisher as Publisher
from bot.core.records import (
    AccessKey,
    AccessRequest,
    AgentId,
    Attachment,
    Beat,
    BeatId,
    Checkpoint,
    Community,
    CommunityId,
    Letter,
    LetterId,
    Message,
    MessageId,
    Person,
    Schedule,
    Sender,
    Snowflake,
    Usage,
)
from bot.core.removals import Parts as Parts
from bot.core.verdict import Claim
from bot.core.view import Glance, Subject, Tally, View

P = ParamSpec("P")
T = TypeVar("T")
IdKind = Literal["agent", "message", "key", "request", "letter", "beat", "schedule", "checkpoint"]


class Clock(Protocol):
    """Time, so that a day can be replayed in a second."""

    def now(self) -> datetime:
        """Give the time, aware and in UTC."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""

    def timeout(self, seconds: float) -> AbstractAsyncContextManager[object]:
        """Raise TimeoutError in a block that takes longer."""


NOBODY: Final[Mapping[AgentId, int]] = {}


class Random(Protocol):
    """Seeded chance: one source per community and beat."""

    def uniform(self, low: float, high: float) -> float:
        """Give a number between the two."""

    def token(self, characters: int) -> str:
        """Give a string of letters and digits that nobody can guess."""


class Ids(Protocol):
    """Small integer ids, counted per community and never given twice."""

    def take(self, kind: IdKind) -> int:
        """Give the next id of a kind; it is used up when the transaction commits."""


class Cipher(Protocol):
    """Keeps secrets at rest; `row` names where one stands (core.sealing), and elsewhere it does not open."""

    def encrypt(self, secret: str, row: str) -> bytes:
        """Give the ciphertext."""

    def decrypt(self, ciphertext: bytes, row: str) -> str:
        """Give the secret back."""

    def is_bound(self, ciphertext: bytes) -> bool:
        """Tell whether it was sealed to a row: what older versions sealed opens in any."""

    def digest(self, secret: str) -> bytes:
        """Give a keyed digest by which the secret can be found."""

    def digests(self, secret: str) -> Sequence[bytes]:
        """Give that digest, and those by which it was found before the installation's secret was changed."""


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


class Reading(KeptReading, Protocol):
    """What can be asked of the store; every answer is of one community unless it says otherwise."""

    async def communities(self) -> Sequence[Community]:
        """Give all communities."""

    async def community_of_guild(self, guild_id: Snowflake) -> Community | None:
        """Find a community by its Discord server."""

    async def view(
        self,
        community_id: CommunityId,
        *,
        agent_ids: Sequence[AgentId] = (),
        room_ids: Sequence[AgentId] = (),
        messages: int = 200,
    ) -> View:
        """Give what a slot needs of these agents (and their rooms) or of these rooms, in a fixed number of queries.

        `messages`: how many of the newest per room at most.
        """

    async def all_keys(self, community_id: CommunityId) -> Sequence[AccessKey]:
        """Give every key that there was in a community, without who holds it."""

    async def glance(self, community_id: CommunityId, *, agent_ids: Sequence[AgentId], messages: int) -> Glance:
        """Give only what gates, floors and plain talk need of these agents."""

    async def desk(
        self, community_id: CommunityId, *, agent_ids: Sequence[AgentId], room_ids: Sequence[AgentId], doors: bool
    ) -> Subject:
        """Give what actions look at and change, with keys and requests if `doors`."""

    async def circumstances(self, community_id: CommunityId, inquiry: Inquiry) -> Circumstances:
        """Answer what a few actions depend on beside the view, all at once."""

    async def names(self, community_id: CommunityId) -> Mapping[AgentId, str]:
        """Give every agent's name, in the order of their ids: what can be asked at every key that is typed."""

    async def room_of_channel(self, community_id: CommunityId, channel_id: Snowflake) -> AgentId | None:
        """Find a room by its channel."""

    async def message_of(self, community_id: CommunityId, discord_id: Snowflake) -> Message | None:
        """Find a message by Discord's id (of any of its parts)."""

    async def other_parts(self, community_id: CommunityId, discord_ids: Sequence[Snowflake]) -> Sequence[Parts]:
        """Give the parts on Discord, beside these, of the messages of which these are parts."""

    async def messages_by_id(self, community_id: CommunityId, ids: Sequence[MessageId]) -> Mapping[MessageId, Message]:
        """Find messages by id, deleted ones left out."""

    async def history(
        self, community_id: CommunityId, room_id: AgentId, *, before: MessageId | None = None, limit: int = 50
    ) -> Sequence[Message]:
        """Page a room backwards; oldest first within the page."""

    async def search(
        self, community_id: CommunityId, query: str, *, room_ids: Sequence[AgentId], limit: int = 20
    ) -> Sequence[tuple[Message, str]]:
        """Find messages in these rooms by words, newest first, each with an excerpt around the match."""

    async def checkpoints(self, community_id: CommunityId, room_id: AgentId) -> Sequence[Checkpoint]:
        """Give a room's summaries, oldest first."""

    async def schedules(self, community_id: CommunityId, agent_id: AgentId) -> Sequence[Schedule]:
        """Give what an agent will say later, soonest first."""

    async def person(self, community_id: CommunityId, person_id: Snowflake) -> Person | None:
        """Find a person."""

    async def unnamed_threads(self, community_id: CommunityId, room_id: AgentId) -> Sequence[Snowflake]:
        """Give the threads of a room of which only the ids are known: whether they are private is not."""

    async def last_discord_id(self, community_id: CommunityId, room_id: AgentId) -> Snowflake | None:
        """Give the newest message known of a room, from which a backfill reads on."""

    async def due(self, now: datetime, *, limit: int) -> Sequence[tuple[CommunityId, AgentId]]:
        """Give agents of all communities whose next beat has come and whom no live claim holds, first due first."""

    async def next_due_at(self) -> datetime | None:
        """Give the time at which the next agent of any community is due."""

    async def letters(self, now: datetime, *, limit: int) -> Sequence[Letter]:
        """Give the first unsent letter of each room and lane (core.letters) that is due; communities take turns."""

    async def next_letter_at(self) -> datetime | None:
        """Give the time at which the next first letter of any room and lane is to be sent or looked for."""

    async def unconfirmed(self, community_id: CommunityId, room_id: AgentId) -> Letter | None:
        """Give the room's POST letter that is being sent, if there is one."""

    async def last_posted(self, community_id: CommunityId, room_id: AgentId) -> Snowflake | None:
        """Give the newest Discord id among the confirmed parts of all letters of a room."""

    async def posted_back(self, community_id: CommunityId, room_id: AgentId, posts: int) -> datetime | None:
        """Give when an agent's post was confirmed there, so many back (1: the newest); None: there is none."""

    async def last_beat(self, community_id: CommunityId, agent_id: AgentId) -> Beat | None:
        """Give an agent's newest beat as it was kept."""

    async def beat(self, community_id: CommunityId, beat_id: BeatId) -> Beat | None:
        """Give a beat as it was kept."""

    async def spent(self, community_id: CommunityId, day: date) -> tuple[Decimal, int]:
        """Give USD and tokens settled and reserved on a UTC day."""

    async def paid(self, community_id: CommunityId, day: date) -> tuple[Decimal, Decimal]:
        """Give the USD of a UTC day, settled and reserved, that the installation pays: here, and for everyone."""

    async def failures(
        self,
        community_id: CommunityId,
        room_id: AgentId,
        since: datetime,
        *,
        agent_id: AgentId | None = None,
        person_id: Snowflake | None = None,
    ) -> int:
        """Count keys that did not open a room."""

    async def tempo_moves(
        self, community_id: CommunityId, agent_id: AgentId, by_agent_id: AgentId, since: datetime
    ) -> int:
        """Count how often one agent's reactions moved another's interval."""

    async def reaction_effect(
        self, community_id: CommunityId, message_id: MessageId, emoji: str, reactor: Sender
    ) -> float | None:
        """Give the seconds by which a stored reaction moved the author's interval; None when there is no such one."""

    async def reactions_of(
        self, community_id: CommunityId, message_ids: Sequence[MessageId]
    ) -> Sequence[tuple[MessageId, Sender, str]]:
        """Give who reacted to which of these messages with what (the name under which it is counted)."""

    async def known_as(
        self, community_id: CommunityId, discord_ids: Sequence[Snowflake]
    ) -> Mapping[Snowflake, MessageId]:
        """Give which messages these Discord ids are (of any of their parts), as far as they are known."""

    async def addressed_beats(self, community_id: CommunityId, person_id: Snowflake, since: datetime) -> int:
        """Count the beats that a person has caused by addressing agents."""

    async def self_caused_beats(
        self, community_id: CommunityId, agent_id: AgentId, since: datetime
    ) -> Sequence[datetime]:
        """Give when an agent beat after `since` without a person's cause, oldest first."""

    async def tally(self, community_id: CommunityId, agent_ids: Sequence[AgentId], since: datetime) -> Tally:
        """Add up what these agents did since then."""

    async def schedules_due(self, now: datetime, *, limit: int) -> Sequence[tuple[CommunityId, Schedule]]:
        """Give scheduled messages of all communities whose time has come, the oldest first."""

    async def knocks(self) -> Sequence[tuple[CommunityId, AccessRequest]]:
        """Give the pending access requests of all communities."""

    async def spent_by_agent(self, community_id: CommunityId, day: date) -> Mapping[AgentId, Usage]:
        """Give what was settled and is reserved on a UTC day for each agent: its share of each call."""

    async def usage_by_agent(self, community_id: CommunityId, day: date) -> Mapping[AgentId, tuple[int, Usage]]:
        """Give beats and usage of a UTC day by agent."""


class Writing(Reading, KeptWriting, Protocol):
    """One transaction; what it reads includes what it wrote. It commits when its block ends without an error."""

    @property
    def ids(self) -> Ids:
        """The counters of the transaction's community."""

    async def set_aside(self, found: Unreadable, at: datetime) -> None:
        """Take rows that cannot be read from what is still to be done, so that they hold nobody else up."""

    async def add_community(self, guild_id: Snowflake, name: str) -> Community:
        """Make a community, or give the one that is there (with its new name)."""

    async def put_person(self, community_id: CommunityId, person: Person) -> None:
        """Store a person, or their new name and rights: whether agents listen to them stays as it was decided."""

    async def decide_about(self, community_id: CommunityId, person: Person) -> None:
        """Keep whether agents listen to a person who is known."""

    async def add_message(self, community_id: CommunityId, message: NewMessage) -> Message | None:
        """Store a message that came in; None when it is known or was deleted before it came."""

    async def add_messages(self, community_id: CommunityId, messages: Sequence[NewMessage]) -> Sequence[Message | None]:
        """Store messages that came in, in this order; None for each that is known or was deleted before it came."""

    async def edit_message(
        self, community_id: CommunityId, discord_id: Snowflake, *, content: str, edited_at: datetime, tokens: int
    ) -> Message | None:
        """Store a message's new text; None when it is not known or a newer text is."""

    async def delete_messages(self, community_id: CommunityId, discord_ids: Sequence[Snowflake], at: datetime) -> int:
        """Remove content everywhere (stored HUDs, search, letters too), leaving tombstones; gives how many."""

    async def add_thread(
        self, community_id: CommunityId, room_id: AgentId, channel_id: Snowflake, *, name: str, at: datetime
    ) -> AgentId:
        """Make a private thread a place of its own beside its room, and let the room's members into it; gives its id.

        One that is there gets its members back.
        """

    async def leave_thread(self, community_id: CommunityId, thread_id: AgentId) -> None:
        """Let all agents leave a private thread with what they would still say there; what was said stays."""

    async def name_thread(self, community_id: CommunityId, room_id: AgentId, thread_id: Snowflake, name: str) -> None:
        """Keep of what thread the messages of a room are that were said in it."""

    async def forget_thread(self, community_id: CommunityId, room_id: AgentId, thread_id: Snowflake) -> int:
        """Remove what is stored in a room of one of its threads, everywhere; it may come in again. Gives how many."""

    async def close_thread(self, community_id: CommunityId, thread_id: AgentId) -> None:
        """Remove what agents kept on the side of a private thread that is no more."""

    async def delete_room_messages(self, community_id: CommunityId, room_id: AgentId, at: datetime) -> int:
        """Remove the content of all of a room's messages, as when its channel was deleted."""

    async def claim(
        self, community_id: CommunityId, agent_ids: Sequence[AgentId], *, now: datetime, lease_until: datetime
    ) -> Sequence[Claim]:
        """Claim those of the agents that are due and free, with their due reasons."""

    async def holds(self, claim: Claim) -> bool:
        """Tell whether the claim still stands."""

    async def release(self, claim: Claim, *, until: datetime | None = None, held_for: HeldFor | None = None) -> None:
        """Let an agent go with its reasons kept; those it claimed are due at `until` at the earliest, and why."""

    async def free_held(self, community_id: CommunityId, held_for: HeldFor, now: datetime) -> None:
        """Let reasons that were put off for that be due now."""

    async def abandon_claims(self, *, keeping: Collection[tuple[CommunityId, BeatId]] = ()) -> None:
        """Free every agent of all communities but those of these beats: nothing runs for the others."""

    def part(self) -> AbstractAsyncContextManager[None]:
        """Open a part of the transaction: when its block ends with an error, only the part is undone."""

    async def apply(self, community_id: CommunityId, changes: Sequence[Change]) -> None:
        """Write changes, grouped into few statements."""

    async def take_turns(self) -> None:
        """Let no other transaction set the installation's money aside until this one ends."""

    async def reserve(
        self,
        community_id: CommunityId,
        day: date,
        *,
        usd: Decimal,
        tokens: int,
        agents: Mapping[AgentId, int] = NOBODY,
        paid: bool = False,
    ) -> int:
        """Set money aside for a call of these agents, with their weights; gives the reservation's id.

        `paid`: the installation pays for it.
        """

    async def settle(self, community_id: CommunityId, reservation_id: int, *, usd: Decimal, tokens: int) -> None:
        """Replace a reservation by what was spent."""

    async def forget(
        self, community_id: CommunityId, *, messages_before: datetime, huds_before: datetime, logs_before: datetime
    ) -> int:
        """Delete messages outside every window, stored HUDs and logs that are older; gives how many messages went."""

    async def update_letter(
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


class Store(Protocol):
    """The community's memory."""

    def reading(self) -> AbstractAsyncContextManager[Reading]:
        """Open a consistent read."""

    def writing(self, community_id: CommunityId | None = None) -> AbstractAsyncContextManager[Writing]:
        """Open a transaction; ids are counted for that community (None: only a community is made)."""

    async def gone_for_good(self) -> bool:
        """Wait until the bytes of what was deleted have left the database's files; tells whether they have."""


class Workshop(Protocol):
    """Where work is done that what strangers send can make slow: beside everything else, and not for ever."""

    async def done(self, lane: int, work: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> T:
        """Do pure work, a function that its module names; raises TooMuch, and what the work raises.

        `lane`: whose it is (a community's id); the work of one lane keeps no other lane waiting.
        """


class Metrics(Protocol):
    """Counters and timings for whoever runs the bot."""

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add to a counter."""

    def observe(self, name: str, value: float, **labels: str) -> None:
        """Note a measured value."""


class Planned(Protocol):
    """What the engine tells the scheduler's wake-up: an agent may be due sooner than the next slot."""

    def nudge(self, at: datetime) -> None:
        """Ask for a slot at that time."""
