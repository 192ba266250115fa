"""A village with wolves in it as a ring of faces, with the last ballot; and once it is over, what happened each day."""

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO

from PIL import Image, ImageDraw
from pydantic import BaseModel

from bot.core.records import Json
from bot.core.scenes.kind import Seat
from bot.core.terminal import without_unseen
from bot.picture_text import fitting, width, write
from cogs.ui.pictures import COLOURS, FAINT, GROUND, INK, MARGIN, TRACK, WIDTH
from cogs.ui.rings import FACE, RADIUS, SIDE, Spot, spots

Names = Mapping[Seat, str]
DEAD, NIGHT, WOLF = "#565d70", "#141722", "#ff4d4d"
LARGE, SMALL, TINY = 24, 16, 13
DAY_LEFT, LINE, DISC, GAP = 96, 30, 11, 18  # of the strip: where days begin, and how large their parts are
WORDS = {"village": "The village has won", "wolves": "The wolves have won", "nobody": "Nobody has won"}


class Face(BaseModel):
    """One of the ring; what it was is known only once it is over."""

    seat: Seat
    alive: bool
    role: str


class Counted(BaseModel):
    """How many votes somebody had in the last ballot."""

    seat: Seat
    votes: int


class Fallen(BaseModel):
    """Who died, and of what."""

    seat: Seat
    cause: str


class Voted(BaseModel):
    """Who was voted for, and by whom."""

    seat: Seat
    by: tuple[Seat, ...]


class Day(BaseModel):
    """What happened on a day and in the night before it."""

    day: int
    deaths: tuple[Fallen, ...]
    votes: tuple[Voted, ...]

    @property
    def before_ballot(self) -> tuple[Fallen, ...]:
        """Who died before it was voted."""
        return self.deaths[: self._hanging]

    @property
    def after_ballot(self) -> tuple[Fallen, ...]:
        """Who was hanged, and whoever a hunter took along then."""
        return self.deaths[self._hanging :]

    @property
    def _hanging(self) -> int:
        return next((at for at, one in enumerate(self.deaths) if one.cause == "hanged"), len(self.deaths))


class Fields(BaseModel):
    """What the picture is drawn from (core.scenes.werewolf.showing)."""

    ring: tuple[Face, ...]
    bars: tuple[Counted, ...]
    night: bool
    day: int
    won: str
    days: tuple[Day, ...]


def ring(shown: Mapping[str, Json], names: Names) -> bytes:
    """Draw a ring of faces, the dead grey, with the last ballot as bars towards the middle; at the end all days."""
    seen, known = Fields.model_validate(dict(shown)), _clean(names)
    strip = Strip(seen)
    image = Image.new("RGB", (SIDE, SIDE + strip.height), NIGHT if seen.night and not seen.won else GROUND)
    draw = ImageDraw.Draw(image)
    votes = {} if seen.won else {one.seat: one.votes for one in seen.bars}
    most = max(votes.values(), default=1)
    for face, spot in zip(seen.ring, spots(len(seen.ring)), strict=True):
        if count := votes.get(face.seat, 0):
            start = (RADIUS - FACE) * spot.size - 28
            ends = [spot.at(far) for far in (start, start - (start - 52) * count / most)]
            draw.line(ends, fill=COLOURS[4], width=12)
        _draw_face(draw, spot, face, known.get(face.seat, ""), votes=count)
    title = WORDS.get(seen.won) or f"{'Night' if seen.night else 'Day'} {seen.day}"
    write(draw, (SIDE / 2 - width(title, LARGE) / 2, SIDE / 2), title, LARGE, INK)
    strip.draw(draw, SIDE)
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _clean(names: Names) -> Names:
    return {seat: without_unseen(name) for seat, name in names.items()}


def _draw_face(draw: ImageDraw.ImageDraw, spot: Spot, face: Face, name: str, *, votes: int) -> None:
    """Draw one of them: a disc with its seat, its name beside it, and at the end what it was."""
    (x, y), far = spot.at(RADIUS * spot.size), FACE * spot.size
    edge = WOLF if face.role == "wolf" else FAINT if face.alive else DEAD
    fill = _colour(face.seat) if face.alive else TRACK
    draw.ellipse((x - far, y - far, x + far, y + far), fill=fill, outline=edge, width=4 if face.role else 2)
    number = str(face.seat)
    write(draw, (x - width(number, LARGE) / 2, y), number, LARGE, GROUND if face.alive else DEAD)
    if not face.alive:
        draw.line((x - far * 0.7, y + far * 0.7, x + far * 0.7, y - far * 0.7), fill=DEAD, width=3)
    told = fitting(name + (f" · {votes}" if votes else ""), SMALL, 110 * spot.size)
    write(draw, spot.beside(width(told, SMALL), 0), told, SMALL, INK if face.alive else FAINT)
    if face.role:
        colour = INK if face.role == "wolf" else FAINT  # on a light page red words would not stand out
        write(draw, spot.beside(width(face.role, TINY), 1), face.role, TINY, colour)


def _colour(seat: Seat) -> str:
    return COLOURS[seat % len(COLOURS)]


class Strip:
    """What happened each day, in lines: the dead of the night, who voted for whom, who was hanged."""

    def __init__(self, seen: Fields) -> None:
        self._wolves = {one.seat for one in seen.ring if one.role == "wolf"}
        self._lines = [
            (f"Day {day.day}" if not place else "", line)
            for day in seen.days
            for place, line in enumerate(self._wrapped(day))
        ]

    @property
    def height(self) -> int:
        """How much room it takes, in pixels."""
        return len(self._lines) * LINE + MARGIN if self._lines else 0

    def draw(self, draw: ImageDraw.ImageDraw, top: int) -> None:
        """Draw it from a height on."""
        for at, (label, parts) in enumerate(self._lines):
            y = top + at * LINE + LINE // 2
            if label:
                draw.line((MARGIN, y - LINE // 2, WIDTH - MARGIN, y - LINE // 2), fill=TRACK)
                write(draw, (MARGIN, y), label, SMALL, INK)
            x = float(DAY_LEFT)
            for part in parts:
                self._draw_part(draw, x, y, part)
                x += _length(part) + GAP

    def _wrapped(self, day: Day) -> Iterator[list[Fallen | Voted]]:
        parts: Sequence[Fallen | Voted] = (*day.before_ballot, *day.votes, *day.after_ballot)
        line, x = list[Fallen | Voted](), float(DAY_LEFT)
        for part in parts:
            if line and x + _length(part) > WIDTH - MARGIN:
                yield line
                line, x = [], float(DAY_LEFT)
            line.append(part)
            x += _length(part) + GAP
        yield line

    def _draw_part(self, draw: ImageDraw.ImageDraw, x: float, y: int, part: Fallen | Voted) -> None:
        if isinstance(part, Fallen):
            write(draw, (x, y), part.cause, TINY, FAINT)
            self._disc(draw, x + width(part.cause, TINY) + 5 + DISC, y, part.seat)
            return
        for place, seat in enumerate(part.by):
            self._disc(draw, x + DISC + place * (2 * DISC + 2), y, seat)
        x += len(part.by) * (2 * DISC + 2) + 3
        draw.line((x, y, x + 10, y), fill=FAINT, width=2)
        draw.polygon([(x + 9, y - 4), (x + 15, y), (x + 9, y + 4)], fill=FAINT)
        self._disc(draw, x + 19 + DISC, y, part.seat)

    def _disc(self, draw: ImageDraw.ImageDraw, x: float, y: int, seat: Seat) -> None:
        edge = WOLF if seat in self._wolves else FAINT
        box = (x - DISC, y - DISC, x + DISC, y + DISC)
        draw.ellipse(box, fill=_colour(seat), outline=edge, width=3 if seat in self._wolves else 1)
        write(draw, (x - width(str(seat), TINY) / 2, y), str(seat), TINY, GROUND)


def _length(part: Fallen | Voted) -> float:
    if isinstance(part, Fallen):
        return width(part.cause, TINY) + 5 + 2 * DISC
    return len(part.by) * (2 * DISC + 2) + 22 + 2 * DISC


def ring_words(shown: Mapping[str, Json], names: Names) -> str:
    """Say in words what the ring shows."""
    seen, known = Fields.model_validate(dict(shown)), _clean(names)

    def name(seat: Seat) -> str:
        role = next((one.role for one in seen.ring if one.seat == seat), "")
        return known.get(seat, "somebody") + (f" ({role})" if role else "")

    alive, dead = ([name(one.seat) for one in seen.ring if one.alive is lives] for lives in (True, False))
    told = [f"Alive: {', '.join(alive) or 'nobody'}", f"dead: {', '.join(dead) or 'nobody'}"]
    if seen.won:
        told = [WORDS.get(seen.won, ""), *told, *(_day_words(day, known) for day in seen.days)]
    elif seen.bars:
        told.append(f"last ballot: {', '.join(f'{name(one.seat)} {one.votes}' for one in seen.bars)}")
    return "; ".join(told)


def _day_words(day: Day, names: Names) -> str:
    def listed(seats: Sequence[Seat]) -> str:
        return " and ".join(names.get(seat, "somebody") for seat in seats)

    votes = [f"{listed(one.by)} for {listed([one.seat])}" for one in day.votes]
    before, after = (
        [f"{listed([one.seat])} {one.cause}" for one in some] for some in (day.before_ballot, day.after_ballot)
    )
    return f"day {day.day}: {', '.join([*before, *votes, *after]) or 'nothing'}"
