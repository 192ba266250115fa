"""Prices and context limits of models, from the genai-prices library, with the installation's own values on top."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal

import structlog
from genai_prices import Usage as PricedUsage
from genai_prices import calc_price
from genai_prices.types import PriceCalculation

from bot.core.records import Usage

SAFE_CONTEXT_TOKENS = 32_000  # for models that the library does not know
MILLION = 1_000_000
MOST_TOLD = 1_000  # unknown models that are told of: communities name them
PAID_BESIDE = ("search", "deep-research")  # in names of models that cost by the search as well

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model costs, in USD per million tokens; cached input costs as much as other where that is not said."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None

    def of(self, usage: Usage) -> Decimal:
        """Give what a call costs in USD."""
        cached = self.input if self.cached is None else self.cached
        fresh = usage.input_tokens - usage.cached_tokens
        return (self.input * fresh + cached * usage.cached_tokens + self.output * usage.output_tokens) / MILLION


class Prices:
    """What models cost and how much they can read.

    `context_tokens` and `own` are the installation's own limits and prices by model, with or without its prefix,
    `named` other models that it names.
    """

    def __init__(
        self,
        context_tokens: Mapping[str, int] | None = None,
        own: Mapping[str, Price] | None = None,
        *,
        named: Collection[str] = (),
    ) -> None:
        self._context_tokens = dict(context_tokens or {})
        self._own = dict(own or {})
        self._named = frozenset((*named, *self._own, *self._context_tokens))
        self._unknown: set[str] = set()

    def context_tokens(self, model: str, told: int | None = None) -> int:
        """Give the context limit in tokens: the setting's, what the server told, the library's, or a safe one."""
        for name in (model, _bare(model)):
            if name in self._context_tokens:
                return self._context_tokens[name]
        if told is not None:
            return told
        known = self._look_up(model, Usage())
        return (known.model.context_window if known else None) or SAFE_CONTEXT_TOKENS

    def cost(self, model: str, usage: Usage) -> Decimal:
        """Give what a call cost in USD; cached input at its lower price, nothing for a model without a price."""
        own = self._own_price(model)
        if own is not None:
            return own.of(usage)
        found = self._look_up(model, usage)
        return found.total_price if found else Decimal(0)

    def hearing(self, model: str, *, heard_tokens: int, written_tokens: int) -> Decimal:
        """Give what it costs in USD to hear so many tokens of sound and write so many, for models that cost by them."""
        own = self._own_price(model)
        if own is not None:
            return own.of(Usage(input_tokens=heard_tokens, output_tokens=written_tokens))
        found = self._look_up(model, Usage(input_tokens=heard_tokens, output_tokens=written_tokens), heard=heard_tokens)
        return found.total_price if found else Decimal(0)

    def knows(self, model: str) -> bool:
        """Tell whether the model has a price: the setting's, or the library's if that is all there is to pay."""
        if self._own_price(model) is not None:
            return True
        found = self._look_up(model, Usage(input_tokens=1_000, output_tokens=1_000))
        return found is not None and found.total_price > 0 and not any(one in model.lower() for one in PAID_BESIDE)

    def name_of(self, model: str) -> str:
        """Give a model's name as the installation or the library has it; an empty one where neither does."""
        if (ours := next((name for name in (model, _bare(model)) if name in self._named), "")) != "":
            return ours
        found = self._look_up(model, Usage())
        return found.model.id if found is not None else ""

    def _own_price(self, model: str) -> Price | None:
        return self._own.get(model) or self._own.get(_bare(model))

    def _look_up(self, model: str, usage: Usage, *, heard: int = 0) -> PriceCalculation | None:
        priced = PricedUsage(
            input_tokens=usage.input_tokens,
            input_audio_tokens=heard,
            cache_read_tokens=usage.cached_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            output_tokens=usage.output_tokens,
        )
        try:
            return calc_price(priced, model_ref=_bare(model))
        except LookupError:
            self._warn_once(model)
            return None

    def _warn_once(self, model: str) -> None:
        if model not in self._unknown and len(self._unknown) < MOST_TOLD:
            self._unknown.add(model)
            log.warning(
                "a model is in no list of prices: what it costs is not known, and it is given a safe limit",
                model=model,
                context_tokens=SAFE_CONTEXT_TOKENS,
                set_them_with="SELFROOM_PRICES, SELFROOM_CONTEXT_TOKENS",
            )


def _bare(model: str) -> str:
    return model.rpartition("/")[2]
