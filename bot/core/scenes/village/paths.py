"""Ways over the ground: the cheapest, and of several as cheap the one that turns north, east, south, west first."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from bot.core.scenes.village.ground import COST, TILES, Ground, Tile

POINTS = 6  # of one move
DEAREST = max(COST.values())
UNKNOWN = -1


@lru_cache(maxsize=4_096)
def costs_to(ground: Ground, target: Tile) -> Sequence[int]:
    """Give what it costs to walk to a tile, by the tile where one starts; below 0 where one cannot."""
    found, ways, costs = [UNKNOWN] * TILES, ground.ways, ground.costs
    found[target] = 0
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
    return tuple(found)


def steps(ground: Ground, start: Tile, target: Tile) -> Iterator[Tile]:
    """Give the tiles of the way one after the other, without the one where it starts; none where it has arrived."""
    costs, at = costs_to(ground, target), start
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
