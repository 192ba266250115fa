"""All model providers behind one door: chosen by prefix, limited, and left alone for a while when they fail."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

import structlog
from openai import AsyncOpenAI, OpenAIError
from purgatory import AsyncCircuitBreakerFactory
from purgatory.domain.model import OpenedState

from bot.adapters.llm import chat, moderation, responses
from bot.adapters.llm.faults import as_model_error, refuses_schema
from bot.adapters.llm.prices import Prices
from bot.adapters.llm.tokens import tokenizer_for
from bot.core.errors import ModelBusy, ModelRefused, ModelUnreachable
from bot.core.ports import ModelAnswer, ModelCall, Tokenizer
from bot.core.records import Usage

BREAK_AFTER_FAILURES = 5
BREAK_SECONDS = 15
SEEING = ("gpt-4o", "gpt-4.1", "gpt-5", "o1", "o3", "o4-mini", "llava", "llama3.2-vision", "gemma3", "qwen2.5vl")
REASONING = ("o1", "o3", "o4", "gpt-5")  # take no temperature

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOptions:
    """One model server. `name` is the prefix in model names, empty for the first one; a `free` one has no prices."""

    name: str
    base_url: str | None
    api_key: str
    api: Literal["responses", "chat"] = "responses"
    structured: bool = True
    free: bool = False


class Provider:
    """One server's client with its own queue."""

    def __init__(self, options: ProviderOptions, *, timeout_seconds: float, calls_at_once: int, retries: int) -> None:
        self.options = options
        self.client = AsyncOpenAI(
            api_key=options.api_key, base_url=options.base_url, timeout=timeout_seconds, max_retries=retries
        )
        self.queue = asyncio.Semaphore(calls_at_once)
        self.without_schema: set[str] = set()

    @property
    def address(self) -> str:
        """Where it is, for people."""
        return str(self.client.base_url)

    async def ask(self, model: str, call: ModelCall) -> ModelAnswer:
        """Ask the server; a schema that it turns out not to take is left out from then on."""
        speak = responses.ask if self.options.api == "responses" else chat.ask
        try:
            return await speak(self.client, model, call)
        except OpenAIError as error:
            if call.schema is not None and refuses_schema(error):
                self.without_schema.add(model)
                raise ModelUnreachable(f"{model!r} takes no schema: it is asked again in words.") from error
            raise as_model_error(error, address=self.address, model=model) from error


class Providers:
    """The `Model` port over OpenAI-compatible servers."""

    def __init__(
        self,
        options: list[ProviderOptions],
        prices: Prices,
        *,
        timeout_seconds: float = 60,
        calls_at_once: int = 8,
        retries: int = 2,
    ) -> None:
        self._providers: Mapping[str, Provider] = {
            one.name: Provider(one, timeout_seconds=timeout_seconds, calls_at_once=calls_at_once, retries=retries)
            for one in options
        }
        self._prices = prices
        self._breakers = AsyncCircuitBreakerFactory(
            default_threshold=BREAK_AFTER_FAILURES, default_ttl=BREAK_SECONDS, exclude=[ModelRefused, ModelBusy]
        )

    async def answer(self, call: ModelCall) -> ModelAnswer:
        """Ask the model's provider once its queue allows; raises ModelError's children."""
        provider, model = self._find(call.model)
        breaker = await self._breakers.get_breaker(provider.options.name or "default")
        try:
            async with provider.queue, breaker:
                started = time.monotonic()
                answer = await provider.ask(model, call)
        except OpenedState as error:
            raise ModelUnreachable(
                f"The provider at {provider.address} has failed {BREAK_AFTER_FAILURES} times and rests for a moment.",
                retry_after_seconds=BREAK_SECONDS,
            ) from error
        usage = replace(answer.usage, latency_seconds=time.monotonic() - started)
        return replace(answer, usage=replace(usage, cost_usd=self._cost(call.model, usage)))

    async def objection(self, model: str, text: str) -> str:
        """Ask the model's provider whether a text may be said; gives why not, and raises ModelError's children."""
        provider, bare = self._find(model)
        try:
            async with provider.queue:
                return await moderation.ask(provider.client, bare, text)
        except OpenAIError as error:
            raise as_model_error(error, address=provider.address, model=model) from error

    def context_tokens(self, model: str) -> int:
        """Give the model's context limit in tokens."""
        return self._prices.context_tokens(model)

    def list_price(self, model: str, *, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Decimal:
        """Give what a call costs in USD; with nothing cached it is the most."""
        usage = Usage(input_tokens=input_tokens, cached_tokens=cached_tokens, output_tokens=output_tokens)
        return self._cost(model, usage)

    def takes_temperature(self, model: str) -> bool:
        """Tell whether a temperature can be set: reasoning models refuse it."""
        return not model.rpartition("/")[2].startswith(REASONING)

    def takes_schema(self, model: str) -> bool:
        """Tell whether the model can be held to a JSON schema, as far as is known."""
        provider, bare = self._find(model)
        return provider.options.structured and bare not in provider.without_schema

    def sees_images(self, model: str) -> bool:
        """Tell whether the model can be shown pictures, as far as its name tells."""
        return model.rpartition("/")[2].startswith(SEEING)

    def tokenizer(self, model: str) -> Tokenizer:
        """Give the tokenizer that counts for this model."""
        return tokenizer_for(model)

    async def close(self) -> None:
        """Close all connections."""
        for provider in self._providers.values():
            await provider.client.close()

    def _cost(self, model: str, usage: Usage) -> Decimal:
        prefix = model.partition("/")[0]
        provider = self._providers.get(prefix) or self._providers.get("")
        return Decimal(0) if provider and provider.options.free else self._prices.cost(model, usage)

    def _find(self, model: str) -> tuple[Provider, str]:
        prefix, slash, rest = model.partition("/")
        if slash and prefix in self._providers:
            return self._providers[prefix], rest
        if "" not in self._providers:
            raise ModelRefused(f"No provider serves {model!r}: set OPENAI_API_KEY or SELFROOM_OPENAI_BASE_URL.")
        return self._providers[""], model
