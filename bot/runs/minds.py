"""Who answers in a run: the scripted mind in this process, a provider by the bot's settings, a record, or a house."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from bot.adapters.clock import SystemClock
from bot.adapters.llm.prices import Prices
from bot.core.errors import BadSetting, ModelRefused
from bot.core.models import Ceilings, Model, ModelAnswer, ModelCall, Source, Tokenizer, VoiceMessage
from bot.core.records import Usage
from bot.core.runs.spec import RunSpec
from bot.engine.runs.paying import Asked, Budgeted, Replayed, homeless
from bot.engine.runs.playing import Paying
from bot.engine.timelines.answers import House
from bot.runs.writing import read_answers
from bot.settings import Settings
from bot.standin.here import Here
from bot.tokens import tokenizer_for
from storage.store import SqlStore
from storage.timelines.trees import SqlTrees

Purse = Callable[[SqlTrees, Decimal], Awaitable[Paying]]  # so many USD for the worlds of these trees
OpenPurse = Callable[[RunSpec], AbstractAsyncContextManager[Purse]]


class ScriptedModel:
    """The `Model` port over the scripted mind: no network; what it would have cost is at list price."""

    source = Source(imaginary=True)

    def __init__(self) -> None:
        self._here = Here()
        self._prices = Prices()

    async def answer(self, call: ModelCall) -> ModelAnswer:
        """Answer at once."""
        call.on_sent()
        answer = self._here.answer(call)
        cost = self._prices.cost(call.model, answer.usage)
        return replace(answer, usage=replace(answer.usage, cost_usd=cost))

    async def objection(self, model: str, text: str) -> str:
        """Object to nothing."""
        return ""

    async def hear(self, model: str, voice: VoiceMessage) -> ModelAnswer:
        """Hear nothing: nobody speaks in a run."""
        raise ModelRefused("Nobody speaks in a run.")

    def hearing_price(self, model: str, seconds: float) -> Decimal:
        """Give nothing: nobody hears here."""
        return Decimal(0)

    def context_tokens(self, model: str) -> int:
        """Give the context limit of the model that it stands in for."""
        return self._prices.context_tokens(model)

    def list_price(self, model: str, *, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Decimal:
        """Give what a call of that model would cost, in USD."""
        usage = Usage(input_tokens=input_tokens, cached_tokens=cached_tokens, output_tokens=output_tokens)
        return self._prices.cost(model, usage)

    def price_is_known(self, model: str) -> bool:
        """Say yes: nobody pays."""
        return True

    def is_known(self, model: str) -> bool:
        """Say yes: it is asked as the model that it stands in for."""
        return True

    def is_own(self, model: str) -> bool:
        """Say no."""
        return False

    def counted_as(self, model: str) -> str:
        """Give the name of the model that it stands in for."""
        return model

    def ceilings(self, model: str) -> Ceilings | None:
        """Give none: nobody pays."""
        return None

    def refusal(self, model: str) -> str:
        """Refuse nothing."""
        return ""

    def takes_temperature(self, model: str) -> bool:
        """Say yes."""
        return True

    def thinks(self, model: str) -> bool:
        """Say no."""
        return False

    def takes_schema(self, model: str) -> bool:
        """Say yes."""
        return True

    def is_failing(self, model: str) -> bool:
        """Say no."""
        return False

    async def listed(self, model: str) -> Sequence[str]:
        """List nothing: any name will do."""
        return ()

    def sees_images(self, model: str) -> bool:
        """Say no."""
        return False

    def tokenizer(self, model: str) -> Tokenizer:
        """Give the tokenizer of the model that it stands in for."""
        return tokenizer_for(model)


@asynccontextmanager
async def opened_model(settings: Settings, names: Sequence[str]) -> AsyncIterator[Model]:
    """Open the installation's own providers; raises BadSetting where none is set, or one has no price.

    Its ceilings of a day are not asked: they hold what others may spend, and a run has a budget.
    """
    # Half of what a run's process would load: most runs ask nobody, or the house.
    from bot.adapters.llm.communities import Providers
    from bot.adapters.llm.provider import Pace, Provider
    from bot.house import DiscordSite
    from bot.providers import prices_of, provider_options

    options = provider_options(settings, DiscordSite(token=""))
    pace = Pace(
        silence_seconds=settings.model_timeout_seconds,
        total_seconds=settings.model_total_seconds,
        calls_at_once=settings.calls_per_provider,
    )
    model = Providers({one.name: Provider(one, pace) for one in options}, prices_of(settings))
    try:
        for name in names:
            if why := model.refusal(name):
                raise BadSetting(why)
        yield model
    finally:
        await model.close()


@asynccontextmanager
async def own_purse(settings: Settings, answers: Path | None, spec: RunSpec) -> AsyncIterator[Purse]:
    """Have a run answered as whoever types its command says: from a record, by the script, or by a provider."""
    async with AsyncExitStack() as stack:
        if answers is not None:
            record = await asyncio.to_thread(lambda: Replayed.of(read_answers(answers)))
            yield _always(record)
            return
        model: Model = ScriptedModel()
        if not spec.is_scripted:
            apart = settings.model_copy(update={"discord_token": None})  # a run has nothing to do with Discord
            model = await stack.enter_async_context(opened_model(apart, spec.models))
        yield await _budgeted(stack, spec, model)


@asynccontextmanager
async def lent_purse(house: House, spec: RunSpec) -> AsyncIterator[Purse]:
    """Have a run answered by the script, or else by a house that holds its money."""
    async with AsyncExitStack() as stack:
        yield await _budgeted(stack, spec, ScriptedModel()) if spec.is_scripted else _always(Asked(house=house))


def _always(paying: Paying) -> Purse:
    async def purse(trees: SqlTrees, usd: Decimal) -> Paying:
        return paying

    return purse


async def _budgeted(stack: AsyncExitStack, spec: RunSpec, model: Model) -> Purse:
    store = await stack.enter_async_context(await SqlStore.open("sqlite://", config=spec.config))
    await homeless(store, spec.title)

    async def purse(trees: SqlTrees, usd: Decimal) -> Paying:
        return await Budgeted.of(store, trees, model, SystemClock(), usd=usd)

    return purse
