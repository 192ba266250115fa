"""Which messages of a room are shown: the newest backwards, never with a hole, from a start that moves in jumps."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.core.hud.agent_hud import Format
from bot.core.hud.counting import clipped
from bot.core.hud.escape import whole
from bot.core.hud.formats.lines import content_of
from bot.core.ports import Tokenizer
from bot.core.records import Message, MessageId

JUMP_PERCENT: Final = 75  # of its share that a window uses at most after its start has moved
REOPEN_PERCENT: Final = 35  # below which a window is too small for its share and is set anew
LONG_PERCENT: Final = 50  # of its share that a message longer than the share still takes
CUT_OFF_FROM: Final = 50  # messages read of a room that has more
SHORT_TOKENS: Final = 60  # what is always found for the newest message of a room
CUT_TOKENS: Final = 20  # what it takes to say how much is left out


@dataclass(frozen=True, slots=True)
class Window:
    """The messages shown, oldest first, and what they cost."""

    messages: tuple[Message, ...]
    tokens: int


class Backlog:
    """A room's messages seen from the newest; what they cost is counted only as far as asked."""

    def __init__(self, messages: Sequence[Message], hud_format: Format, *, cut_off: bool = False) -> None:
        self.messages = messages
        self.cut_off = cut_off  # there are older ones that were not read
        self.day_tokens = hud_format.day_tokens
        self.cost = hud_format.message_tokens
        self._sums = [0]  # of the newest so many, with the lines of all days but the first one's
        self._peak = 0

    def count_until(self, limit: int) -> None:
        """Count backwards until so many tokens are passed or there are no more messages."""
        messages, sums, cost = self.messages, self._sums, self.cost
        index = len(messages) - len(sums)
        total = sums[-1]
        day = messages[index + 1].sent_at.date() if 0 <= index < len(messages) - 1 else None
        while index >= 0 and total <= limit:
            tokens = cost(messages[index])
            if tokens > self._peak:
                self._peak = tokens
            after, day = day, messages[index].sent_at.date()
            if after is not None and day != after:
                tokens += self.day_tokens
            total += tokens
            sums.append(total)
            index -= 1

    def wanted(self, limit: int) -> int:
        """Give what all messages cost, or something above the limit when it is passed."""
        self.count_until(limit)
        return self._sums[-1] + self.day_tokens if self.messages else 0

    def least(self) -> int:
        """Give what must be found for the newest message, its middle left out if it is long."""
        if not self.messages:
            return 0
        self.count_until(0)
        least = self._sums[1]
        if least > SHORT_TOKENS:
            least = min(least, max(SHORT_TOKENS, self.cost(stripped(self.messages[-1])) + CUT_TOKENS))
        return least + self.day_tokens

    def fitting(self, limit: int) -> int:
        """Give how many of the newest fit into so many tokens."""
        self.count_until(limit)
        return max(0, bisect_right(self._sums, limit - self.day_tokens) - 1)

    def has_longer_than(self, share: int) -> bool:
        """Tell whether one of the messages that matter for a share is longer than all of it."""
        self.count_until(share)
        return self._peak + self.day_tokens > share

    def window(self, newest: int) -> Window:
        """Give the window of the newest so many."""
        shown = tuple(self.messages[len(self.messages) - newest :])
        return Window(shown, self._sums[newest] + self.day_tokens if newest else 0)


def choose(backlog: Backlog, share: int, start: MessageId, tokenizer: Tokenizer, hud_format: Format) -> Window:
    """Give the window for a share: from the same start as before while that fits, else from one that leaves room.

    Where only the newest messages were read and all of them fit, the start leaves room among those, so that it does
    not move with every message.
    """
    if backlog.has_longer_than(share):
        backlog = _shortened(backlog, share, tokenizer, hud_format)
    most = backlog.fitting(share)
    if kept := _since(backlog, start, most):
        window = backlog.window(kept)
        if window.tokens * 100 >= share * REOPEN_PERCENT:
            return window
    if most == len(backlog.messages):
        return backlog.window(most if not backlog.cut_off else most - most * (100 - JUMP_PERCENT) // 100)
    return backlog.window(max(min(most, 1), backlog.fitting(share * JUMP_PERCENT // 100)))


def _since(backlog: Backlog, start: MessageId, most: int) -> int:
    """Give how many messages there are from one on, among the newest so many; 0 when it is not there."""
    messages = backlog.messages
    for newest in range(1, most + 1):
        if messages[-newest].id == start:
            return newest
    return 0


def _shortened(backlog: Backlog, share: int, tokenizer: Tokenizer, hud_format: Format) -> Backlog:
    """Leave out the middle of messages that are longer than the share, as far as they can come into it."""
    shown: list[Message] = []
    room = share
    for message in reversed(backlog.messages):
        if room <= 0:
            break
        tokens = backlog.cost(message)
        if tokens + backlog.day_tokens > share:
            message, tokens = _short(message, backlog, share, tokenizer)
        shown.append(message)
        room -= tokens
    older = backlog.messages[: len(backlog.messages) - len(shown)]
    return Backlog((*older, *reversed(shown)), hud_format, cut_off=backlog.cut_off)


def stripped(message: Message) -> Message:
    """Give a message without what can be long: its text, files and reactions."""
    return replace(message, content="", attachments=(), reactions=(), tokens=0)


def _short(message: Message, backlog: Backlog, share: int, tokenizer: Tokenizer) -> tuple[Message, int]:
    """Leave a message's middle out until it takes at most half the share (all of it where that is too little)."""
    most = max(min(share - backlog.day_tokens, SHORT_TOKENS), share * LONG_PERCENT // 100)
    content = whole(content_of(message))
    bare = stripped(message)
    tokens = backlog.cost(bare)
    most = max(most, tokens + CUT_TOKENS) if tokens + CUT_TOKENS + backlog.day_tokens <= share else most
    left = most - tokens
    while left > 0:
        short = replace(bare, content=clipped(tokenizer, content, left))
        if (tokens := backlog.cost(short)) <= most:
            return short, tokens
        left -= max(1, tokens - most)
    return bare, backlog.cost(bare)
