"""What things cost, in words: unknown where there is no price, imaginary where nobody pays."""

from collections.abc import Collection
from decimal import Decimal

from bot.core.models import Model, Source
from bot.core.sentences import Sentence


def cost(usd: Decimal, model: Model, names: Collection[str], *, digits: int = 4) -> str:
    """Word what calls of these models cost."""
    unknown = sorted(name for name in names if not model.price_is_known(name))
    if unknown and not usd:
        return Sentence("cost unknown")
    known = f"{usd:.{digits}f} {model.source.coin}"
    return (
        Sentence("{known}, and an unknown cost of {names}", known=known, names=", ".join(unknown)) if unknown else known
    )


def budget(usd: Decimal | None, source: Source) -> str:
    """Word what a day may cost, which is never more than whoever pays allows."""
    most = source.ceilings.usd_each if source.ceilings is not None else None
    held = most is not None and (usd is None or usd > most)
    limit = most if held else usd
    if limit is None:
        return Sentence("any number of {coin}", coin=source.coin)
    shown = f"{limit:,} {source.coin}"
    return Sentence("{limit} (more is not paid for by whoever runs Selfroom)", limit=shown) if held else shown
