"""What a day has used so far, as managers see it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from bot.core.config import CommunityConfig
from bot.core.models import Model
from bot.core.records import AgentId, Usage
from bot.core.spending import Spending


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """A UTC day so far: (beats, usage) by agent and by HUD format, what counts against the budget, and whose models."""

    by_agent: Mapping[AgentId, tuple[int, Usage]]
    by_format: Mapping[str, tuple[int, Usage]]
    spending: Spending
    config: CommunityConfig
    model: Model
    models: Sequence[str]  # that were asked

    @property
    def usd(self) -> Decimal:
        """What is settled and reserved."""
        return self.spending.usd

    @property
    def tokens(self) -> int:
        """What is settled and reserved."""
        return self.spending.tokens
