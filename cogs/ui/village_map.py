"""The map of a village: terrain, places, who is seen where, and once it is over where everybody walked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Final

from PIL import Image, ImageDraw
from pydantic import BaseModel

from bot.core.records import Json
from bot.core.scenes.kind import Seat
from bot.core.terminal import without_unseen
from bot.core.wording import counted
from bot.picture_text import fitting, width, write
from cogs.ui.pictures import COLOURS, FAINT, GROUND, INK, MARGIN, WIDTH

SIDE, AXIS, TILE = 20, 20, 27
ROW, HEAD = 26, 34
SIGN, NUMBER = 13, 14  # of letters
TERRAIN: Final = {".": "#6b8f57", "=": "#c8b48c", "f": "#35663f", "h": "#8d7257", "~": "#2f648f"}
NAMES: Final = {".": "plain", "=": "road", "f": "forest", "h": "hill", "~": "water"}
UNSEEN: Final = 0.55  # how much darker a tile is that one does not see
DARK, LIGHT = "#14171f", "#ffffff"
Point = tuple[float, float]


class Spot(BaseModel):
    """A place on the map."""

    name: str
    tile: int


class Somebody(BaseModel):
    """Who is seen, and how they are."""

    seat: Seat
    tile: int
    asleep: bool
    dead: bool


class Chart(BaseModel):
    """What a village's view gives to draw."""

    terrain: str
    places: tuple[Spot, ...]
    people: tuple[Somebody, ...]
    you: Seat
    sight: int
    trails: Mapping[Seat, tuple[int, ...]] = {}


def village_map(picture: Mapping[str, Json], names: Mapping[Seat, str]) -> bytes:
    """Draw the map."""
    return _drawn(_chart(picture), _clean(names))


def village_words(picture: Mapping[str, Json], names: Mapping[Seat, str]) -> str:
    """Say in words what the map shows."""
    return _told(_chart(picture), _clean(names))


def _chart(picture: Mapping[str, Json]) -> Chart:
    return Chart.model_validate(dict(picture))


def _clean(names: Mapping[Seat, str]) -> Mapping[Seat, str]:
    return {seat: without_unseen(name) for seat, name in names.items()}


def _drawn(chart: Chart, names: Mapping[Seat, str]) -> bytes:
    shown = sorted({one.seat for one in chart.people} | set(chart.trails))
    height = AXIS + SIDE * TILE + HEAD + ROW * -(-len(shown) // 2) + MARGIN // 2
    image = Image.new("RGB", (WIDTH, height), GROUND)
    draw = ImageDraw.Draw(image)
    for number in range(SIDE):
        label = str(number + 1)
        write(draw, (AXIS + number * TILE + (TILE - width(label, SIGN)) / 2, AXIS / 2), label, SIGN, FAINT)
        write(draw, (AXIS - 3, AXIS + number * TILE + TILE / 2), label, SIGN, FAINT, right=True)
    for tile, terrain in enumerate(chart.terrain):
        x, y = _corner(tile)
        colour = TERRAIN[terrain] if _is_seen(chart, tile) else _darker(TERRAIN[terrain])
        draw.rectangle((x, y, x + TILE - 2, y + TILE - 2), fill=colour)
    for place, trail in enumerate(chart.trails.values()):
        _draw_trail(draw, trail, place)
    for spot in chart.places:
        _draw_spot(draw, spot)
    _draw_people(draw, chart)
    _draw_legend(draw, AXIS + SIDE * TILE, shown, names)
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _corner(tile: int) -> tuple[int, int]:
    return AXIS + tile % SIDE * TILE, AXIS + tile // SIDE * TILE


def _is_seen(chart: Chart, tile: int) -> bool:
    here = next((one.tile for one in chart.people if one.seat == chart.you), None)
    if here is None or chart.trails:
        return True
    return abs(here % SIDE - tile % SIDE) + abs(here // SIDE - tile // SIDE) <= chart.sight


def _darker(colour: str) -> str:
    parts = [int(int(colour[at : at + 2], 16) * UNSEEN) for at in (1, 3, 5)]
    return "#" + "".join(f"{part:02x}" for part in parts)


def _colour(seat: Seat) -> str:
    return COLOURS[(seat - 1) % len(COLOURS)]


def _draw_trail(draw: ImageDraw.ImageDraw, trail: Sequence[int], place: int) -> None:
    """Draw a way, each a little beside the others."""
    beside = place % 6 * 3 - 7
    points = [(x + TILE / 2 + beside, y + TILE / 2 + beside) for x, y in map(_corner, trail)]
    if len(points) > 1:
        draw.line(points, fill=DARK, width=5, joint="curve")
        draw.line(points, fill=COLOURS[place % len(COLOURS)], width=3, joint="curve")


def _draw_spot(draw: ImageDraw.ImageDraw, spot: Spot) -> None:
    x, y = _corner(spot.tile)
    if spot.name.startswith("house "):
        draw.polygon([(x + 3, y + 12), (x + TILE / 2, y + 2), (x + TILE - 5, y + 12)], fill=DARK)
        draw.rectangle((x + 5, y + 12, x + TILE - 7, y + TILE - 4), fill=DARK)
        number = spot.name.removeprefix("house ")
        write(draw, (x + (TILE - 1 - width(number, SIGN)) / 2, y + 16), number, SIGN, INK)
        return
    draw.rectangle((x + 1, y + 1, x + TILE - 3, y + TILE - 3), outline=DARK, width=3)
    long = width(spot.name, SIGN) + 8
    left = min(max(AXIS, x + TILE / 2 - long / 2), WIDTH - long - 1)
    draw.rounded_rectangle((left, y - 11, left + long, y + 4), radius=5, fill=DARK)
    write(draw, (left + 4, y - 4), spot.name, SIGN, INK)


def _draw_people(draw: ImageDraw.ImageDraw, chart: Chart) -> None:
    """Draw everybody who is seen; several on a tile stand beside one another."""
    before: Counter[int] = Counter()
    for one in chart.people:
        x, y = _corner(one.tile)
        step = before[one.tile]
        before[one.tile] += 1
        middle = (x + TILE / 2 - 1 + step % 3 * 8, y + TILE / 2 - 1 + step // 3 * 8)
        _draw_face(draw, middle, one.seat, is_you=one.seat == chart.you, awake=not (one.asleep or one.dead))


def _draw_face(
    draw: ImageDraw.ImageDraw, middle: Point, seat: Seat, *, is_you: bool = False, awake: bool = True
) -> None:
    x, y = middle
    ring = LIGHT if is_you else DARK
    draw.ellipse((x - 11, y - 11, x + 11, y + 11), fill=_colour(seat) if awake else FAINT, outline=ring, width=2)
    number = str(seat)
    write(draw, (x - width(number, NUMBER) / 2, y), number, NUMBER, DARK)


def _draw_legend(draw: ImageDraw.ImageDraw, top: int, seats: Sequence[Seat], names: Mapping[Seat, str]) -> None:
    x: float = AXIS
    for terrain, name in NAMES.items():
        draw.rectangle((x, top + 9, x + 15, top + 24), fill=TERRAIN[terrain])
        write(draw, (x + 20, top + 17), name, SIGN + 1, INK)
        x += 34 + width(name, SIGN + 1)
    for place, seat in enumerate(seats):
        left, y = AXIS + 12 + place % 2 * WIDTH // 2, top + HEAD + place // 2 * ROW + ROW // 2
        _draw_face(draw, (left, y), seat)
        write(draw, (left + 18, y), fitting(names.get(seat, ""), SIGN + 3, WIDTH // 2 - 50), SIGN + 3, INK)


def _told(chart: Chart, names: Mapping[Seat, str]) -> str:
    at = {spot.tile: spot.name for spot in chart.places}
    people = [f"{names.get(one.seat, one.seat)} {_where(one.tile, at)}{_how(one)}" for one in chart.people]
    places = [f"{spot.name} {spot.tile % SIDE + 1},{spot.tile // SIDE + 1}" for spot in chart.places]
    walked = [
        f"{names.get(seat, seat)} walked {counted(len(trail) - 1, 'tile')}" for seat, trail in chart.trails.items()
    ]
    told = [("People", people), ("Walks", walked), ("Places", places)]
    return "Map of the village. " + " ".join(f"{name}: {'; '.join(some)}." for name, some in told if some)


def _how(one: Somebody) -> str:
    return " (starved)" if one.dead else " (asleep)" if one.asleep else ""


def _where(tile: int, at: Mapping[int, str]) -> str:
    there = f"{tile % SIDE + 1},{tile // SIDE + 1}"
    return f"{there} ({at[tile]})" if tile in at else there
