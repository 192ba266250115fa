"""Stand-ins for the ports that behave like the real thing, only at once and the same every time."""

import asyncio
import hashlib
import random
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import ParamSpec, TypeVar

from bot.core.errors import ModelError
from bot.core.hud.counting import adds_up
from bot.core.models import Ceilings, ModelAnswer, ModelCall, OwnProvider, OwnProviders, Source, VoiceMessage
from bot.core.ports import IdKind, Tokenizer
from bot.core.records import Community, Usage
from bot.core.spans import Span

P = ParamSpec("P")
T = TypeVar("T")
START = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)


class WordTokenizer:
    """Counts words and marks: exact enough to test budgets, and cheap."""

    def count(self, text: str) -> int:
        return (len(text.encode()) + 3) // 4


class CountedTokenizer:
    """Counts as another does, and remembers how much it was asked to count."""

    def __init__(self, counts: Tokenizer) -> None:
        self._counts = counts
        self.adds_up = adds_up(counts)
        self.characters = 0

    def count(self, text: str) -> int:
        self.characters += len(text)
        return self._counts.count(text)


class CountingIds:
    """Ids from one counter per kind."""

    def __init__(self) -> None:
        self._last: Counter[str] = Counter()

    def take(self, kind: IdKind) -> int:
        self._last[kind] += 1
        return self._last[kind]


class SeededRandom:
    """Chance that is the same in every run."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a test's chance, not a secret

    def uniform(self, low: float, high: float) -> float:
        return self._random.uniform(low, high)

    def token(self, characters: int) -> str:
        return "".join(self._random.choices("abcdefghjkmnpqrstuvwxyz23456789", k=characters))


class PlainCipher:
    """Reversible and readable: for tests that look at what is stored."""

    def encrypt(self, secret: str, row: str = "") -> bytes:
        return b"sealed:" + secret.encode()[::-1]

    def decrypt(self, ciphertext: bytes, row: str = "") -> str:
        return ciphertext.removeprefix(b"sealed:")[::-1].decode()

    def is_bound(self, ciphertext: bytes) -> bool:
        return True

    def digest(self, secret: str) -> bytes:
        return hashlib.sha256(b"test" + secret.encode()).digest()

    def digests(self, secret: str) -> tuple[bytes, ...]:
        return (self.digest(secret),)


class ScriptedModel:
    """Answers from a script: strings, errors to raise, or functions of the call; silence when the script is used up."""

    def __init__(self, script: Iterable[str | ModelError | Callable[[ModelCall], str]] = ()) -> None:
        self.script = deque(script)
        self.calls: list[ModelCall] = []
        self.cached_price = Decimal("0.075")  # USD per million tokens
        self.imaginary = False  # nobody pays
        self.missing = ""  # why no model may be asked
        self.paid: Ceilings | None = None  # what the installation holds it to, as it pays
        self.allowed: tuple[str, ...] = ()  # models that it pays for
        self.unpriced: set[str] = set()
        self.own: set[str] = set()
        self.unknown: set[str] = set()
        self.failing: set[str] = set()

    async def answer(self, call: ModelCall) -> ModelAnswer:
        self.calls.append(call)
        call.on_sent()
        step = self.script.popleft() if self.script else '{"agents": []}'
        if isinstance(step, ModelError):
            raise step
        text = step if isinstance(step, str) else step(call)
        counted = WordTokenizer().count(call.instructions + call.input)
        said = WordTokenizer().count(text)
        usd = self.list_price(call.model, input_tokens=counted, output_tokens=said)
        return ModelAnswer(text=text, usage=Usage(input_tokens=counted, output_tokens=said, cost_usd=usd))

    async def of(self, providers: OwnProviders, community: Community) -> "ScriptedModel":
        await providers.of(community.id)  # asked each time, as by the real one
        return self

    @asynccontextmanager
    async def trial(self, provider: OwnProvider, key: str) -> AsyncIterator["ScriptedModel"]:
        yield self

    @property
    def source(self) -> Source:
        address = "https://scripted.example/v1"
        return Source(
            address=address,
            missing=self.missing,
            ceilings=self.paid,
            allowed=self.allowed,
            imaginary=self.imaginary,
        )

    async def objection(self, model: str, text: str) -> str:
        return ""

    async def hear(self, model: str, voice: VoiceMessage) -> ModelAnswer:
        usd = self.hearing_price(model, voice.seconds / 2)
        return ModelAnswer(text=voice.content.decode(), usage=Usage(input_tokens=1, cost_usd=usd))

    def hearing_price(self, model: str, seconds: float) -> Decimal:
        return Decimal(int(seconds)) / 10_000

    def context_tokens(self, model: str) -> int:
        return 128_000

    def list_price(self, model: str, *, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Decimal:
        full = Decimal("0.15") * (input_tokens - cached_tokens) + Decimal("0.60") * output_tokens
        return (full + self.cached_price * cached_tokens) / 1_000_000

    def price_is_known(self, model: str) -> bool:
        return model not in self.unpriced

    def is_known(self, model: str) -> bool:
        return model not in self.unknown

    def is_own(self, model: str) -> bool:
        return model in self.own

    def counted_as(self, model: str) -> str:
        return model

    def ceilings(self, model: str) -> Ceilings | None:
        return self.paid

    def refusal(self, model: str) -> str:
        return "" if not self.allowed or model in self.allowed else f"Nobody pays for {model} here."

    def takes_temperature(self, model: str) -> bool:
        return not model.startswith("o")

    def thinks(self, model: str) -> bool:
        return not self.takes_temperature(model)

    def takes_schema(self, model: str) -> bool:
        return True

    def is_failing(self, model: str) -> bool:
        return model in self.failing

    async def listed(self, model: str) -> tuple[str, ...]:
        return ()

    def sees_images(self, model: str) -> bool:
        return model.startswith("gpt-4o")

    def tokenizer(self, model: str) -> WordTokenizer:
        return WordTokenizer()


class DrippingModel(ScriptedModel):
    """Begins to answer and never ends."""

    async def answer(self, call: ModelCall) -> ModelAnswer:
        self.calls.append(call)
        call.on_sent()
        await asyncio.Event().wait()
        raise AssertionError

    async def objection(self, model: str, text: str) -> str:
        await asyncio.Event().wait()
        raise AssertionError


class CountedMetrics:
    """Keeps what was counted and observed."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.observed: dict[str, list[float]] = {}
        self.spans: list[Span] = []
        self.labels: set[tuple[str, str, str]] = set()  # of what, and each label that it had

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        self.counts[name] += int(amount)
        self.labels |= {(name, label, value) for label, value in labels.items()}

    def observe(self, name: str, value: float, **labels: str) -> None:
        self.labels |= {(name, label, value) for label, value in labels.items()}
        self.observed.setdefault(name, []).append(value)

    def span(self, span: Span) -> None:
        self.spans.append(span)


class Nudges:
    """Remembers when a slot was asked for."""

    def __init__(self) -> None:
        self.at: list[datetime] = []

    def nudge(self, at: datetime) -> None:
        self.at.append(at)


class OpenBench:
    """A workshop without walls: the work is done here and now, however long it takes."""

    async def done(self, lane: int, work: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> T:
        return work(*given, **named)
