"""What things cost, in words: unknown where there is no price, imaginary where nobody pays."""

from collections.abc import Collection
from decimal import Decimal

from bot.core.models import Model, Source


def cost(usd: Decimal, model: Model, names: Collection[str], *, digits: int = 4) -> str:
    """Word what calls of these models cost."""
    unknown = sorted(name for name in names if not model.price_is_known(name))
    if unknown and not usd:
        return "cost unknown"
    beside = f", and an unknown cost of {', '.join(unknown)}" if unknown else ""
    return f"{usd:.{digits}f} {model.source.coin}{beside}"


def budget(usd: Decimal | None, source: Source) -> str:
    """Word what a day may cost, which is never more than whoever pays allows."""
    most = source.ceilings.usd_each if source.ceilings is not None else None
    held = most is not None and (usd is None or usd > most)
    whose = " (more is not paid for by whoever runs Selfroom)" if held else ""
    limit = most if held else usd
    return f"any number of {source.coin}" if limit is None else f"{limit:,} {source.coin}{whose}"
