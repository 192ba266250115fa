"""What one agent is shown, before it is written in a format."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Protocol

from bot.core.ports import Tokenizer
from bot.core.records import Agent, AgentId, Json, Message, MessageId, Side
from bot.core.view import RoomView

MOST_SUMMARY: Final = 2_400  # characters
Sections = Mapping[str, Json]


class RoomDetail(IntEnum):
    """How much of a room is shown: all, no billboard, summary and members, or its name only."""

    FULL = 0
    BARE = 1
    NAMED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRoom:
    """A room in a HUD: `seat` is what concerns one agent there, `messages` what it is shown, oldest first."""

    view: RoomView
    name: str
    detail: RoomDetail
    seat: Mapping[str, Json]
    messages: tuple[Message, ...] = ()
    older: int = 0
    people: tuple[str, ...] = ()  # who spoke there lately, as their names stand before words

    @property
    def id(self) -> AgentId:
        """The room's id."""
        return self.view.room.id

    @property
    def first_id(self) -> MessageId | None:
        """The first message shown."""
        return self.messages[0].id if self.messages else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentHud:
    """All that one agent is shown; `sections` by name, in the documented nesting's names: of a lean one, only some."""

    agent: Agent
    side: Side
    sections: Sections
    lean: bool = False
    shown_rooms: tuple[ShownRoom, ...] = ()
    named: tuple[tuple[AgentId, str], ...] = ()  # rooms shown by name only
    unnamed: int = 0  # further rooms for which there is no place at all


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTime:
    """The time of a call, as it is shown once in it."""

    at: str  # in UTC
    local: str  # in the community's own zone; empty where that is UTC
    zone: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OsSection:
    """What every agent of a community is told: the constant part of a call."""

    directives: str
    instructions: Mapping[str, str]
    actions: Mapping[str, Sequence[str]]  # lines by category
    answer: str


class Format(Protocol):
    """One way to write HUDs down; `lines_add_up`: the pieces' counts add up to the text's, so none is verified."""

    lines_add_up: bool
    day_tokens: int  # of the line that begins a day

    def pieces(self, agent_hud: AgentHud, moment: CallTime) -> list[tuple[str, int]]:
        """Give the tokens of all that is not rooms, by section."""

    def budget_tokens(self, agent_hud: AgentHud) -> int:
        """Give the tokens of the budget's section alone."""

    def place_tokens(self, place: ShownRoom) -> int:
        """Give the tokens of a room and its seat without messages."""

    def named_tokens(self, agent_hud: AgentHud) -> int:
        """Give the tokens of the rooms that are shown by name only."""

    def message_tokens(self, message: Message) -> int:
        """Give the tokens of one message."""

    def solo(self, agent_hud: AgentHud, moment: CallTime) -> str:
        """Write one agent's own part."""

    def shared(
        self,
        entries: list[Json],
        agent_huds: list[AgentHud],
        shown_rooms: list[ShownRoom],
        moment: CallTime,
        notice: str,
    ) -> str:
        """Write several agents' parts, each room once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HudFormat:
    """One format: `write` gives what writes for a tokenizer, `constant` writes the OS section.

    `read` reads constant part and HUD back as one nested value, None for what is not written so; `lossless`: to the
    same value that the other lossless formats give. `write_lean`: for who is shown little, where that is another.
    """

    write: Callable[[Tokenizer], Format]
    constant: Callable[[OsSection], str]
    read: Callable[[str], dict[str, Json] | None]
    lossless: bool = True
    write_lean: Callable[[Tokenizer], Format] | None = None
