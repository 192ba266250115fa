"""Scenes that were played are played on from a step of theirs, and what came of it is counted."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from bot.core.changes import UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.records import AgentId, Snowflake
from bot.core.scenes.records import Scene, SceneStatus
from bot.core.scenes.showing import begun, play_of
from bot.core.timelines.records import NOW, ROOT, AtStep, Cut, Edge, NodeId, Point, Timeline, Tree, TreeId, TreeKey
from bot.engine.front_desk.office import Office
from bot.engine.front_desk.timelines import Timelines
from bot.engine.performer import Performer
from bot.engine.timelines.house import Orchard, Treasury
from bot.engine.timelines.looking import children_compared
from storage.tables import MOVES
from storage.timelines.trees import SqlTrees
from tests.engine.test_closed_scenes import knowing, until
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, Theatre, theatre
from tests.engine.timelines.garden import TOKENIZER, Asked, Garden, operations
from tests.factories import GUILD_ID
from tests.fakes import START, PlainCipher, SeededRandom

SIBLINGS = 8


@asynccontextmanager
async def forked(
    stage: Theatre, folder: Path, point: Point, played_by: tuple[AgentId, ...] = (), rooms: tuple[AgentId, ...] = ()
) -> AsyncIterator[Garden]:
    """Fork a community in which scenes are played."""
    house = stage.house
    trees = SqlTrees(folder, CommunityConfig(usd_per_day=None))
    cut = Cut(rooms=rooms, point=point, played_by=played_by)
    image = await house.store.image(house.community_id, cut, now=house.clock.now())
    tree = Tree(
        key=TreeKey(house.community_id, TreeId(1)),
        title="",
        rooms=rooms,
        point=point,
        made_by=Snowflake(BOSS.id),
        made_at=START,
        at=image.at,
        seed="seed",
        revision="",
        program="1",
    )
    made = Garden(house, trees, Asked(house.model), None, tree)  # type: ignore[arg-type]
    made.operations = operations(trees, made.house, made)
    made.tree = await made.operations.begin(tree, image)
    try:
        yield made
    finally:
        await made.operations.close()
        await trees.close()


def office_of(stage: Theatre, grown: Garden) -> tuple[Office, Orchard]:
    """Give what a front desk stands on, with this one's trees."""
    house = stage.house
    treasury = Treasury(house.store, house.model, grown.trees, house.clock, places=8)
    performer = Performer(cipher=PlainCipher(), tokenizer=TOKENIZER)
    office = Office(house.store, performer, house.clock, SeededRandom(), lambda: None)
    return office, Orchard(
        trees=grown.trees, images=house.store, grower=grown.operations, treasury=treasury, program="1"
    )


async def told_of(stage: Theatre, grown: Garden) -> Timeline:
    """Let the community know of its tree."""
    tree = Timeline(
        community_id=stage.house.community_id,
        id=grown.key.id,
        room_id=AgentId(1),
        title="fog",
        made_by=Snowflake(BOSS.id),
        usd_cap=CommunityConfig().timeline_usd,
        created_at=START,
        expires_at=START,
    )
    async with stage.house.store.writing(stage.house.community_id) as write:
        await write.timelines.keep(tree)
    return tree


@pytest.mark.long
async def test_eight_siblings_play_last_nights_ballot_on_and_it_is_told_how_often_who_won(tmp_path: Path) -> None:
    async with theatre(Player(knowing), agents=5) as stage:
        await stage.opened("werewolf", 5)
        await until(stage, "ballot")
        ballot = (await stage.scene()).step
        while (await stage.scene()).status is not SceneStatus.OVER:
            await stage.run(5)
        lived, told = await stage.scene(), await stage.lines()
        async with forked(stage, tmp_path, AtStep(scene_id=SCENE, step=ballot)) as grown:
            async with grown.trees.look(grown.key, ROOT) as world, world.store.reading() as read:
                (there,) = await read.scenes.all(grown.key.community_id)
            assert (there.step, there.status) == (ballot, SceneStatus.RUNNING)
            nodes = await grown.grow("multi", 0, siblings=SIBLINGS, turns=20)
            assert {one.edge for one in nodes} == {Edge.MULTI}
            table = await children_compared(grown.trees, grown.key, ROOT, "USD")
            ends = rf"(\d) of {SIBLINGS}: werewolf 1: (the village|the wolves|nobody|undecided|running)"
            counts = {found[2]: int(found[1]) for line in table if (found := re.fullmatch(ends, line))}
            assert sum(counts.values()) == SIBLINGS, chr(10).join(table)
            assert any("votes: " in line for line in table), table
            assert await grown.operations.rerun(grown.key, nodes[-1].id) == ""
        assert (await stage.scene(), await stage.lines()) == (lived, told)


async def test_of_a_council_the_worlds_tell_word_by_word_what_was_passed_and_are_counted_by_how_much(
    tmp_path: Path,
) -> None:
    async with theatre() as stage:
        await stage.opened("council", 2, BOSS, host=False, turns=12)
        await stage.run(6)
        assert await stage.move(BOSS, "move_motion", title="Tea", text="Tea at five.") == ""
        await stage.run(6)
        assert await stage.move(BOSS, "call_vote") == ""
        await stage.run(6)
        assert await stage.move(BOSS, "vote", choice="no", comment="Coffee.") == ""
        while (await stage.scene()).status is SceneStatus.RUNNING:
            await stage.run(30)
        passed = "Motion 1 passed: 2 yes, 1 no, 0 abstained, 0 absent. **Tea** (1) Tea at five."
        votes = "(Agent1 yes, Agent2 yes, @boss no)"
        assert (await stage.lines())[-1].endswith(f" - {passed} {votes}")
        async with forked(stage, tmp_path, NOW) as grown:
            await grown.grow("multi", 0, siblings=2, turns=1)
            table = await children_compared(grown.trees, grown.key, ROOT, "USD")
            assert sum(f"1 passed. - {passed}" in line for line in table) == 2, table
            assert "2 of 2: council 1: 1 motion voted on, 1 passed" in table


async def test_a_tree_of_a_secret_scene_that_goes_on_is_shut_to_who_sits_in_it(tmp_path: Path) -> None:
    async with theatre(Player(knowing), agents=6) as stage:
        await stage.opened("werewolf", 6, MIRA)
        async with forked(stage, tmp_path, NOW) as grown:
            desk = Timelines(*office_of(stage, grown))
            tree = await told_of(stage, grown)
            assert await desk.find(Snowflake(GUILD_ID), 1, None, who=BOSS.id) == tree
            with pytest.raises(Rejected, match="You sit in a scene with agents of these rooms"):
                await desk.find(Snowflake(GUILD_ID), 1, None, who=MIRA.id)


async def test_a_turn_of_a_closed_scene_is_a_turn(tmp_path: Path) -> None:
    async with theatre(Player(knowing), agents=5) as stage:
        await stage.opened("werewolf", 5)
        async with forked(stage, tmp_path, NOW) as grown:
            (first,) = await grown.grow("advance", 0, turns=2)
            (second,) = await grown.grow("advance", first.id, turns=3)
    assert (first.turns, second.turns, first.outcome, second.outcome) == (2, 3, "", "")


async def test_where_a_scene_stood_is_kept_with_its_log_now_and_then_and_a_fork_goes_on_from_there(
    tmp_path: Path,
) -> None:
    async with theatre(agents=1, config=CommunityConfig(scene_kept_steps=10)) as stage:
        await stage.opened("chat", 0, BOSS, MIRA)
        for turn in range(25):
            assert await stage.move((BOSS, MIRA)[turn % 2], "say", text="Quite so.") == ""
        house, of = stage.house, (stage.house.community_id, SCENE)
        async with house.store.reading() as read:
            digests = {entry.step: entry.digest for entry in await read.scenes.log(*of)}
            kept = {step: await read.scenes.stood(*of, step) for step in (9, 10, 19, 25)}
        play = play_of(await stage.scene())
        assert play is not None
        stood = {step: one and play.unpacked(one) for step, one in kept.items()}
        assert {step: one.step if one else None for step, one in stood.items()} == {9: None, 10: 10, 19: 10, 25: 20}
        assert all(one.digest() == digests[one.step] for one in stood.values() if one)
        async with house.store.database.writing() as connection:  # nothing that was before is folded again
            await connection.execute(update(MOVES).where(MOVES.c.step < 20).values(move="no_move"))
        async with (
            forked(stage, tmp_path, AtStep(scene_id=SCENE, step=23)) as grown,
            grown.trees.look(grown.key, ROOT) as world,
            world.store.reading() as read,
        ):
            (there,) = await read.scenes.all(grown.key.community_id)
        assert (there.step, there.digest) == (23, digests[23])


def away(scene: Scene) -> tuple[int, ...]:
    found = begun(scene)
    assert found is not None
    return found[1].state.away


async def played_in(grown: Garden, node_id: NodeId) -> tuple[Scene, list[int], list[str]]:
    """Give a scene of a node, whose turns it was there, and what they did."""
    async with grown.trees.look(grown.key, node_id) as world, world.store.reading() as read:
        scene = await read.scenes.find(grown.key.community_id, SCENE)
        log = await read.scenes.log(grown.key.community_id, SCENE)
    assert scene is not None
    return scene, [one.seat for one in log], [one.move for one in log]


@pytest.mark.slow
@pytest.mark.parametrize("missed", [False, True], ids=["there", "away"])
async def test_an_agent_that_the_forker_chose_plays_the_seat_of_a_person_and_else_its_time_runs_out(
    tmp_path: Path, missed: bool
) -> None:
    async with theatre(Player(), agents=3, config=CommunityConfig(scene_person_seconds=60)) as stage:
        await stage.opened("chat", 1, MIRA, BOSS)
        if missed:
            await stage.run(360)
        lived = await stage.scene()
        assert (lived.status, away(lived)) == (SceneStatus.RUNNING, (2,) if missed else ())
        async with forked(stage, tmp_path / "absent", NOW) as grown:
            (node,) = await grown.grow("advance", 0, minutes=5)
            absent, seats, moves = await played_in(grown, node.id)
        assert [one.person_id for one in absent.seats] == [None, MIRA.id, BOSS.id]
        assert {move for seat, move in zip(seats, moves, strict=True) if seat in (2, 3)} <= {"deadline", "away"}, moves
        async with forked(stage, tmp_path / "played", NOW, (AgentId(3),)) as grown:
            (node,) = await grown.grow("advance", 0, turns=4)
            there, seats, moves = await played_in(grown, node.id)
            assert await grown.operations.rerun(grown.key, node.id) == ""
        assert grown.tree.not_unwound == ("Agents play seats of people: Agent3 (seat 2 of scene 1).",)
        assert [(one.agent_id, one.person_id) for one in there.seats] == [(1, None), (3, None), (None, BOSS.id)]
        assert (2, "say") in zip(seats, moves, strict=True), (seats, moves)
        assert await stage.scene() == lived


@pytest.mark.parametrize(
    ("agents", "why"),
    [
        ((1,), "Agent1 sits in Tea: an agent sits in one scene at a time."),
        ((2, 3), "There is no seat of a person for Agent3 to play."),
        ((4,), "Agent4 is paused: resume it first."),
        ((9,), "There is no agent 9 here that could sit down."),
    ],
)
async def test_who_cannot_sit_down_plays_no_seat_and_no_tree_begins(
    tmp_path: Path, agents: tuple[int, ...], why: str
) -> None:
    async with theatre(Player(), agents=4) as stage:
        await stage.opened("chat", 1, MIRA)
        async with stage.house.store.writing(stage.house.community_id) as write:
            paused = UpdateAgent(agent_id=AgentId(4), fields={"paused_reason": "ill"})
            await write.apply(stage.house.community_id, [paused])
        with pytest.raises(Rejected, match=re.escape(why)):
            async with forked(stage, tmp_path, NOW, tuple(map(AgentId, agents))):
                pass


async def test_nobody_takes_along_an_agent_whose_head_is_shut_to_them_by_a_seat(tmp_path: Path) -> None:
    """In another room it would act, and answer, with all that it carries."""
    async with theatre(Player(knowing), agents=7) as stage:
        await stage.opened("werewolf", 6, MIRA)
        async with forked(stage, tmp_path, NOW) as grown:
            desk, mira = Timelines(*office_of(stage, grown)), replace(MIRA, is_architect=True)
            more: dict[str, Any] = {"title": "", "rooms": (AgentId(7),)}
            for who in (mira, BOSS):  # who does not sit may show the tree to who does
                with pytest.raises(Rejected, match="Agent2 sits in Werewolf"):
                    await desk.fork(GUILD_ID, who, AgentId(7), played_by=(AgentId(2),), **more)
            with pytest.raises(Rejected, match="no seat of a person"):
                await desk.fork(GUILD_ID, BOSS, AgentId(7), played_by=(AgentId(7),), **more)


async def test_a_tree_that_may_hold_words_of_closed_rooms_is_for_managers_alone(tmp_path: Path) -> None:
    async with theatre(agents=2) as stage, forked(stage, tmp_path, NOW, rooms=(AgentId(1),)) as grown:
        desk, timeline = Timelines(*office_of(stage, grown)), await told_of(stage, grown)
        assert await desk.rooms_to_read(timeline) == (1,)
        with grown.trees._file(grown.key).writing() as connection:
            connection.execute("UPDATE tree SET managers_only = 1")
        assert await desk.rooms_to_read(timeline) == ()
