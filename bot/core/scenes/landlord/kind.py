"""The kind `landlord`: its options, its rules in words, and the ways in which it is started with one press."""

from typing import Literal

from pydantic import Field

from bot.core.scenes.kind import Applied, Chance, Options, Ordering, Preset, SceneKind, Seat, Secrecy
from bot.core.scenes.landlord.cards import NONE
from bot.core.scenes.landlord.moves import Bid, Call, Double, No, Pass, PlayCards, Rob, Say
from bot.core.scenes.landlord.table import (
    HAND_SIZES,
    HIGHEST_BASE,
    HIGHEST_CAP,
    MOST_HANDS,
    House,
    SwappedCards,
    Table,
)

DEFAULT_TURNS = 200


class LandlordOptions(Options):
    """By which of the common rules it is played."""

    turns: int = Field(default=DEFAULT_TURNS, ge=1, le=400, description="after how many turns it ends")
    ordering: Ordering = Field(default=Ordering.RULES, description="who is next")
    decks: Literal[1, 2] = Field(default=1, description="two decks are for four")
    hands: int = Field(default=1, ge=1, le=MOST_HANDS, description="how many hands are played")
    base: int = Field(default=1, ge=1, le=HIGHEST_BASE, description="what a hand counts before it is doubled")
    cap: int = Field(default=1_024, ge=1, le=HIGHEST_CAP, description="the multiplier's most")
    points: bool = Field(default=False, description="bid 1 to 3 points instead of calling and robbing")
    robbing: bool = Field(default=True, description="who did not call may rob")
    passers_rob: bool = Field(default=True, description="who passed the call may rob too")
    caller_again: bool = Field(default=True, description="who called may rob back once")
    doubling: bool = Field(default=True, description="each may double before it is played")
    spring: bool = Field(default=True, description="a side that never came to play pays double")

    def begin(self, seats: tuple[Seat, ...], chance: Chance) -> Applied:
        house = House(**{name: getattr(self, name) for name in House.model_fields})
        none = (0,) * len(seats)
        empty = Table(
            seats=seats,
            house=house,
            hands=(NONE,) * len(seats),
            bottom=NONE,
            played=(NONE,) * len(seats),
            plays=none,
            scores=none,
            queue=seats,
        )
        return Applied(empty.anew(chance, seats[chance.below("who is asked first", len(seats))]))

    def refusal(self, seats: int) -> str:
        if (seats, self.decks) not in HAND_SIZES:
            return "Two decks are for four: seat one more, or play with one deck."
        return ""


RULES = """\
A card game: one landlord against all others, the farmers, who are partners. Whoever is out of cards first wins for \
their side. Ranks from low to high: 3 4 5 6 7 8 9 10 J Q K A 2 SJ BJ (small and big joker); suits do not count.

First seats are asked in order whether they `call` (or `bid` points) to be landlord; the others may `rob` that. The \
landlord takes the bottom cards, which all see, and leads. Each may `double`.

Then: lead any combination, or beat the last one with the same shape, as many cards and a higher rank, or with a bomb, \
or `pass`. When all others pass, whoever played last leads anew; who leads may not pass.

Combinations: single; pair; triple; triple + a single or a pair of another rank; straight: 5 or more in a row (3 \
to A); pair run: 3 or more pairs in a row; plane: 2 or more triples in a row, alone or with as many singles (not \
both jokers), or as many pairs of different ranks, none of a rank of the plane; four + 2 singles, or + 2 pairs of \
different ranks. The triples, or the four, decide. Bomb: 4 of a rank (two decks: 4 to 8, more beats fewer), beats \
all of these. Rocket: SJ BJ (two decks: all four jokers), beats all.

Each rob, double, bomb, rocket, and a side that never came to play (farmers no time, the landlord only once) \
doubles the multiplier. The landlord wins or loses it against each farmer.

Play `cards` as their ranks, one for each card: ["3","3"] is a pair of 3. Lead low and long, keep bombs and high \
cards; a farmer does not beat a farmer without need, but stops the landlord, above all when few cards are left."""

LANDLORD = SceneKind(
    kind="landlord",
    version=1,
    title="Landlord",
    rules=RULES,
    seats=(3, 4),
    secrecy=Secrecy.CLOSED,
    orderings=(Ordering.RULES,),
    options=LandlordOptions,
    state=Table,
    edit=SwappedCards,
    moves=(Call, Bid, Rob, Double, No, PlayCards, Pass, Say),
    speech=(Say.name,),
    presets=(
        Preset(name="classic", title="One hand, with robbing and doubling"),
        Preset(
            name="quick",
            title="One hand for points, without robbing and doubling",
            options={"points": True, "robbing": False, "doubling": False},
        ),
        Preset(name="evening", title="Three hands, the scores added up", options={"hands": 3, "turns": 400}),
        Preset(name="two_decks", title="Four seats, two decks, bombs of 4 to 8", options={"decks": 2, "turns": 400}),
    ),
)
