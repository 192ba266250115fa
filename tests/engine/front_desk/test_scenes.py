"""What people see of scenes: what is public, their own seat, and whether the log folds into what is kept."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import ParamSpec, TypeVar

import pytest

from bot.core.errors import NotFound, Rejected, TooMuch
from bot.core.records import Snowflake
from bot.core.scenes.records import Scene, SceneStatus
from bot.engine.front_desk import FrontDesk
from tests.engine.test_moderation import front_desk
from tests.engine.theatre import BOSS
from tests.engine.town import Town, town
from tests.factories import GUILD_ID, person
from tests.fakes import START, OpenBench
from tests.storage.scenes import THREAD, a_council

P = ParamSpec("P")
T = TypeVar("T")
MIRA, ROB = person("mira", 501), person("rob", 502)


class Overtaxed(OpenBench):
    """A workshop that gives everything up."""

    async def done(self, lane: int, work: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> T:
        raise TooMuch


async def council(here: Town, **fields: object) -> tuple[FrontDesk, Scene]:
    async with here.store.writing(here.community_id) as write:
        await write.people.put(here.community_id, MIRA)
        scene = await a_council(write, here.community_id, **fields)
    return front_desk(here), scene


async def test_a_scene_is_found_by_its_number_and_by_its_thread() -> None:
    async with town() as here:
        desk, scene = await council(here)
        assert [one.id for one in await desk.scenes.all(GUILD_ID)] == [scene.id]
        assert (await desk.scenes.find(GUILD_ID, scene.id)).title == "Tea"
        found = await desk.scenes.at(GUILD_ID, THREAD)
        assert found is not None
        assert found.id == scene.id
        assert await desk.scenes.at(GUILD_ID, None) is None
        assert await desk.scenes.in_thread(GUILD_ID, Snowflake(4_711)) is None
        with pytest.raises(NotFound, match="no scene 77 here: /scene list"):
            await desk.scenes.find(GUILD_ID, 77)


async def test_while_it_runs_everybody_is_told_what_is_public_and_afterwards_all() -> None:
    async with town() as here:
        desk, scene = await council(here)
        running = await desk.scenes.told(GUILD_ID, scene.id)
        assert running.lines == []  # what was said stands in the thread, and the motion is for two seats
        over = await council(here, status=SceneStatus.OVER, thread_id=Snowflake(6_009))
        told = await desk.scenes.told(GUILD_ID, over[1].id)
        assert "moves:" in str(told.lines)


async def test_a_seat_is_shown_to_who_sits_in_it() -> None:
    async with town() as here:
        desk, scene = await council(here)
        turn = await desk.scenes.seat(GUILD_ID, scene.id, MIRA)
        assert turn.scene_id == scene.id
        with pytest.raises(Rejected, match="do not sit"):
            await desk.scenes.seat(GUILD_ID, scene.id, ROB)
        async with here.store.writing(here.community_id) as write:
            await write.scenes.keep(replace(scene, standing={"state": {}}))
        with pytest.raises(Rejected, match="not played any more"):
            await desk.scenes.seat(GUILD_ID, scene.id, MIRA)


async def test_a_log_that_folds_into_what_is_kept_is_told_to_and_one_that_does_not_too() -> None:
    async with town() as here:
        desk, scene = await council(here)
        told = await desk.scenes.replay(GUILD_ID, scene.id, who=BOSS.id)
        assert told == f"Scene {scene.id}: 1 step folded again, every digest is as it was."
        _, other = await council(here, digest="elsewhere", thread_id=Snowflake(6_009))
        assert "ends elsewhere than what is kept" in await desk.scenes.replay(GUILD_ID, other.id, who=BOSS.id)
        _, old = await council(here, status=SceneStatus.OVER, ended_at=START, thread_id=Snowflake(6_011))
        async with here.store.writing(here.community_id) as write:
            later = START + timedelta(days=1)
            await write.upkeep.forget(here.community_id, messages_before=START, huds_before=START, logs_before=later)
        assert "is kept no longer (`log_days`)" in await desk.scenes.replay(GUILD_ID, old.id, who=BOSS.id)
        assert (await desk.scenes.told(GUILD_ID, old.id)).lines == []
        _, changed = await council(here, first_digest="otherwise", thread_id=Snowflake(6_010))
        assert "comes out differently" in await desk.scenes.replay(GUILD_ID, changed.id, who=BOSS.id)


async def test_a_log_is_folded_where_it_keeps_nobody_waiting_however_long_that_takes() -> None:
    async with town() as here:
        desk, scene = await council(here)
        refused = replace(desk.scenes, office=replace(desk.scenes.office, workshop=Overtaxed()))
        with pytest.raises(TooMuch):
            await refused.replay(GUILD_ID, scene.id, who=BOSS.id)


async def test_a_scene_that_has_not_begun_has_no_log_to_be_folded() -> None:
    async with town() as here:
        desk, scene = await council(here, standing={}, status=SceneStatus.LOBBY)
        with pytest.raises(Rejected, match="no log"):
            await desk.scenes.replay(GUILD_ID, scene.id, who=BOSS.id)
        with pytest.raises(Rejected, match="not begun yet"):
            await desk.scenes.seat(GUILD_ID, scene.id, MIRA)
