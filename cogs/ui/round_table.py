"""Who sits together, in a ring or a horseshoe: who speaks, how much each has, what is decided, and how it was voted."""

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from math import pi

from PIL import Image, ImageDraw
from pydantic import BaseModel

from bot.core.records import Json
from bot.core.scenes.kind import Seat
from bot.core.scenes.showing import NOT_SAID
from bot.core.terminal import without_unseen
from bot.picture_text import fitting, width, write
from cogs.ui.pictures import COLOURS, FAINT, GROUND, INK, MARGIN, TRACK, WIDTH
from cogs.ui.rings import FACE, RADIUS, SIDE, Spot, spots

Names = Mapping[Seat, str]
LARGE, SMALL, TINY = 24, 16, 13
DIM = "#565d70"
NAME, NOTED, OUTSIDE, MIDDLE = 118, 150, 82, 210  # widths of names, notes, both beside a crowd, and in the middle
OPENING = 0.45 * pi  # of a horseshoe, below
BEGINS, LONGEST = 112, 40  # of bars towards the middle: how far from it, and how long
LINES = 3  # of what is on the table
ROW, LABEL, NOTE, BAR = 34, 196, 70, 22
YES, NO = COLOURS[1], COLOURS[4]


class Sitter(BaseModel):
    """One who sits there; `said` draws a bar, who presides (`chair`) sits at the opening."""

    seat: Seat
    note: str
    said: int = 0
    speaks: bool
    away: bool
    chair: bool = False


class Ballot(BaseModel):
    """What was voted on, and how."""

    what: str
    yes: int
    no: int
    abstained: int
    absent: int
    passed: bool


class Fields(BaseModel):
    """What the picture is drawn from; `told` says the same in words."""

    seats: tuple[Sitter, ...]
    middle: tuple[str, ...]
    about: str = ""
    horseshoe: bool = False
    ballots: tuple[Ballot, ...] = ()
    quorum: int = 0
    told: tuple[str, ...]


def round_table(shown: Mapping[str, Json], names: Names) -> bytes:
    """Draw a ring, or a horseshoe, of faces; below it what was decided."""
    seen, known = Fields.model_validate(dict(shown)), {seat: without_unseen(name) for seat, name in names.items()}
    below = ROW * len(seen.ballots) + MARGIN if seen.ballots else 0
    image = Image.new("RGB", (SIDE, SIDE + below), GROUND)
    draw = ImageDraw.Draw(image)
    most = max((one.said for one in seen.seats), default=0) or 1
    for one, spot in _placed(seen):
        if one.said:
            ends = [spot.at(far * spot.size) for far in (BEGINS, BEGINS - LONGEST * one.said / most)]
            draw.line(ends, fill=_colour(one.seat), width=12)
        _draw_sitter(draw, spot, one, known.get(one.seat, ""))
    _draw_middle(draw, seen)
    for place, ballot in enumerate(seen.ballots):
        _draw_ballot(draw, SIDE + ROW * place, ballot, seen.quorum)
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def round_table_words(shown: Mapping[str, Json], names: Names) -> str:
    """Say in words what the picture shows: the words that stand beneath it."""
    told = Fields.model_validate(dict(shown)).told
    return "; ".join(one for one in told if not one.endswith(f": {NOT_SAID}"))


def _placed(seen: Fields) -> Iterator[tuple[Sitter, Spot]]:
    if not seen.horseshoe:
        yield from zip(seen.seats, spots(len(seen.seats)), strict=True)
        return
    around = [one for one in seen.seats if not one.chair]
    size, first = spots(len(seen.seats))[0].size, (pi + OPENING) / 2
    step = (2 * pi - OPENING) / max(1, len(around) - 1)
    for place, one in enumerate(around):
        yield one, Spot(first + step * place, size)
    for one in seen.seats:
        if one.chair:
            yield one, Spot(pi / 2, size)


def _draw_sitter(draw: ImageDraw.ImageDraw, spot: Spot, one: Sitter, name: str) -> None:
    """Draw one of them: a disc with the seat's number, the name beside it, and a note."""
    (x, y), far = spot.at(RADIUS * spot.size), FACE * spot.size
    if one.speaks:
        draw.ellipse((x - far - 7, y - far - 7, x + far + 7, y + far + 7), outline=INK, width=4)
    fill, edge = (TRACK, DIM) if one.away else (_colour(one.seat), FAINT)
    draw.ellipse((x - far, y - far, x + far, y + far), fill=fill, outline=edge, width=2)
    number = str(one.seat)
    write(draw, (x - width(number, LARGE) / 2, y), number, LARGE, DIM if one.away else GROUND)
    told = fitting(name, SMALL, NAME if spot.size == 1.0 else OUTSIDE)
    write(draw, spot.beside(width(told, SMALL), 0), told, SMALL, FAINT if one.away else INK)
    note = fitting(one.note, TINY, NOTED if spot.size == 1.0 else OUTSIDE)
    write(draw, spot.beside(width(note, TINY), 1), note, TINY, FAINT)


def _draw_middle(draw: ImageDraw.ImageDraw, seen: Fields) -> None:
    """Write what goes on into the middle, line below line."""
    head, *others = seen.middle
    about = _wrapped(without_unseen(seen.about))
    lines = [(head, LARGE, INK), *((one, SMALL, INK) for one in about), *((one, SMALL, FAINT) for one in others)]
    y = SIDE / 2 - 13 * (len(lines) - 1)
    for text, size, colour in lines:
        shown = fitting(text, size, MIDDLE)
        write(draw, (SIDE / 2 - width(shown, size) / 2, y), shown, size, colour)
        y += 26


def _wrapped(text: str) -> Sequence[str]:
    """Divide a text into a few lines; the last of them is cut where it is too long."""
    lines = [""]
    for word in text[: LINES * MIDDLE].split():  # of marks that take no room there may be any number
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and len(lines) < LINES and width(longer, SMALL) > MIDDLE:
            lines.append(word)
        else:
            lines[-1] = longer
    return [line for line in lines if line]


def _draw_ballot(draw: ImageDraw.ImageDraw, top: int, one: Ballot, quorum: int) -> None:
    """Draw how it was voted as a bar of all members: for, against, neither, absent; a notch tells the quorum."""
    y, left, right = top + ROW // 2, MARGIN + LABEL, WIDTH - MARGIN - NOTE
    write(draw, (MARGIN, y), fitting(one.what, SMALL, LABEL - 10), SMALL, INK)
    parts = ((one.yes, YES), (one.no, NO), (one.abstained, FAINT), (one.absent, TRACK))
    all_, x = sum(count for count, _ in parts) or 1, float(left)
    for count, colour in parts:
        if count:
            end = x + (right - left) * count / all_
            draw.rectangle((x, y - BAR // 2, end - 2, y + BAR // 2), fill=colour)
            write(draw, (x + 6, y), str(count), TINY, INK if colour == TRACK else GROUND)
            x = end
    if quorum:
        notch = left + (right - left) * quorum / all_ - 1
        draw.line((notch, y - BAR // 2 - 4, notch, y + BAR // 2 + 4), fill=INK, width=2)
    result = "passed" if one.passed else "failed"
    write(draw, (WIDTH - MARGIN, y), result, SMALL, YES if one.passed else FAINT, right=True)


def _colour(seat: Seat) -> str:
    return COLOURS[seat % len(COLOURS)]
