"""Watching, as somebody does who says something of the last thing that everybody saw, once."""

from bot.core.hud.turn import ReadTurn
from bot.core.records import Json
from bot.core.scenes.commentary import LONGEST
from bot.core.scenes.showing import COMMENTED
from bot.standin.dice import Dice

PHRASES = (
    "Now it gets interesting: {line}",
    "Did you see that? {line}",
    "I would not like to sit there now. {line}",
    "If you ask me, that decides more than it seems to: {line}",
)


def commentator(turn: ReadTurn, dice: Dice) -> dict[str, Json]:
    """Give what is said: nothing where the last line is one's own already."""
    last = turn.lines[-1] if turn.lines else COMMENTED
    if last.startswith(COMMENTED):
        return {"type": "nothing"}
    words = PHRASES[dice.below(len(PHRASES), "comment")].format(line=last).split()
    return {"type": "comment", "text": " ".join(words[:LONGEST])}
