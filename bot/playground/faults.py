"""Faults on request: answers that fail, connections that drop, events that come late or twice."""

import random
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, Required, TypedDict

from bot.playground.forms import Choice, Number, Snowflake, Text, Whole
from bot.playground.ratelimits import RateLimited
from bot.playground.rows import Shown

REST_KINDS = ("status", "rate_limit", "latency", "drop_before", "drop_after")
EVENT_KINDS = ("delay_events", "duplicate_events", "maim_events")
GATEWAY = "CONNECT /gateway"
GATEWAY_KINDS = ("close", "invalid_session", "reconnect")


class FaultForm(TypedDict, total=False):
    """Trouble that is asked for."""

    kind: Required[Annotated[str, Choice(*REST_KINDS, *EVENT_KINDS, *GATEWAY_KINDS)]]
    route: Annotated[str, Text(0, 200)]
    event: Annotated[str, Text(0, 100)]
    lacks: Annotated[str, Text(0, 100)]
    user_id: Snowflake
    count: Annotated[int | None, Whole(1)]
    probability: Annotated[float, Number(0, 1)]
    seed: Annotated[int, Whole(0, 1 << 53)]
    status: Annotated[int, Whole(400, 599)]
    retry_after: Annotated[float, Number()]
    scope: Annotated[Literal["user", "global"], Choice("user", "global")]
    seconds: Annotated[float, Number()]
    after: bool
    code: Annotated[int, Whole(1000, 4999)]
    resumable: bool


@dataclass(slots=True, kw_only=True)
class Fault:
    """One kind of trouble, where it strikes (`route` or `event` as a pattern with `*`), and how often.

    `after`: the request takes effect, and only then the status is answered, or the answer held back.
    """

    id: int
    kind: str
    route: str = "*"
    event: str = "*"
    lacks: str = ""  # the field that a maimed event comes without
    user_id: str | None = None
    count: int | None = 1
    probability: float = 1.0
    seed: int = 0
    status: int = 500
    retry_after: float = 1.0
    seconds: float = 1.0
    scope: Literal["user", "global"] = "user"
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

    def shown(self) -> Shown:
        """Give what the fault is and how often it has struck."""
        keys = ("id", "kind", "route", "event", "user_id", "count", "probability", "seed", "hits")
        return {key: getattr(self, key) for key in keys}


class Faults:
    """The faults that were asked for, in the order in which they were."""

    def __init__(self) -> None:
        self._all: list[Fault] = []
        self._last = 0

    def add(self, form: FaultForm) -> Fault:
        """Keep a fault."""
        self._last += 1
        fault = read_fault(form, self._last)
        self._all.append(fault)
        return fault

    def clear(self) -> None:
        """End all trouble."""
        self._all.clear()

    def shown(self) -> list[Shown]:
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


def read_fault(form: FaultForm, number: int) -> Fault:
    """Make a fault of a form; trouble without count or probability happens once, with one goes on until it is ended."""
    given = dict[str, Any](form)  # a Fault's own fields, read by their types
    count = None if "probability" in form or "count" in form else 1
    return Fault(id=number, **{"count": count, **given})


def limited_by(fault: Fault) -> RateLimited:
    """Give the 429 that a fault asks for."""
    return RateLimited(fault.retry_after, scope=fault.scope, headers={})
