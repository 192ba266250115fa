"""The table of landlord as a picture: who sits there with how many cards, what lies on it, and one's own hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

from PIL import Image, ImageDraw
from pydantic import BaseModel

from bot.core.records import Json
from bot.core.scenes.kind import Seat
from bot.core.terminal import without_unseen
from bot.core.wording import counted
from bot.picture_text import fitting, width, write
from cogs.ui.pictures import COLOURS, FAINT, GROUND, INK, LARGE, MARGIN, SMALL, TRACK, WIDTH

ROW, CAPTION = 40, 30
CARD_WIDTH, CARD_HEIGHT, STEP, LETTERS = 40, 58, 44, 20
MOST_IN_ROW = 17
FACE, EDGE, BLACK, RED = "#f7f4ec", "#8a93a8", "#20242f", "#c0392b"
BACK = "#3f5f8f"
REDS = ("BJ",)
JOKERS = ("SJ", "BJ")
JOKER_LETTERS = 15
LEFT_WIDTH = 150
CHIP, CHIP_LETTERS, CHIP_NAME = 26, 15, 90


class SeatRow(BaseModel):
    """One seat: its cards are counted, and shown only once it is over."""

    seat: Seat
    landlord: bool
    left: int
    score: int
    awaited: bool
    cards: list[str]


class Doubling(BaseModel):
    """What doubled the multiplier, and who did it."""

    by: Seat
    what: str


class HandOver(BaseModel):
    """A hand that is over; nobody has won one that was broken off, which may have had no landlord yet."""

    landlord: Seat
    landlord_won: bool | None
    points: int
    doubled: list[Doubling]
    multiplier: int
    won: list[int]


class Fields(BaseModel):
    """What the picture is drawn from (core.scenes.landlord.showing)."""

    seats: list[SeatRow]
    bottom: list[str]
    hidden: int
    table: list[str]
    by: Seat
    shape: str
    multiplier: int
    hand: list[str]
    over: list[HandOver]


@dataclass(frozen=True, slots=True)
class Strip:
    """Cards in rows under a caption; `backs` lie face down."""

    caption: str
    cards: Sequence[str] = ()
    backs: int = 0

    @property
    def rows(self) -> list[Sequence[str]]:
        """The cards by rows, all about as long."""
        cards = [*self.cards, *[""] * self.backs]
        count = max(1, -(-len(cards) // MOST_IN_ROW))
        each = -(-len(cards) // count)
        return [cards[at : at + each] for at in range(0, len(cards), each)] if cards else []

    @property
    def height(self) -> int:
        """How much room it takes, in pixels."""
        return CAPTION + len(self.rows) * (CARD_HEIGHT + 8) + 6


class Recap:
    """How a hand's multiplier came about: a chip for what it began with, and one for each doubling."""

    def __init__(self, hand: HandOver, number: int, names: Mapping[Seat, str]) -> None:
        side = "landlord" if hand.landlord_won else "farmers"
        ended = "unfinished" if hand.landlord_won is None else f"the {side} won"
        told = [f"Hand {number}", ended, f"×{hand.multiplier}"]
        if hand.landlord:
            stake = max(map(abs, hand.won), default=0) * (1 if hand.landlord_won else -1)
            landlord = fitting(names.get(hand.landlord, "somebody"), SMALL, CHIP_NAME)
            told.append(f"{landlord} (landlord){f' {stake:+d}' if stake else ''}")
        self.caption = " · ".join(told)
        worth, self._chips = hand.points, [f"×{hand.points}"]
        for one in hand.doubled:
            worth *= 2
            self._chips.append(
                f"{fitting(names.get(one.by, 'somebody'), CHIP_LETTERS, CHIP_NAME)}: {one.what} ×{worth}"
            )
        if worth > hand.multiplier:
            self._chips.append(f"at most ×{hand.multiplier}")
        self._rows = [*self._wrapped()]

    @property
    def words(self) -> str:
        """Say in words what it shows."""
        return f"{self.caption}: {', '.join(self._chips)}"

    @property
    def height(self) -> int:
        """How much room it takes, in pixels."""
        return CAPTION + len(self._rows) * (CHIP + 6) + 6

    def draw(self, draw: ImageDraw.ImageDraw, y: int) -> None:
        """Draw it from a height on."""
        write(draw, (MARGIN, y + CAPTION // 2), fitting(self.caption, SMALL, WIDTH - 2 * MARGIN), SMALL, INK)
        top = y + CAPTION
        for row in self._rows:
            x = float(MARGIN)
            for chip in row:
                right = x + _chip_width(chip)
                draw.rounded_rectangle((x, top, right, top + CHIP), radius=CHIP // 2, fill=TRACK)
                write(draw, (x + CHIP // 2, top + CHIP // 2), chip, CHIP_LETTERS, INK)
                x = right + 6
            top += CHIP + 6

    def _wrapped(self) -> Iterator[list[str]]:
        row, x = list[str](), float(MARGIN)
        for chip in self._chips:
            if row and x + _chip_width(chip) > WIDTH - MARGIN:
                yield row
                row, x = [], float(MARGIN)
            row.append(chip)
            x += _chip_width(chip) + 6
        yield row


def _chip_width(chip: str) -> float:
    return width(chip, CHIP_LETTERS) + CHIP


def table(fields: Mapping[str, Json], names: Mapping[Seat, str]) -> bytes:
    """Draw a table from what a seat sees, as a PNG."""
    seen, known = _read(fields, names)
    strips = _strips(seen, known)
    recaps = [Recap(one, number, known) for number, one in enumerate(seen.over, 1)]
    below = sum(one.height for one in strips) + sum(one.height for one in recaps)
    height = MARGIN + ROW * len(seen.seats) + below + MARGIN // 2
    image = Image.new("RGB", (WIDTH, height), GROUND)
    draw, y = ImageDraw.Draw(image), MARGIN // 2
    for one in seen.seats:
        _draw_seat(draw, y, one, known[one.seat])
        y += ROW
    y += MARGIN // 2
    for strip in strips:
        _draw_strip(draw, y, strip)
        y += strip.height
    for recap in recaps:
        recap.draw(draw, y)
        y += recap.height
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def table_words(fields: Mapping[str, Json], names: Mapping[Seat, str]) -> str:
    """Say in words what the picture shows."""
    seen, known = _read(fields, names)
    seats = [
        f"{known[one.seat]}{' (landlord)' if one.landlord else ''} {counted(one.left, 'card')}" for one in seen.seats
    ]
    shown = [one for one in _strips(seen, known) if one.cards or one.backs]
    cards = [f"{one.caption}: {' '.join(one.cards) or counted(one.backs, 'card') + ' face down'}" for one in shown]
    over = [Recap(one, number, known).words for number, one in enumerate(seen.over, 1)]
    return "; ".join([*seats, *cards, *over])


def _read(fields: Mapping[str, Json], names: Mapping[Seat, str]) -> tuple[Fields, Mapping[Seat, str]]:
    seen = Fields.model_validate(dict(fields))
    return seen, {one.seat: without_unseen(names.get(one.seat, "somebody")) for one in seen.seats}


def _strips(seen: Fields, names: Mapping[Seat, str]) -> list[Strip]:
    lies = f"{names.get(seen.by, '')}: {seen.shape}" if seen.table else "Nothing lies on the table"
    found = [Strip(f"Bottom · ×{seen.multiplier}", seen.bottom, seen.hidden), Strip(lies, seen.table)]
    left = [
        Strip(f"{names.get(one.seat, '')} · {counted(one.left, 'card')}", one.cards) for one in seen.seats if one.cards
    ]
    if left:
        return [*found, *left]
    return [*found, Strip("Your hand", seen.hand)] if seen.hand else found


def _draw_seat(draw: ImageDraw.ImageDraw, y: int, one: SeatRow, name: str) -> None:
    middle = y + ROW // 2
    if one.awaited:
        draw.rounded_rectangle((MARGIN - 10, y + 3, WIDTH - MARGIN + 10, y + ROW - 3), radius=9, fill=TRACK)
    colour = COLOURS[2] if one.landlord else COLOURS[0]
    draw.ellipse((MARGIN, middle - 7, MARGIN + 14, middle + 7), fill=colour)
    role = "· landlord" if one.landlord else ""
    room = WIDTH - 2 * MARGIN - LEFT_WIDTH - 34 - width(role, SMALL)
    shown = fitting(name, LARGE - 4, room)
    write(draw, (MARGIN + 26, middle), shown, LARGE - 4, INK)
    write(draw, (MARGIN + 34 + width(shown, LARGE - 4), middle), role, SMALL, colour)
    score = f" · {one.score:+d}" if one.score else ""
    write(draw, (WIDTH - MARGIN, middle), f"{counted(one.left, 'card')}{score}", SMALL, FAINT, right=True)


def _draw_strip(draw: ImageDraw.ImageDraw, y: int, strip: Strip) -> None:
    write(draw, (MARGIN, y + CAPTION // 2), fitting(strip.caption, SMALL, WIDTH - 2 * MARGIN), SMALL, FAINT)
    top = y + CAPTION
    for row in strip.rows:
        room = WIDTH - 2 * MARGIN - CARD_WIDTH
        step = min(STEP, room / max(1, len(row) - 1))
        for at, card in enumerate(row):
            _draw_card(draw, MARGIN + at * step, top, card)
        top += CARD_HEIGHT + 8


def _draw_card(draw: ImageDraw.ImageDraw, x: float, y: int, card: str) -> None:
    box = (x, y, x + CARD_WIDTH, y + CARD_HEIGHT)
    draw.rounded_rectangle(box, radius=6, fill=FACE if card else BACK, outline=EDGE)
    if card:
        size = JOKER_LETTERS if card in JOKERS else LETTERS
        write(draw, (x + 4, y + 15), card, size, RED if card in REDS else BLACK)
