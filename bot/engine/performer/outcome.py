"""What became of one action."""

from dataclasses import dataclass

from bot.core.actions import Action
from bot.core.kinds import LetterKind
from bot.core.records import AgentId


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Whether an action was accepted, and one sentence: its `result`, or `why` not.

    `needs_solo`: it would be accepted from a call that the agent does not share. `secret` is for the eyes of the
    person who asked and is never stored. `letters`: what is to follow on Discord, by room.
    """

    action: Action
    accepted: bool
    result: str = ""
    why: str = ""
    needs_solo: bool = False
    secret: str = ""
    letters: tuple[tuple[AgentId, LetterKind], ...] = ()
