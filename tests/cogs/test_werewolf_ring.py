"""The ring of werewolf: who lives, the last ballot, and at the end who was what and what happened each day."""

from io import BytesIO

import pytest
from PIL import Image

from bot.core.scenes.kind import Chance
from bot.core.scenes.werewolf.kind import WEREWOLF, WerewolfOptions
from cogs.ui.pictures import WIDTH
from cogs.ui.werewolf_ring import LINE, ring, ring_words
from tests.core.scenes.hidden_werewolf import hidden
from tests.core.scenes.plays import dice, of, play_out
from tests.core.scenes.werewolf.test_state import day, dealt, night, state_of

NAMES = {seat: f"Agent {seat}" for seat in range(1, 17)}


def image(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png))


def test_while_it_is_played_it_tells_who_lives_and_the_last_ballot_and_no_roles() -> None:
    playing = dealt("wsvvv")
    night(playing, kills={1: 0})
    day(playing, {1: 3, 2: 3, 4: 3})
    picture = state_of(playing).view(0).picture
    told = ring_words(picture, NAMES)
    assert told == "Alive: Agent 1, Agent 2, Agent 4, Agent 5; dead: Agent 3; last ballot: Agent 3 3"
    assert picture["days"] == []
    assert image(ring(picture, NAMES)).size == (WIDTH, WIDTH)


def test_at_the_end_it_tells_who_was_what_and_who_died_and_voted_each_day() -> None:
    playing = dealt("wsvvv")
    night(playing, kills={1: 0})
    day(playing, {1: 3, 2: 3, 4: 3})
    playing.move(3, "silence")
    night(playing, kills={1: 4})
    day(playing, {2: 1, 5: 1, 1: 5})
    assert playing.is_over
    picture = state_of(playing).view(0).picture
    told = ring_words(picture, NAMES)
    assert told.startswith("The village has won; Alive: Agent 2 (seer), Agent 5 (villager); dead: Agent 1 (wolf), ")
    assert "day 1: Agent 1 and Agent 2 and Agent 4 for Agent 3, Agent 3 hanged" in told
    assert told.endswith("day 2: Agent 4 killed, Agent 2 and Agent 5 for Agent 1, Agent 1 for Agent 5, Agent 1 hanged")
    shown = image(ring(picture, NAMES))
    assert shown.width == WIDTH
    assert shown.height >= WIDTH + 2 * LINE


def test_long_days_take_several_lines_and_names_stay_within_the_picture() -> None:
    names = {seat: f"Somebody with a very long name {seat}" for seat in NAMES}
    *_, playing = play_out(WEREWOLF, dice(5), illegal=False)
    assert playing.is_over
    assert image(ring(state_of(playing).view(0).picture, names)).width == WIDTH
    crowd = of(WEREWOLF, WerewolfOptions(), 16)
    assert image(ring(state_of(crowd).view(0).picture, names)).size == (WIDTH, WIDTH)


@pytest.mark.slow
def test_the_bytes_of_a_picture_tell_nothing_that_the_seat_may_not_know() -> None:
    other = 0
    for playing in play_out(WEREWOLF, dice(3), illegal=False):
        state = state_of(playing)
        if state.won:
            break
        if playing.standing.step % 9:
            continue
        for seat in (0, 1):
            unseen = hidden(state, seat, Chance("other", playing.standing.step))
            assert ring(state.view(seat).picture, NAMES) == ring(unseen.view(seat).picture, NAMES)
            other += unseen != state
    assert other
