"""The doors to the outside: small protocols that the engine asks for and that adapters and storage keep."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import ParamSpec, Protocol, TypeVar

from bot.core.hints import Hint
from bot.core.models import Model as Model
from bot.core.models import ModelAnswer as ModelAnswer
from bot.core.models import ModelCall as ModelCall
from bot.core.models import Models as Models
from bot.core.models import Tokenizer as Tokenizer
from bot.core.models import VoiceMessage as VoiceMessage
from bot.core.ports.store import Archives as Archives
from bot.core.ports.store import Expected as Expected
from bot.core.ports.store import IdKind as IdKind
from bot.core.ports.store import Ids as Ids
from bot.core.ports.store import Moves as Moves
from bot.core.ports.store import Reading as Reading
from bot.core.ports.store import Store as Store
from bot.core.ports.store import Writing as Writing
from bot.core.ports.talk import NewMessage as NewMessage
from bot.core.post_removal import Parts as Parts
from bot.core.publishing import Post as Post
from bot.core.publishing import Publisher as Publisher
from bot.core.records import Snowflake
from bot.core.spans import Span as Span

P = ParamSpec("P")
T = TypeVar("T")


class Clock(Protocol):
    """Time, so that a day can be replayed in a second."""

    def now(self) -> datetime:
        """Give the time, aware and in UTC."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""

    def timeout(self, seconds: float) -> AbstractAsyncContextManager[object]:
        """Raise TimeoutError in a block that takes longer."""


class Random(Protocol):
    """Seeded chance: one source per community and beat."""

    def uniform(self, low: float, high: float) -> float:
        """Give a number between the two."""

    def token(self, characters: int) -> str:
        """Give a string of letters and digits that nobody can guess."""


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


class Workshop(Protocol):
    """Where work is done that what strangers send can make slow: beside everything else, and not for ever."""

    async def done(self, lane: int, work: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> T:
        """Do pure work, a function that its module names; raises TooMuch, and what the work raises.

        `lane`: whose it is (a community's id); the work of one lane keeps no other lane waiting.
        """


class Hearing(Protocol):
    """What gives the words of voice messages."""

    async def words(self, guild_id: Snowflake, message_id: Snowflake, voice: VoiceMessage) -> str:
        """Give what is said in a voice message; empty where nobody is to hear it, or nobody could."""


class Metrics(Protocol):
    """Counters and timings for whoever runs the bot."""

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add to a counter."""

    def observe(self, name: str, value: float, **labels: str) -> None:
        """Note a measured value."""

    def span(self, span: Span) -> None:
        """Note what a piece of work for single beats took."""


class Bell(Protocol):
    """The way to other processes on the same database: it may lose, double, delay and invent whatever it carries."""

    def ring(self, hint: Hint) -> None:
        """Have somebody look sooner than by themselves; nobody waits for that, and nothing depends on it."""


class Planned(Protocol):
    """What the engine tells the scheduler's wake-up: an agent may be due sooner than the next slot."""

    def nudge(self, at: datetime) -> None:
        """Ask for a slot at that time."""
