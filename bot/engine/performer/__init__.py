"""Performs actions: one handler per kind, one transaction per actor."""

from bot.engine.performer import (  # noqa: F401  # where the handlers are
    agents,
    attention,
    community,
    doors,
    focus,
    keys,
    knowledge,
    lookups,
    rooms,
    social,
    speech,
    timing,
)
from bot.engine.performer.outcome import Outcome
from bot.engine.performer.performer import Performer
from bot.engine.performer.registry import HANDLERS
from bot.engine.performer.terms import Terms

__all__ = ["HANDLERS", "Outcome", "Performer", "Terms"]
