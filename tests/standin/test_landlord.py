"""The scripted mind at landlord: sound, from what its seat is shown alone, so that both sides win."""

import pytest

from bot.core.scenes.landlord.kind import LANDLORD
from bot.core.scenes.landlord.table import Phase, Table
from bot.standin.tactics.landlord import fewest
from tests.core.scenes.landlord.tables import leading, standing, table
from tests.core.scenes.plays import Playing
from tests.standin.games import asked, played_out

GAMES = 40


def answers(playing: Playing) -> dict[str, object]:
    seat = table(playing).queue[0]
    move = asked(playing, seat)
    playing.move(seat, str(move["type"]), **{name: value for name, value in move.items() if name != "type"})
    return dict(move)


def test_a_farmer_leaves_the_other_farmers_play_alone() -> None:
    playing = leading("3 9 K K 2 2", "5 7 8 J A", "6 6 10 Q 2 4 4")
    playing.move(1, "play", cards=["3"])
    playing.move(2, "play", cards=["8"])
    assert answers(playing) == {"type": "pass"}


def test_a_farmer_beats_the_landlord_with_as_little_as_it_takes() -> None:
    playing = leading("3 9 K K 2 2", "5 7 8 J A", "6 6 10 Q 2 4 4")
    playing.move(1, "play", cards=["3"])
    assert answers(playing) == {"type": "play", "cards": ["5"]}


def test_a_farmer_beats_its_partner_where_the_landlord_would_be_out_else() -> None:
    playing = leading("3 K", "5 7 8 J A 9 10", "6 6 10 Q 2 4 4")
    playing.move(1, "play", cards=["3"])
    playing.move(2, "play", cards=["5"])
    assert answers(playing) == {"type": "play", "cards": ["2"]}


def test_in_whole_games_a_farmer_beats_a_farmer_only_to_win_or_to_stop_the_landlord() -> None:
    left_alone = 0
    for number in range(8):
        playing, _ = played_out(LANDLORD, LANDLORD.options(), 3, f"partners {number}")
        standing = playing.play.begin(playing.seats).standing
        for entry in playing.log:
            was = standing.state
            standing = playing.play.enter(standing, entry).standing
            now = standing.state
            assert isinstance(was, Table)
            assert isinstance(now, Table)
            if was.phase is not Phase.PLAYING or was.on_table is None or was.landlord in (entry.seat, was.leader):
                continue
            left_alone += entry.move == "pass"
            stops = was.queue[1] == was.landlord and sum(was.hand_of(was.landlord)) <= 2
            assert entry.move == "pass" or stops or fewest(now.hand_of(entry.seat)) <= 1, entry
    assert left_alone > 20


def test_whoever_can_be_out_is_out_and_a_bomb_is_kept_while_nobody_is_near_it() -> None:
    playing = leading("3 3 3 4", "5", "6")
    assert answers(playing)["cards"] == ["3", "3", "3", "4"]
    playing = leading("3 5 6 7 8 9 J J K K A A", "4 4 4 4 6 7 9 9 10 J Q Q", "5 6 7 8 8 9 10 10 Q K")
    playing.move(1, "play", cards=["A", "A"])
    assert answers(playing) == {"type": "pass"}


def test_no_opponent_is_led_the_single_that_it_is_waiting_for() -> None:
    playing = leading("3 3 5 Q", "K", "2")
    assert answers(playing)["cards"] == ["3", "3"]


def test_strong_hands_call_and_weak_ones_pass() -> None:
    strong = "3 3 4 5 6 7 8 A A A 2 2 2 SJ BJ K K"
    weak, other = "3 4 4 5 6 7 7 8 8 9 9 10 10 J J Q Q", "3 4 5 5 6 6 7 8 9 9 10 10 J J Q Q K"
    for hands, move in (((strong, weak, other), "call"), ((weak, strong, other), "pass")):
        playing = leading(*hands)
        standing(playing, phase=Phase.CALLING, landlord=0, caller=0, claimant=0)
        assert asked(playing, 1) == {"type": move}


@pytest.mark.long
def test_both_sides_win_often_and_every_move_is_legal() -> None:
    won = 0
    for number in range(GAMES):
        playing, _ = played_out(LANDLORD, LANDLORD.options(), 3, f"game {number}")
        state = table(playing)
        won += state.scores[state.seats.index(state.landlord)] > 0
        assert playing.standing.turns < 100
    assert 0.35 <= won / GAMES <= 0.65
