"""The picture of landlord's table: drawn from the view alone, told in words, and with nobody's hand on the board."""

from io import BytesIO

import pytest
from PIL import Image

from bot.core.records import SceneId
from bot.core.scenes.kind import Chance
from bot.core.scenes.landlord.kind import LANDLORD
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import Board
from cogs.ui import landlord_table
from cogs.ui.landlord_table import MOST_IN_ROW, table_words
from cogs.ui.scene_pictures import board_picture, scene_picture
from tests.core.scenes.hidden_landlord import hidden
from tests.core.scenes.landlord.tables import begun, leading, table
from tests.core.scenes.plays import dice, play_out

NAMES = {1: "Wren", 2: "Somebody whose name is longer than any row of a picture has room for", 3: "@你好", 4: "Bo"}


def test_words_say_what_the_picture_shows() -> None:
    playing = leading("3 4 4", "5 9", "SJ BJ")
    playing.move(1, "play", cards=["4", "4"])
    picture = table(playing).view(2).picture
    told = table_words(picture, NAMES)
    assert "Wren (landlord) 1 card; " in told
    assert told.endswith("Wren: pair: 4 4; Your hand: 5 9")
    assert "SJ" not in told
    assert Image.open(BytesIO(landlord_table.table(picture, NAMES))).width == 560


@pytest.mark.slow
def test_the_bytes_of_a_picture_tell_nothing_that_the_seat_may_not_know() -> None:
    other = differing = 0
    for playing in play_out(LANDLORD, dice(3), illegal=False):
        if playing.is_over:
            break  # then all is shown
        state, drawn = table(playing), playing.standing.step % 9 == 0  # to draw takes long: at the others, what of
        for seat in (0, 1):
            unseen = hidden(state, seat, Chance("other", playing.standing.step))
            one, two = (each.view(seat).picture for each in (state, unseen))
            assert one == two
            other += unseen != state
            if drawn:
                assert landlord_table.table(one, NAMES) == landlord_table.table(two, NAMES)
                differing += landlord_table.table(unseen.view(2).picture, NAMES) != landlord_table.table(
                    state.view(2).picture, NAMES
                )
    assert other
    assert differing


def test_at_the_end_it_tells_what_doubled_the_multiplier_of_each_hand() -> None:
    playing = leading("4 4 4 4 3", "5 9", "SJ BJ", hands=2)
    playing.move(1, "play", cards=["4", "4", "4", "4"])
    playing.move(2, "pass")
    assert "Hand 1" not in table_words(table(playing).view(0).picture, NAMES)
    playing.move(3, "play", cards=["SJ", "BJ"])
    told = table_words(table(playing).view(0).picture, NAMES)
    assert "Hand 1 · the farmers won · ×8 · Wren (landlord) -16: ×1, Wren: bomb ×2, @你好: rocket ×4" in told
    assert told.endswith("@你好: counter-spring ×8")
    later = Image.open(BytesIO(landlord_table.table(table(playing).view(0).picture, NAMES)))
    assert later.height > Image.open(BytesIO(landlord_table.table(table(begun()).view(0).picture, NAMES))).height


def test_of_a_hand_that_was_broken_off_it_tells_what_had_doubled_it_and_what_all_held() -> None:
    playing = leading("4 4 4 4 3", "5 9", "SJ BJ", doubles=1)
    playing.move(1, "play", cards=["4", "4", "4", "4"])
    assert "unfinished" not in table_words(table(playing).view(0).picture, NAMES)
    told = table_words(table(playing).revealed().view(2).picture, NAMES)
    assert told.endswith("Hand 1 · unfinished · ×4 · Wren (landlord): ×1, Wren: rob ×2, Wren: bomb ×4")
    assert "Wren · 1 card: 3; " in told
    assert "@你好 · 2 cards: SJ BJ; " in told
    assert "Your hand" not in told
    calling = table(begun()).revealed().view(0).picture
    assert "Hand 1 · unfinished · ×1: ×1" in table_words(calling, NAMES)
    assert Image.open(BytesIO(landlord_table.table(calling, NAMES))).height > 600


def test_a_large_hand_takes_several_rows_and_stays_within_the_picture() -> None:
    playing = begun(4, decks=2)
    for _ in range(3):
        playing.move(table(playing).queue[0], "pass")
    seat = table(playing).queue[0]
    playing.move(seat, "call")
    while table(playing).landlord == 0:
        playing.move(table(playing).queue[0], "pass")
    hand = table(playing).view(seat).picture["hand"]
    assert isinstance(hand, list)
    assert len(hand) == 33 > MOST_IN_ROW
    large = Image.open(BytesIO(landlord_table.table(table(playing).view(seat).picture, NAMES)))
    watched = Image.open(BytesIO(landlord_table.table(table(playing).view(0).picture, NAMES)))
    assert (large.width, large.height > watched.height) == (560, True)


async def test_a_board_is_drawn_for_kinds_that_have_a_picture() -> None:
    state = table(begun())
    board = Board(
        scene_id=SceneId(1),
        window=0,
        title="Landlord 1",
        status=SceneStatus.RUNNING,
        lines=(),
        kind="landlord",
        names=NAMES,
        picture=state.view(0).picture,
    )
    drawn = await board_picture(board)
    assert drawn is not None
    assert (drawn.filename, "3 cards face down" in str(drawn.description)) == ("landlord.png", True)
    assert await scene_picture("solitaire", {"x": 1}, NAMES) is None  # which nobody plays
    assert await scene_picture("landlord", {}, NAMES) is None
