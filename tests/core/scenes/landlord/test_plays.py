"""What can be played from a hand is all that is recognised in it, each once; some of it is suggested."""

from itertools import product

import pytest

from bot.core.scenes.landlord.cards import Cards, names_of, of_names, read_cards
from bot.core.scenes.landlord.combinations import Combination, Shape, readings
from bot.core.scenes.landlord.plays import SUGGESTED_AT_MOST, lowest, plays, suggested
from tests.core.scenes.landlord import referee
from tests.core.scenes.plays import dice


def all_within(hand: Cards) -> list[Cards]:
    return [cards for cards in product(*(range(count + 1) for count in hand)) if any(cards)]


@pytest.mark.parametrize("decks", [1, 2])
def test_what_is_generated_is_what_the_referee_recognises(decks: int) -> None:
    rng = dice(decks)
    for number in range(25):
        first = rng.randrange(10)
        ranks = referee.ORDER[first : first + 4] if number % 2 else referee.ORDER
        pool = [card for card in ranks for _ in range(referee.there_are(card, decks))]
        hand = of_names(rng.sample(pool, min(len(pool), rng.randint(1, 9))))
        known = {cards: referee.reads(names_of(cards), decks) for cards in all_within(hand)}
        generated = list(plays(hand, decks))
        assert len(generated) == len(set(generated))
        assert set(generated) == {cards for cards, found in known.items() if found}
        lying = rng.choice([one for found in known.values() for one in found])
        to_beat = Combination(Shape(lying[0]), lying[2], lying[1])
        beating = {cards for cards, found in known.items() if any(referee.may_beat(one, lying) for one in found)}
        assert set(plays(hand, decks, to_beat)) == beating
        assert set(suggested(hand, decks, to_beat)) <= beating
        assert bool(suggested(hand, decks, to_beat)) is bool(beating)


@pytest.mark.parametrize("decks", [1, 2])
def test_of_whole_hands_few_plays_are_suggested_all_of_them_legal_and_all_shapes_among_them(decks: int) -> None:
    rng = dice(7)
    for _ in range(30):
        pool = [card for card in referee.ORDER for _ in range(referee.there_are(card, decks))]
        hand = of_names(rng.sample(pool, 20 if decks == 1 else 33))
        some = suggested(hand, decks)
        assert 1 <= len(some) <= SUGGESTED_AT_MOST
        everything = set(plays(hand, decks))
        assert set(some) <= everything
        shapes = {readings(cards, decks)[0].shape for cards in everything}
        assert len({readings(cards, decks)[0].shape for cards in some}) >= len(shapes) - 1


def test_what_is_suggested_tears_nothing_apart_where_it_need_not() -> None:
    hand = of_names(read_cards("3 44 555 6666 7 A SJ BJ"))
    single, *_ = (names_of(one) for one in suggested(hand, 1) if sum(one) == 1)
    with_triple = next(names_of(one) for one in suggested(hand, 1) if sum(one) == 4 and one[2] == 3)
    assert single == ("3",)
    assert with_triple == ("3", "5", "5", "5")
    assert lowest(hand) == 0
