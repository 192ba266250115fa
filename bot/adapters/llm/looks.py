"""What a server told of itself each time it was looked for one of its models."""

import time
from asyncio import Lock
from dataclasses import replace
from typing import Final
from weakref import WeakValueDictionary

from bot.adapters.llm.ladder import ASKED_ANEW_SECONDS, Seen

MOST_LOOKS: Final = 200  # models of one server


class Looks:
    """Keeps by model what was seen, and when; one model is looked for by one at a time, and holds up no other."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[Seen, float]] = {}
        self._locks: WeakValueDictionary[str, Lock] = WeakValueDictionary()

    def of(self, model: str) -> Seen:
        """Give what was last seen; nothing before the first look."""
        return self._seen.get(model, (Seen(), 0.0))[0]

    def is_fresh(self, model: str) -> bool:
        """Tell whether it was looked lately, and the model has not failed since."""
        return time.monotonic() < self._seen.get(model, (Seen(), 0.0))[1]

    def keep(self, model: str, seen: Seen) -> None:
        """Keep what was seen now."""
        self._seen.pop(model, None)
        seen = replace(seen, names=())  # a long list, which is for who asks for it
        self._seen[model] = seen, time.monotonic() + ASKED_ANEW_SECONDS
        if len(self._seen) > MOST_LOOKS:
            del self._seen[next(iter(self._seen))]

    def spoil(self, model: str) -> None:
        """Have it looked for a model again before it is next asked."""
        if model in self._seen:
            self._seen[model] = self._seen[model][0], 0.0

    def alone(self, model: str) -> Lock:
        """Give what one holds who looks for a model."""
        return self._locks.setdefault(model, Lock())
