"""Which handler performs which action, and what it must be told beside the view."""

from collections.abc import Awaitable, Callable
from enum import Enum, auto
from typing import Any, TypeVar

from bot.core.actions import Action
from bot.engine.performer.unit_of_work import UnitOfWork

Done = str | Awaitable[str]
Handler = Callable[[UnitOfWork, Any], Done]  # each takes the action that it is registered for
TypedHandler = TypeVar("TypedHandler", bound=Handler)


class Asks(Enum):
    """What a handler finds among the circumstances because it asked for it."""

    REACTIONS = auto()  # the actor's, on the messages aimed at, and how often it moved their authors
    FAILURES = auto()  # wrong keys at the rooms aimed at
    NEWEST = auto()  # the newest message of each room aimed at: somebody is brought in
    SCHEDULED = auto()  # how much the agent will say later
    FOUND = auto()  # what a look-up finds
    SUMMARIES = auto()  # of the rooms aimed at


HANDLERS: dict[type[Action], Handler] = {}
ASKED: dict[type[Action], Asks] = {}


def handles(model: type[Action], *, asks: Asks | None = None) -> Callable[[TypedHandler], TypedHandler]:
    """Make a function the handler of an action.

    It gives one sentence on what was done, or raises Rejected before it has changed anything.
    """

    def registered(handler: TypedHandler) -> TypedHandler:
        HANDLERS[model] = handler
        if asks is not None:
            ASKED[model] = asks
        return handler

    return registered
