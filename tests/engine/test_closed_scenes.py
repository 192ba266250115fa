"""Closed scenes in a community that beats: a side of their own, nights nobody can read, and a game to its end."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.core.actions import DirectScene, LeaveSeat, TakeSeat
from bot.core.after_beat import FAILURES_TOLD
from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable
from bot.core.gate import Ready, verdict
from bot.core.kinds import ReasonKind
from bot.core.records import PUBLIC_SIDE, AgentId, Json, Side
from bot.core.scenes.records import Scene, SceneStatus
from bot.core.scenes.showing import play_of
from bot.core.scenes.werewolf.state import Werewolf
from bot.core.scenes.werewolf.village import Role
from bot.core.spending import Spending
from bot.standin.player import played
from tests.core.test_gate import claimed
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, Theatre, theatre
from tests.storage.lines import kept_beats

SECRET = "Grauwacke"
WOLF = "You are: wolf, alive"


def knowing(text: str, moves: dict[str, object]) -> dict[str, Json]:
    """Play soundly, and whisper a word to the pack."""
    if "pack" in moves and SECRET not in text:
        return {"type": "pack", "text": f"{SECRET}, my friends."}
    answer = played(text)
    assert answer is not None
    move = answer["move"]
    assert isinstance(move, dict)
    return move


def village(scene: Scene) -> Werewolf:
    """Give where the game stands."""
    play = play_of(scene)
    assert play is not None
    state = play.unpacked(scene.standing).state
    assert isinstance(state, Werewolf)
    return state


async def until(stage: Theatre, phase: str, *, most: int = 400) -> Werewolf:
    """Let time pass until a phase."""
    for _ in range(most):
        state = village(await stage.scene())
        if state.phase == phase:
            return state
        await stage.run(1)
    raise AssertionError(f"no {phase}")


@pytest.mark.slow
async def test_agents_alone_play_werewolf_to_its_end_and_the_log_proves_it() -> None:
    async with theatre(Player(knowing), agents=8) as stage:
        await stage.opened("werewolf", 8)
        for _ in range(600):
            if not (await stage.scene()).status.is_open:
                break
            await stage.run(1)
        scene = await stage.scene()
        assert scene.status is SceneStatus.OVER
        assert "won" in scene.outcome
        assert await stage.replays()
        assert {one.result for one in scene.seats} <= {"won", "lost", "drew"}
        assert not any("Grauwacke" in post.content for _, post in stage.house.publisher.posts)
        assert any("Grauwacke" in one for one in await stage.lines())


async def test_what_a_wolf_owns_to_by_day_is_heard_by_all_and_nothing_of_what_it_whispered() -> None:
    told = "I am a wolf, and I own to it."

    def honest(text: str, moves: dict[str, object]) -> dict[str, Json]:
        return {"type": "say", "text": told} if WOLF in text and "say" in moves else knowing(text, moves)

    model = Player(honest)
    async with theatre(model, agents=6) as stage:
        await stage.opened("werewolf", 6)
        await until(stage, "ballot")
        await stage.run(5)
        said = [post.content for _, post in stage.house.publisher.posts]
        wolves = [role for role in village(await stage.scene()).roles.values() if role is Role.WOLF]
        assert (said.count(told), SECRET in str(said)) == (len(wolves), False)
        others = [call.input for call in model.calls if WOLF not in call.input]
        assert any(told in one for one in others)
        assert not any(SECRET in one for one in others)


async def test_a_turn_in_a_closed_scene_is_a_beat_on_a_side_of_its_own_and_never_a_shared_call() -> None:
    async with theatre(Player(knowing), agents=6) as stage:
        await stage.opened("werewolf", 6)
        await until(stage, "ballot")
        async with stage.house.store.reading() as read:
            beats = [
                beat
                for id_ in range(1, 7)
                for beat in await kept_beats(read.beats, stage.house.community_id, AgentId(id_), limit=20)
            ]
        turns = [beat for beat in beats if beat.scene_id == SCENE]
        assert turns
        assert {beat.side for beat in turns} == {Side(-SCENE)}
        assert {beat.agents_in_call for beat in turns} == {1}


async def test_a_turn_goes_before_everything_once_twenty_seconds_are_left_however_short_its_window_is() -> None:
    async with theatre(Player(knowing), agents=8) as stage:
        await stage.opened("werewolf", 8, first_night_kill=True)
        state = await until(stage, "late night")  # which is the witch's, and has 45 seconds
        witch = next(AgentId(seat) for seat, role in state.roles.items() if role is Role.WITCH)
        until_at = (await stage.scene()).deadline_at
        assert until_at is not None
        view = await stage.house.view(witch)
        (turn,) = view.reasons[witch]
        called = replace(turn, kind=ReasonKind.ADDRESSED, scene_id=None)
        for left, first in ((21, called), (20, turn)):
            claim = replace(claimed(called, turn), agent_id=witch)
            judged = verdict(view, claim, until_at - timedelta(seconds=left), Spending())
            assert isinstance(judged, Ready)
            assert judged.first == first, left


async def test_that_the_model_of_who_is_asked_at_night_fails_is_told_to_nobody() -> None:
    model = Player(lambda text, moves: ModelUnreachable("The line is down."))
    async with theatre(model, agents=6) as stage:
        await stage.opened("werewolf", 6, MIRA)
        await stage.run(60)
        assert len(model.calls) > 2 * FAILURES_TOLD  # wolf and seer, again and again
        assert village(await stage.scene()).phase == "night"
        assert not [what for what in stage.house.publisher.done if what[0] == "notify"]
        view = await stage.house.view(*range(1, 7))
        assert {room.fault_told_at for room in view.all_rooms.values()} == {None}


async def test_what_is_kept_on_a_turn_stays_on_the_scenes_side() -> None:
    def keeping(text: str, moves: dict[str, object]) -> dict[str, Json] | str:
        kept = [{"type": "set", "path": "secret.word", "value": SECRET}]
        return json.dumps({"thoughts": SECRET, "move": knowing(text, moves), "actions": kept})

    async with theatre(Player(keeping), agents=5) as stage:
        await stage.opened("werewolf", 5)
        await until(stage, "ballot")
        async with stage.house.store.reading() as read:
            view = await read.views.whole(
                stage.house.community_id, agent_ids=[AgentId(id_) for id_ in range(1, 6)], messages=5, minds=None
            )
        knew = {side for (_, side), mind in view.minds.items() if SECRET in str(mind.knowledge)}
        assert knew == {Side(-SCENE)}
        again = [call.input for call in stage.house.model.calls if "secret" in call.input]
        assert again  # what was kept is shown on the next turn there
        await stage.done(DirectScene(scene_id=SCENE, what="stop"))
        stage.house.model.calls.clear()
        await stage.house.hear("Good evening, Agent1!", who="mira", id=MIRA.id)
        await stage.run(20)
        elsewhere = [call.input for call in stage.house.model.calls]
        assert elsewhere
        assert not [one for one in elsewhere if SECRET in one]
        assert view.mind_of(AgentId(1), PUBLIC_SIDE).knowledge == {}


async def test_a_night_with_a_person_in_it_lasts_its_least_length_whoever_moved() -> None:
    async with theatre(Player(knowing), agents=7) as stage:
        await stage.opened("werewolf", 7, MIRA)
        began = stage.house.clock.now()
        await until(stage, "late night")
        person = next(one.seat for one in (await stage.scene()).seats if one.person_id is not None)
        role = village(await stage.scene()).roles[person]
        least = 30 if role not in ("wolf", "seer") else 90
        assert stage.house.clock.now() - began >= timedelta(seconds=least - 1)
        await until(stage, "talk")
        assert stage.house.clock.now() - began >= timedelta(seconds=least + 14)


async def test_agents_alone_do_not_wait_out_the_night() -> None:
    async with theatre(Player(knowing), agents=8) as stage:
        await stage.opened("werewolf", 8)
        began = stage.house.clock.now()
        await until(stage, "talk")
        assert stage.house.clock.now() - began <= timedelta(seconds=25)


async def test_at_night_the_board_is_not_drawn_anew_when_somebody_moves() -> None:
    async with theatre(Player(knowing), agents=7) as stage:
        await stage.opened("werewolf", 7, MIRA)
        boards = stage.house.publisher.boards
        await stage.run(25)
        assert (await stage.scene()).step >= 3
        nights = [one for one in boards if one.lines[0] == "**Night**"]
        assert len(nights) == 1


async def test_what_agents_carried_in_a_closed_scene_goes_some_time_after_it() -> None:
    def keeping(text: str, moves: dict[str, object]) -> str:
        kept = [{"type": "set", "path": "word", "value": SECRET}]
        return json.dumps({"thoughts": "", "move": knowing(text, moves), "actions": kept})

    async with theatre(Player(keeping), agents=5) as stage:
        await stage.opened("werewolf", 5)
        await until(stage, "talk")
        house = stage.house

        async def carried() -> int:
            async with house.store.reading() as read:
                view = await read.views.whole(
                    house.community_id, agent_ids=[AgentId(1), AgentId(2)], messages=1, minds=None
                )
            return sum(side < 0 for _, side in view.minds)

        async def forget() -> None:
            times = dict.fromkeys(("messages_before", "huds_before"), house.clock.now() - timedelta(days=1))
            async with house.store.writing(house.community_id) as write:
                await write.upkeep.forget(house.community_id, logs_before=house.clock.now(), **times)

        await forget()
        assert await carried()  # it goes on
        await stage.done(DirectScene(scene_id=SCENE, what="stop"))
        await stage.run(2)
        await forget()
        assert not await carried()


async def test_what_the_dead_write_into_the_thread_is_taken_away_and_that_is_told_once() -> None:
    async with theatre(Player(knowing), agents=6) as stage:
        await stage.opened("werewolf", 6, MIRA)
        thread_id, house = (await stage.scene()).thread_id, stage.house
        await house.hear("I am alive.", thread_id=thread_id, who="mira", id=MIRA.id)
        await dies(stage, 7)
        for _ in range(2):
            await house.hear("It was Agent1!", thread_id=thread_id, who="mira", id=MIRA.id)
        await stage.run(2)
        assert len([one for one in house.publisher.done if one[0] == "remove"]) == 2
        posts = [post.content for _, post in house.publisher.posts]
        assert len([one for one in posts if "Whoever is out of the game" in one]) == 1
        assert "It was Agent1!" not in str(await stage.events())


async def test_a_community_may_let_the_lines_of_the_dead_stand() -> None:
    async with theatre(Player(knowing), agents=6, config=CommunityConfig(scene_dead_write=True)) as stage:
        await stage.opened("werewolf", 6, MIRA)
        thread_id, house = (await stage.scene()).thread_id, stage.house
        await dies(stage, 7)
        await house.hear("It was Agent1!", thread_id=thread_id, who="mira", id=MIRA.id)
        await stage.run(2)
        assert not [one for one in house.publisher.done if one[0] == "remove"]
        assert "It was Agent1!" not in str(await stage.events())


async def dies(stage: Theatre, seat: int, **others: object) -> None:
    """Let a seat be out of the game, and whatever else is to stand be so as well."""
    scene, of = await stage.scene(), stage.house.community_id
    play = play_of(scene)
    assert play is not None
    alive = tuple(one for one in village(scene).alive if one != seat)
    standing, there = play.unpacked(scene.standing), village(scene).model_copy(update={"alive": alive, **others})
    async with stage.house.store.writing(of) as write:
        await write.scenes.keep(replace(scene, standing=replace(standing, state=there).packed()))


async def test_what_somebody_writes_into_the_thread_who_is_to_be_hanged_are_their_last_words() -> None:
    async with theatre(Player(knowing), agents=6) as stage:
        await stage.opened("werewolf", 6, MIRA)
        scene, house = await stage.scene(), stage.house
        await dies(stage, 7, phase="last words", condemned=7)
        await house.hear("It was not me.", thread_id=scene.thread_id, who="mira", id=MIRA.id)
        await stage.run(2)
        assert village(await stage.scene()).phase == "night"
        assert "@mira: It was not me." in await stage.lines()
        assert not [one for one in house.publisher.done if one[0] == "remove"]


async def test_nobody_looks_at_one_seat_of_a_closed_scene_after_the_other() -> None:
    async with theatre(Player(knowing), agents=7) as stage:
        await stage.opened("werewolf", 6, BOSS, MIRA)  # where nobody sat, who watches was told all
        await stage.done(LeaveSeat(scene_id=SCENE, agent_id=1))
        await stage.done(LeaveSeat(scene_id=SCENE), BOSS)
        for seat in range(1, 7):
            assert "its own" in await stage.refused(TakeSeat(scene_id=SCENE, seat=seat))
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=7, seat=1))
        await stage.done(TakeSeat(scene_id=SCENE, seat=7))


async def test_the_metrics_tell_no_more_of_a_night_in_which_models_fail() -> None:
    """That a call failed, came late or was lost tells as well that somebody acted: of a room that all see it counts."""
    tries = iter(range(1_000))

    def choose(text: str, moves: dict[str, Any]) -> dict[str, Json] | Exception:
        return ModelUnreachable("Nobody is there.") if next(tries) % 2 == 0 else knowing(text, moves)

    async with theatre(Player(choose), agents=7) as stage:
        await stage.opened("werewolf", 7, MIRA, first_night_kill=True)
        await stage.run(10)
        metrics = stage.house.metrics
        assert next(tries) > 7
        told = {*metrics.counts, *metrics.observed}
        assert not told & {
            "model_failures",
            "calls_overtaken",
            "calls_broken",
            "beats_lost",
            "lateness_seconds",
            "beats",
        }
