"""The kind landlord: rules that are short enough for a prompt, and seats that fit its decks."""

from bot.core.hud.turn import rules_of
from bot.core.scenes.landlord.combinations import Shape
from bot.core.scenes.landlord.kind import LANDLORD, LandlordOptions
from bot.tokens import tokenizer_for


def test_rules_moves_and_answer_fit_into_a_prompt_and_name_every_shape() -> None:
    assert tokenizer_for("gpt-4o-mini").count(rules_of(LANDLORD)) <= 900
    words = LANDLORD.rules.lower()
    assert all(shape.value.partition(" +")[0] in words for shape in Shape)


def test_two_decks_are_for_four() -> None:
    assert LandlordOptions(decks=2).refusal(3).startswith("Two decks are for four")
    assert not LandlordOptions(decks=2).refusal(4)
    assert not LandlordOptions().refusal(3)
    assert LandlordOptions().turns == 200
