"""Circuit breakers before models: what failed often in a row is not asked for a moment."""

import asyncio
from typing import Final

from purgatory import AsyncCircuitBreakerFactory, AsyncInMemoryUnitOfWork
from purgatory.domain.model import Context, OpenedState
from purgatory.service._async.repository import AsyncInMemoryRepository

from bot.core.errors import AskedAnew, ModelBusy, ModelRefused

BREAK_AFTER_FAILURES: Final = 5
BREAK_SECONDS: Final = 15
MOST_FAILING: Final = 1_000  # models, by who asks
__all__ = ["BREAK_AFTER_FAILURES", "BREAK_SECONDS", "MOST_FAILING", "Breakers", "OpenedState", "breakers"]


class Breakers(AsyncInMemoryRepository):
    """Circuit breakers, of those that were asked for last: anybody may name models that there are not."""

    async def get(self, name: str) -> Context | None:
        """Give one, which is the last that was asked for now."""
        if (found := self.breakers.pop(name, None)) is not None:
            self.breakers[name] = found
        return found

    async def register(self, context: Context) -> None:
        """Keep one, in place of the one that nobody has asked for the longest."""
        await super().register(context)
        if len(self.breakers) > MOST_FAILING:
            del self.breakers[next(iter(self.breakers))]


def breakers() -> AsyncCircuitBreakerFactory:
    """Give what makes them; what lies in the request, and what others are to wait for, breaks none."""
    kept = AsyncInMemoryUnitOfWork()
    kept.contexts = Breakers()
    return AsyncCircuitBreakerFactory(
        default_threshold=BREAK_AFTER_FAILURES,
        default_ttl=BREAK_SECONDS,
        exclude=[ModelRefused, ModelBusy, AskedAnew, asyncio.CancelledError],
        uow=kept,
    )
