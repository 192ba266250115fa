"""Agents' drawn pictures on their webhooks: a decoration, for which no word waits long."""

import asyncio
import colorsys
from dataclasses import dataclass
from io import BytesIO

import structlog
from PIL import Image, ImageDraw

from bot.adapters.discord.territory import Place
from bot.adapters.discord.webhooks import Webhooks
from bot.core.errors import PublishError
from bot.core.records import AgentId
from bot.picture_text import stretches

PATIENCE_SECONDS = 1.0  # what a post waits for a picture that is not there yet
AGAIN_SECONDS = 60.0  # after a failure, and twice as long after each further one
LONGEST_AGAIN_SECONDS = 3_600.0
MOST_DOUBLINGS = 10
log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Dressing:
    """How far one channel's webhook is with its picture."""

    task: asyncio.Task[None] | None = None
    stale: bool = False  # it shows an earlier name's initial
    failures: int = 0
    not_before: float = 0.0


class Faces:
    """Gives addresses of pictures, and sets what is missing beside everything else."""

    def __init__(self, webhooks: Webhooks) -> None:
        self._webhooks = webhooks
        self._dressings: dict[int, Dressing] = {}

    async def of(self, place: Place, agent_id: AgentId, name: str, *, redraw: bool = False) -> str | None:
        """Give the address of the picture; None when it cannot be had just now: it is tried again later."""
        dressing = self._dressings.setdefault(place.id, Dressing())
        dressing.stale |= redraw
        picture = (await self._webhooks.of(place)).picture
        if picture is not None and not dressing.stale:
            return picture
        if dressing.task is None and asyncio.get_running_loop().time() >= dressing.not_before:
            dressing.task = asyncio.create_task(self._dress(dressing, place, agent_id, name))
        if dressing.task is not None:
            await asyncio.wait([dressing.task], timeout=PATIENCE_SECONDS)
        return (await self._webhooks.of(place)).picture

    async def _dress(self, dressing: Dressing, place: Place, agent_id: AgentId, name: str) -> None:
        dressing.stale = False
        try:
            await self._webhooks.dress(place, drawn_avatar(agent_id, name))
            dressing.failures = 0
        except PublishError as error:
            rest = min(AGAIN_SECONDS * 2 ** min(dressing.failures, MOST_DOUBLINGS), LONGEST_AGAIN_SECONDS)
            dressing.stale = True
            dressing.failures += 1
            dressing.not_before = asyncio.get_running_loop().time() + rest
            log.info("an avatar could not be set", agent=agent_id, why=error.sentence, again_in_seconds=rest)
        finally:
            dressing.task = None

    async def close(self) -> None:
        """Leave what is under way."""
        running = [one.task for one in self._dressings.values() if one.task is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


SIZE = 256
GOLDEN = 0.618033988749895  # steps of the golden ratio keep the colours of neighbouring ids far apart


def colour_of(agent_id: int) -> tuple[int, int, int]:
    """Give the agent's own colour: always of the same brightness, so that white letters read well on it."""
    red, green, blue = colorsys.hls_to_rgb(agent_id * GOLDEN % 1.0, 0.42, 0.55)
    return round(red * 255), round(green * 255), round(blue * 255)


def initial_of(name: str) -> str:
    """Give the letter or digit that stands for a name; names of signs only get a dot."""
    return next((character for character in name if character.isalnum()), "•").upper()[:1]


def drawn_avatar(agent_id: int, name: str) -> bytes:
    """Draw the avatar as PNG, 256 pixels square."""
    image = Image.new("RGB", (SIZE, SIZE), colour_of(agent_id))
    (initial,) = stretches(initial_of(name), round(SIZE * 0.6))
    draw = ImageDraw.Draw(image)
    draw.text((SIZE / 2, SIZE / 2), initial.text, font=initial.font, fill="white", anchor="mm")
    out = BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()
