"""A table of landlord: calling, robbing, doubling, playing, scored."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Final, TypeVar

from pydantic import BeforeValidator, Field

from bot.core.errors import Rejected
from bot.core.scenes.kind import (
    MOST_TURNS,
    Applied,
    Chance,
    Edit,
    Event,
    Expect,
    Few,
    Form,
    Frozen,
    Move,
    Over,
    Seat,
    Seen,
    State,
)
from bot.core.scenes.landlord import showing
from bot.core.scenes.landlord.cards import (
    NONE,
    RANKS,
    Cards,
    Heap,
    both,
    dealt,
    holds,
    names_of,
    of_names,
    pack,
    read_cards,
    without,
    words_of,
)
from bot.core.scenes.landlord.combinations import Combination, reading
from bot.core.scenes.landlord.moves import MOST_POINTS, Bid, Call, Double, No, Pass, PlayCards, Rob, Say
from bot.core.scenes.landlord.plays import REMEMBERED, lowest, suggested
from bot.core.scenes.landlord.scoring import Doubled, Played, counted
from bot.core.sentences import Sentence

T = TypeVar("T")
DEALS_AT_MOST: Final = 3
MOST_HANDS, HIGHEST_BASE, HIGHEST_CAP = 5, 1_000, 65_536
HAND_SIZES: Final = {(3, 1): (17, 3), (4, 1): (13, 2), (4, 2): (25, 8)}  # by seats and decks: each hand, the bottom


class Phase(StrEnum):
    """What is going on."""

    CALLING = "calling"
    ROBBING = "robbing"
    DOUBLING = "doubling"
    PLAYING = "playing"
    SCORED = "scored"


class House(Frozen):
    """The rules as they were chosen for this table."""

    decks: int = Field(default=1, ge=1, le=2)
    hands: int = Field(default=1, ge=1, le=MOST_HANDS)
    base: int = Field(default=1, ge=1, le=HIGHEST_BASE)
    cap: int = Field(default=1_024, ge=1, le=HIGHEST_CAP)
    points: bool = False  # one bids points instead of calling and robbing
    robbing: bool = True
    passers_rob: bool = True
    caller_again: bool = True
    doubling: bool = True
    spring: bool = True


class SwappedCards(Edit):
    """Two seats change some cards of their hands."""

    seat: Seat
    other: Seat
    gives: Annotated[tuple[str, ...], BeforeValidator(read_cards)]
    takes: Annotated[tuple[str, ...], BeforeValidator(read_cards)]


class Table(State):
    """Where a hand stands. Hands, played cards, plays and scores are in the order of seats."""

    house: House
    phase: Phase = Phase.CALLING
    hand: int = Field(default=1, ge=1, le=MOST_HANDS)  # which one it is
    deals: int = 1  # of this hand
    hands: Annotated[tuple[Heap, ...], Few]
    bottom: Heap
    played: Annotated[tuple[Heap, ...], Few]
    plays: Annotated[tuple[int, ...], Few]  # how often each has played
    scores: Annotated[tuple[int, ...], Few]
    queue: Annotated[tuple[Seat, ...], Few]  # who is asked in this phase, the next one first
    passed: Annotated[tuple[Seat, ...], Few] = ()
    caller: Seat = 0  # who called, or bid most
    claimant: Seat = 0  # who is landlord if nobody robs any more
    points: int = Field(default=1, ge=1, le=MOST_POINTS)
    doubled: Annotated[tuple[Doubled, ...], Field(max_length=MOST_TURNS)] = ()
    over: Annotated[tuple[Played, ...], Field(max_length=MOST_HANDS)] = ()  # the hands before; this one once scored
    landlord: Seat = 0
    on_table: Combination | None = None
    cards: Heap = NONE  # that lie there
    leader: Seat = 0  # who played them
    said: bool = False

    @property
    def multiplier(self) -> int:
        """What the base counts: every doubling, up to the cap."""
        return min(self.house.cap, self.points << len(self.doubled))

    @property
    def is_over(self) -> bool:
        """Whether no hand is played any more."""
        return self.phase is Phase.SCORED

    @property
    def farmers(self) -> tuple[Seat, ...]:
        """All but the landlord, in order from it."""
        return self.after(self.landlord)

    def after(self, seat: Seat) -> tuple[Seat, ...]:
        """Give the other seats, in order from that one."""
        at = self.seats.index(seat)
        return (*self.seats[at + 1 :], *self.seats[:at])

    def hand_of(self, seat: Seat) -> Cards:
        """Give a seat's cards."""
        return self.hands[self.seats.index(seat)]

    def with_doubling(self, seat: Seat, what: str) -> tuple[Doubled, ...]:
        """Give what doubled it, with one thing more."""
        return (*self.doubled, Doubled(by=seat, what=what))

    def next(self) -> Expect | Over:
        if self.phase is Phase.SCORED:
            return self._over(self._leading())
        return Expect(seats=self.queue[:1])

    def legal(self, seat: Seat) -> tuple[Form, ...]:
        if self.phase is Phase.SCORED or seat != self.queue[0]:
            return ()
        match self.phase:
            case Phase.CALLING if self.house.points:
                least = self.points + 1 if self.caller else 1
                return (Form(Bid, {"points": tuple(range(least, MOST_POINTS + 1))}), Form(Pass))
            case Phase.CALLING:
                return (Form(Call), Form(Pass))
            case Phase.ROBBING:
                return (Form(Rob), Form(Pass))
            case Phase.DOUBLING:
                return (Form(Double), Form(No))
        return self._legal_cards(seat)

    def _legal_cards(self, seat: Seat) -> tuple[Form, ...]:
        forms = _forms(self.hand_of(seat), self.house.decks, self.on_table)
        return forms if self.said else (*forms, Form(Say))

    def check(self, seat: Seat, move: Move) -> str:
        if not isinstance(move, PlayCards):
            return ""
        cards = of_names(move.cards)
        if not holds(self.hand_of(seat), cards):
            short = next(name for name, left in zip(RANKS, without(self.hand_of(seat), cards), strict=True) if left < 0)
            return f"You do not have so many {short}: play cards of your hand."
        if reading(cards, self.house.decks, None) is None:
            return f"{words_of(cards)} is no combination: play one of those in the rules."
        if reading(cards, self.house.decks, self.on_table) is None:
            return f"{words_of(cards)} does not beat what lies there: play the same shape and higher, a bomb, or pass."
        return ""

    def apply(self, seat: Seat, move: Move, chance: Chance) -> Applied:
        match move:
            case Say(text=text):
                said = Event(text=f"{{t{text}}}", speaker=seat, kind="say")
                return Applied(self.model_copy(update={"said": True}), (said,))
            case PlayCards(cards=names):
                return self._play(seat, of_names(names), chance)
            case Call() | Bid():
                return self._call(seat, move)
            case Rob():
                robbed: dict[str, object] = {"claimant": seat, "doubled": self.with_doubling(seat, "rob")}
                return self._asked(robbed, f"{{s{seat}}} robs: ×2.", chance)
            case Double():
                return self._asked({"doubled": self.with_doubling(seat, "double")}, f"{{s{seat}}} doubles: ×2.", chance)
            case No():
                return self._asked({}, f"{{s{seat}}} does not double.", chance)
        if self.phase is Phase.PLAYING:
            return self._pass(seat)
        return self._asked({"passed": (*self.passed, seat)}, f"{{s{seat}}} passes.", chance)

    def timeout(self, seat: Seat) -> Move:
        if self.phase is Phase.DOUBLING:
            return No()
        if self.phase is Phase.PLAYING and self.on_table is None:
            return PlayCards(cards=(RANKS[lowest(self.hand_of(seat))],))
        return Pass()

    def closed(self, why: str) -> Over:
        return self._over(f"{why.capitalize()}: the hand that was played counts for nobody. {self._leading()}")

    def edit(self, change: Edit) -> "Table":
        if not isinstance(change, SwappedCards) or not {change.seat, change.other} <= {*self.seats}:
            raise Rejected(Sentence("Nobody plays on that seat: choose two that are taken."))
        given, taken = of_names(change.gives), of_names(change.takes)
        if sum(given) != sum(taken) or change.seat == change.other:
            raise Rejected(Sentence("Two seats change as many cards: give one for each that is taken."))
        mine = both(without(self.hand_of(change.seat), given), taken)
        others = both(without(self.hand_of(change.other), taken), given)
        hands = self._with(self._with(self.hands, change.seat, mine), change.other, others)
        return self.model_copy(update={"hands": hands})

    def valid(self) -> str:
        lacks = any(count < 0 for hand in self.hands for count in hand)
        return "They do not have these cards: choose from their hands." if lacks else ""

    def view(self, seat: Seat) -> Seen:
        return showing.seen(self, seat)

    def revealed(self) -> "Table":
        return self.model_copy(update={"phase": Phase.SCORED})

    def _call(self, seat: Seat, move: Call | Bid) -> Applied:
        """Somebody would be landlord; who could do it instead is asked next."""
        if isinstance(move, Bid):
            told = f"{{s{seat}}} bids {move.points}."
            left = () if move.points == MOST_POINTS else self.queue[1:]
            update: dict[str, object] = {"caller": seat, "claimant": seat, "points": move.points, "queue": left}
            state = self.model_copy(update=update)
            return _told(told, state if left else state.crowned())
        asked = self.after(seat) if self.house.robbing else ()
        if not self.house.passers_rob:
            asked = tuple(one for one in asked if one not in self.passed)
        update = {"caller": seat, "claimant": seat, "queue": asked, "phase": Phase.ROBBING}
        state = self.model_copy(update=update)
        return _told(f"{{s{seat}}} calls.", state if asked else state.crowned())

    def _asked(self, update: dict[str, object], told: str, chance: Chance) -> Applied:
        """Whoever was asked has answered: the next one is, or what the answers come to follows."""
        who, left = self.queue[0], self.queue[1:]
        state = self.model_copy(update={**update, "queue": left})
        if left:
            return _told(told, state)
        match self.phase:
            case Phase.CALLING if not state.caller:
                return _told(told, state._redealt(chance))
            case Phase.ROBBING if self.house.caller_again and state.claimant != self.caller != who:
                return _told(told, state.model_copy(update={"queue": (self.caller,)}))
            case Phase.DOUBLING:
                return _told(told, state._led())
        return _told(told, state.crowned())

    def _redealt(self, chance: Chance) -> Applied:
        """All have passed: new cards, and the next seat is first; after some deals the first in order has to."""
        first = self.passed[0]
        if self.deals >= DEALS_AT_MOST:
            told = f"Nobody would be landlord in {DEALS_AT_MOST} deals: it is {{s{first}}}, who was asked first."
            return _told(told, self.model_copy(update={"claimant": first}).crowned())
        state = self.anew(chance, self.after(first)[0], deals=self.deals + 1)
        return Applied(state, (Event(text=f"All pass: new cards; {{s{state.queue[0]}}} is asked first."),))

    def anew(self, chance: Chance, first: Seat, *, deals: int = 1, hand: int | None = None) -> "Table":
        """Give the table with new cards dealt; `first`: who is asked first."""
        each, bottom = HAND_SIZES[len(self.seats), self.house.decks]
        sizes = [each] * len(self.seats) + [bottom]
        *hands, bottom_cards = dealt(pack(self.house.decks), sizes, chance, "the cards")
        return Table(
            seats=self.seats,
            away=self.away,
            house=self.house,
            hand=hand or self.hand,
            deals=deals,
            hands=tuple(hands),
            bottom=bottom_cards,
            played=(NONE,) * len(self.seats),
            plays=(0,) * len(self.seats),
            scores=self.scores,
            over=self.over,
            queue=(first, *self.after(first)),
        )

    def crowned(self) -> Applied:
        """The claimant is landlord, and takes the bottom, which all see."""
        seat = self.claimant
        hands = self._with(self.hands, seat, both(self.hand_of(seat), self.bottom))
        state = self.model_copy(update={"landlord": seat, "hands": hands, "phase": Phase.DOUBLING})
        told = Event(text=f"{{s{seat}}} is landlord, and takes the bottom: {words_of(self.bottom)}.", kind="landlord")
        if not self.house.doubling:
            return Applied(state._led().state, (told,))
        return Applied(state.model_copy(update={"queue": (*state.farmers, seat)}), (told,))

    def _led(self) -> Applied:
        queue = (self.landlord, *self.farmers)
        return Applied(self.model_copy(update={"phase": Phase.PLAYING, "queue": queue, "said": False}))

    def _play(self, seat: Seat, cards: Cards, chance: Chance) -> Applied:
        found = reading(cards, self.house.decks, self.on_table)
        if found is None:
            raise ValueError("these cards were not checked")
        left, at = without(self.hand_of(seat), cards), self.seats.index(seat)
        update: dict[str, object] = {
            "hands": self._with(self.hands, seat, left),
            "played": self._with(self.played, seat, both(self.played[at], cards)),
            "plays": self._with(self.plays, seat, self.plays[at] + 1),
            "doubled": self.with_doubling(seat, found.shape) if found.is_bomb else self.doubled,
            "on_table": found,
            "cards": cards,
            "leader": seat,
            "queue": (*self.after(seat), seat),
            "said": False,
        }
        state = self.model_copy(update=update)
        doubled = ": ×2" if found.is_bomb else ""
        told = f"{{s{seat}}} plays {words_of(cards)} ({found.shape}{doubled}); {sum(left)} left."
        return _told(told, state if sum(left) else state._scored(seat, chance))

    def _pass(self, seat: Seat) -> Applied:
        """Leave it to the next; when all others have, who played last leads anew."""
        queue = (*self.queue[1:], seat)
        update: dict[str, object] = {"queue": queue, "said": False}
        if queue[0] == self.leader:
            update |= {"on_table": None, "cards": NONE}
        return _told(f"{{s{seat}}} passes.", self.model_copy(update=update))

    def _scored(self, winner: Seat, chance: Chance) -> Applied:
        """Somebody is out of cards: count, and deal the next hand if there is one."""
        landlord_won, at = winner == self.landlord, self.seats.index(self.landlord)
        springs = self.house.spring and (sum(self.plays) == self.plays[at] if landlord_won else self.plays[at] == 1)
        what = "spring" if landlord_won else "counter-spring"
        state = self.model_copy(update={"doubled": self.with_doubling(winner, what)} if springs else {})
        stake = self.house.base * state.multiplier * (1 if landlord_won else -1)
        won = [stake * len(self.farmers) if seat == self.landlord else -stake for seat in self.seats]
        scores = tuple(had + more for had, more in zip(self.scores, won, strict=True))
        hand = Played(
            landlord=self.landlord,
            landlord_won=landlord_won,
            points=state.points,
            doubled=state.doubled,
            multiplier=state.multiplier,
            won=tuple(won),
        )
        state = state.model_copy(update={"scores": scores, "phase": Phase.SCORED, "over": (*self.over, hand)})
        spring = f" A {what}: ×2." if springs else ""
        side = "the landlord wins" if landlord_won else "the farmers win"
        counts = f"It counts ×{state.multiplier}: {counted(self.seats, won)}."
        told = f"{{s{winner}}} is out of cards: {side}.{spring} {counts}"
        if self.hand < self.house.hands:
            first = self.seats[chance.below("who is asked first", len(self.seats))]
            state = state.anew(chance, first, hand=self.hand + 1)
        return Applied(state, (Event(text=told, kind="scored"),))

    def _with(self, of: Sequence[T], seat: Seat, value: T) -> tuple[T, ...]:
        """Give what there is of each seat, with another value for one."""
        at = self.seats.index(seat)
        return (*of[:at], value, *of[at + 1 :])

    def _leading(self) -> str:
        won = [f"{{s{seat}}}" for seat, score in zip(self.seats, self.scores, strict=True) if score > 0]
        names = " and ".join([", ".join(won[:-1]), won[-1]] if len(won) > 1 else won) or "Nobody"
        return f"{names} won: {counted(self.seats, self.scores)}."

    @property
    def won_by(self) -> str:
        by = Counter("the landlord" if hand.landlord_won else "the farmers" for hand in self.over)
        return ", ".join(who if of == 1 else f"{who} ×{of}" for who, of in sorted(by.items()))

    def _over(self, outcome: str) -> Over:
        words = {True: "won", False: "lost"}
        results = {
            seat: (words[score > 0] if score else "even", score)
            for seat, score in zip(self.seats, self.scores, strict=True)
        }
        return Over(outcome=outcome, results=results)


@lru_cache(maxsize=REMEMBERED)
def _forms(hand: Cards, decks: int, to_beat: Combination | None) -> tuple[Form, ...]:
    """Give the forms of who is to play: who can beat what lies there, or leads, may play; who follows may pass."""
    ranks = tuple(name for name, count in zip(RANKS, hand, strict=True) if count)
    plays = tuple(map(names_of, suggested(hand, decks, to_beat)))
    playing = (Form(PlayCards, {"cards": ranks}, suggested={"cards": plays}),) if plays else ()
    return playing if to_beat is None else (*playing, Form(Pass))


def _told(text: str, after: Table | Applied) -> Applied:
    """Give what was done, and what followed from it."""
    told = Event(text=text)
    if isinstance(after, Applied):
        return Applied(after.state, (told, *after.events))
    return Applied(after, (told,))
