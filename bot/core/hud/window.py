"""Which messages of a room are shown: the newest backwards, never with a hole, from a start that moves in jumps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.core.hud.counting import clipped
from bot.core.hud.formats.lines import content_of
from bot.core.hud.sheet import Format
from bot.core.ports import Tokenizer
from bot.core.records import Message, MessageId

JUMP_PERCENT: Final = 75  # of its share that a window uses at most after its start has moved
REOPEN_PERCENT: Final = 35  # below which a window is too small for its share and is set anew
LONG_PERCENT: Final = 50  # of its share that a message longer than the share still takes
SHORT_TOKENS: Final = 60  # what is always found for the newest message of a room


@dataclass(frozen=True, slots=True)
class Window:
    """The messages shown, oldest first, and what they cost."""

    messages: tuple[Message, ...]
    tokens: int


class Backlog:
    """A room's messages seen from the newest; what they cost is counted only as far as asked."""

    def __init__(self, messages: Sequence[Message], format: Format) -> None:
        self.messages = messages
        self._format = format
        self._costs: list[int] = []  # of each, from the newest

    def cost(self, newest: int) -> int:
        """Give what one message costs, counted from the newest (0)."""
        while len(self._costs) <= newest:
            self._costs.append(self._format.message_tokens(self.messages[-1 - len(self._costs)]))
        return self._costs[newest]

    def cost_of(self, message: Message) -> int:
        """Give what any message would cost."""
        return self._format.message_tokens(message)

    def day(self, newest: int) -> int:
        """Give what the line of its day costs."""
        return self._format.day_tokens(self.messages[-1 - newest])

    def begins_day(self, newest: int) -> bool:
        """Tell whether the message before it is of another day."""
        index = len(self.messages) - 1 - newest
        return self.messages[index].sent_at.date() != self.messages[index - 1].sent_at.date()

    def wanted(self, limit: int) -> int:
        """Give what all messages cost, or something above the limit as soon as it is passed."""
        used = 0
        for newest in range(len(self.messages)):
            used += self.cost(newest)
            if used > limit:
                return used
            if newest == len(self.messages) - 1 or self.begins_day(newest):
                used += self.day(newest)
        return used

    def least(self) -> int:
        """Give what must be found for the newest message, its middle left out if it is long."""
        return min(self.cost(0), SHORT_TOKENS) + self.day(0) if self.messages else 0


def choose(backlog: Backlog, share: int, start: MessageId, tokenizer: Tokenizer) -> Window:
    """Give the window for a share: from the same start as before while that fits, else from one that leaves room."""
    reach = _Reach(backlog, share, tokenizer)
    kept = reach.back_to(start, share)
    if kept is not None and (
        kept.tokens * 100 >= share * REOPEN_PERCENT or len(kept.messages) == len(backlog.messages)
    ):
        return kept
    everything = reach.as_far_as(share)
    if len(everything.messages) == len(backlog.messages):
        return everything
    return reach.as_far_as(share * JUMP_PERCENT // 100)


class _Reach:
    """The newest messages with those longer than the share shortened."""

    def __init__(self, backlog: Backlog, share: int, tokenizer: Tokenizer) -> None:
        self._backlog = backlog
        self._share = share
        self._tokenizer = tokenizer
        self._shown: list[Message] = []
        self._tokens = [0]  # of the newest so many, with their days' lines but the first one's

    def back_to(self, start: MessageId, limit: int) -> Window | None:
        """Give the window from a message on; None when it is not there or does not fit."""
        newest = 0
        while newest < len(self._backlog.messages):
            newest += 1
            if self._used(newest) > limit:
                return None
            if self._backlog.messages[-newest].id == start:
                return self._window(newest)
        return None

    def as_far_as(self, limit: int) -> Window:
        """Give the longest window within a limit; the newest message is in it even when it takes all of the share."""
        newest = 0
        while newest < len(self._backlog.messages) and self._used(newest + 1) <= limit:
            newest += 1
        if newest == 0 and self._backlog.messages and self._used(1) <= self._share:
            newest = 1
        return self._window(newest)

    def _window(self, newest: int) -> Window:
        return Window(tuple(reversed(self._shown[:newest])), self._used(newest))

    def _used(self, newest: int) -> int:
        while len(self._shown) < newest:
            self._extend()
        return self._tokens[newest] + (self._backlog.day(newest - 1) if newest else 0)

    def _extend(self) -> None:
        newest = len(self._shown)
        tokens = self._backlog.cost(newest)
        message = self._backlog.messages[-1 - newest]
        if tokens + self._backlog.day(newest) > self._share:
            message, tokens = self._shortened(message, newest)
        if newest and self._backlog.begins_day(newest - 1):
            tokens += self._backlog.day(newest - 1)
        self._shown.append(message)
        self._tokens.append(self._tokens[-1] + tokens)

    def _shortened(self, message: Message, newest: int) -> tuple[Message, int]:
        """Leave a message's middle out until it takes at most half the share (all of it where that is too little)."""
        cost = self._backlog.cost_of
        room = self._share - self._backlog.day(newest)
        half = max(min(room, SHORT_TOKENS), self._share * LONG_PERCENT // 100)
        content = content_of(message)
        bare = replace(message, content="", attachments=(), tokens=0)
        left = half - cost(bare)
        while left > 0:
            short = replace(bare, content=clipped(self._tokenizer, content, left))
            tokens = cost(short)
            if tokens <= half:
                return short, tokens
            left -= max(1, tokens - half)
        return bare, cost(bare)
