"""An answer as it comes, piece by piece: how long it is waited for, and when enough was heard."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

import structlog

from bot.adapters.llm.faults import Declined
from bot.core.models import ModelAnswer
from bot.core.plain_words import goes_round
from bot.core.records import Usage
from bot.core.splitting import sound

LONGEST_REFUSAL, LONGEST_ID = 2_000, 200  # characters, whatever a server says
LOOKED_AT = 240  # characters: so often it is looked whether an answer goes round in circles
CIRCLE_IN = 2_000  # characters at the end, of which one such circle has at most 1,200
BLANKS = 200  # in a row: what fills an answer that is held to JSON for ever
MOST_CHARACTERS_PER_TOKEN = 16
MOST_PIECES_PER_TOKEN, MORE_PIECES = 4, 1_000  # thinking comes in pieces too

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long an answer is waited for: its first word, then each further one, and all of it."""

    first_seconds: float
    silence_seconds: float
    total_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What one event of a stream tells; a whole answer is one piece. `ended`: by itself (True) or cut off (False)."""

    text: str = ""
    refusal: str = ""
    usage: Usage | None = None
    ended: bool | None = None
    response_id: str = ""


Pieces = AsyncGenerator[Piece, None]


@dataclass(slots=True)
class Hearing:
    """What was heard of an answer so far."""

    text: str = ""
    refusal: str = ""
    usage: Usage = field(default_factory=Usage)
    ended: bool | None = None
    response_id: str = ""
    pieces: int = 0
    _looked_at: int = 0

    def take(self, piece: Piece) -> None:
        """Add a piece."""
        self.text += piece.text
        self.refusal = (self.refusal + piece.refusal)[:LONGEST_REFUSAL]
        self.usage = piece.usage or self.usage
        self.ended = piece.ended if piece.ended is not None else self.ended
        self.response_id = (self.response_id or str(piece.response_id))[:LONGEST_ID]
        self.pieces += 1

    def goes_on_for_nothing(self, answer_tokens: int) -> bool:
        """Tell whether nothing new is to come: it goes round in circles, or beyond all that was asked for."""
        if len(self.text) > MOST_CHARACTERS_PER_TOKEN * answer_tokens:
            return True
        if self.pieces > MOST_PIECES_PER_TOKEN * answer_tokens + MORE_PIECES:
            return True
        if len(self.text) - self._looked_at < LOOKED_AT:
            return False
        self._looked_at = len(self.text)
        return not self.text[-BLANKS:].strip() or goes_round(self.text[-CIRCLE_IN:])

    def answer(self, *, whole: bool) -> ModelAnswer:
        """Give what was heard; raises Declined for a refusal, for it is no answer to any of the agents."""
        if self.refusal:
            raise Declined(self.refusal, self.usage)
        return ModelAnswer(
            text=sound(self.text),  # a character may have come in halves, which no store takes
            usage=self.usage,
            complete=whole and self.ended is True,
            response_id=sound(self.response_id),
        )


async def heard(
    pieces: Pieces,
    patience: Patience,
    *,
    answer_tokens: int,
    broken: tuple[type[Exception], ...],
    on_word: Callable[[], None],
) -> ModelAnswer:
    """Listen until the answer ends, or enough was heard: what came before silence or a broken line counts.

    `broken` are the errors of a stream that breaks off, `on_word` is called at the first word. Raises TimeoutError
    when nothing came at all, and what the stream raises.
    """
    hearing, loop = Hearing(), asyncio.get_running_loop()
    until = loop.time() + patience.total_seconds
    first = min(until, loop.time() + patience.first_seconds)
    broke_off: tuple[type[Exception], ...] = (TimeoutError, *broken)
    try:
        async with asyncio.timeout_at(first) as limit, aclosing(pieces):
            async for piece in pieces:
                if piece.text and not hearing.text:
                    on_word()
                hearing.take(piece)
                if piece.ended is None and hearing.goes_on_for_nothing(answer_tokens):
                    log.info("an answer goes on for nothing: it is cut off", characters=len(hearing.text))
                    if not hearing.text.strip():
                        raise TimeoutError
                    return hearing.answer(whole=False)
                if hearing.text:
                    limit.reschedule(min(until, loop.time() + patience.silence_seconds))
    except broke_off as error:
        if not hearing.text.strip():
            raise
        log.info("an answer broke off: what came of it is used", characters=len(hearing.text), why=type(error).__name__)
        return hearing.answer(whole=False)
    return hearing.answer(whole=True)
