"""Which handler performs which action."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from bot.core.actions import BaseAction
from bot.engine.performer.desk import Desk

Done = str | Awaitable[str]
Handler = Callable[[Desk, Any], Done]
TypedHandler = TypeVar("TypedHandler", bound=Handler)

HANDLERS: dict[type[BaseAction], Handler] = {}


def handles(model: type[BaseAction]) -> Callable[[TypedHandler], TypedHandler]:
    """Make a function the handler of an action.

    It gives one sentence on what was done, or raises Rejected before it has changed anything.
    """

    def registered(handler: TypedHandler) -> TypedHandler:
        HANDLERS[model] = handler
        return handler

    return registered
