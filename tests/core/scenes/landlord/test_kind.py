"""The kind landlord: its shapes in words, and seats that fit its decks."""

from pathlib import Path

from bot.core.scenes.landlord.combinations import Shape
from bot.core.scenes.landlord.kind import LANDLORD, LandlordOptions

PAGE = Path("docs/games.md").read_text().partition("\n## Landlord\n")[2].partition("\n## ")[0]


def test_the_rulebook_names_every_shape() -> None:
    words = LANDLORD.rules.lower()
    assert all(shape.value.partition(" +")[0] in words for shape in Shape)


def test_the_page_names_the_shapes_in_the_order_in_which_cards_are_read() -> None:
    table = PAGE.partition("| shape | what it is |\n")[2].partition("\n\n")[0]
    named = [name.strip() for row in table.splitlines()[1:] for name in row.split("|")[1].split(",")]
    assert named == [shape.value for shape in Shape]


def test_two_decks_are_for_four() -> None:
    assert LandlordOptions(decks=2).refusal(3).startswith("Two decks are for four")
    assert not LandlordOptions(decks=2).refusal(4)
    assert not LandlordOptions().refusal(3)
    assert LandlordOptions().turns == 200
