"""Pictures of scenes, by their kinds: drawn from what a view gives for them, and from nothing else."""

import asyncio
from collections.abc import Callable, Mapping
from io import BytesIO
from math import cos, pi, sin

import discord
from PIL import Image, ImageDraw

from bot.core.records import Json
from bot.core.scenes.showing import Board
from bot.core.terminal import without_unseen
from bot.picture_text import fitting, width, write
from cogs.ui.files import picture
from cogs.ui.pictures import COLOURS, FAINT, GROUND, INK, TRACK
from cogs.ui.village_map import village_map, village_words

Names = Mapping[int, str]
SIDE, RADIUS, FACE = 560, 190, 30
DEAD, NIGHT = "#565d70", "#141722"
LARGE, SMALL = 24, 16


async def scene_picture(kind: str, shown: Mapping[str, Json], names: Names) -> discord.File | None:
    """Draw a scene as a view shows it, without holding others up; None where its kind has no picture."""
    draws = PICTURES.get(kind)
    if draws is None or not shown:
        return None
    png = await asyncio.to_thread(draws[0], shown, names)
    name = f"{kind}.png" if kind in COLOURED else f"{kind}.dark.png"
    return picture(name, png, without_unseen(draws[1](shown, names)))


async def board_picture(board: Board) -> discord.File | None:
    """Draw what everybody sees of a scene; None where its kind has no picture."""
    return await scene_picture(board.kind, board.picture, board.names)


def ring(shown: Mapping[str, Json], names: Names) -> bytes:
    """Draw a ring of faces, the dead grey, with the last ballot as bars towards the middle."""
    image = Image.new("RGB", (SIDE, SIDE), NIGHT if shown.get("night") else GROUND)
    draw = ImageDraw.Draw(image)
    faces = _rows(shown, "ring")
    votes = {_number(one, "seat"): _number(one, "votes") for one in _rows(shown, "bars")}
    most = max(votes.values(), default=1)
    for place, face in enumerate(faces):
        seat, angle = _number(face, "seat"), 2 * pi * place / len(faces) - pi / 2
        x, y = SIDE / 2 + RADIUS * cos(angle), SIDE / 2 + RADIUS * sin(angle)
        if count := votes.get(seat, 0):
            long = (RADIUS - FACE - 80) * count / most
            start = RADIUS - FACE - 28
            ends = [(SIDE / 2 + far * cos(angle), SIDE / 2 + far * sin(angle)) for far in (start, start - long)]
            draw.line(ends, fill=COLOURS[4], width=12)
        _face(draw, (x, y), seat, names, alive=bool(face.get("alive")), votes=count)
    title = f"{'Night' if shown.get('night') else 'Day'} {shown.get('day')}"
    write(draw, (SIDE / 2 - width(title, LARGE) / 2, SIDE / 2), title, LARGE, INK)
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _face(
    draw: ImageDraw.ImageDraw, at: tuple[float, float], seat: int, names: Names, *, alive: bool, votes: int
) -> None:
    """Draw one of them: a disc with its seat, and its name below."""
    x, y = at
    fill = COLOURS[seat % len(COLOURS)] if alive else TRACK
    draw.ellipse((x - FACE, y - FACE, x + FACE, y + FACE), fill=fill, outline=FAINT if alive else DEAD, width=2)
    number = str(seat)
    write(draw, (x - width(number, LARGE) / 2, y), number, LARGE, GROUND if alive else DEAD)
    if not alive:
        draw.line((x - FACE * 0.7, y + FACE * 0.7, x + FACE * 0.7, y - FACE * 0.7), fill=DEAD, width=3)
    name = fitting(without_unseen(names.get(seat, "")) + (f" · {votes}" if votes else ""), SMALL, 110)
    write(draw, (x - width(name, SMALL) / 2, y + FACE + 14), name, SMALL, INK if alive else FAINT)


def ring_words(shown: Mapping[str, Json], names: Names) -> str:
    """Say in words what the ring shows."""
    by_life = {True: list[str](), False: list[str]()}
    for face in _rows(shown, "ring"):
        by_life[bool(face.get("alive"))].append(names.get(_number(face, "seat"), "somebody"))
    votes = [f"{names.get(_number(one, 'seat'), 'somebody')} {_number(one, 'votes')}" for one in _rows(shown, "bars")]
    told = f"Alive: {', '.join(by_life[True]) or 'nobody'}; dead: {', '.join(by_life[False]) or 'nobody'}"
    return told + (f"; last ballot: {', '.join(votes)}" if votes else "")


def _rows(shown: Mapping[str, Json], name: str) -> list[Mapping[str, Json]]:
    rows = shown.get(name)
    return [one for one in rows if isinstance(one, dict)] if isinstance(rows, list) else []


def _number(row: Mapping[str, Json], name: str) -> int:
    value = row.get(name)
    return value if isinstance(value, int) else 0


Draws = tuple[Callable[[Mapping[str, Json], Names], bytes], Callable[[Mapping[str, Json], Names], str]]
PICTURES: Mapping[str, Draws] = {"village": (village_map, village_words), "werewolf": (ring, ring_words)}
COLOURED = frozenset({"village"})  # its colours mean something: no page is to change them
