"""Ways over the ground: the cheapest, and of several as cheap the one that turns north, east, south, west first."""

from functools import lru_cache
from heapq import heappop, heappush

from bot.core.scenes.village.ground import Ground, Tile

POINTS = 6  # of one move


@lru_cache(maxsize=4_096)
def costs_to(ground: Ground, target: Tile) -> dict[Tile, int]:
    """Give what it costs to walk to a tile, from every tile from which one can."""
    found = {target: 0}
    todo = [(0, target)]
    while todo:
        cost, tile = heappop(todo)
        if cost > found[tile]:
            continue
        cost += ground.costs[tile]  # of entering it
        for there in ground.ways[tile]:
            if cost < found.get(there, cost + 1):
                found[there] = cost
                heappush(todo, (cost, there))
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
