"""Landlord: lead low and long, keep bombs, leave the partner's play alone, and stop who is nearly out of cards."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bot.core.hud.turn import ReadTurn
from bot.core.records import Json
from bot.core.scenes.landlord.cards import (
    BIG_JOKER,
    RANKS,
    SMALL_JOKER,
    TWO,
    Cards,
    names_of,
    of_names,
    read_cards,
    without,
)
from bot.core.scenes.landlord.combinations import LEAST_BOMB, Combination, Shape, reading, readings
from bot.core.scenes.landlord.plays import bodies
from bot.standin.dice import Dice

ENOUGH_TO_CALL, ENOUGH_TO_ROB, ENOUGH_TO_DOUBLE = 5, 6, 10
ENOUGH_TO_BID: Final = (6, 8, 10)  # for 1, 2 and 3 points
NEARLY_OUT, LEFT_ALONE_BELOW = 5, 8  # cards in a hand; the rank of a jack
REMEMBERED: Final = 1 << 14
_SEAT: Final = re.compile(r"(\d+) (landlord|farmer|player) (\d+) cards?( \(you\))?")
_PLAYED: Final = re.compile(r"(.+) by seat (\d+) \(")
_OUT: Final = re.compile(r"(\w+)(?:×(\d))?")


@dataclass(frozen=True, slots=True)
class Look:
    """What a seat sees of the table. `left`: cards in each hand, in order from the seat after one's own."""

    seat: int
    is_landlord: bool
    landlord: int
    left: dict[int, int]
    hand: Cards
    out: Cards
    decks: int
    to_beat: Combination | None
    by: int

    @property
    def danger(self) -> int:
        """How few cards an opponent has left."""
        return min(count for one, count in self.left.items() if self.opposes(one))

    @property
    def following(self) -> int:
        """Who is asked next."""
        return next(iter(self.left))

    def opposes(self, seat: int) -> bool:
        """Tell whether a seat plays against one's own."""
        return self.is_landlord or seat == self.landlord

    def holds_out(self, play: Combination) -> bool:
        """Tell whether nobody else can have anything that beats a play, as far as cards can tell."""
        return not any(body.combination.beats(play) for body in bodies(self.out, self.decks))


def landlord(turn: ReadTurn, dice: Dice) -> dict[str, Json] | None:
    """Give a move: strong hands call, rob and double; the rest is played out from what is seen."""
    hand = of_names(read_cards(turn.facts["Your hand"].split()))
    strong = strength(hand)
    if "play" in turn.moves or ("pass" in turn.moves and turn.facts.get("phase") == "playing"):
        cards = chosen(looked(turn, hand), _suggested(turn))
        return {"type": "pass"} if cards is None else {"type": "play", "cards": [*names_of(cards)]}
    if "double" in turn.moves:
        return {"type": "double" if strong >= ENOUGH_TO_DOUBLE else "no"}
    if "bid" in turn.moves:
        points = [int(one) for one in turn.moves["bid"][0].values if strong >= ENOUGH_TO_BID[int(one) - 1]]
        return {"type": "bid", "points": points[-1]} if points else {"type": "pass"}
    for move, enough in (("call", ENOUGH_TO_CALL), ("rob", ENOUGH_TO_ROB)):
        if move in turn.moves:
            return {"type": move if strong >= enough else "pass"}
    return None


def _suggested(turn: ReadTurn) -> tuple[Cards, ...]:
    play = turn.moves.get("play", ())
    return tuple(of_names(one) for one in play[0].suggested) if play else ()


def looked(turn: ReadTurn, hand: Cards) -> Look:
    """Read what a seat sees."""
    seats = [(int(one[1]), one[2], int(one[3]), bool(one[4])) for one in _SEAT.finditer(turn.facts["Seats"])]
    me = next(at for at, one in enumerate(seats) if one[3])
    order = [*seats[me + 1 :], *seats[:me]]
    still_out = next(told for name, told in turn.facts.items() if name.startswith("Still out"))
    out = [name for one in _OUT.finditer(still_out) for name in _named(one)]
    decks = int(turn.facts["Decks"])
    played = _PLAYED.match(turn.facts["To beat"])
    to_beat = reading(of_names(played[1].split()), decks, None) if played is not None else None
    return Look(
        seat=seats[me][0],
        is_landlord=seats[me][1] == "landlord",
        landlord=next((seat for seat, role, _, _ in seats if role == "landlord"), 0),
        left={seat: count for seat, _, count, _ in order},
        hand=hand,
        out=of_names(out),
        decks=decks,
        to_beat=to_beat,
        by=int(played[2]) if played is not None else 0,
    )


def _named(one: re.Match[str]) -> list[str]:
    return [one[1]] * int(one[2] or 1) if one[1] in RANKS else []


def strength(hand: Cards) -> int:
    """Weigh a hand: jokers, twos, aces and bombs."""
    bombs = sum(count >= LEAST_BOMB for count in hand)
    rocket = 2 if hand[SMALL_JOKER] and hand[BIG_JOKER] else 0
    return 4 * hand[BIG_JOKER] + 3 * hand[SMALL_JOKER] + 2 * hand[TWO] + hand[TWO - 1] + 4 * bombs + rocket


def chosen(look: Look, plays: Sequence[Cards]) -> Cards | None:
    """Choose a play; None: pass."""
    if not plays:
        return None
    if look.hand in plays:
        return look.hand
    winning = [play for play in plays if fewest(without(look.hand, play)) == 1 and look.holds_out(_read(look, play))]
    if winning:
        return min(winning, key=lambda play: (_read(look, play).is_bomb, _read(look, play).key))
    return _led(look, plays) if look.to_beat is None else _followed(look, look.to_beat, plays)


def _read(look: Look, play: Cards) -> Combination:
    return reading(play, look.decks, look.to_beat) or readings(play, look.decks)[0]


def _led(look: Look, plays: Sequence[Cards]) -> Cards:
    """Lead what leaves the fewest plays, low before high; help a partner with one card, give no opponent its last."""
    partners = [one for one in look.left if not look.opposes(one)]
    if look.following in partners and look.left[look.following] <= 2:
        low = [play for play in plays if sum(play) == look.left[look.following] and _read(look, play).key <= TWO - 3]
        if low:
            return min(low, key=lambda play: _read(look, play).key)

    def weight(play: Cards) -> tuple[int, int, int, int]:
        found = _read(look, play)
        gives = sum(play) == look.danger <= 2 and not look.holds_out(found)
        rest = fewest(without(look.hand, play))
        return (found.is_bomb + 2 * gives, rest, -found.key if gives else found.key, -sum(play))

    return min(plays, key=weight)


def _followed(look: Look, lying: Combination, plays: Sequence[Cards]) -> Cards | None:
    """Beat an opponent with what costs least; the partner only where the landlord would be out otherwise."""
    now = fewest(look.hand)
    opposed, danger = look.opposes(look.by), look.danger
    needed = look.following == look.landlord and danger <= 2 and not look.is_landlord and not look.holds_out(lying)
    if not opposed and not needed:
        return None
    pressed = danger <= NEARLY_OUT or look.left.get(look.by, danger) <= NEARLY_OUT

    def weight(play: Cards) -> tuple[int, int, int]:
        found = _read(look, play)
        return (found.is_bomb, fewest(without(look.hand, play)), found.key)

    best = min(plays, key=weight)
    found, rest = _read(look, best), fewest(without(look.hand, best))
    if not opposed:
        whole = [play for play in plays if not _read(look, play).is_bomb]
        return max(whole, key=lambda play: _read(look, play).key, default=None)
    if found.is_bomb and not lying.is_bomb:
        return best if pressed or rest <= 2 else None
    dear = found.key >= TWO and lying.key < LEFT_ALONE_BELOW
    if (rest > now or (dear and rest > 2)) and not pressed:
        return None
    return best


@lru_cache(maxsize=REMEMBERED)
def fewest(hand: Cards) -> int:
    """Estimate in how few plays a hand is out, if nobody beats any: runs first, then triples with what is left."""
    if not any(hand):
        return 0
    best = _without_runs(hand)
    for body in bodies(hand, 1):
        found = body.combination
        if found.shape in (Shape.STRAIGHT, Shape.PAIR_RUN, Shape.PLANE) and _is_longest(hand, body.cards, found):
            rest = without(hand, body.cards)
            helped = found.length if found.shape is Shape.PLANE else 0
            best = min(best, 1 + max(fewest(rest) - helped, 0))
    return best


def _is_longest(hand: Cards, cards: Cards, found: Combination) -> bool:
    """Keep to runs that go on at neither end, or are of the least length."""
    each = max(cards)
    low = found.key - found.length
    ends = [rank for rank in (low, found.key + 1) if 0 <= rank < TWO and hand[rank] >= each]
    return not ends or found.length == 5


def _without_runs(hand: Cards) -> int:
    counts = [sum(count == many for count in hand) for many in (1, 2, 3)]
    bombs = sum(count >= LEAST_BOMB for count in hand)
    rocket = hand[SMALL_JOKER] == hand[BIG_JOKER] == 1
    return bombs + sum(counts) - min(counts[2], counts[0] + counts[1]) - rocket
