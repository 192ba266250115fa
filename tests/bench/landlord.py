"""Figures of landlord: cards read twice, and who wins with the scripted mind on every seat."""

from collections import Counter

from bot.core.scenes.landlord.cards import of_names
from bot.core.scenes.landlord.combinations import readings
from bot.core.scenes.landlord.kind import LANDLORD
from bot.core.scenes.landlord.table import Table
from tests.bench import Figure
from tests.core.scenes.landlord import referee
from tests.core.scenes.plays import dice
from tests.standin.games import played_out

LARGER = 1_000_000
WHOLE_GAMES = 1_000


def run() -> list[Figure]:
    """Measure."""
    return [*recognised(), *won()]


def recognised(larger: int = LARGER) -> list[Figure]:
    """Read all multisets of 8 cards or fewer and many larger ones, mostly near to plays; neither knows the other."""
    different = many = plays = 0
    for decks in (1, 2):
        book = referee.book(decks, 8)
        for cards in referee.multisets(decks, 8):
            many += 1
            different += _ours(cards, decks) != book.get(cards, [])
    rng = dice(8)
    for number in range(larger):
        decks = 1 + number % 2
        cards = referee.some_cards(rng, decks)
        found = referee.reads(cards, decks)
        plays += bool(found)
        different += _ours(cards, decks) != found
    return [
        Figure(name="landlord.recognised_differently", value=different, unit="multisets", target=0),
        Figure(name="landlord.multisets_of_8_or_fewer", value=many, unit="multisets"),
        Figure(name="landlord.larger_multisets_of_which_plays", value=plays / larger, unit="share"),
    ]


def _ours(cards: tuple[str, ...], decks: int) -> list[referee.Read]:
    return [(one.shape.value, one.length, one.key) for one in readings(of_names(cards), decks)]


def won(games: int = WHOLE_GAMES) -> list[Figure]:
    """Have the scripted mind play on all three seats, from what each is shown: neither models nor Discord are in it."""
    sides, calls, multipliers = Counter[bool](), 0, list[int]()
    for number in range(games):
        playing, asked = played_out(LANDLORD, LANDLORD.options(), 3, f"g{number}")
        state = playing.standing.state
        assert isinstance(state, Table)
        sides[state.scores[state.seats.index(state.landlord)] > 0] += 1
        calls += asked
        multipliers.append(state.multiplier)
    return [
        Figure(name="landlord.won_by_the_landlord_at_most", value=sides[True] / games * 100, unit="%", target=65),
        Figure(name="landlord.won_by_the_farmers_at_most", value=sides[False] / games * 100, unit="%", target=65),
        Figure(name="landlord.calls_a_hand", value=calls / games, unit="calls"),
        Figure(name="landlord.multiplier_mean", value=sum(multipliers) / games, unit="×"),
    ]
