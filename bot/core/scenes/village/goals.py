"""What each seat wants: something brought home, given, seen, or company."""

from typing import Annotated, Literal

from pydantic import Field

from bot.core.scenes.kind import MOST_SEATS, Chance, Few, Frozen, Seat
from bot.core.scenes.village.bodies import ITEMS, Items
from bot.core.scenes.village.ground import MOST_PLACES, Place, house_of

BROUGHT = ("wood", "stone", "iron", "water", "coins", "berries")
GIVEN = ("bread", "tools", "eggs", "apples", "coins")
SEEN_AT_MOST = 3
SEEN = ("market", "smithy", "farm", "forest", "mine", "ruins")


class Goal(Frozen):
    """One seat's goal; which fields count depends on `what`."""

    what: Literal["bring", "give", "visit", "meet"]
    item: str = ""
    count: int = 0
    seat: Seat = 0
    places: Annotated[tuple[str, ...], Field(max_length=SEEN_AT_MOST)] = ()

    @property
    def words(self) -> str:
        """Say what it is, with marks."""
        match self.what:
            case "bring":
                return f"stand in your own house with {self.count} {self.item}"
            case "give":
                return f"give seat {self.seat} ({{s{self.seat}}}) {self.count} {self.item}"
            case "visit":
                return f"see the {self.places[0]}, the {self.places[1]} and the {self.places[2]}"
            case "meet":
                return f"meet {self.count} of the others: be no more than a step away"


class GoalProgress(Frozen):
    """What a seat has done of what goals and scores ask for."""

    visited: Annotated[tuple[str, ...], Field(max_length=MOST_PLACES)] = ()
    met: Annotated[tuple[Seat, ...], Few] = ()
    gave: Annotated[
        tuple[tuple[Seat, str, int], ...], Field(max_length=MOST_SEATS * len(ITEMS))
    ] = ()  # to whom, what, how many in all
    goal_met: bool = False

    def giving(self, seat: Seat, item: str, count: int) -> "GoalProgress":
        """Add a gift."""
        given = {(to, what): number for to, what, number in self.gave}
        given[seat, item] = given.get((seat, item), 0) + count
        gave = tuple((to, what, number) for (to, what), number in sorted(given.items()))
        return self.model_copy(update={"gave": gave})

    @property
    def recipients(self) -> tuple[Seat, ...]:
        """To whom it gave something."""
        return tuple(sorted({seat for seat, _, _ in self.gave}))


def dealt(seat: Seat, seats: tuple[Seat, ...], chance: Chance) -> Goal:
    """Draw a seat's goal; alone one can neither give nor meet."""
    others = [one for one in seats if one != seat]
    kinds: tuple[Literal["bring", "give", "visit", "meet"], ...] = ("bring", "visit", "give", "meet")
    what = kinds[chance.below(f"goal of {seat}", 4 if others else 2)]
    count = 2 + chance.below(f"count of {seat}", 2)
    match what:
        case "bring":
            return Goal(what=what, item=BROUGHT[chance.below(f"item of {seat}", len(BROUGHT))], count=count)
        case "give":
            whom = others[chance.below(f"whom {seat} gives", len(others))]
            return Goal(what=what, item=GIVEN[chance.below(f"item of {seat}", len(GIVEN))], count=count, seat=whom)
        case "visit":
            drawn = chance.shuffled(f"places of {seat}", range(len(SEEN)))[:SEEN_AT_MOST]
            return Goal(what=what, places=tuple(SEEN[one] for one in sorted(drawn)))
        case "meet":
            return Goal(what=what, count=min(count, len(others)))


def is_met(goal: Goal, deeds: GoalProgress, bag: Items, place: Place | None, seat: Seat) -> bool:
    """Tell whether a goal is met; `place`: where the seat stands."""
    match goal.what:
        case "bring":
            return bag.get(goal.item, 0) >= goal.count and place is not None and place.name == house_of(seat)
        case "give":
            given = sum(count for to, item, count in deeds.gave if (to, item) == (goal.seat, goal.item))
            return given >= goal.count
        case "visit":
            return all([one in deeds.visited for one in goal.places])
        case "meet":
            return len(deeds.met) >= goal.count


def score(*, alive: bool, deeds: GoalProgress) -> int:
    """Give a seat's score: 5 alive, 10 for its goal, 1 for each it met and for each it gave something to."""
    return 5 * alive + 10 * deeds.goal_met + len(deeds.met) + len(deeds.recipients)
