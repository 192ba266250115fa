"""Managers' operations on trees change nothing in life but what says that there are trees."""

import asyncio
import random
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.core.changes import SetOverride, UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.errors import NotFound, Rejected, SelfroomError
from bot.core.kinds import LetterKind
from bot.core.letters import NoticePayload
from bot.core.records import AgentId, Person, Snowflake
from bot.core.timelines.growth import Growth, planned
from bot.core.timelines.records import (
    NOW,
    AtStep,
    AtTime,
    EventKind,
    Node,
    NodeId,
    Status,
    Timeline,
    Tree,
    TreeKey,
)
from bot.engine.front_desk import timelines as desk_timelines
from bot.engine.front_desk.endings import Endings
from bot.engine.front_desk.merges import Merges
from bot.engine.front_desk.office import Office
from bot.engine.front_desk.timelines import Timelines
from bot.engine.performer import Performer
from bot.engine.timelines.house import Orchard, Treasury
from bot.engine.timelines.play import SPENT
from cogs.ui.trees import board_text
from storage.tables import METADATA
from tests.engine.hearts import everyone_says
from tests.engine.timelines.garden import BOSS, EVENT, TOKENIZER, Garden, garden, operations
from tests.factories import GUILD_ID
from tests.fakes import PlainCipher, SeededRandom

MAY_DIFFER = {"timelines", "reservations", "audit", "counters"}
GUILD = Snowflake(GUILD_ID)
OPERATIONS = ("advance", "multi", "chain", "frontier", "branch", "ask", "delete", "stop", "rerun", "note", "compare")


def desk(grown: Garden) -> Timelines:
    """Put the desk over the community, with trees that grow in this process."""
    home = grown.home
    treasury = Treasury(home.store, home.model, grown.trees, home.clock, places=8)

    class Paying:
        async def answer(self, *given: object) -> object:
            return await treasury.answer(*given)  # type: ignore[arg-type]

        async def facts(self, *given: object) -> object:
            return await treasury.facts(*given)  # type: ignore[arg-type]

    class Telling:
        def changed(self, *given: object) -> None:
            pass

    grower = operations(grown.trees, Paying(), Telling())  # type: ignore[arg-type]
    performer = Performer(cipher=PlainCipher(), tokenizer=TOKENIZER)
    office = Office(home.store, performer, home.clock, SeededRandom(), lambda: None)
    orchard = Orchard(trees=grown.trees, images=home.store, grower=grower, treasury=treasury, program="1")
    return Timelines(office, orchard, CommunityConfig(usd_per_day=None))


async def darkened(there: Timelines) -> tuple[Timeline, Node]:
    """Begin a tree in whose first node the lights go out."""
    timeline = await there.fork(GUILD, BOSS, AgentId(1), title="", rooms=(AgentId(1),))
    (event,) = await there.grow(timeline, BOSS, Growth(what="branch", by=BOSS, nodes=(NodeId(0),), changes=EVENT))
    await there.orchard.grower.finished()  # type: ignore[union-attr]
    return timeline, event


async def rows(grown: Garden) -> dict[str, list[str]]:
    """Give all rows of life but those that say that there are trees."""
    found = {}
    async with grown.home.store.database.reading() as connection:
        for table in METADATA.sorted_tables:
            if table.name not in MAY_DIFFER:
                read = await connection.execute(text(f"SELECT * FROM {table.name}"))  # noqa: S608 - our own names
                found[table.name] = sorted(repr(tuple(row)) for row in read)
    return found


@pytest.mark.long
async def test_random_operations_change_no_row_of_life(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("It never was.")) as grown:
        there = desk(grown)
        async with grown.home.store.writing(grown.key.community_id) as write:
            await write.people.put(grown.key.community_id, BOSS)  # as whoever uses any command
        before = await rows(grown)
        timeline = await there.fork(GUILD, BOSS, AgentId(1), title="test", rooms=(AgentId(1),))
        chance = random.Random(7)  # noqa: S311 - the same in every run
        done = 0
        await there.grow(timeline, BOSS, Growth(what="branch", by=BOSS, nodes=(NodeId(0),), changes=EVENT))
        for _ in range(60):
            what = chance.choice(OPERATIONS)
            node = chance.choice([one.id for one in await grown.trees.nodes(timeline.key)][-6:])
            try:
                match what:
                    case "delete":
                        await there.delete(timeline, BOSS, node)
                    case "stop":
                        await there.stop(timeline, BOSS, node)
                    case "rerun":
                        assert "0 bytes differ" in await there.rerun(timeline, BOSS, node)
                    case "note":
                        await there.note(timeline, BOSS, node, "seen")
                    case "compare":
                        await there.compare(timeline, node, 0)
                    case _:
                        growth = Growth(
                            what=what,  # type: ignore[arg-type]
                            by=BOSS,
                            nodes=(node,),
                            siblings=2,
                            turns=2,
                            changes=EVENT if what == "branch" else (),
                            asked=(AgentId(1), "why?") if what == "ask" else None,
                        )
                        await there.grow(timeline, BOSS, growth)
                done += 1
            except SelfroomError:
                continue
        await there.orchard.grower.finished()  # type: ignore[union-attr]
        assert done > 20
        assert await rows(grown) == before
        assert grown.home.publisher.posts == []
        assert "deleted, with all its nodes" in await there.remove(timeline, BOSS)
        with pytest.raises(NotFound):
            await there.find(GUILD, timeline.id, None, who=BOSS.id)


async def test_a_tree_in_which_nobody_will_do_anything_says_so_as_it_begins_and_what_to_do(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here."), agents=2) as grown:
        there, home = desk(grown), grown.home
        forking = partial(there.fork, GUILD, BOSS, AgentId(1), title="", rooms=(AgentId(1),))
        assert await there.remarks(await forking(), BOSS.id) == []
        resting = [UpdateAgent(agent_id=AgentId(one), fields={"paused_reason": "for a while"}) for one in (1, 2)]
        await home.apply(*resting)
        tree = await forking()
        (told,) = await there.remarks(tree, BOSS.id)
        assert "Every agent of its rooms is paused" in told and "`/agent resume`" in told
        await there.grow(tree, BOSS, Growth(what="advance", by=BOSS, nodes=(NodeId(0),)))
        await there.orchard.grower.finished()  # type: ignore[union-attr]
        shown = await there.shown(tree)
        assert shown.nodes[-1].is_quiet
        assert told in board_text(shown) and "nobody in it has a reason" in board_text(shown)


async def test_who_is_ignored_or_has_paused_everyone_is_told_at_a_fork_that_nobody_there_hears_them(
    tmp_path: Path,
) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there, home = desk(grown), grown.home
        async with home.store.writing(home.community_id) as write:
            await write.people.put(home.community_id, BOSS)
            await write.people.decide_about(home.community_id, replace(BOSS, ignored=True))
            await write.communities.pause(home.community_id, paused=True)
        tree = await there.fork(GUILD, BOSS, AgentId(1), title="", rooms=())
        paused, ignored = await there.remarks(tree, BOSS.id)
        assert "`/heartbeat resume`, then fork anew" in paused
        assert "/privacy ignore-me changes that. So nobody in it has heard you: fork anew after that." in ignored
        assert await there.remarks(tree, Snowflake(77)) == [paused]  # what they wished is nobody else's business
        assert "ignore" not in board_text(await there.shown(tree))


async def test_who_does_not_manage_forks_nothing_and_nobody_more_trees_than_there_may_be(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there = desk(grown)
        with pytest.raises(Rejected, match="Only people who may manage the server"):
            await there.fork(
                GUILD, Person(id=Snowflake(9), username="guest"), AgentId(1), title="", rooms=(AgentId(1),)
            )
        for _ in range(3):
            await there.fork(GUILD, BOSS, AgentId(1), title="", rooms=(AgentId(1),))
        with pytest.raises(Rejected, match="Over the limit of 3 trees: delete one first"):
            await there.fork(GUILD, BOSS, AgentId(1), title="", rooms=(AgentId(1),))


async def test_where_what_ifs_are_switched_off_none_goes_on_and_what_there_is_can_be_read_and_deleted(
    tmp_path: Path,
) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there = desk(grown)
        timeline, event = await darkened(there)
        merges = Merges(there.office, there.orchard)
        async with grown.home.store.writing(grown.key.community_id) as write:
            await write.apply(grown.key.community_id, [SetOverride(name="timelines", value=False)])
        for refused in (
            there.grow(timeline, BOSS, Growth(what="advance", by=BOSS, nodes=(event.id,))),
            there.rerun(timeline, BOSS, event.id),
            merges.take(GUILD, BOSS, timeline, event.id, "all"),
        ):
            with pytest.raises(Rejected, match="switched off in this server"):
                await refused
        wanted = planned(Growth(what="advance", by=BOSS, nodes=(event.id,)), await grown.trees.nodes(timeline.key), "s")
        await grown.trees.add(timeline.key, wanted, at=grown.home.clock.now())
        await there.go_on()
        assert [one.status for one in await grown.trees.nodes(timeline.key)][2:] == [Status.QUEUED]
        assert "The lights go out." in "".join(await there.read(timeline, event.id))
        assert "is deleted" in await there.remove(timeline, BOSS)


async def test_what_another_version_began_is_not_run_again_and_who_had_it_run_again_stands_in_the_audit(
    tmp_path: Path,
) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there = desk(grown)
        timeline, event = await darkened(there)
        assert "0 bytes differ" in await there.rerun(timeline, BOSS, event.id)
        await there.note(timeline, BOSS, event.id, "dark")
        async with grown.home.store.reading() as read:
            told = [one.what for one in await read.logs.audit(grown.key.community_id)]
        assert {f"Tree {timeline.id}: node 1 was run again.", f"Tree {timeline.id}: a note was set beside node 1."} <= {
            *told
        }
        later = replace(there, orchard=replace(there.orchard, program="2"))  # type: ignore[type-var]
        with pytest.raises(Rejected, match="begun with Selfroom 1, and this is 2"):
            await later.rerun(timeline, BOSS, event.id)


async def test_others_than_managers_look_into_a_tree_by_its_rooms_unless_a_server_has_it_otherwise(
    tmp_path: Path,
) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there = desk(grown)
        timeline = await there.fork(GUILD, BOSS, AgentId(1), title="", rooms=(AgentId(1), AgentId(2)))
        assert await there.rooms_to_read(timeline) == (1, 2)
        async with grown.home.store.writing(grown.key.community_id) as write:
            await write.apply(grown.key.community_id, [SetOverride(name="timelines_for_managers", value=True)])
        assert await there.rooms_to_read(timeline) == ()


async def test_the_maker_is_told_once_why_no_node_of_a_tree_can_be_kept(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there = desk(grown)
        timeline = await there.fork(GUILD, BOSS, AgentId(1), title="", rooms=(AgentId(1),))
        there.on_changed(lambda key: None)
        assert there.orchard is not None
        treasury = there.orchard.treasury
        for node in (1, 2):
            await treasury.changed(timeline.key, NodeId(node), None, "The disk is full: free some space.")
        async with grown.home.store.reading() as read:
            letters = await read.letters.due(grown.home.clock.now(), limit=100)
        told = [NoticePayload.model_validate(one.payload) for one in letters if one.kind is LetterKind.NOTICE]
        assert [(one.person_id, one.to_managers) for one in told] == [(BOSS.id, False)]
        assert "could not be kept: The disk is full: free some space." in told[0].text


async def test_a_point_is_a_message_a_time_or_a_step_of_a_scene(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there, now = desk(grown), grown.home.clock.now()
        assert await there.point_of(GUILD) == NOW
        assert await there.point_of(GUILD, minutes_ago=5) == AtTime(at=now - timedelta(minutes=5))
        assert await there.point_of(GUILD, scene_id=3, step=7) == AtStep(scene_id=3, step=7)
        with pytest.raises(NotFound, match="does not know this message"):
            await there.point_of(GUILD, message_id=1)


async def test_what_is_said_in_a_trees_thread_is_not_the_rooms(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there, home = desk(grown), grown.home
        timeline = await there.fork(GUILD, BOSS, AgentId(1), title="", rooms=(AgentId(1),))
        await there.place(timeline, Snowflake(77), None)
        before = await home.lines()
        await home.hear("Agent1, is it dark?", thread_id=Snowflake(77), thread_name="what if")
        assert await home.lines() == before
        await home.hear("Agent1, is it dark?", thread_id=Snowflake(78), thread_name="another")
        assert await home.lines() == [*before, ("@mira", "Agent1, is it dark?")]


@pytest.mark.parametrize("how", ["deleted", "expired"])
async def test_no_agent_ever_hears_the_thread_of_a_tree_that_is_gone(tmp_path: Path, how: str) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there, home = desk(grown), grown.home
        timeline = await there.fork(GUILD, BOSS, AgentId(1), title="the lights", rooms=(AgentId(1),))
        timeline = await there.place(timeline, Snowflake(77), None)
        if how == "deleted":
            await there.remove(timeline, BOSS)
        else:
            await home.clock.advance(15 * 86_400)
            await Endings(there.office, there.orchard).expire()
        assert list(await there.all(GUILD)) == []
        with pytest.raises(NotFound, match="was deleted"):
            await there.find(GUILD, None, 77, who=BOSS.id)
        before = await home.lines()
        await home.hear("Agent1, is it dark?", thread_id=Snowflake(77), thread_name="what if")
        assert await home.lines() == before
        await Endings(there.office, there.orchard).expire()  # which has nothing more to do with it
        async with home.store.reading() as read:
            (left,) = await read.timelines.all(grown.key.community_id)
        assert (left.title, left.gone != "") == ("", True)


async def test_worlds_are_put_together_and_compared_by_who_grows_them(tmp_path: Path) -> None:
    """The house only gets the lines: minds are as large as agents make them."""

    class Shut:
        def look(self, *given: object) -> object:
            raise AssertionError("the house looked into a world itself")

    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there = desk(grown)
        timeline = await there.fork(GUILD, BOSS, AgentId(1), title="", rooms=(AgentId(1),))
        await there.grow(timeline, BOSS, Growth(what="branch", by=BOSS, nodes=(NodeId(0),), changes=EVENT))
        assert there.orchard is not None
        await there.orchard.grower.finished()  # type: ignore[attr-defined]
        apart = replace(there, orchard=replace(there.orchard, trees=Shut()))  # type: ignore[arg-type]
        assert "The lights go out." in "".join(await apart.read(timeline, 1))
        assert "differ in 1 line" in (await apart.compare(timeline, 0, 1))[0]


async def test_who_may_not_look_into_an_agents_head_reads_it_in_no_node_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there = desk(grown)
        timeline, event = await darkened(there)
        (node,) = await there.grow(timeline, BOSS, Growth(what="advance", by=BOSS, nodes=(event.id,)))
        await there.orchard.grower.finished()  # type: ignore[union-attr]
        told = await grown.trees.events(timeline.key, node_id=node.id)
        (beat,) = [one.data for one in told if one.kind is EventKind.BEAT]
        agent, id_ = AgentId(int(str(beat["agent"]))), int(str(beat["id"]))
        seen = await there.seen(timeline, node.id, agent, id_, who=BOSS.id)
        assert "The lights go out." in seen.hud
        assert await there.seen_at(timeline, node.id, id_, who=BOSS.id) == seen
        assert [one["id"] for one in await there.beats(timeline, node.id, who=BOSS.id)] == [id_]
        with pytest.raises(NotFound, match="was another agent's"):
            await there.seen(timeline, node.id, AgentId(agent + 1), id_, who=BOSS.id)
        with pytest.raises(NotFound, match="Nobody had beat 99 in node 2"):
            await there.seen_at(timeline, node.id, 99, who=BOSS.id)

        async def shut(read: object, community_id: object, who: object, agent_id: AgentId) -> None:
            if agent_id == agent:
                raise Rejected("You sit in a scene with it.")

        everyone = {one.agent_id for one in await there.minds(timeline, node.id, who=BOSS.id)}

        async def others(scenes: object, community_id: object, who: object, agents: set[AgentId]) -> set[AgentId]:
            return {*agents} - {agent}

        monkeypatch.setattr(desk_timelines, "check_may_look", shut)
        monkeypatch.setattr(desk_timelines, "heads_open_to", others)
        left = {one.agent_id for one in await there.minds(timeline, node.id, who=BOSS.id)}
        assert left == everyone - {agent}
        assert await there.beats(timeline, node.id, who=BOSS.id) == []
        with pytest.raises(Rejected, match="You sit in a scene with it"):
            await there.seen(timeline, node.id, agent, id_, who=BOSS.id)


async def test_what_waited_when_selfroom_ended_goes_on_at_its_next_start(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there = desk(grown)
        timeline, event = await darkened(there)
        wanted = planned(Growth(what="advance", by=BOSS, nodes=(event.id,)), await grown.trees.nodes(timeline.key), "s")
        (node,) = await grown.trees.add(timeline.key, wanted, at=grown.home.clock.now())
        after = desk(grown)
        await after.go_on()
        await after.orchard.grower.finished()  # type: ignore[union-attr]
        ended = await grown.trees.node(timeline.key, node.id)
        assert (ended.status, ended.turns) == (Status.DONE, 1)
        assert ended.usd > 0


@pytest.mark.parametrize(("cap", "turns"), [("0.000001", 20), ("0.5", None)], ids=["a spent tree", "minutes"])
async def test_what_goes_on_spends_what_its_tree_has_left_and_no_more(
    tmp_path: Path, cap: str, turns: int | None
) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there = desk(grown)
        timeline, event = await darkened(there)
        async with grown.home.store.writing(grown.key.community_id) as write:
            await write.timelines.keep(replace(timeline, usd_cap=Decimal(cap)))
        wanted = Growth(what="advance", by=BOSS, nodes=(event.id,), turns=turns or 1)
        (plan,) = planned(wanted, await grown.trees.nodes(timeline.key), "s")
        plan = plan if turns else replace(plan, turns_wanted=0, minutes=3.0)
        (node,) = await grown.trees.add(timeline.key, [plan], at=grown.home.clock.now())
        after = desk(grown)
        await after.go_on()
        await after.orchard.grower.finished()  # type: ignore[union-attr]
        ended = await grown.trees.node(timeline.key, node.id)
        assert ended.status is Status.DONE
        assert (ended.outcome == SPENT) is (turns is not None)
        assert (ended.usd > 0) is (turns is None)


async def test_a_tree_that_went_while_its_thread_was_opened_stays_gone(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there, community_id = desk(grown), grown.key.community_id
        forgotten, removed = [
            await there.fork(GUILD, BOSS, AgentId(1), title="what boss did", rooms=(AgentId(1),)) for _ in range(2)
        ]
        assert (await there.place(forgotten, Snowflake(71), None)).thread_id == 71
        async with grown.home.store.writing(community_id) as write:
            await write.timelines.keep(replace(forgotten, gone="Somebody asked to be forgotten.", title=""))
        await there.remove(removed, BOSS)
        for one in (forgotten, removed):
            with pytest.raises(NotFound):
                await there.place(one, Snowflake(72), Snowflake(73))
        async with grown.home.store.reading() as read:
            (left,) = await read.timelines.all(community_id)
        assert (left.gone, left.title, left.board_post_id) == ("Somebody asked to be forgotten.", "", None)
        assert await there.all(GUILD) == []


async def test_two_presses_at_once_are_not_both_run_on_money_that_holds_one(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there = desk(grown)
        timeline = await there.fork(GUILD, BOSS, AgentId(1), title="", rooms=(AgentId(1),))
        growth = Growth(what="advance", by=BOSS, nodes=(NodeId(0),), turns=2)
        thought = await there.estimate(timeline, growth)
        assert thought.usd > 0
        poor = replace(timeline, usd_cap=thought.usd * 3 / 2)
        came = await asyncio.gather(*(there.grow(poor, BOSS, growth) for _ in range(2)), return_exceptions=True)
        (refused,) = [one for one in came if isinstance(one, Rejected)]
        assert "This tree's money does not hold this" in refused.sentence
        await there.orchard.grower.finished()  # type: ignore[union-attr]
        assert len(await grown.trees.nodes(timeline.key)) == 2


async def test_a_tree_that_is_as_large_as_one_may_be_grows_no_further(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there = desk(grown)
        timeline, event = await darkened(there)
        forward = Growth(what="advance", by=BOSS, nodes=(event.id,))

        class Grown:
            """The files, one of which is taken to be so large."""

            bytes = 64_000_000

            def __getattr__(self, name: str) -> object:
                return getattr(grown.trees, name)

            async def find(self, key: TreeKey) -> Tree:
                return replace(await grown.trees.find(key), bytes=self.bytes)

        large = Grown()
        weighed = replace(there, orchard=replace(there.orchard, trees=large))  # type: ignore[type-var]
        assert len(await weighed.grow(timeline, BOSS, forward)) == 1
        await there.orchard.grower.finished()  # type: ignore[union-attr]
        large.bytes += 1
        with pytest.raises(Rejected, match="This tree is as large as one may be, 64 MB: delete some nodes first"):
            await weighed.grow(timeline, BOSS, forward)
        assert len(await grown.trees.nodes(timeline.key)) == 3
