"""What may be done among werewolves, as it is worded to people and models."""

from bot.core.scenes.showing import hint_of
from bot.core.scenes.werewolf.kind import WEREWOLF
from bot.core.scenes.werewolf.moves import (
    LONGEST_LAST,
    LONGEST_PACK,
    LONGEST_SAID,
    Heal,
    Hold,
    Kill,
    LastWords,
    Pack,
    Say,
)


def test_only_what_wolves_say_to_each_other_leaves_their_vote_open_and_a_moderator_uses_up_no_turn() -> None:
    assert [move.name for move in WEREWOLF.moves if move.free] == ["pack", "schedule"]
    assert len({move.name for move in WEREWOLF.moves}) == len(WEREWOLF.moves)


def test_who_may_choose_nobody_is_told_so_and_potions_take_no_more_than_their_name() -> None:
    assert "0 for nobody" in hint_of(Kill)
    assert not Heal.model_fields.keys() - {"name"}
    assert Hold.name == "wait"


def test_words_are_bounded_as_the_rules_say() -> None:
    assert (LONGEST_SAID, LONGEST_PACK, LONGEST_LAST) == (120, 60, 60)
    for move, most in ((Say, LONGEST_SAID), (Pack, LONGEST_PACK), (LastWords, LONGEST_LAST)):
        assert f"{most}" in str(move.model_fields["text"].metadata)
