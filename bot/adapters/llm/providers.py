"""The models of a community behind one door: each at the server that its name's prefix says."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from bot.adapters.llm.prices import Prices
from bot.adapters.llm.provider import Provider
from bot.core.errors import ModelError, ModelRefused
from bot.core.models import Ceilings, ModelAnswer, ModelCall, Source, Tokenizer
from bot.core.records import Usage
from bot.tokens import tokenizer_for

SEEING = (
    "gpt-4o",
    "gpt-4.1",
    "gpt-5",
    "o1",
    "o3",
    "o4-mini",
    "llava",
    "llama3.2-vision",
    "gemma3",
    "qwen2.5vl",
    "claude-",
    "gemini-",
)
REASONING = ("o1", "o3", "o4", "gpt-5")  # take no temperature


class Providers:
    """The `Model` port over several servers; `source` is the one that serves names without a prefix.

    `ceilings` and `allowed` (models; empty: any) hold what is asked of the installation's own servers. `whose`: the
    community's, for whom alone a model rests that fails it.
    """

    def __init__(
        self,
        providers: Mapping[str, Provider],
        prices: Prices,
        *,
        missing: str = "",
        ceilings: Ceilings | None = None,
        allowed: tuple[str, ...] = (),
        whose: str = "",
    ) -> None:
        self._providers = providers
        self._prices = prices
        self._ceilings = ceilings
        self._allowed = allowed
        self._whose = whose
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
            answer = await provider.answer(model, call, self._whose)
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
        found = self._found(model)
        held = found[0].seen.context_tokens if found is not None else None
        return self._prices.context_tokens(model, held)

    def list_price(self, model: str, *, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Decimal:
        """Give what a call costs in USD; with nothing cached it is the most."""
        usage = Usage(input_tokens=input_tokens, cached_tokens=cached_tokens, output_tokens=output_tokens)
        return self._priced(model, usage).cost_usd

    def price_is_known(self, model: str) -> bool:
        found = self._found(model)
        return (found is not None and found[0].options.free) or self._prices.knows(model)

    def is_known(self, model: str) -> bool:
        return self._prices.knows(model)

    def ceilings(self, model: str) -> Ceilings | None:
        found = self._found(model)
        return self._ceilings if found is not None and found[0].options.is_paid else None

    def refusal(self, model: str) -> str:
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
        if found is not None and (found[0].options.api == "anthropic" or not found[0].ladder.of(found[1]).temperature):
            return False  # Anthropic's requests know none any more
        return not model.rpartition("/")[2].startswith(REASONING)

    def takes_schema(self, model: str) -> bool:
        """Tell whether the model can be held to a JSON schema, as far as is known."""
        found = self._found(model)
        return found is None or (found[0].options.structured and found[0].ladder.takes_schema(found[1]))

    def is_failing(self, model: str) -> bool:
        found = self._found(model)
        return found is not None and found[0].is_failing(found[1], self._whose)

    async def listed(self, model: str) -> Sequence[str]:
        found = self._found(model)
        if found is None:
            return ()
        prefix = model.removesuffix(found[1])
        return [f"{prefix}{name}" for name in await found[0].listed()]

    def sees_images(self, model: str) -> bool:
        """Tell whether the model can be shown pictures, as far as its name tells."""
        return model.rpartition("/")[2].startswith(SEEING)

    def tokenizer(self, model: str) -> Tokenizer:
        return tokenizer_for(model)

    async def close(self) -> None:
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
