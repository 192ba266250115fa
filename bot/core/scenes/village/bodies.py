"""Bodies and stocks: hunger and energy, what one carries, what places have and what grows back."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field

from bot.core.scenes.kind import Frozen, UpToTurns
from bot.core.scenes.village.ground import KeptTile

MOST: Final = 100  # of hunger, and of energy
HUNGER_A_ROUND, ENERGY_A_ROUND, STARVING_A_ROUND = 3, 2, 10
EATEN: Final = 15  # hunger that one piece takes away
RESTED, RESTED_INSIDE = 15, 30
AWAKE_FROM: Final = 30
CARRIED: Final = 10
STARVED_ROUNDS: Final = 12  # at most hunger, where that kills

FOOD: Final = ("bread", "apples", "eggs", "berries")
ITEMS: Final = (*FOOD, "water", "wood", "stone", "iron", "tools", "coins")
Plenty = Literal["scarce", "plain", "plenty"]
TENTHS: Final[Mapping[Plenty, int]] = {"scarce": 5, "plain": 10, "plenty": 20}
# of a plain village: so many, and so many more for each seat
STOCKED: Final[Mapping[str, Mapping[str, tuple[int, int]]]] = {
    "well": {"water": (6, 2)},
    "market": {"bread": (4, 5)},
    "farm": {"apples": (4, 5), "eggs": (2, 3)},
    "forest": {"berries": (4, 4), "wood": (6, 2)},
    "mine": {"stone": (6, 2), "iron": (4, 2)},
    "smithy": {"tools": (4, 2)},
    "ruins": {"coins": (4, 2)},
}

Items = Annotated[Mapping[str, Annotated[int, Field(ge=0, le=1_000)]], Field(max_length=len(ITEMS))]
Stocks = Annotated[Mapping[str, Items], Field(max_length=len(STOCKED))]  # by the name of the place
Share = Annotated[int, Field(ge=0, le=MOST)]


class Body(Frozen):
    """One seat's body and bag; `heading` is where it still wants to."""

    tile: KeptTile
    hunger: Share = 0
    energy: Share = MOST
    asleep: bool = False
    dead: bool = False
    starved: UpToTurns = 0  # rounds in a row
    bag: Items = Field(default_factory=dict)
    heading: KeptTile | None = None

    @property
    def carried(self) -> int:
        """How many things it carries."""
        return sum(self.bag.values())

    @property
    def room(self) -> int:
        """How many more it can carry."""
        return CARRIED - self.carried


def full_stocks(plenty: Plenty, seats: int) -> Stocks:
    """Give what the places have at first, and at most."""
    tenths = TENTHS[plenty]
    return {
        place: {item: -(-(base + each * seats) * tenths // 10) for item, (base, each) in items.items()}
        for place, items in STOCKED.items()
    }


def grown(stocks: Stocks, full: Stocks) -> Stocks:
    """Give the stocks after a dawn: a tenth of what there was at first grows back, and no more than that was."""
    return {
        place: {item: min(most, stocks[place][item] + -(-most // 10)) for item, most in items.items()}
        for place, items in full.items()
    }


def changed(items: Items, item: str, count: int) -> Items:
    """Give the items with so many more, or fewer, of one; in an order that is always the same."""
    left = {**items, item: items.get(item, 0) + count}
    return {name: left[name] for name in ITEMS if left.get(name)}


def counted_items(items: Items) -> str:
    """Word items: `2 bread, 1 wood`."""
    return ", ".join(f"{count} {item}" for item, count in items.items() if count)


def rested(body: Body, *, inside: bool) -> Body:
    """Give a body that has rested for a turn."""
    return body.model_copy(update={"energy": min(MOST, body.energy + (RESTED_INSIDE if inside else RESTED))})


def tired(body: Body, points: int) -> Body:
    """Give a body that has walked so many points; at no energy it sleeps."""
    energy = max(0, body.energy - points)
    return body.model_copy(update={"energy": energy, "asleep": body.asleep or not energy})


def aged(body: Body, *, resting: bool, inside: bool, deadly: bool) -> Body:
    """Give a body after an hour; who sleeps, or is away, rests in it."""
    if resting:
        body = rested(body, inside=inside)
    hunger = min(MOST, body.hunger + HUNGER_A_ROUND)
    starving = hunger >= MOST
    energy = max(0, body.energy - ENERGY_A_ROUND - (STARVING_A_ROUND if starving else 0))
    starved = body.starved + 1 if starving else 0
    return body.model_copy(
        update={
            "hunger": hunger,
            "energy": energy,
            "asleep": energy == 0 or (body.asleep and energy < AWAKE_FROM),
            "starved": starved,
            "dead": deadly and starved >= STARVED_ROUNDS,
        }
    )
