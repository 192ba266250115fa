"""A spectator's commentary: one agent is shown what everybody sees of a scene, and says something of it in its thread.

No rule knows of it: it sits on no seat, its words are no entry of the log, and no seat is shown them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Final

from bot.core.errors import Rejected
from bot.core.records import Json, MessageId
from bot.core.scenes.kind import RULES, Form, Move, Seat, TextId, Words
from bot.core.scenes.moves import read_texts
from bot.core.scenes.records import Scene, SceneEvent
from bot.core.scenes.showing import TEXT, Turn, shown_move, turn_of

LONGEST: Final = 40  # words
EVERY_SECONDS: Final = 30.0  # it looks at most so often, and only once something has happened that everybody sees


class Comment(Move):
    """Say to all who watch, in a sentence or two, what you make of it."""

    name = "comment"
    text: Annotated[TextId, Words(LONGEST)]


class Nothing(Move):
    """Say nothing this time."""

    name = "nothing"


MOVES: Final[tuple[type[Move], ...]] = (Comment, Nothing)


def watching(scene: Scene, events: Sequence[SceneEvent], names: Mapping[Seat, str]) -> Turn | None:
    """Give what the commentator is shown: what whoever watches sees, and what it said before; None before it began."""
    turn = turn_of(scene, events, names, RULES)
    return (
        None
        if turn is None
        else replace(turn, moves=tuple(shown_move(Form(one)) for one in MOVES), deadline_at=None, watches=True)
    )


def words_of(move: str, arguments: Mapping[str, Json]) -> str:
    """Give what is said; empty: nothing. Raises Rejected with a sentence."""
    known = next((one for one in MOVES if one.name == move), None)
    if known is None:
        raise Rejected(f"{move} is no move of who watches: choose comment or nothing.")
    return "".join(read_texts(known, arguments))


def said(scene: Scene, text: str, message_id: MessageId, now: datetime) -> SceneEvent:
    """Give a comment as it is kept: for those who watch, and erased with its message."""
    number = -(scene.events + 1)  # no mark of a move or an event names it
    return SceneEvent(
        id=scene.events + 1,
        step=scene.step,
        kind=TEXT,
        text=text,
        number=number,
        audience=(RULES,),
        message_id=message_id,
        at=now,
    )
