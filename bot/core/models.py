"""Models and who provides them: the installation, or a community that brings its own provider."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Literal, Protocol

from bot.core.key_redaction import KeyRedactor
from bot.core.records import Community, CommunityId, Json, Usage
from bot.core.sentences import Sentence
from bot.core.wording import counted

Api = Literal["responses", "chat", "anthropic", "gemini"]
MOST_CALLS_AT_ONCE: Final = 32  # that a community may have its own server asked


def _nobody() -> None:
    """Nobody asks whether a call was sent."""


class Tokenizer(Protocol):
    """Counts tokens as the model does."""

    def count(self, text: str) -> int:
        """Give the number of tokens of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One stateless request: the constant part first, so that the provider's prompt cache works."""

    model: str
    instructions: str
    input: str
    temperature: float | None
    answer_tokens: int
    schema: Mapping[str, Json] | None  # None: no structured output
    cache_key: str
    images: tuple[str, ...] = ()
    wants_json: bool = False  # without a schema: an object is asked for in words
    whose: str = ""  # whom it is for: where a server keeps what it has read by place, they keep theirs
    is_awaited: bool = False  # a person waits for the answer: it goes before others that wait for the same server
    redactor: KeyRedactor = field(
        default_factory=KeyRedactor, compare=False, repr=False
    )  # what no error may repeat of it
    on_sent: Callable[[], None] = field(default=_nobody, compare=False, repr=False)  # from then on it may cost money


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """What came back; `text` may be cut off (`complete` False). `usage.cost_usd` is at the provider's prices."""

    text: str
    usage: Usage
    complete: bool = True
    response_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceMessage:
    """A voice message: its bytes, and how many seconds it says that it lasts."""

    content: bytes = field(repr=False)
    filename: str
    media_type: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceilings:
    """What the installation pays for in a UTC day, in USD: for each community, and for all together; None: no limit."""

    usd_each: Decimal | None = None
    usd_all: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Who reads what a community sends to models: an address for people, and whether the key is the community's own.

    `missing` says in one sentence why no model may be asked at all, empty when one may. `ceilings` and `allowed`
    (models; empty: any) hold the community as long as the installation pays for all. `imaginary`: nobody pays.
    """

    address: str = ""
    own: bool = False
    missing: str = ""
    ceilings: Ceilings | None = None
    allowed: tuple[str, ...] = ()
    imaginary: bool = False

    @property
    def coin(self) -> str:
        """Name the money."""
        return "imaginary USD" if self.imaginary else "USD"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnProvider:
    """A community's own model server. Its models are named `prefix/model`; with no prefix it serves every name.

    `base_url` None is where the vendor itself is; `sealed_key` is encrypted; a `free` one has no prices.
    `calls_at_once`: None is what the server turns out to do.
    """

    base_url: str | None
    api: Api
    structured: bool = True
    free: bool = False
    prefix: str = ""
    sealed_key: bytes = field(default=b"", repr=False)
    calls_at_once: int | None = None

    @property
    def pace_told(self) -> Sentence:
        """Tell how many calls at once it is asked."""
        if self.calls_at_once is None:
            return Sentence("It is asked as many calls at once as it turns out to do.")
        return Sentence("It is asked {calls} at a time.", calls=counted(self.calls_at_once, "call"))


class Model(Protocol):
    """All models that one community may ask, behind one door; raises ModelError's children."""

    @property
    def source(self) -> Source:
        """Who provides models whose names have no prefix."""

    async def answer(self, call: ModelCall) -> ModelAnswer:
        """Ask once (retries, timeouts and the circuit breaker are inside)."""

    async def objection(self, model: str, text: str) -> str:
        """Ask a moderation model why a text should not be posted; empty when it may."""

    async def hear(self, model: str, voice: VoiceMessage) -> ModelAnswer:
        """Ask a transcription model what is said in a voice; raises ModelError's children."""

    def hearing_price(self, model: str, seconds: float) -> Decimal:
        """Give what it costs at most, in USD, to have so many seconds heard."""

    def context_tokens(self, model: str) -> int:
        """Give the model's context limit."""

    def list_price(self, model: str, *, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Decimal:
        """Give what a call costs, in USD (0 for a model without a price); with nothing cached it is the most."""

    def price_is_known(self, model: str) -> bool:
        """Tell whether what is booked for its calls is what they cost (nothing on a free server)."""

    def is_known(self, model: str) -> bool:
        """Tell whether the model is one of those that are paid for: its price is in the lists, or given."""

    def is_own(self, model: str) -> bool:
        """Tell whether the community's own provider serves the model."""

    def counted_as(self, model: str) -> str:
        """Give by what name a model is counted for everybody: never by one that only a community chose."""

    def ceilings(self, model: str) -> Ceilings | None:
        """Give what calls of this model are held to, as the installation pays for them; None: it does not."""

    def refusal(self, model: str) -> str:
        """Say in one sentence why the installation does not pay for a model; empty when it does, or need not."""

    def takes_temperature(self, model: str) -> bool:
        """Tell whether the model lets a temperature be set."""

    def thinks(self, model: str) -> bool:
        """Tell whether the model thinks before it writes, which counts as a part of its answer."""

    def takes_schema(self, model: str) -> bool:
        """Tell whether the model can be held to a JSON schema."""

    def is_failing(self, model: str) -> bool:
        """Tell whether a model failed lately, so that a spare one is asked in its place for a while."""

    async def listed(self, model: str) -> Sequence[str]:
        """Give the names under which the server of this model lists its models; none where it tells nothing."""

    def sees_images(self, model: str) -> bool:
        """Tell whether the model can be shown pictures."""

    def tokenizer(self, model: str) -> Tokenizer:
        """Give the tokenizer that counts for this model."""


class OwnProviders(Protocol):
    """The model providers that communities bring."""

    async def of(self, community_id: CommunityId) -> OwnProvider | None:
        """Give the community's own model provider, if it has one."""


class Models(Protocol):
    """The models of every community."""

    async def of(self, providers: OwnProviders, community: Community) -> Model:
        """Give what a community may ask: its own provider, and the installation's where that pays for it."""

    def trial(self, provider: OwnProvider, key: str) -> AbstractAsyncContextManager[Model]:
        """Open a provider that is not kept yet, with its key in plain, to try it; raises Rejected for a bad address."""
