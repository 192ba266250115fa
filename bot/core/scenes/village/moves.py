"""The moves of a village."""

from typing import Annotated, ClassVar

from bot.core.scenes.kind import Move, Seat, TextId, Words

ONWARD = "onward"


class Go(Move):
    """Go up to 6 points towards a place, one tile, or onward to where you were going."""

    name: ClassVar[str] = "move"
    place: str


class Walk(Move):
    """Go up to 6 points towards a tile: its column and row, counted from 1 in the north-west."""

    name: ClassVar[str] = "walk"
    x: int
    y: int


class Gather(Move):
    """Take something from the place where you stand; as many as there are and you can carry."""

    name: ClassVar[str] = "gather"
    item: str
    n: int = 1


class Give(Move):
    """Give something to somebody no more than a step away; as many as you have and they can carry."""

    name: ClassVar[str] = "give"
    seat: Seat
    item: str
    n: int = 1


class Eat(Move):
    """Eat food of yours: each piece takes 15 hunger away."""

    name: ClassVar[str] = "eat"
    item: str
    n: int = 1


class Rest(Move):
    """Rest: 15 energy, in a building 30."""

    name: ClassVar[str] = "rest"


class Talk(Move):
    """Say something: who is within 5 steps hears it. Then you may still do something."""

    name: ClassVar[str] = "talk"
    free: ClassVar[bool] = True
    text: Annotated[TextId, Words(60)]


class Whisper(Move):
    """Say something to one who is no more than a step away. Then you may still do something."""

    name: ClassVar[str] = "whisper"
    free: ClassVar[bool] = True
    seat: Seat
    text: Annotated[TextId, Words(60)]


class Look(Move):
    """Look at every tile within 7 steps. Then you may still do something."""

    name: ClassVar[str] = "look"
    free: ClassVar[bool] = True


MOVES = (Go, Walk, Gather, Give, Eat, Rest, Talk, Whisper, Look)
