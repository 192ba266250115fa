"""Ways over the ground: the cheapest, and of several as cheap the one that turns north, east, south, west first."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from bot.core.scenes.village.ground import COST, TILES, Ground, Tile

POINTS = 6  # of one move
DEAREST = max(COST.values())
UNKNOWN = -TILES * DEAREST  # so low that no step of a way can look like one


class Costs:
    """What it costs to walk to a tile, by the tile where one starts; below 0 where one cannot.

    It is worked out ring by ring around the tile, as far as anybody asked: few come from the other end of the map.
    """

    def __init__(self, ground: Ground, target: Tile) -> None:
        self._found = [UNKNOWN] * TILES
        self._found[target] = 0
        self._rings = _spreading(ground, target, self._found)

    def __getitem__(self, tile: Tile) -> int:
        return self.around(tile)[tile]

    def around(self, tile: Tile) -> Sequence[int]:
        """Give those of all tiles that are no farther than one, itself among them; the others may be unknown yet."""
        while self._found[tile] < 0 and next(self._rings, False):
            pass
        return self._found


@lru_cache(maxsize=4_096)
def costs_to(ground: Ground, target: Tile) -> Costs:
    """Give what it costs to walk to a tile."""
    return Costs(ground, target)


def _spreading(ground: Ground, target: Tile, found: list[int]) -> Iterator[bool]:
    """Find one ring after the other: the tiles from which it costs as much."""
    ways, costs = ground.ways, ground.costs
    # tiles by what it costs to come from beside them: no tile is dearer than a few points, so a few lists in turn do
    # what a heap would, sooner; whoever first reaches a tile does so at the least cost, so that each is put in once
    rings: list[list[Tile]] = [[] for _ in range(DEAREST + 1)]
    rings[costs[target]].append(target)
    cost = 0
    while any(rings):
        here = rings[cost % len(rings)]
        for tile in here:
            for there in ways[tile]:
                if found[there] < 0:
                    found[there] = cost
                    rings[(cost + costs[there]) % len(rings)].append(there)
        here.clear()
        cost += 1
        yield True


def steps(ground: Ground, start: Tile, target: Tile) -> Iterator[Tile]:
    """Give the tiles of the way one after the other, without the one where it starts; none where it has arrived."""
    costs, at = costs_to(ground, target).around(start), start
    while at != target:
        for there in ground.ways[at]:
            if ground.costs[there] + costs[there] == costs[at]:
                at = there
                break
        else:
            raise ValueError("no way leads there")
        yield at


def path(ground: Ground, start: Tile, target: Tile) -> list[Tile]:
    """Give the whole way."""
    return [*steps(ground, start, target)]


def walked(ground: Ground, start: Tile, target: Tile, points: int = POINTS) -> tuple[list[Tile], int]:
    """Give the tiles one comes over with so many points, and the points that took."""
    spent, found = 0, list[Tile]()
    for tile in steps(ground, start, target):
        if spent + ground.costs[tile] > points:
            break
        spent += ground.costs[tile]
        found.append(tile)
    return found, spent
