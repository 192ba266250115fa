"""The scripted mind plays werewolf well enough to be fun: both sides win, and nobody does what no player would."""

from collections import Counter

import pytest

from bot.core.scenes.werewolf.kind import WEREWOLF, WerewolfOptions
from bot.core.scenes.werewolf.state import Werewolf
from bot.core.scenes.werewolf.village import Role
from tests.core.scenes.plays import Playing
from tests.core.scenes.werewolf.test_state import close, day, dealt, night
from tests.standin.games import asked, played_out

GAMES = 60  # of which `make bench ONLY=scenes` plays a thousand


def state_of(playing: Playing) -> Werewolf:
    state = playing.standing.state
    assert isinstance(state, Werewolf)
    return state


@pytest.mark.long
def test_both_sides_win_in_a_village_of_eight_and_a_game_is_short() -> None:
    won, calls = Counter[str](), []
    for seed in range(GAMES):
        playing, count = played_out(WEREWOLF, WerewolfOptions(), 8, str(seed))
        won[state_of(playing).won] += 1
        calls.append(count)
    assert won["village"] + won["wolves"] == GAMES
    assert 0.3 <= won["village"] / GAMES <= 0.7, won
    assert max(calls) <= 130


@pytest.mark.slow
def test_a_wolf_hangs_no_wolf_as_long_as_there_is_another() -> None:
    for seed in range(10):
        playing, _ = played_out(WEREWOLF, WerewolfOptions(), 8, f"wolves {seed}")
        state = state_of(playing)
        for ballot in state.ballots:
            for voter, whom in ballot.votes.items():
                if whom and state.roles[voter] is Role.WOLF:
                    assert state.roles[whom] is not Role.WOLF


def test_what_the_seer_found_is_told_and_followed() -> None:
    playing = dealt("wsvvv")
    night(playing, kills={1: 0}, sees=1)
    said = ""
    while state_of(playing).phase == "talk":
        seat = state_of(playing).speakers[0]
        move = asked(playing, seat)
        said += str(move.get("text", ""))
        playing.move(seat, str(move.pop("type")), **move)
    assert "I am the seer, and Agent1 is a wolf." in said
    votes = {seat: asked(playing, seat)["seat"] for seat in playing.standing.open_seats}
    assert [votes[seat] for seat in (2, 3, 4, 5)] == [1, 1, 1, 1]


def test_who_spared_a_wolf_that_the_seer_named_is_suspected_the_next_day() -> None:
    playing = dealt("wwsvvvvvv")
    night(playing, kills={1: 0, 2: 0}, sees=1)
    while state_of(playing).phase == "talk":
        seat = state_of(playing).speakers[0]
        if seat == 3:
            playing.move(3, "say", text="I am the seer, and Agent1 is a wolf.")
        else:
            playing.move(seat, "silence")
    day(playing, {2: 7, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1})
    playing.move(1, "silence")
    night(playing, kills={2: 3})
    while state_of(playing).phase == "talk":
        playing.move(state_of(playing).speakers[0], "silence")
    votes = {seat: asked(playing, seat)["seat"] for seat in playing.standing.open_seats}
    assert {votes[seat] for seat in (4, 5, 6, 7, 8, 9)} == {2}


def test_the_pack_kills_who_says_to_be_the_seer() -> None:
    playing = dealt("wwsvvvv")
    night(playing, kills={1: 0, 2: 0}, sees=1)
    while state_of(playing).phase == "talk":
        seat = state_of(playing).speakers[0]
        if seat == 3:
            playing.move(3, "say", text="I am the seer, and Agent1 is a wolf.")
        else:
            playing.move(seat, "silence")
    day(playing, {})
    move = asked(playing, 2)
    assert (move["type"], move["seat"]) == ("kill", 3)


def test_the_witch_saves_the_victim() -> None:
    playing = dealt("wwsivvv", first_night_kill=True)
    playing.move(1, "kill", seat=5)
    playing.move(2, "kill", seat=5)
    close(playing)
    assert asked(playing, 4)["type"] == "heal"


def test_a_game_that_it_moderates_goes_to_its_end() -> None:
    playing, _ = played_out(WEREWOLF, WerewolfOptions(talk_moderated=True), 6, "moderated")
    named = [one for one in playing.log if one.move == "schedule"]
    assert state_of(playing).won
    assert named
    assert all(one.seat == 1 and one.arguments["seats"] for one in named)
