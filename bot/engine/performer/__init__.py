"""Performs actions: one handler per kind, one transaction per actor."""

from bot.engine.performer import (  # noqa: F401  # where the handlers are
    access,
    agents,
    community,
    lookups,
    mind,
    rooms,
    scenes,
    talk,
    timing,
)
from bot.engine.performer.action_context import ActionContext
from bot.engine.performer.outcome import Outcome
from bot.engine.performer.performer import Performer
from bot.engine.performer.registry import HANDLERS

__all__ = ["HANDLERS", "ActionContext", "Outcome", "Performer"]
