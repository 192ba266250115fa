"""What a seat sees of a village: itself, what is within its sight, and the names of all places."""

from functools import lru_cache
from itertools import pairwise

from bot.core.records import Json
from bot.core.scenes.kind import Seat, Seen
from bot.core.scenes.village.bodies import CARRIED, MOST, counted_items
from bot.core.scenes.village.ground import DIRECTIONS, SIDE, Ground, Tile, distance, house_of, xy
from bot.core.scenes.village.paths import costs_to, path
from bot.core.scenes.village.world import HOURS, World


def viewed(world: World, seat: Seat) -> Seen:
    """Give what a seat sees; 0, who watches, sees the ground, and where everybody is once that is no secret."""
    phase = "over" if world.ended else f"day {world.hour // HOURS + 1}, {world.clock:02}:00"
    facts = (("Hours left", str(max(0, world.rounds - world.hour))),)
    awaited = () if world.ended else (world.current,)
    private = _private(world, seat) if seat in world.bodies else ()
    dead = tuple(one for one in world.seats if world.bodies[one].dead)  # everybody is told who starves
    return Seen(phase=phase, awaited=awaited, dead=dead, facts=facts, private=private, picture=pictured(world, seat))


def _private(world: World, seat: Seat) -> tuple[tuple[str, str], ...]:
    body, deeds = world.bodies[seat], world.deeds[seat]
    heading = f", on the way to {world.where(body.heading)}" if body.heading is not None else ""
    state = " You have starved." if body.dead else " You sleep." if body.asleep else ""
    lines = [
        ("You", f"hunger {body.hunger} of {MOST}, energy {body.energy} of {MOST}.{state}"),
        ("You are at", f"{_coordinates(body.tile)}{_named(world, body.tile)}{heading}"),
        ("Your bag", f"{counted_items(body.bag) or 'nothing'} ({body.carried} of {CARRIED})"),
    ]
    if (goal := world.goals.get(seat)) is not None:
        lines.append(("Your goal", f"{goal.words} ({'met' if deeds.goal_met else 'not met yet'})"))
    lines.append(("Your house", house_of(seat)))
    lines.append(("You have met", ", ".join(f"seat {one}" for one in deeds.met) or "nobody"))
    lines.append(("You have been to", ", ".join(deeds.visited)))
    lines.append(("You see", _people(world, seat) or "nobody"))
    if stocks := _stocks(world, body.tile):
        lines.append(("There is", stocks))
    lines.append(("Points from here", _ways(world, body.tile)))
    return tuple(lines)


def _people(world: World, seat: Seat) -> str:
    here = world.bodies[seat].tile
    told = []
    for one in world.near(here, world.sight):
        if one != seat:
            body = world.bodies[one]
            sleeps = ", asleep" if body.asleep else ""
            far = distance(body.tile, here)
            told.append(
                f"seat {one} ({{s{one}}}) at {_coordinates(body.tile)}{_named(world, body.tile)}, {far} away{sleeps}"
            )
    return "; ".join(told)


def _stocks(world: World, here: Tile) -> str:
    near = [one for one in world.ground.places if one.name in world.stocks and distance(one.tile, here) <= world.sight]
    return "; ".join(f"{one.name}: {counted_items(world.stocks[one.name]) or 'nothing'}" for one in near)


def _ways(world: World, here: Tile) -> str:
    ground = world.ground
    return ", ".join(f"{one.name} {costs_to(ground, one.tile)[here]}" for one in ground.places if one.tile != here)


def _coordinates(tile: Tile) -> str:
    x, y = xy(tile)
    return f"{x + 1},{y + 1}"


def _named(world: World, tile: Tile) -> str:
    place = world.ground.place_at(tile)
    return f" ({place.name})" if place is not None else ""


def looked(world: World, seat: Seat) -> str:
    """Give every tile within sight, row by row: `@` is who looks, a letter what a tile is (docs/games.md)."""
    return _around(world.ground, world.bodies[seat].tile, world.sight)


@lru_cache(maxsize=4_096)
def _around(ground: Ground, here: Tile, sight: int) -> str:
    rows = []
    column, line = xy(here)
    for y in range(max(0, line - sight), min(SIDE, line + sight + 1)):
        wide = sight - abs(y - line)
        first, last = max(0, column - wide), min(SIDE - 1, column + wide)
        tiles = ground.written[SIDE * y + first : SIDE * y + last + 1]
        if y == line:
            tiles = f"{tiles[: column - first]}@{tiles[column - first + 1 :]}"
        rows.append(f"row {y + 1} from column {first + 1}: {tiles}")
    around = [f"{name} {_kind(ground, here, name)}" for name, _, _ in DIRECTIONS]
    return f"{'; '.join(rows)}. {', '.join(around)}."


def _kind(ground: Ground, here: Tile, direction: str) -> str:
    there = ground.neighbour(here, direction)
    return "closed" if there is None else ground.terrain[there].name.lower()


def pictured(world: World, seat: Seat) -> dict[str, Json]:
    """Give what the map is drawn from: rows of terrain, places, who is seen, and once it is over where all walked."""
    ground = world.ground
    seen: tuple[Seat, ...] = world.seats if world.ended or world.faces else ()
    if seat in world.bodies and not seen:
        seen = tuple(sorted({seat, *world.near(world.bodies[seat].tile, world.sight)}))
    people: list[Json] = [_person(world, one) for one in seen]
    places: list[Json] = [{"name": one.name, "tile": one.tile} for one in ground.places]
    picture: dict[str, Json] = {
        "terrain": ground.written,
        "places": places,
        "people": people,
        "you": seat if seat in world.bodies else 0,
        "sight": world.sight,
    }
    if world.ended:
        picture["trails"] = {str(one): [*_trail(world, one)] for one in world.seats}
    return picture


def _person(world: World, seat: Seat) -> dict[str, Json]:
    body = world.bodies[seat]
    return {"seat": seat, "tile": body.tile, "asleep": body.asleep, "dead": body.dead}


def _trail(world: World, seat: Seat) -> list[Tile]:
    """Give every tile a seat came over: between two stops it went the cheapest way."""
    stops = world.trails[seat]
    found = [*stops[:1]]
    for start, end in pairwise(stops):
        found += path(world.ground, start, end)
    return found
