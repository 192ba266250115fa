"""Ways over the ground: the cheapest, and of several as cheap the one that turns north, east, south, west first."""

from collections.abc import Iterator
from functools import lru_cache

from bot.core.scenes.village.ground import DRY_COSTS, Ground, Tile, beside

POINTS = 6  # of one move
DEAREST = DRY_COSTS[-1]


class Costs:
    """What it costs to walk to a tile, by the tile where one starts; below 0 where one cannot.

    It is worked out ring by ring around the tile, as far as anybody asked: few come from the other end of the map. A
    ring is a set of tiles, and that a number with a bit for each tile: all of a ring take a step at once.
    """

    def __init__(self, ground: Ground, target: Tile) -> None:
        self._ground = ground
        self.rings = [1 << target]  # by what it costs from there
        self._unknown = ground.dry & ~self.rings[0]

    def __getitem__(self, tile: Tile) -> int:
        bit = 1 << tile
        for cost, ring in enumerate(self.rings):
            if ring & bit:
                return cost
        while self._spreads():
            if self.rings[-1] & bit:
                return len(self.rings) - 1
        return -1

    def _spreads(self) -> bool:
        """Find the next ring, which may be empty; False once no tile can be reached any more."""
        rings, ring = self.rings, 0
        if not any(rings[-DEAREST:]):
            return False
        for cost, tiles in self._ground.costing:
            if cost <= len(rings) and (there := rings[-cost] & tiles):
                ring |= beside(there)
        ring &= self._unknown
        self._unknown &= ~ring
        rings.append(ring)
        return True


@lru_cache(maxsize=4_096)
def costs_to(ground: Ground, target: Tile) -> Costs:
    """Give what it costs to walk to a tile."""
    return Costs(ground, target)


def steps(ground: Ground, start: Tile, target: Tile) -> Iterator[Tile]:
    """Give the tiles of the way one after the other, without the one where it starts; none where it has arrived."""
    costs = costs_to(ground, target)
    left, at, rings = costs[start], start, costs.rings
    while at != target:
        for there in ground.ways[at]:
            after = left - ground.costs[there]
            if after >= 0 and rings[after] >> there & 1:
                at, left = there, after
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
