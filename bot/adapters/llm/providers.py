"""Model providers behind one door: chosen by prefix, limited, and left alone for a while when they fail."""

import time
from asyncio import Lock, Semaphore
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import httpx2
import structlog
from openai import AsyncOpenAI, DefaultAsyncHttpxClient, OpenAIError
from purgatory import AsyncCircuitBreakerFactory
from purgatory.domain.model import OpenedState

from bot.adapters.llm import chat, moderation, responses
from bot.adapters.llm.faults import (
    Blame,
    Declined,
    Lost,
    as_model_error,
    declined,
    refuses_schema,
    refuses_temperature,
)
from bot.adapters.llm.guard import bare, examined, unpacked
from bot.adapters.llm.ladder import Ladder, is_words
from bot.adapters.llm.pictures import are_fetched, as_taken
from bot.adapters.llm.prices import Prices
from bot.adapters.llm.tokens import tokenizer_for
from bot.core.errors import ModelBusy, ModelError, ModelRefused, ModelUnreachable
from bot.core.key_redaction import KeyRedactor
from bot.core.models import Api, Ceilings, ModelAnswer, ModelCall, Source, Tokenizer
from bot.core.records import Usage

BREAK_AFTER_FAILURES = 5
BREAK_SECONDS = 15
SEEING = ("gpt-4o", "gpt-4.1", "gpt-5", "o1", "o3", "o4-mini", "llava", "llama3.2-vision", "gemma3", "qwen2.5vl")
REASONING = ("o1", "o3", "o4", "gpt-5")  # take no temperature
MALFORMED = (
    AttributeError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
    RecursionError,
)  # of what a server says that is no model
AGAIN = "x-should-retry"  # what the library goes by, whatever the status
TRIED_AGAIN = frozenset({429, 500, 503, 521, 522, 523, 529})  # which surely gave no answer
SECRET_CHARACTERS = 8  # a shorter key is a word such as none, for servers that take any
BOUNDED: dict[str, list[Callable[..., object]]] = {"request": [unpacked], "response": [examined]}
SETUP = "set it anew with `/setup provider`"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOptions:
    """One model server. `name` is the prefix in model names, empty for the first one; a `free` one has no prices.

    `own`: it is a community's, which is told to mend it where it set it up. `near`: it stands in this machine's own
    network, where a model may have no price. `imaginary`: what it costs is only shown, and nobody pays.
    """

    name: str
    base_url: str | None
    api_key: str = field(repr=False)
    api: Api = "responses"
    structured: bool = True
    free: bool = False
    own: bool = False
    near: bool = False
    imaginary: bool = False

    @property
    def is_paid(self) -> bool:
        """Whether the installation pays real money for its calls."""
        return not (self.own or self.free or self.imaginary)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long a server is waited for, how many calls it has at once, and how often it is asked again."""

    timeout_seconds: float = 60
    calls_at_once: int = 8
    retries: int = 2


class AskedAnew(ModelUnreachable):
    """What was asked has to be put otherwise: no fault of the server's."""


class Provider:
    """One server's client with a queue and a circuit breaker; `transport` is the way to a community's own."""

    def __init__(
        self, options: ProviderOptions, pace: Pace | None = None, *, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        pace = pace or Pace()
        self.options = options
        self._client = AsyncOpenAI(
            api_key=options.api_key,
            base_url=options.base_url,
            timeout=pace.timeout_seconds,
            max_retries=pace.retries,
            default_headers={"Authorization": f"Bearer {options.api_key}"} if options.own else None,
            http_client=_stranger(transport) if options.own else _Once(event_hooks=BOUNDED),
        )
        self._queue = Semaphore(pace.calls_at_once)
        self._pictures = Lock()
        self._breakers = AsyncCircuitBreakerFactory(
            default_threshold=BREAK_AFTER_FAILURES,
            default_ttl=BREAK_SECONDS,
            exclude=[ModelRefused, ModelBusy, AskedAnew],
        )
        self.ladder = Ladder()
        self.without_temperature: set[str] = set()
        self._calls = 0
        self._left = False

    @property
    def address(self) -> str:
        """Where it is, for people."""
        return str(self._client.base_url).rstrip("/")

    async def answer(self, model: str, call: ModelCall) -> ModelAnswer:
        """Ask once the queue allows; raises ModelError's children."""
        breaker = await self._breakers.get_breaker("calls")
        try:
            async with self._pictures_in_turn(call), self._in_turn(), breaker:
                started = time.monotonic()
                images = await as_taken(call.images, server=self.address) if call.images else ()
                answer = await self._ask(model, replace(call, images=images))
        except OpenedState as error:
            raise ModelUnreachable(
                f"The provider at {self.address} has failed {BREAK_AFTER_FAILURES} times and rests for a moment.",
                retry_after_seconds=BREAK_SECONDS,
            ) from error
        return replace(answer, usage=replace(answer.usage, latency_seconds=time.monotonic() - started))

    async def objection(self, model: str, text: str) -> str:
        """Ask whether a text may be said; gives why not, and raises ModelError's children."""
        async with self._in_turn():
            try:
                return await moderation.ask(self._client, model, text)
            except OpenAIError as error:
                raise as_model_error(error, self._blame(model, KeyRedactor())) from error
            except MALFORMED as error:
                raise ModelUnreachable(f"What answers at {self.address} is no moderation model.") from error

    async def leave(self) -> None:
        """Take no more calls: the connections are closed now, or when the last call that runs is answered."""
        self._left = True
        if not self._calls:
            await self.close()

    async def close(self) -> None:
        """Close all connections, whatever runs."""
        await self._client.close()

    @asynccontextmanager
    async def _in_turn(self) -> AsyncIterator[None]:
        if self._left:
            raise ModelUnreachable("The model provider was changed just now: it is asked again by itself.")
        self._calls += 1
        try:
            async with self._queue:
                yield
        finally:
            self._calls -= 1
            if self._left and not self._calls:
                await self.close()

    @asynccontextmanager
    async def _pictures_in_turn(self, call: ModelCall) -> AsyncIterator[None]:
        """Let one call at a time carry pictures themselves, for they take much memory."""
        if not are_fetched(call.images, server=self.address):
            yield
            return
        async with self._pictures:
            yield

    async def _ask(self, model: str, call: ModelCall) -> ModelAnswer:
        """Ask the server; a form or a temperature that it turns out not to take is left out from then on."""
        speak = responses.ask if self.options.api == "responses" else chat.ask
        call = replace(call, wants_json=call.wants_json and self.options.structured and self.ladder.takes_json(model))
        try:
            answer = await speak(self._client, model, call)
        except OpenAIError as error:
            if call.temperature is not None and refuses_temperature(error):
                self.without_temperature.add(model)
                return await self._ask(model, replace(call, temperature=None))
            if call.schema is not None and refuses_schema(error):
                self.ladder.without_schema(model)
                raise AskedAnew(f"{model!r} takes no schema: it is asked again in words.") from error
            if call.schema is None and call.wants_json and refuses_schema(error):
                self.ladder.without_json(model)
                return await self._ask(model, call)
            raise as_model_error(error, self._blame(model, call.redactor)) from error
        except Declined as error:
            raise declined(error, self._blame(model, call.redactor)) from error
        except MALFORMED as error:
            log.warning("an answer could not be read", address=self.address, model=model, exc_info=True)
            sentence = f"What answers at {self.address} is no model: check the address."
            raise ModelUnreachable(sentence, unsure=True) from error
        self._learn(model, call, answer)
        return answer

    def _learn(self, model: str, call: ModelCall, answer: ModelAnswer) -> None:
        """Go a rung down when the server took a form and did not hold the model to it."""
        if not is_words(answer.text):
            return
        if call.schema is not None:
            log.info("a schema was ignored: the form is said in words from now on", address=self.address, model=model)
            self.ladder.without_schema(model)
        elif call.wants_json:
            self.ladder.without_json(model)

    def _blame(self, model: str, redactor: KeyRedactor) -> Blame:
        """Give whom a fault is laid to; what a server repeats of our key and of rooms' keys is hidden."""
        key = self.options.api_key
        redactor = redactor | [key] if len(key) >= SECRET_CHARACTERS else redactor
        if self.options.own:
            return Blame(self.address, model, SETUP, SETUP, redactor)
        return Blame(self.address, model, redactor=redactor)


class _Once(DefaultAsyncHttpxClient):
    """Sends once where nobody knows whether the server has taken it: what is tried again is paid for again."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:  # noqa: ANN401
        """Send it; what broke off afterwards is an error of ours, which the library does not try again."""
        try:
            response = await super().send(request, **options)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout):
            raise
        except httpx2.TransportError as error:
            raise Lost(str(error)) from error
        again = response.status_code in TRIED_AGAIN and response.headers.get(AGAIN, "true") != "false"
        response.headers[AGAIN] = str(again).lower()  # no server has us pay for what it may have taken
        return response


def _stranger(transport: httpx2.AsyncBaseTransport | None) -> httpx2.AsyncClient:
    """Give the client for a server that is to learn nothing of the installation."""
    hooks = BOUNDED | {"request": [bare, *BOUNDED["request"]]}
    return _Once(transport=transport, trust_env=False, event_hooks=hooks)


class Providers:
    """The `Model` port over several servers; `source` is the one that serves names without a prefix.

    `ceilings` and `allowed` (models; empty: any) hold what is asked of the installation's own servers.
    """

    def __init__(
        self,
        providers: Mapping[str, Provider],
        prices: Prices,
        *,
        missing: str = "",
        ceilings: Ceilings | None = None,
        allowed: tuple[str, ...] = (),
    ) -> None:
        self._providers = providers
        self._prices = prices
        self._ceilings = ceilings
        self._allowed = allowed
        first = providers.get("")
        all_paid = not any(one.options.own for one in providers.values())
        self.source = Source(
            address=first.address if first else "",
            own=first is not None and first.options.own,
            missing=missing,
            ceilings=ceilings if all_paid and first is not None and first.options.is_paid else None,
            allowed=allowed if all_paid else (),
            imaginary=first is not None and first.options.imaginary,
        )

    async def answer(self, call: ModelCall) -> ModelAnswer:
        """Ask the model's provider once its queue allows; raises ModelError's children."""
        provider, model = self._find(call.model)
        try:
            answer = await provider.answer(model, call)
        except ModelError as error:
            error.usage = error.usage and self._priced(call.model, error.usage)
            raise
        return replace(answer, usage=self._priced(call.model, answer.usage))

    async def objection(self, model: str, text: str) -> str:
        """Ask the model's provider whether a text may be said; gives why not, and raises ModelError's children."""
        provider, bare = self._find(model, free=True)
        return await provider.objection(bare, text)

    def context_tokens(self, model: str) -> int:
        """Give the model's context limit in tokens."""
        return self._prices.context_tokens(model)

    def list_price(self, model: str, *, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Decimal:
        """Give what a call costs in USD; with nothing cached it is the most."""
        usage = Usage(input_tokens=input_tokens, cached_tokens=cached_tokens, output_tokens=output_tokens)
        return self._priced(model, usage).cost_usd

    def price_is_known(self, model: str) -> bool:
        """Tell whether what is booked for its calls is what they cost (nothing on a free server)."""
        found = self._found(model)
        return (found is not None and found[0].options.free) or self._prices.knows(model)

    def ceilings(self, model: str) -> Ceilings | None:
        """Give what calls of this model are held to, as the installation pays for them; None: it does not."""
        found = self._found(model)
        return self._ceilings if found is not None and found[0].options.is_paid else None

    def refusal(self, model: str) -> str:
        """Say in one sentence why the installation does not pay for a model; empty when it does, or need not."""
        found = self._found(model)
        if found is None or found[0].options.own:
            return ""
        if self._allowed and model not in self._allowed:
            return f"Whoever runs Selfroom does not pay for {model}: choose one of {', '.join(self._allowed)}."
        options = found[0].options
        if options.is_paid and not options.near and not self._prices.knows(model):
            return f"What {model} costs is not known: choose another, or ask whoever runs Selfroom for SELFROOM_PRICES."
        return ""

    def takes_temperature(self, model: str) -> bool:
        """Tell whether a temperature can be set: reasoning models refuse it."""
        found = self._found(model)
        refused = found is not None and found[1] in found[0].without_temperature
        return not refused and not model.rpartition("/")[2].startswith(REASONING)

    def takes_schema(self, model: str) -> bool:
        """Tell whether the model can be held to a JSON schema, as far as is known."""
        found = self._found(model)
        return found is None or (found[0].options.structured and found[0].ladder.takes_schema(found[1]))

    def sees_images(self, model: str) -> bool:
        """Tell whether the model can be shown pictures, as far as its name tells."""
        return model.rpartition("/")[2].startswith(SEEING)

    def tokenizer(self, model: str) -> Tokenizer:
        """Give the tokenizer that counts for this model."""
        return tokenizer_for(model)

    async def close(self) -> None:
        """Close all connections."""
        for provider in self._providers.values():
            await provider.close()

    def _priced(self, model: str, usage: Usage) -> Usage:
        found = self._found(model)
        free = found is not None and found[0].options.free
        return replace(usage, cost_usd=Decimal(0) if free else self._prices.cost(model, usage))

    def _found(self, model: str) -> tuple[Provider, str] | None:
        prefix, slash, rest = model.partition("/")
        if slash and prefix in self._providers:
            return self._providers[prefix], rest
        return (self._providers[""], model) if "" in self._providers else None

    def _find(self, model: str, *, free: bool = False) -> tuple[Provider, str]:
        found = self._found(model)
        if self.source.missing or found is None:
            unserved = f"No provider serves {model!r}: set OPENAI_API_KEY or SELFROOM_OPENAI_BASE_URL."
            raise ModelRefused(self.source.missing or unserved)
        if not free and (refusal := self.refusal(model)):
            raise ModelRefused(refusal)
        return found
