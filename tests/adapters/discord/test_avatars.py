"""Drawn avatars tell agents apart."""

from io import BytesIO

from PIL import Image

from bot.adapters.discord.faces import SIZE, colour_of, drawn_avatar, initial_of


def test_an_avatar_is_a_small_square_picture() -> None:
    drawn = drawn_avatar(3, "Ada")
    image = Image.open(BytesIO(drawn))
    assert (image.format, image.size) == ("PNG", (SIZE, SIZE))
    assert len(drawn) < 20_000
    assert image.getpixel((2, 2)) == colour_of(3)
    assert len(image.getcolors(maxcolors=100_000) or []) > 10  # there is a letter on it


def test_neighbours_have_different_colours() -> None:
    assert len({colour_of(id) for id in range(200)}) > 150


def test_the_initial_is_the_first_letter_there_is() -> None:
    assert initial_of("ada") == "A"
    assert initial_of("«éclair»") == "É"
    assert initial_of("🌹🌹") == "•"
    assert initial_of("3rd") == "3"


def test_every_name_can_be_drawn() -> None:
    for name in ("Ω", "汉字", "🌹", "ß", "שלום"):
        assert drawn_avatar(1, name)


def test_initials_of_other_scripts_differ() -> None:
    assert len({drawn_avatar(1, name) for name in ("汉", "字", "ש", "ل", "한", "あ")}) == 6
