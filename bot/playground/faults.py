"""Faults on request: answers that fail, connections that drop, events that come late or twice."""

import random
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from bot.playground.errors import invalid
from bot.playground.ratelimits import RateLimited
from bot.playground.rest.form import Form

Json = dict[str, Any]

REST_KINDS = ("status", "rate_limit", "latency", "drop_before", "drop_after")
EVENT_KINDS = ("delay_events", "duplicate_events")
GATEWAY = "CONNECT /gateway"
GATEWAY_KINDS = ("close", "invalid_session", "reconnect")


@dataclass(slots=True, kw_only=True)
class Fault:
    """One kind of trouble, where it strikes (`route` or `event` as a pattern with `*`), and how often.

    `after`: the request takes effect, and only then the status is answered.
    """

    id: int
    kind: str
    route: str = "*"
    event: str = "*"
    user_id: str | None = None
    count: int | None = 1
    probability: float = 1.0
    seed: int = 0
    status: int = 500
    retry_after: float = 1.0
    is_global: bool = False
    seconds: float = 1.0
    after: bool = False
    hits: int = 0
    _dice: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)  # noqa: S311

    def strikes(self, name: str, pattern: str, user_id: str | None) -> bool:
        """Whether the fault happens to this request or event; counts it if so."""
        if self.user_id not in (None, user_id) or (self.count is not None and self.hits >= self.count):
            return False
        if not fnmatchcase(name, pattern) or self._dice.random() >= self.probability:
            return False
        self.hits += 1
        return True

    def shown(self) -> Json:
        """Give what the fault is and how often it has struck."""
        keys = ("id", "kind", "route", "event", "user_id", "count", "probability", "seed", "hits")
        return {key: getattr(self, key) for key in keys}


class Faults:
    """The faults that were asked for, in the order in which they were."""

    def __init__(self) -> None:
        self._all: list[Fault] = []
        self._last = 0

    def add(self, body: Json) -> Fault:
        """Read a fault from a form and keep it."""
        self._last += 1
        fault = read_fault(body, self._last)
        self._all.append(fault)
        return fault

    def clear(self) -> None:
        """End all trouble."""
        self._all.clear()

    def shown(self) -> list[Json]:
        """Give every fault with how often it has struck."""
        return [fault.shown() for fault in self._all]

    @property
    def none_for_events(self) -> bool:
        """Whether events go their way undisturbed."""
        return not any(fault.kind in EVENT_KINDS for fault in self._all)

    def for_request(self, name: str, user_id: str | None) -> list[Fault]:
        """Give the faults that strike a request (`POST /channels/12/messages`)."""
        rest = [fault for fault in self._all if fault.kind in REST_KINDS]
        if name == GATEWAY:  # a connection to the gateway fails only when it is meant
            rest = [fault for fault in rest if fault.route == GATEWAY]
        return [fault for fault in rest if fault.strikes(name, fault.route, user_id)]

    def for_event(self, name: str, user_id: str) -> list[Fault]:
        """Give the faults that strike an event on its way to a user."""
        events = [fault for fault in self._all if fault.kind in EVENT_KINDS]
        return [fault for fault in events if fault.strikes(name, fault.event, user_id)]


def read_fault(body: Json, number: int) -> Fault:
    """Read a fault from a form; raises ApiError with what is wrong."""
    form = Form(body)
    kind = body.get("kind")
    if kind not in REST_KINDS + EVENT_KINDS:
        known = ", ".join(REST_KINDS + EVENT_KINDS + GATEWAY_KINDS)
        raise invalid("kind", "BASE_TYPE_CHOICES", f"Choose one of {known}.")
    given = {
        "route": form.text("route", high=200),
        "event": form.text("event", high=100),
        "user_id": form.snowflake("user_id"),
        "status": form.number("status", low=400, high=599),
        "is_global": form.switch("global"),
        "after": form.switch("after"),
        "seed": form.number("seed", high=2**53),
        "probability": body.get("probability"),
        "retry_after": body.get("retry_after"),
        "seconds": body.get("seconds"),
    }
    for name in ("probability", "retry_after", "seconds"):
        if not isinstance(given[name], int | float | None):
            form.fault(name, "NUMBER_TYPE_COERCE", f'Value "{given[name]}" is not a number.')
    count = form.number("count", low=1, high=2**31)
    form.check()
    kept: Json = {key: value for key, value in given.items() if value is not None}
    # Trouble by probability goes on until it is ended; trouble without one happens once, unless counted.
    kept["count"] = count if count is not None or "probability" in kept or form.has("count") else 1
    return Fault(id=number, kind=kind, **kept)


def limited_by(fault: Fault) -> RateLimited:
    """Give the 429 that a fault asks for."""
    return RateLimited(fault.retry_after, scope="global" if fault.is_global else "user", headers={})
