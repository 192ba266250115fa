"""Seats under people's eyes: one message for each, which is kept up to date while Discord lets it be edited.

An answer that one person alone sees can be edited for fifteen minutes after they pressed something.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import discord

from bot.client import SelfroomClient
from bot.core.scenes.moves import NOT_ASKED
from bot.core.scenes.showing import Turn
from bot.core.sentences import Sentence
from bot.core.wording import honest

SHOWN_LINES = 8
SHOWN_CHARACTERS = 1_900
LINES_CHARACTERS = 500  # that are kept free for what was told last
QUESTION_CHARACTERS = 700  # of what is decided on, beside the buttons
SHORTEST_CUT = 40
LAST_EDITS: Final = timedelta(seconds=60)  # before Discord takes no edit any more
AWAY = Sentence("You are away: it goes on without waiting for you until you come back.")
MORE = "-# … → *History*"  # what all see stands there, too, from the beginning
AT_REST = "-# This is not kept up to date any more: press *My seat* to see how it is now."

Interaction = discord.Interaction[SelfroomClient]
Key = tuple[int, int, int]  # server, scene, person


@dataclass(frozen=True, slots=True)
class Look:
    """How a seat is shown in one message; `moves` and `picture` tell whether view and picture are others."""

    text: str
    moves: str
    view: Callable[[], discord.ui.View | None]
    picture: str
    draw: Callable[[], Awaitable[list[discord.File]]]

    def differs(self, other: "Look | None") -> bool:
        """Tell whether there is something else to see."""
        return other is None or (self.text, self.moves, self.picture) != (other.text, other.moves, other.picture)


@dataclass(slots=True)
class Watched:
    """The message in which somebody looks at their seat, and the press by which it may be edited."""

    interaction: Interaction | None = None
    message_id: int = 0
    shows: Look | None = None
    waits: bool = False
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)

    def lasts(self, now: datetime) -> bool:
        """Tell whether Discord still takes edits for a while."""
        return self.interaction is not None and now < self.interaction.expires_at - LAST_EDITS


class Seats:
    """Who looks at which seat, and where."""

    def __init__(self) -> None:
        self._watched: dict[Key, Watched] = {}

    def of(self, interaction: Interaction, scene_id: int) -> Watched:
        """Give where somebody looks at their seat in a scene, or will."""
        return self._watched.setdefault((interaction.guild_id or 0, scene_id, interaction.user.id), Watched())

    def at(self, guild_id: int, scene_id: int) -> Iterator[tuple[Interaction, Watched]]:
        """Give everybody who looks at their seat in a scene."""
        for (guild, scene, _), one in list(self._watched.items()):
            if (guild, scene) == (guild_id, scene_id) and one.interaction is not None:
                yield one.interaction, one

    def scenes(self) -> set[tuple[int, int]]:
        """Give the scenes, by server and number, in which somebody looks at a seat."""
        return {(guild, scene) for (guild, scene, _), one in self._watched.items() if one.interaction is not None}

    async def show(self, interaction: Interaction, scene_id: int, look: Look) -> None:
        """Show a seat where this press asked for it, and take away what showed it before.

        Whoever presses may not see that any more: no client keeps over a restart what one person alone was told.
        """
        watched = self.of(interaction, scene_id)
        earlier, message_id = watched.interaction, watched.message_id
        watched.shows = watched.shows if interaction.message and interaction.message.id == message_id else None
        shown = await self._edit(watched, interaction, look)
        watched.interaction, watched.message_id = interaction, shown.id
        if earlier is not None and message_id != shown.id and not earlier.is_expired():
            with suppress(discord.HTTPException):  # they closed it
                await earlier.delete_original_response()

    async def bring_up(self, watched: Watched, look: Callable[[], Awaitable[Look]]) -> None:
        """Show how a seat is now where somebody looks at it; who waits for their turn here sees all until then."""
        if watched.waits:
            return
        watched.waits = True
        async with watched.busy:
            watched.waits = False
            shown = await look()
            if watched.interaction is not None and shown.differs(watched.shows):
                await self._edit(watched, watched.interaction, shown)

    @property
    def any_shown(self) -> bool:
        """Whether anybody looks at a seat."""
        return bool(self._watched)

    async def rest(self, now: datetime) -> None:
        """Have each message say so of which Discord will take no edits any more, and look after it no longer."""
        for key, one in list(self._watched.items()):
            if one.busy.locked() or one.lasts(now):
                continue
            del self._watched[key]
            if one.interaction is not None and one.shows is not None:
                with suppress(discord.HTTPException):
                    await one.interaction.edit_original_response(content=f"{one.shows.text}\n{AT_REST}")

    def forget(self, interaction: Interaction, scene_id: int) -> None:
        """Look after a seat no longer."""
        self._watched.pop((interaction.guild_id or 0, scene_id, interaction.user.id), None)

    @staticmethod
    async def _edit(watched: Watched, by: Interaction, look: Look) -> discord.InteractionMessage:
        was = watched.shows
        is_drawn = was is not None and was.picture == look.picture  # what stands there stays
        files: Sequence[discord.File] = discord.utils.MISSING if is_drawn else await look.draw()
        shown = await by.edit_original_response(content=look.text, view=look.view(), attachments=files)
        watched.shows = look
        return shown


SEATS = Seats()


def seat_text(turn: Turn, note: str = "") -> str:
    """Word what a seat sees, as far as one message has room: what is its own, what was told last, what all see.

    `note`: what came of the last move, before all else. What is decided on now stands beside the buttons.
    """
    head, asked = [*([note] if note else []), honest(_head(turn))], _asked(turn)
    room = SHOWN_CHARACTERS - _long([*head, MORE, asked])
    seen = [one for one in turn.facts if not (turn.moves and one == turn.question)]
    own, facts = ([_fact(*one) for one in some] for some in (turn.private, seen))
    last = [honest(f"> {line}") for line in reversed(turn.lines[-SHOWN_LINES:])]
    mine = _fitting(own, room)
    shown = _fitting(facts, room - _long(mine) - min(_long(last), LINES_CHARACTERS))
    told = _fitting(last, room - _long([*mine, *shown]))
    more = [MORE] if (mine, shown) != (own, facts) else []
    return "\n".join([*head, *mine, *shown, *reversed(told), *more, asked])


def _long(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _fitting(lines: Sequence[str], room: int) -> list[str]:
    """Give the first of the lines, as many as there is room for, the last of them perhaps cut short."""
    found = list[str]()
    for line in lines:
        if len(line) + 1 > room:
            return [*found, f"{line[: room - 2]}…"] if room >= SHORTEST_CUT else found
        found.append(line)
        room -= len(line) + 1
    return found


def asked_text(turn: Turn) -> str:
    """Word that a seat is asked, and on what it decides: nothing of what it alone sees."""
    return f"{honest(_head(turn))}\n{_asked(turn)}"


def _fact(name: str, told: str) -> str:
    return honest(f"**{name}**: {told}")


def _head(turn: Turn) -> str:
    return f"**{turn.kind.title} {turn.scene_id}**, seat {turn.seat} · {turn.phase}"


def _asked(turn: Turn) -> str:
    if turn.seat in turn.away:
        return AWAY
    if not turn.moves:
        return NOT_ASKED
    until = f" Until <t:{int(turn.deadline_at.timestamp())}:T>." if turn.deadline_at else ""
    question = _fitting([_fact(*turn.question)], QUESTION_CHARACTERS) if turn.question else []
    return "\n".join([*question, honest(f"It is your turn.{until}")])
