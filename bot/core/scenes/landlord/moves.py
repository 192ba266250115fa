"""The moves of landlord."""

from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from bot.core.scenes.kind import Move, TextId, Words
from bot.core.scenes.landlord.cards import read_cards

LONGEST_SAID = 30
MOST_POINTS = 3
MOST_CARDS = 40


class Call(Move):
    """Be the landlord, if nobody robs it of you."""

    name: ClassVar[str] = "call"


class Bid(Move):
    """Be the landlord for so many points, if nobody bids more."""

    name: ClassVar[str] = "bid"
    points: int = Field(ge=1, le=MOST_POINTS)


class Rob(Move):
    """Be the landlord instead; what is played for doubles."""

    name: ClassVar[str] = "rob"


class Double(Move):
    """Double what is played for."""

    name: ClassVar[str] = "double"


class No(Move):
    """Do not double."""

    name: ClassVar[str] = "no"


class PlayCards(Move):
    """Play cards from your hand, each named as often as you play it."""

    name: ClassVar[str] = "play"
    cards: Annotated[tuple[str, ...], BeforeValidator(read_cards)] = Field(min_length=1, max_length=MOST_CARDS)


class Pass(Move):
    """Leave it to the others."""

    name: ClassVar[str] = "pass"


class Say(Move):
    """Say something to everybody, once before you play or pass."""

    name: ClassVar[str] = "say"
    free: ClassVar[bool] = True
    text: Annotated[TextId, Words(LONGEST_SAID)]
