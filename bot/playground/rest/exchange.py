"""Requests and answers for whoever watches or counts them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.playground.rest.routes import Route

INVALID = (401, 403, 429)
MOST_UNKNOWN = 200  # paths that are counted one by one
OTHERS = "others"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and its answer; bodies are parsed JSON, or None when there was none.

    `route` is None for a path that nothing answers; `by_bot` is true for bots, webhooks and interaction tokens.
    """

    method: str
    path: str
    route: Route | None
    query: Mapping[str, str]
    by_bot: bool
    request: object
    status: int
    response: object


Observer = Callable[[Exchange], None]


@dataclass(slots=True)
class Tally:
    """How many requests there were, of which route, with which answer."""

    requests: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    routes: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    unknown: Counter[str] = field(default_factory=Counter)

    def count(self, exchange: Exchange) -> None:
        """Count one request."""
        self.requests += 1
        self.statuses[str(exchange.status)] += 1
        if exchange.route is None:
            asked = f"{exchange.method} {exchange.path}"
            self.unknown[asked if asked in self.unknown or len(self.unknown) < MOST_UNKNOWN else OTHERS] += 1
        else:
            self.routes[exchange.route.name][str(exchange.status)] += 1

    def shown(self) -> dict[str, object]:
        """Give the counts; `invalid_requests` are those that would count towards Discord's ban of an address."""
        return {
            "requests": self.requests,
            "statuses": self.statuses,
            "routes": self.routes,
            "unknown_routes": self.unknown,
            "invalid_requests": sum(self.statuses[str(status)] for status in INVALID),
        }
