"""How long windows are open: of an unseen one nothing may be told by that."""

from dataclasses import replace
from datetime import timedelta

from bot.core.records import AgentId, Snowflake
from bot.core.scenes.chat import CHAT, ChatOptions
from bot.core.scenes.kind import Event
from bot.core.scenes.play import Standing, Step
from bot.core.scenes.records import Scene, Seated
from bot.core.scenes.werewolf.kind import WEREWOLF, WerewolfOptions
from bot.core.scenes.werewolf.moves import Hold
from bot.core.scenes.werewolf.state import Werewolf
from bot.core.scenes.werewolf.village import Role
from bot.core.scenes.windows import (
    FLOOR_SECONDS,
    closes_at,
    costs,
    has_people,
    heartbeats,
    is_hidden,
    tells_nobody,
    unseen_lengths,
    window_seconds,
)
from tests.core.scenes.plays import Playing, of
from tests.core.scenes.surfaces import scene_at
from tests.factories import agent
from tests.fakes import START


def with_person(scene: Scene, seat: int) -> Scene:
    """Let a person sit on a seat."""
    seats = tuple(Seated(seat=seat, person_id=Snowflake(9)) if one.seat == seat else one for one in scene.seats)
    return replace(scene, seats=seats, window_at=START)


def drawing(scene: Scene, lengths: int) -> Scene:
    """Have a scene draw so many least lengths for its first window."""
    standing = Standing(state=night_over().standing.state, window=scene.window_step)
    return next(
        one
        for one in (replace(scene, seed=str(number)) for number in range(99))
        if unseen_lengths(one.seed, standing) == lengths
    )


def night_over() -> Playing:
    """Begin a village in whose first night all have moved."""
    playing = of(WEREWOLF, WerewolfOptions(), 5)
    for seat in playing.standing.open_seats:
        form = playing.standing.state.legal(seat)[-1]
        playing.move(seat, form.move.name, seat=int(form.values["seat"][0]))
    return playing


def test_a_night_is_as_long_whoever_of_the_awaited_is_a_person() -> None:
    playing = of(WEREWOLF, WerewolfOptions(), 5)
    scene = scene_at(playing, playing.standing)
    assert {window_seconds(with_person(scene, seat), playing.standing) for seat in playing.seats} == {90}


def test_a_turn_waits_longer_for_a_person() -> None:
    playing = of(CHAT, ChatOptions(), 2)
    scene = scene_at(playing, playing.standing)
    assert [window_seconds(one, playing.standing) for one in (scene, with_person(scene, 1), with_person(scene, 2))] == [
        90,
        120,
        90,
    ]


def test_a_night_in_which_all_have_moved_closes_at_once_or_where_a_person_sits_after_its_least_length() -> None:
    playing = night_over()
    scene = scene_at(playing, playing.standing)
    assert not has_people(scene)
    assert closes_at(replace(scene, window_at=START), playing.standing, START) == START
    assert closes_at(drawing(with_person(scene, 1), 1), playing.standing, START) == START + timedelta(seconds=30)
    fresh = of(WEREWOLF, WerewolfOptions(), 5)
    assert closes_at(scene, fresh.standing, START) is None


def test_how_long_a_model_thinks_at_night_shows_in_whole_lengths_of_it_alone() -> None:
    playing = night_over()
    scene = drawing(with_person(scene_at(playing, playing.standing), 1), 1)
    closing = {late: closes_at(scene, playing.standing, START + timedelta(seconds=late)) for late in (29, 31, 59, 61)}
    assert closing == {late: START + timedelta(seconds=30 * (1 + late // 30)) for late in closing}


def test_a_night_in_which_nobody_is_left_to_act_is_as_long_as_one_in_which_somebody_acted_at_once() -> None:
    """That it is longer than its least length is drawn, so that it does not tell that a witch lives."""
    playing = of(WEREWOLF, WerewolfOptions(), 7)
    state = playing.standing.state
    assert isinstance(state, Werewolf)
    night = state.model_copy(update={"phase": "late night"})
    witch = next(seat for seat, role in state.roles.items() if role is Role.WITCH)
    buried = night.model_copy(update={"alive": tuple(seat for seat in state.alive if seat != witch)})
    lives, is_dead = (playing.standing.but(state=one) for one in (night, buried))
    waited = lives.but(sealed={witch: Hold()})
    lengths = set()
    for number in range(60):
        scene = replace(with_person(scene_at(playing, is_dead), 1), seed=str(number))
        closing = closes_at(scene, waited, START)
        assert closing == START + timedelta(seconds=window_seconds(scene, is_dead))
        lengths.add((closing - START).total_seconds())
    assert lengths == {15, 30, 45}
    scene = with_person(scene_at(playing, is_dead), 1)
    assert window_seconds(scene, lives) == 45
    assert window_seconds(scene_at(playing, is_dead), is_dead) == 1


def test_there_must_be_money_for_who_is_awaited_and_of_an_unseen_window_for_all_when_it_begins() -> None:
    talking = of(CHAT, ChatOptions(), 2)
    scene = scene_at(talking, talking.standing)
    assert not is_hidden(talking.standing)
    assert costs(scene, talking.standing, is_new=False)
    assert not costs(with_person(scene, 1), talking.standing, is_new=True)
    night = of(WEREWOLF, WerewolfOptions(), 5)
    dark = scene_at(night, night.standing)
    assert is_hidden(night.standing)
    assert all(costs(with_person(dark, seat), night.standing, is_new=True) for seat in night.seats)
    assert not costs(dark, night.standing, is_new=False)


def test_a_step_that_only_some_hear_tells_nobody() -> None:
    playing = night_over()
    scene = scene_at(playing, playing.standing)
    some, everybody = Event(text="Psst.", audience=(1,)), Event(text="Hear!")
    assert tells_nobody(WEREWOLF, scene, Step(standing=playing.standing, events=(some,)))
    assert not tells_nobody(WEREWOLF, scene, Step(standing=playing.standing, events=(some, everybody)))
    assert not tells_nobody(WEREWOLF, replace(scene, window_step=99), Step(standing=playing.standing, events=(some,)))
    assert not tells_nobody(CHAT, scene, Step(standing=playing.standing, events=(some,)))


def test_the_first_to_beat_looks_first_and_the_others_once_it_has_answered_or_too_much_time_went_by() -> None:
    slow, quick = (agent(id_, interval_seconds=pace, last_beat_at=START) for id_, pace in ((1, 8.0), (2, 3.0)))
    agents = {one.id: one for one in (slow, quick)}
    due = heartbeats(agents, [AgentId(1), AgentId(2), AgentId(3)], now=START, not_before=START)
    seconds = {id_: (at - START).total_seconds() for id_, at in due.items()}
    assert seconds == {2: 3.0, 1: 8.0 + FLOOR_SECONDS}  # nobody is there whose number is 3


def test_nobody_looks_before_the_last_speech_is_posted() -> None:
    later = START + timedelta(seconds=20)
    assert heartbeats({AgentId(1): agent(1)}, [AgentId(1)], now=START, not_before=later) == {1: later}
