"""The rules of a village once more, written from their description alone: plain numbers, and paths by sweeping."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from bot.core.scenes.village.ground import Ground

FOOD = {"bread", "apples", "eggs", "berries"}
COSTS = {"=": 1, ".": 1, "f": 2, "h": 3}
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))  # north, east, south, west
NAMES = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
At = tuple[int, int]  # column and row from 0


@cache
def tiles_of(ground: Ground) -> Mapping[At, int]:
    """Give what each tile that can be entered costs."""
    return {
        (number % 20, number // 20): COSTS[tile.value]
        for number, tile in enumerate(ground.terrain)
        if tile.value in COSTS
    }


@cache
def swept(ground: Ground, target: At) -> Mapping[At, int]:
    """Give the cost to the target from everywhere, by sweeping outwards from it until nothing changes."""
    tiles = tiles_of(ground)
    costs = dict.fromkeys(tiles, 10**6)
    costs[target] = 0
    changed = [target]
    while changed:
        beside = list[At]()
        for x, y in changed:
            over_it = tiles[x, y] + costs[x, y]
            for dx, dy in STEPS:
                there = (x + dx, y + dy)
                if over_it < costs.get(there, 0):
                    costs[there] = over_it
                    beside.append(there)
        changed = beside
    return costs


def way(ground: Ground, start: At, target: At) -> list[At]:
    """Give the cheapest way; of several the one that first turns north, then east, south, west."""
    tiles, costs, found = tiles_of(ground), swept(ground, target), [start]
    while found[-1] != target:
        x, y = found[-1]
        ways = [(x + dx, y + dy) for dx, dy in STEPS if (x + dx, y + dy) in tiles]
        found.append(next(one for one in ways if tiles[one] + costs[one] == costs[x, y]))
    return found[1:]


def apart(one: At, other: At) -> int:
    """Give the steps between two tiles."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


@dataclass
class Person:
    """One body."""

    at: At
    hunger: int = 0
    energy: int = 100
    asleep: bool = False
    bag: dict[str, int] = field(default_factory=dict)
    heading: At | None = None


@dataclass
class Referee:
    """Follows a village by its moves alone; nobody is ever away in it."""

    ground: Ground
    people: dict[int, Person]
    stocks: dict[str, dict[str, int]]
    rounds: int
    hour: int = 0
    turn: int = 1
    full: dict[str, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.full = {place: dict(items) for place, items in self.stocks.items()}
        self.places = {one.name: (one.tile % 20, one.tile // 20) for one in self.ground.places}
        self.named = {at: name for name, at in self.places.items()}
        self.buildings = {one.name for one in self.ground.places if one.is_building}

    @property
    def is_over(self) -> bool:
        return self.hour >= self.rounds

    def heard(self, seat: int) -> tuple[int, ...]:
        """Give who hears a seat talk."""
        return tuple(sorted(one for one in self.people if apart(self.people[one].at, self.people[seat].at) <= 5))

    def move(self, seat: int, name: str, given: Mapping[str, object]) -> None:
        """Make a move that ends a turn."""
        assert seat == self.turn
        me = self.people[seat]
        item, n = str(given.get("item", "")), int(str(given.get("n", 1)))
        match name:
            case "move" | "walk":
                self._walk(me, given)
            case "gather":
                stock = self.stocks[self.named[me.at]]
                n = min(n, stock[item], 10 - sum(me.bag.values()))
                stock[item] -= n
                me.bag[item] = me.bag.get(item, 0) + n
            case "give":
                you = self.people[int(str(given["seat"]))]
                n = min(n, me.bag[item], 10 - sum(you.bag.values()))
                me.bag[item] -= n
                you.bag[item] = you.bag.get(item, 0) + n
            case "eat":
                n = min(n, me.bag[item])
                me.bag[item] -= n
                me.hunger = max(0, me.hunger - 15 * n)
                assert item in FOOD
            case "rest":
                me.energy = min(100, me.energy + self._rest(me))
        self._on()

    def _rest(self, me: Person) -> int:
        return 30 if self.named.get(me.at) in self.buildings else 15

    def _walk(self, me: Person, given: Mapping[str, object]) -> None:
        place = str(given.get("place", ""))
        if place == "onward":
            assert me.heading is not None
            target = me.heading
        elif place in NAMES:
            target = (me.at[0] + NAMES[place][0], me.at[1] + NAMES[place][1])
        elif place:
            target = self.places[place]
        else:
            wanted = (int(str(given["x"])) - 1, int(str(given["y"])) - 1)
            target = min(tiles_of(self.ground), key=lambda one: (apart(one, wanted), one[1], one[0]))
        left = 6
        for tile in way(self.ground, me.at, target):
            cost = tiles_of(self.ground)[tile]
            if cost > left:
                break
            left -= cost
            me.at, me.energy = tile, max(0, me.energy - cost)
        me.heading = None if me.at == target else target
        me.asleep = me.energy == 0

    def _on(self) -> None:
        """Find who is next; when nobody is left an hour passes."""
        while not self.is_over:
            later = [one for one in sorted(self.people) if one > self.turn and not self.people[one].asleep]
            if later:
                self.turn = later[0]
                return
            self.turn = 0
            self._an_hour()

    def _an_hour(self) -> None:
        self.hour += 1
        for me in self.people.values():
            if me.asleep:
                me.energy = min(100, me.energy + self._rest(me))
            me.hunger = min(100, me.hunger + 3)
            me.energy = max(0, me.energy - (12 if me.hunger == 100 else 2))
            if me.energy == 0:
                me.asleep = True
            elif me.energy >= 30:
                me.asleep = False
        if self.hour % 24 == 0:
            for place, items in self.full.items():
                for item, most in items.items():
                    tenth = (most + 9) // 10
                    self.stocks[place][item] = min(most, self.stocks[place][item] + tenth)
