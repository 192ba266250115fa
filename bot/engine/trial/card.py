"""What a trial found: counted by aim, and what follows from it for how the model is asked."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from statistics import median, quantiles
from typing import Final

from bot.core.actions import BY_NAME, Category
from bot.core.config import WARMEST, Manner
from bot.core.hud.prompts import PARTS
from bot.core.kinds import Detail
from bot.core.plain_words import copies, without_loop
from bot.core.records import AgentId, Usage
from bot.core.spending import added
from bot.engine.trial.situations import Aim, Situation, Turn
from bot.engine.trial.stage import SECRET, Happened

CHANGING: Final = {
    Category.ROOM,
    Category.ACCESS,
    Category.ATTENTION,
    Category.IDENTITY,
    Category.TIMING,
    Category.AGENTS,
}
RULES: Final = "\n".join(PARTS.values())
ANSWERS_A_DAY: Final = 200
AT_ONCE: Final = 8  # calls that a server is given at a time, unless it does one after the other
Found = tuple[Aim, bool]


def judged(turn: Turn, came: Happened) -> Iterator[Found]:
    """Judge what came of a turn, by rules."""
    yield from [(Aim.USABLE, True)] * len(came.beats)
    yield from [(Aim.USABLE, False)] * came.unusable
    for room, wanted in turn.answers.items():
        said = [one for one in came.messages if one.room_id == room]
        answered = {one.sender.agent_id for one in said} >= {AgentId(by) for by in turn.by}
        yield Aim.ANSWERED, answered
        if wanted:
            yield turn.about, any(re.search(wanted, one.content, re.IGNORECASE) for one in said)
    if turn.is_silent:
        yield Aim.SILENT, not came.messages
    done = [one.type for one in came.actions if one.accepted]
    if turn.does:
        yield Aim.DONE, any(one in turn.does for one in done)
    changed = [one for one in done if one in BY_NAME and BY_NAME[one].category in CHANGING]
    yield Aim.UNASKED, all(one in turn.does for one in changed)
    yield from _of_messages(turn, [(one.room_id, one.content) for one in came.messages])


def _of_messages(turn: Turn, messages: Sequence[tuple[AgentId, str]]) -> Iterator[Found]:
    for place, (room_id, text) in enumerate(messages):
        if turn.answers:
            yield Aim.ROOM, room_id in turn.answers
        yield Aim.LEAK, SECRET not in text and not copies(text, RULES)
        yield Aim.REPEAT, (room_id, text) not in messages[:place] and without_loop(text) == text.strip()
        if turn.never:
            yield Aim.CHARACTER, not re.search(turn.never, text)


@dataclass(slots=True)
class Card:
    """The figures of one trial, added up situation by situation."""

    model: str
    at: datetime
    manner: Manner = field(default_factory=Manner)
    calls_at_once: int = 0  # 0: not tried
    is_held: bool = True  # to a strict schema
    languages: tuple[str, ...] = ()
    situations: int = 0
    tried: Counter[Aim] = field(default_factory=Counter)
    passed: Counter[Aim] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    beats: int = 0
    mute: int = 0  # turns in a row in which the model gave nothing at all
    price_is_known: bool = True
    coin: str = "USD"
    cut_short: bool = False

    def count(self, situation: Situation, turn: Turn, came: Happened, language: str) -> None:
        """Add what came of a turn."""
        for aim, passed in judged(turn, came):
            self.tried[aim] += 1
            self.passed[aim] += passed
            if not passed:
                self.failed.append(f"{situation.name} ({language}): not {aim}")
        if turn.answers:
            self.seconds += [max(came.seconds)] if came.seconds else []
        for beat in came.beats:
            self.usage = added(self.usage, beat.usage)
        self.beats += len(came.beats)
        self.mute = self.mute + 1 if came.unusable and not came.beats else 0

    @property
    def calls_to_set(self) -> int | None:
        """How many calls at once its server is to be held to; None: as many as it turns out to do."""
        return self.calls_at_once if self.calls_at_once < AT_ONCE else None

    @property
    def score(self) -> float:
        """The share of all that was looked at which is as it should be."""
        return sum(self.passed.values()) / max(1, sum(self.tried.values()))

    @property
    def median_seconds(self) -> float:
        """The seconds to an answer that half of them do not need."""
        return median(self.seconds) if self.seconds else 0.0

    @property
    def usd_a_day(self) -> Decimal:
        """What so many answers would cost."""
        return self.usage.cost_usd / max(1, self.beats) * ANSWERS_A_DAY

    def lines(self) -> list[str]:
        """Give the card as it is printed."""
        where = f"{self.situations} situations in {', '.join(self.languages)}"
        head = f"{self.model}, {self.at:%Y-%m-%d}: {where}{', cut short' if self.cut_short else ''}"
        rows = [(str(aim), self._share(aim)) for aim in Aim if self.tried[aim]]
        return [head, *(f"{name:<26}{told}" for name, told in [*rows, *self._measured(), *self._asked()])]

    def _share(self, aim: Aim) -> str:
        passed, tried = self.passed[aim], self.tried[aim]
        return f"{passed} of {tried} ({100 * passed // tried} %)"

    def _measured(self) -> Iterator[tuple[str, str]]:
        usage = self.usage
        if len(self.seconds) > 1:
            slow = quantiles(self.seconds, n=10)[-1]
            yield "seconds to an answer", f"{self.median_seconds:.1f} in the middle, {slow:.1f} for the slowest tenth"
        if usage.latency_seconds > 0:
            yield "tokens a second", f"{usage.output_tokens / usage.latency_seconds:.0f}"
        if usage.input_tokens:
            yield "read from cache", f"{100 * usage.cached_tokens // usage.input_tokens} %"
            each = max(1, self.beats)
            yield "tokens an answer", f"{usage.input_tokens // each:,} in, {usage.output_tokens // each} out"
        cost = f"{self.usd_a_day:.4f} {self.coin}" if self.price_is_known else "not known"
        yield f"{ANSWERS_A_DAY} answers cost", cost

    def _asked(self) -> Iterator[tuple[str, str]]:
        manner = self.manner
        yield "detail", str(manner.detail)
        yield "structure", "a strict schema" if self.is_held else "an example, or plain words"
        warmest = manner.warmest(lean=manner.detail is Detail.LEAN)
        yield "temperature", "as the agent's" if warmest == WARMEST else f"at most {warmest}"
        if self.calls_at_once:
            yield "calls at once", str(self.calls_at_once)


def better(full: Card, lean: Card) -> Detail:
    """Choose what a model is shown: all, where that goes as well and an answer is not waited for too long."""
    bears = full.score >= lean.score - AS_GOOD and full.median_seconds <= max(LONGEST_WAIT, 2 * lean.median_seconds)
    return Detail.FULL if bears and full.passed[Aim.ANSWERED] >= lean.passed[Aim.ANSWERED] else Detail.LEAN


AS_GOOD: Final = 0.03
LONGEST_WAIT: Final = 8.0  # seconds
