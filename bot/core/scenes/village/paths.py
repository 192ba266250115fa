"""Ways over the ground: the cheapest, and of several as cheap the one that turns north, east, south, west first."""

from functools import lru_cache

from bot.core.scenes.village.ground import COST, Ground, Tile

POINTS = 6  # of one move
DEAREST = max(COST.values())


@lru_cache(maxsize=4_096)
def costs_to(ground: Ground, target: Tile) -> dict[Tile, int]:
    """Give what it costs to walk to a tile, from every tile from which one can."""
    found: dict[Tile, int] = {}
    costs, ways = ground.costs, ground.ways
    # tiles by what they cost: no tile is dearer than a few points, so a ring of lists does what a heap would, sooner
    ring: list[list[Tile]] = [[] for _ in range(DEAREST + 1)]
    ring[0].append(target)
    cost, left = 0, 1
    while left:
        here = ring[cost % len(ring)]
        for tile in here:
            if tile in found:
                continue
            found[tile] = cost
            coming = ring[(cost + costs[tile]) % len(ring)]  # of entering it
            for there in ways[tile]:
                if there not in found:
                    coming.append(there)
                    left += 1
        left -= len(here)
        here.clear()
        cost += 1
    return found


def path(ground: Ground, start: Tile, target: Tile) -> list[Tile]:
    """Give the tiles of the way, without the one where it starts; none where it has arrived."""
    costs, found, at = costs_to(ground, target), list[Tile](), start
    while at != target:
        at = next(there for there in ground.ways[at] if ground.costs[there] + costs[there] == costs[at])
        found.append(at)
    return found


def walked(ground: Ground, start: Tile, target: Tile, points: int = POINTS) -> tuple[list[Tile], int]:
    """Give the tiles one comes over with so many points, and the points that took."""
    spent, found = 0, list[Tile]()
    for tile in path(ground, start, target):
        if spent + ground.costs[tile] > points:
            break
        spent += ground.costs[tile]
        found.append(tile)
    return found, spent
