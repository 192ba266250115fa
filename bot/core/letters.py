"""What is written in a letter: one small payload per kind, kept as a plain object and read back here."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.core.errors import BadSetting
from bot.core.kinds import LetterKind, LetterState, Visibility
from bot.core.records import Json, Letter, LetterId, MessageId, SceneId, Snowflake


class Payload(BaseModel):
    """The common ground of all payloads."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def stored(self) -> dict[str, Json]:
        """Give the object that the letter keeps."""
        return self.model_dump(mode="json", exclude_defaults=True)


class PostPayload(Payload):
    """A message of an agent or of System: what it says is read from the letter's `message_id`, never kept twice.

    `files`: names and texts of what is posted beside it; they are let go when it is.
    """

    files: tuple[tuple[str, str], ...] = ()


class ReactPayload(Payload):
    """An agent's reaction, shown by the bot; `emoji` is the character."""

    message_id: MessageId
    emoji: str
    added: bool = True


class CuePayload(Payload):
    """A small sign on a message (asleep, paused, out of money)."""

    message_id: MessageId
    emoji: str


class Proposal(Payload):
    """What an agent wants to be seen; while it is `proposed` it holds nowhere, and moderation is still to read it."""

    proposed: bool = False


class BillboardPayload(Proposal):
    """The room's billboard as it is to be shown; empty takes it down."""

    text: str = ""


class TopicPayload(Proposal):
    """The channel's topic; empty clears it."""

    topic: str = ""


class RenamePayload(Proposal):
    """The agent's new name, from which the channel's is made."""

    name: str


class ChannelPayload(Payload):
    """Make the agent's channel: name and topic are those of agent and room by then.

    `private`: whether it is asked to be closed; None (in letters of older versions): as the room is.
    """

    private: bool | None = None


class PermissionPayload(Payload):
    """Let a person (`person_id` None: everyone) see the room's channel, or no longer (`allowed` None: as it is).

    Whether everyone may write there follows from the owner: a retired one's channel is read-only. `left_channel_id` is
    the channel of an agent that is deleted for good: it stays, read-only, with the `note` in it, or is removed.
    """

    person_id: Snowflake | None = None
    allowed: bool | None = None
    left_channel_id: Snowflake | None = None
    removed: bool = False
    note: str = ""


class NoticePayload(Payload):
    """The bot itself says something: to the managers, into the room, or to a person in a direct message."""

    text: str
    to_managers: bool = True
    person_id: Snowflake | None = None
    thread_id: Snowflake | None = None  # in which thread of the room it is said
    called: tuple[Snowflake, ...] = ()  # people who are named in it, and hear of it
    held: LetterId | None = None  # with buttons to decide about this letter
    traces: tuple[str, ...] = ()  # with a button for each place that may name a forgotten person (core.name_redaction)


class RemovalPayload(Payload):
    """Take posts away on Discord: what is left of a message of which somebody deleted a part.

    With `message_id` they are to say what is stored of it by then, for words of it were taken back.
    """

    post_ids: tuple[Snowflake, ...]
    thread_id: Snowflake | None = None
    message_id: MessageId | None = None


class BoardPayload(Payload):
    """A scene's board, as it stands when it is drawn."""

    scene_id: SceneId


class ClearingPayload(Payload):
    """Delete these messages of a room (`ids`), then `left` more of those before `read_from`, the newest first.

    Each step is a letter of its own, written before it is done: after a crash nothing else is deleted in its place.
    """

    asked: int
    left: int
    read_from: Snowflake
    ids: tuple[Snowflake, ...] = ()
    done: int = 0
    person_id: Snowflake | None = None  # who asked for it


PAYLOADS: Mapping[LetterKind, type[Payload]] = {
    LetterKind.POST: PostPayload,
    LetterKind.REACT: ReactPayload,
    LetterKind.CUE: CuePayload,
    LetterKind.BILLBOARD: BillboardPayload,
    LetterKind.TOPIC: TopicPayload,
    LetterKind.RENAME: RenamePayload,
    LetterKind.CHANNEL: ChannelPayload,
    LetterKind.PERMISSION: PermissionPayload,
    LetterKind.NOTICE: NoticePayload,
    LetterKind.REMOVAL: RemovalPayload,
    LetterKind.BOARD: BoardPayload,
    LetterKind.CLEARING: ClearingPayload,
}

# Letters are sent in order within a lane of a room; lanes do not wait for one another, so that a topic which Discord
# wants ten minutes later holds no message up.
LANE: Mapping[LetterKind, str] = {
    LetterKind.POST: "words",
    LetterKind.REACT: "signs",
    LetterKind.CUE: "signs",
    LetterKind.BILLBOARD: "billboard",
    LetterKind.TOPIC: "topic",
    LetterKind.RENAME: "name",
    LetterKind.CHANNEL: "door",
    LetterKind.PERMISSION: "door",
    LetterKind.NOTICE: "notice",
    LetterKind.REMOVAL: "removal",
    LetterKind.BOARD: "board",
    LetterKind.CLEARING: "clearing",
}

UNSENT = frozenset({LetterState.WAITING, LetterState.SENDING})
MARK_DIGITS = 16
_MARK = re.compile(r"[(\[]agent \d+(?: #[0-9a-f]+)?[)\]]")  # without digits, or in brackets, as they once were

MOST_TRACES = 20  # a message takes 25 buttons
RESTS = "Its channel rests: "  # begins the reason of a pause that ends when Discord lets us in again


def channel_marks(letter: Letter, digests: Callable[[str], Sequence[bytes]]) -> tuple[str, ...]:
    """Give the marks by which the channel that a letter made is known, the newest secret's first.

    Keyed by the installation's secret, for a channel's topic is anybody's to write.
    """
    made = digests(f"channel {letter.community_id} {letter.room_id} {letter.id}")
    return tuple(f"(agent {letter.room_id} #{one.hex()[:MARK_DIGITS]})" for one in made)


def opening_topic(topic: str, name: str, mark: str) -> str:
    """Give a new channel's topic: by the mark in it the channel is found again instead of being made twice."""
    shown = topic or f"{name}'s room"
    return f"{shown} {mark}"


def is_marked(topic: str) -> bool:
    """Tell whether a channel's topic bears what looks like a mark of ours."""
    return _MARK.search(topic) is not None


def without_marks(topic: str) -> str:
    """Give a topic as people wrote it."""
    return " ".join(_MARK.sub(" ", topic).split()) if is_marked(topic) else topic.strip()


def is_lasting(letter: Letter) -> bool:
    """Tell whether a letter is never given up: it makes a room's door, or changes who may enter."""
    return letter.kind is LetterKind.CHANNEL or (
        letter.kind is LetterKind.PERMISSION and "left_channel_id" not in letter.payload
    )


def wanted_visibility(letters: Iterable[Letter]) -> Visibility | None:
    """Give how the newest of a room's open letters wants it to be seen; None when none of them asks for anything."""
    wanted: Visibility | None = None
    for letter in letters:
        match parse_payload(letter.kind, letter.payload) if is_lasting(letter) else None:
            case PermissionPayload(person_id=None, allowed=bool(allowed)):
                wanted = Visibility.PUBLIC if allowed else Visibility.PRIVATE
            case ChannelPayload(private=bool(private)):
                wanted = Visibility.PRIVATE if private else Visibility.PUBLIC
    return wanted


def parse_payload(kind: LetterKind, stored: Mapping[str, Json]) -> Payload:
    """Read a payload back; raises BadSetting when it is not of its kind."""
    try:
        return PAYLOADS[kind].model_validate(dict(stored))
    except ValidationError as error:
        raise BadSetting(f"A stored {kind} letter cannot be read: {error.errors()[0]['msg']}.") from error
