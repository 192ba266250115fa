"""The ground of a village: 20 × 20 tiles made from one number, with places on them that roads join."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from heapq import heappop, heappush
from typing import Annotated, Final

from pydantic import Field

from bot.core.scenes.kind import MOST_SEATS, Chance

SIDE: Final = 20
GROUNDS: Final = 2**32  # that there are
TILES: Final = SIDE * SIDE
Tile = int  # counted from the north-west corner, row by row
TileSet = int  # a set of tiles: a number with a bit for each
KeptTile = Annotated[Tile, Field(ge=0, lt=TILES)]

LATTICE, CELL = 6, 4  # heights are drawn at every fourth tile, and lie between them in proportion
WATER_PERCENT, HILL_PERCENT, FOREST_PERCENT = 12, 14, 28
BRIDGE: Final = 12  # what a road over water costs whoever builds it


class Terrain(StrEnum):
    """What a tile is; its value is how it is written on a map."""

    ROAD = "="
    PLAIN = "."
    FOREST = "f"
    HILL = "h"
    WATER = "~"


COST: Final = {Terrain.ROAD: 1, Terrain.PLAIN: 1, Terrain.FOREST: 2, Terrain.HILL: 3}  # in points; water is closed
DRY_COSTS: Final = tuple(sorted({*COST.values()}))
BUILDING: Final = {Terrain.ROAD: 1, Terrain.PLAIN: 2, Terrain.FOREST: 3, Terrain.HILL: 5, Terrain.WATER: BRIDGE}
DIRECTIONS: Final = (("north", 0, -1), ("east", 1, 0), ("south", 0, 1), ("west", -1, 0))
OFFSETS: Final = {name: (east, south) for name, east, south in DIRECTIONS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place with a name; in a building one rests better."""

    name: str
    tile: Tile
    is_building: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ground:
    """All that never changes: what each tile is, what may be walked, and the places; there is one of a number."""

    terrain: tuple[Terrain, ...]
    written: str  # the terrain, row by row
    costs: tuple[int, ...]  # of entering a tile; 0 where nobody can
    ways: tuple[tuple[Tile, ...], ...]  # from each tile: the neighbours that can be entered, N E S W
    dry: TileSet  # where one can walk
    costing: tuple[tuple[int, TileSet], ...]  # each cost, with the tiles that cost so much
    places: tuple[Place, ...]
    at: Mapping[Tile, Place]

    def place_at(self, tile: Tile) -> Place | None:
        """Give the place on a tile."""
        return self.at.get(tile)

    def place(self, name: str) -> Place:
        """Give a place by its name; raises KeyError."""
        for one in self.places:
            if one.name == name:
                return one
        raise KeyError(name)

    def neighbour(self, tile: Tile, direction: str) -> Tile | None:
        """Give the tile in a direction; None at the edge, and where it is water."""
        x, y = xy(tile)
        east, south = OFFSETS[direction]
        if not (0 <= x + east < SIDE and 0 <= y + south < SIDE):
            return None
        there = tile + east + SIDE * south
        return there if self.costs[there] else None

    def nearest_walkable(self, tile: Tile) -> Tile:
        """Give the tile itself, or of water the shore that is nearest; of several the first from the north-west."""
        if self.costs[tile]:
            return tile
        steps = 1
        while True:
            for one in sorted(tiles_within(tile, steps)):
                if self.costs[one]:
                    return one
            steps += 1


def xy(tile: Tile) -> tuple[int, int]:
    """Give a tile's column and row, counted from 0."""
    return tile % SIDE, tile // SIDE


def distance(one: Tile, other: Tile) -> int:
    """Give how far two tiles are apart, in steps along columns and rows (Manhattan)."""
    return abs(one % SIDE - other % SIDE) + abs(one // SIDE - other // SIDE)


def tile_set(tiles: Iterable[Tile]) -> TileSet:
    """Give a set of tiles, each of which comes once."""
    return sum(1 << tile for tile in tiles)


WEST_EDGE, EAST_EDGE = (tile_set(range(column, TILES, SIDE)) for column in (0, SIDE - 1))


def beside(tiles: TileSet) -> TileSet:
    """Give the tiles beside some; it may have bits beyond the last tile."""
    return tiles << SIDE | tiles >> SIDE | (tiles & ~EAST_EDGE) << 1 | (tiles & ~WEST_EDGE) >> 1


@cache
def tiles_within(tile: Tile, steps: int) -> frozenset[Tile]:
    """Give the tiles within so many steps of one, and itself."""
    column, row = xy(tile)
    return frozenset(
        SIDE * y + x
        for y in range(max(0, row - steps), min(SIDE, row + steps + 1))
        for x in range(max(0, column - steps + abs(y - row)), min(SIDE, column + steps - abs(y - row) + 1))
    )


def house_of(seat: int) -> str:
    """Give the name of a seat's house."""
    return f"house {seat}"


# name, least and most steps from the well, whether it is a building, where it rather lies
SITES: Final = (
    ("market", 2, 4, True, None),
    ("smithy", 3, 6, True, None),
    ("farm", 6, 9, True, None),
    ("forest", 7, 13, False, Terrain.FOREST),
    ("mine", 9, 15, False, Terrain.HILL),
    ("ruins", 9, 15, False, None),
)
MOST_PLACES: Final = 1 + len(SITES) + MOST_SEATS
OWN_TERRAIN: Final = {"forest": Terrain.FOREST, "mine": Terrain.HILL, "ruins": Terrain.PLAIN}


@lru_cache(maxsize=128)
def ground_of(number: int, houses: int) -> Ground:
    """Make the ground that a number stands for, with so many houses."""
    chance = Chance(str(number), 0)
    terrain = _landscape(chance)
    places = _places(chance, terrain, houses)
    for one in places:
        terrain[one.tile] = OWN_TERRAIN.get(one.name, Terrain.ROAD)
    _build_roads(terrain, places)
    _flood_pockets(terrain, places[0].tile)
    costs = tuple(COST.get(one, 0) for one in terrain)
    ways = tuple(tuple(there for there in _around(tile) if costs[there]) for tile in range(TILES))
    costing = tuple((cost, tile_set(tile for tile in range(TILES) if costs[tile] == cost)) for cost in DRY_COSTS)
    return Ground(
        terrain=tuple(terrain),
        written="".join(terrain),
        costs=costs,
        ways=ways,
        dry=tile_set(tile for tile in range(TILES) if costs[tile]),
        costing=costing,
        places=places,
        at={one.tile: one for one in places},
    )


def _landscape(chance: Chance) -> list[Terrain]:
    heights, moisture = _field(chance, "height"), _field(chance, "moisture")
    order = sorted(range(TILES), key=lambda tile: (heights[tile], tile))
    terrain = [Terrain.PLAIN] * TILES
    for tile in sorted(range(TILES), key=lambda tile: (-moisture[tile], tile))[: TILES * FOREST_PERCENT // 100]:
        terrain[tile] = Terrain.FOREST
    for tile in order[: TILES * WATER_PERCENT // 100]:
        terrain[tile] = Terrain.WATER
    for tile in order[-TILES * HILL_PERCENT // 100 :]:
        terrain[tile] = Terrain.HILL
    return terrain


def _field(chance: Chance, what: str) -> list[int]:
    """Draw a value for every tile, so that neighbours are alike."""
    nodes = [[chance.below(f"{what} {column} {row}", 256) for column in range(LATTICE)] for row in range(LATTICE)]
    values = []
    for tile in range(TILES):
        (column, east), (row, south) = divmod(tile % SIDE, CELL), divmod(tile // SIDE, CELL)
        north = nodes[row][column] * (CELL - east) + nodes[row][column + 1] * east
        under = nodes[row + 1][column] * (CELL - east) + nodes[row + 1][column + 1] * east
        values.append(north * (CELL - south) + under * south)
    return values


def _places(chance: Chance, terrain: list[Terrain], houses: int) -> tuple[Place, ...]:
    centre = SIDE * (8 + chance.below("well row", 4)) + 8 + chance.below("well column", 4)
    found = [Place(name="well", tile=centre)]
    free = _inner() - {centre, *_around(centre)}
    sites = [*SITES, *((house_of(seat), 2, 6, True, None) for seat in range(1, houses + 1))]
    for name, least, most, is_building, rather in sites:
        near: list[Tile] = []
        while not near:
            near = sorted(free & (tiles_within(centre, most) - tiles_within(centre, least - 1)))
            most += 1
        dry = [tile for tile in near if terrain[tile] is not Terrain.WATER] or near
        fitting = [tile for tile in dry if terrain[tile] is rather] or dry
        tile = fitting[chance.below(f"site of {name}", len(fitting))]
        found.append(Place(name=name, tile=tile, is_building=is_building))
        free -= {tile, *_around(tile)}
    return tuple(found)


def _inner() -> set[Tile]:
    return {tile for tile in range(TILES) if 0 < tile % SIDE < SIDE - 1 and 0 < tile // SIDE < SIDE - 1}


@cache
def _around(tile: Tile) -> tuple[Tile, ...]:
    x, y = xy(tile)
    return tuple(
        tile + east + SIDE * south for _, east, south in DIRECTIONS if 0 <= x + east < SIDE and 0 <= y + south < SIDE
    )


def _build_roads(terrain: list[Terrain], places: tuple[Place, ...]) -> None:
    """Join every place to the others, where that is cheapest, over bridges where it must be."""
    own = {one.tile for one in places if one.name in OWN_TERRAIN}
    joined = {places[0].tile}
    for one in places[1:]:
        road = _cheapest(one.tile, joined, terrain)
        joined.update(road)
        for tile in road:
            if tile not in own:
                terrain[tile] = Terrain.ROAD


def _cheapest(start: Tile, joined: Set[Tile], terrain: Sequence[Terrain]) -> list[Tile]:
    """Give the road from a tile to the nearest that is joined already."""
    best, came = {start: 0}, {start: start}
    todo = [(0, start)]
    while todo:
        spent, tile = heappop(todo)
        if tile in joined:
            road = [tile]
            while road[-1] != start:
                road.append(came[road[-1]])
            return road
        for there in _around(tile):
            sum_ = spent + BUILDING[terrain[there]]
            if sum_ < best.get(there, sum_ + 1):
                best[there], came[there] = sum_, tile
                heappush(todo, (sum_, there))
    raise ValueError("the tiles do not hang together")


def _flood_pockets(terrain: list[Terrain], well: Tile) -> None:
    """Whatever dry land cannot be walked to becomes water: all that is left hangs together."""
    reached, todo = {well}, [well]
    while todo:
        for there in _around(todo.pop()):
            if there not in reached and terrain[there] is not Terrain.WATER:
                reached.add(there)
                todo.append(there)
    for tile in range(TILES):
        if tile not in reached:
            terrain[tile] = Terrain.WATER
