"""What never was comes into life item by item, as it was chosen, and goes again where nobody touched it since."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core.actions import Action, Append, Delete, HudDecision, HudNote, PlanGoal, PlanStrategy, Set
from bot.core.actor import Actor
from bot.core.errors import NotFound, Rejected
from bot.core.focus import CAPACITY
from bot.core.kinds import LetterKind
from bot.core.plan import as_value
from bot.core.records import AgentId, Mind, Person, Snowflake
from bot.core.timelines.changes import AgentCtx, AgentPlan, MindAction, PlanAction
from bot.core.timelines.records import Node, Timeline
from bot.engine.front_desk.merges import Merges
from bot.engine.front_desk.timelines import Timelines
from bot.engine.performer import ActionContext, Outcome, Performer
from tests.engine.front_desk.test_timelines import GUILD, desk, rows
from tests.engine.hearts import everyone_says
from tests.engine.timelines.garden import BOSS, EVENT, TOKENIZER, Garden, garden
from tests.fakes import PlainCipher, SeededRandom

WREN = AgentId(1)


@dataclass
class Forked:
    """A community whose agent knew something, a tree of it, and a node in which it knows otherwise."""

    grown: Garden
    trees: Timelines
    merges: Merges
    timeline: Timeline
    node: Node

    async def take(self, what: str, *, by: Person = BOSS) -> str:
        return await self.merges.take(GUILD, by, self.timeline, self.node.id, what)

    async def put_back(self, told: str) -> str:
        number = int(told.partition("merge:")[2].partition("`")[0])
        return await self.merges.put_back(GUILD, BOSS, number)

    async def names(self) -> list[str]:
        return [one.name for one in (await self.merges.offered(self.timeline, self.node.id, who=BOSS.id)).items]

    async def mind(self) -> Mind:
        return (await self.grown.home.view(1)).mind_of(WREN)

    async def live(self, *actions: Action) -> None:
        await perform(self.grown, *actions)

    async def audit(self) -> Sequence[str]:
        async with self.grown.home.store.reading() as read:
            return [f"{one.by}: {one.what}" for one in await read.logs.audit(self.grown.key.community_id)]


async def perform(grown: Garden, *actions: Action) -> None:
    home = grown.home
    async with home.store.writing(home.community_id) as write:
        performer = Performer(cipher=PlainCipher(), tokenizer=TOKENIZER)
        outcomes = await performer.perform(
            write,
            home.community_id,
            Actor.person(BOSS),
            actions,
            ActionContext(now=home.clock.now(), random=SeededRandom()),
            subject=WREN,
        )
    assert [one.why for one in outcomes if not one.accepted] == []


@asynccontextmanager
async def forked(
    folder: Path, *before: Action, ctx: Sequence[MindAction] = (), plan: Sequence[PlanAction] = ()
) -> AsyncIterator[Forked]:
    async with garden(folder, everyone_says("It never was.")) as grown:
        await perform(grown, *before)
        there = desk(grown)
        async with grown.home.store.writing(grown.key.community_id) as write:
            await write.people.put(grown.key.community_id, BOSS)
        timeline = await there.fork(GUILD, BOSS, WREN, title="", rooms=(WREN,))
        known = (AgentCtx(agent_id=1, actions=tuple(ctx)),) if ctx else ()
        planned = (AgentPlan(agent_id=1, actions=tuple(plan)),) if plan else ()
        grown.tree = await grown.trees.find(timeline.key)
        (node,) = await grown.grow("branch", 0, changes=(*known, *planned, *EVENT))
        yield Forked(grown, there, Merges(there.office, there.orchard), timeline, node)


async def test_what_was_chosen_is_taken_over_and_told_and_goes_again(tmp_path: Path) -> None:
    before = [Set(path="mood", value="calm"), PlanGoal(text="sail")]
    ctx: list[MindAction] = [
        Set(path="mood", value="wild"),
        Set(path="people.mira.trust", value=0.9),
        HudDecision(text="Trust Mira."),
    ]
    plan: list[PlanAction] = [PlanGoal(text="sail", action="done"), PlanGoal(text="rest"), PlanStrategy(text="slowly")]
    async with forked(tmp_path, *before, ctx=ctx, plan=plan) as one:
        whole = await one.mind()
        assert await one.names() == [
            *("mood", "people", "sail", "rest", "slowly", "Trust Mira."),
            "The lights go out.",
        ]
        before_rows = await rows(one.grown)
        only = await one.take("mood")
        assert (await one.mind()).knowledge == {"mood": "wild"}
        rest = await one.take("all")
        mind = await one.mind()
        assert mind.knowledge == {"mood": "wild", "people": {"mira": {"trust": 0.9}}}
        assert as_value(mind.focus.plan)["goals"] == ["2 current: rest", "1 done: sail"]
        assert mind.focus.key_decisions == ("Trust Mira.",)
        differ = {name for name, lines in (await rows(one.grown)).items() if lines != before_rows[name]}
        assert differ == {"minds", "journal", "actions"}
        told = [action for action in mind.recent_actions if "what-if" in action.result]
        assert {action.type for action in told} == {"set", "plan_goal", "plan_strategy", "hud_decision"}
        async with one.grown.home.store.reading() as read:
            (entry, *_) = await read.logs.journal(one.grown.key.community_id, WREN)
        assert entry.by == f"The Architect (@boss) from what-if {one.timeline.id}/{one.node.id}"
        assert any("from what-if" in line for line in await one.audit())
        assert await one.names() == ["The lights go out."]
        assert "Changed since" not in await one.put_back(rest)
        assert (await one.mind()).knowledge == {"mood": "wild"}
        assert await one.put_back(only) == "Put back: Agent1's knowledge, mood."
        after = await one.mind()
        assert (after.knowledge, as_value(after.focus.plan), after.focus.key_decisions) == (
            whole.knowledge,
            as_value(whole.focus.plan),
            whole.focus.key_decisions,
        )


async def test_of_an_object_that_came_whole_all_goes_again_that_nobody_touched_since(tmp_path: Path) -> None:
    ctx: list[MindAction] = [
        Set(path="people.mira", value={"trust": 0.9, "met": "here"}),
        Set(path="people.juno.trust", value=0.1),
        Set(path="people.otto", value={"tea": True}),
    ]
    async with forked(tmp_path, ctx=ctx) as one:
        taken = await one.take("people")
        await one.live(Set(path="people.mira.trust", value=0.2), Delete(path="people.otto"), Set(path="mine", value=1))
        await one.live(Set(path="people.kit", value="new"))
        assert await one.put_back(taken) == (
            "Put back: Agent1's knowledge, people.mira.met; Agent1's knowledge, people.juno. "
            "Changed since, and left alone: Agent1's knowledge, people.mira.trust; Agent1's knowledge, people.otto."
        )
        assert (await one.mind()).knowledge == {"people": {"mira": {"trust": 0.2}, "kit": "new"}, "mine": 1}


async def test_who_sits_in_a_closed_scene_with_an_agent_is_not_told_what_it_carries_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What may be taken over told it beside: what `/knowledge show` refuses them until the scene is over."""
    async with forked(tmp_path, Set(path="mood", value="calm"), ctx=[Set(path="mood", value="wild")]) as one:
        await one.live(Set(path="mood", value="I am the wolf"))
        assert "mood" in await one.names()
        sits = SimpleNamespace(sat=lambda who: who == BOSS.id, seats=[SimpleNamespace(agent_id=WREN)])

        async def closed(*_: object) -> list[SimpleNamespace]:
            return [sits]

        monkeypatch.setattr("bot.engine.masks.closed_scenes", closed)
        assert await one.names() == []


async def test_where_life_changed_since_life_stays_unless_that_is_chosen(tmp_path: Path) -> None:
    before = [Set(path="mood", value="calm"), Append(path="seen", value="a fox")]
    ctx: list[MindAction] = [Set(path="mood", value="wild"), Append(path="seen", value="a bear")]
    async with forked(tmp_path, *before, ctx=ctx) as one:
        await one.live(Set(path="mood", value="glad"), Append(path="seen", value="an owl"))
        with pytest.raises(NotFound, match="without being chosen"):
            await one.take("all")
        (mood, seen, _) = (await one.merges.offered(one.timeline, one.node.id, who=BOSS.id)).items
        assert (mood.fork, mood.live, mood.node, mood.is_changed) == ("calm", "glad", "wild", True)
        await one.live(Set(path="mood", value="sad"))
        with pytest.raises(NotFound, match="changed meanwhile"):
            await one.take(mood.mark)
        told = await one.take("mood")
        await one.take(seen.mark)
        assert (await one.mind()).knowledge == {"mood": "wild", "seen": ["a fox", "an owl", "a bear"]}
        await one.live(Set(path="mood", value="tired"))
        assert await one.put_back(told) == "Changed since, and left alone: Agent1's knowledge, mood."
        assert (await one.mind()).knowledge["mood"] == "tired"


async def test_notes_that_came_go_and_the_one_they_pushed_out_comes_back(tmp_path: Path) -> None:
    notes = [HudNote(text=f"note {number}") for number in range(CAPACITY["notes"])]
    async with forked(tmp_path, *notes, ctx=[HudNote(text="from afar")]) as one:
        whole = (await one.mind()).focus.notes
        told = await one.take("from afar")
        assert (await one.mind()).focus.notes == (*whole[1:], "from afar")
        await one.put_back(told)
        assert (await one.mind()).focus.notes == whole
        told = await one.take("from afar")
        await one.live(HudNote(text="my own"))
        await one.put_back(told)
        assert (await one.mind()).focus.notes == (*whole[2:], "my own")
        with pytest.raises(NotFound, match="There is no merge 99999 here"):
            await one.merges.put_back(GUILD, BOSS, 99_999)


async def test_what_breaks_a_rule_of_life_is_refused_with_all_that_was_chosen_beside_it(tmp_path: Path) -> None:
    ctx = [Set(path="a", value="fits"), Set(path="b.c", value="does not")]
    async with forked(tmp_path, ctx=ctx) as one:
        await one.live(Set(path="b", value="a plain value"))
        items = (await one.merges.offered(one.timeline, one.node.id, who=BOSS.id)).items
        before = await one.mind()
        with pytest.raises(Rejected, match="leads through a plain value"):
            await one.take("+".join(item.mark for item in items[:2]))
        assert await one.mind() == before
        with pytest.raises(Rejected, match="Only people who may manage"):
            await one.take("a", by=Person(id=Snowflake(9), username="guest"))


async def test_a_message_is_quoted_once_and_never_as_if_it_had_been_said(tmp_path: Path) -> None:
    async with forked(tmp_path) as one:
        lines = await one.grown.home.lines()
        assert "unmerge" not in await one.take("The lights go out.")
        async with one.grown.home.store.reading() as read:
            notice = await read.letters.newest(one.grown.key.community_id, WREN, LetterKind.NOTICE)
        assert notice is not None
        assert notice.payload["text"] == (
            f"**what-if {one.timeline.id}/{one.node.id}**: what System would have said\n> The lights go out."
        )
        assert await one.grown.home.lines() == lines
        with pytest.raises(NotFound):
            await one.take("The lights go out.")  # as when somebody is not sure whether the first press was heard


async def test_what_tells_of_somebody_who_was_forgotten_is_refused(tmp_path: Path) -> None:
    async with forked(tmp_path, ctx=[Set(path="friend", value="The manager was kind")]) as one:
        community_id = one.grown.key.community_id
        (one.node,) = await one.grown.grow("ask", one.node.id, asked=(WREN, "who is your friend?"))
        async with one.grown.home.store.writing(community_id) as write:
            await write.personal.begin_forgetting(community_id, BOSS.id, one.grown.home.clock.now())
        with pytest.raises(Rejected, match="Somebody is being forgotten here just now"):
            await one.take("friend")
        async with one.grown.home.store.writing(community_id) as write:
            while await write.personal.forget_on(community_id, BOSS.id) is None:
                pass
        with pytest.raises(Rejected, match="asked to be forgotten"):
            await one.take("friend", by=Person(id=Snowflake(600), username="other", is_architect=True))
        assert (await one.mind()).knowledge == {}


class BreaksOff(Performer):
    """Dies when what is of one mind is written, and before the agent is told of it."""

    async def perform(self, *given: Any, **named: Any) -> list[Outcome]:  # noqa: ANN401
        await super().perform(*given, **named)
        raise RuntimeError("the machine went down")


async def test_what_broke_off_left_nothing_and_is_done_once_when_it_is_tried_again(tmp_path: Path) -> None:
    async with forked(tmp_path, ctx=[Set(path="a", value=1), Set(path="b", value=2)]) as one:
        marks = "+".join(
            item.mark for item in (await one.merges.offered(one.timeline, one.node.id, who=BOSS.id)).items[:2]
        )
        dying = replace(one.merges.office, performer=BreaksOff(cipher=PlainCipher(), tokenizer=TOKENIZER))
        before = await rows(one.grown)
        with pytest.raises(RuntimeError):
            await Merges(dying, one.trees.orchard).take(GUILD, BOSS, one.timeline, one.node.id, marks)
        assert await rows(one.grown) == before
        assert await one.merges.all(GUILD) == []
        await one.take(marks)
        assert (await one.mind()).knowledge == {"a": 1, "b": 2}
        with pytest.raises(NotFound):
            await one.take(marks)
        assert len(await one.merges.all(GUILD)) == 1


class Counts(Performer):
    """Counts how often minds are loaded, and written."""

    times = 0

    async def perform(self, *given: Any, **named: Any) -> list[Outcome]:  # noqa: ANN401
        self.times += 1
        return await super().perform(*given, **named)


async def test_much_that_is_known_comes_and_goes_in_few_writes(tmp_path: Path) -> None:
    many = 240
    ctx = [Set(path="seen", value={f"k{number}": "was" for number in range(many)})]
    async with forked(
        tmp_path, *ctx, ctx=[Set(path="seen", value={f"k{number}": "is" for number in range(many)})]
    ) as one:
        counting = Counts(cipher=PlainCipher(), tokenizer=TOKENIZER)
        merges = Merges(replace(one.merges.office, performer=counting), one.trees.orchard)
        told = await merges.take(GUILD, BOSS, one.timeline, one.node.id, "all")
        assert f"{many} things" in told
        assert counting.times == 3
        assert (await one.mind()).knowledge == {"seen": {f"k{number}": "is" for number in range(many)}}
        await one.live(Set(path="seen.k7", value="mine"))
        back = await merges.put_back(GUILD, BOSS, int(told.partition("merge:")[2].partition("`")[0]))
        assert counting.times == 6
        assert back.endswith("Changed since, and left alone: Agent1's knowledge, seen.k7.")
        held = (await one.mind()).knowledge["seen"]
        assert held == {f"k{number}": "mine" if number == 7 else "was" for number in range(many)}


async def test_only_what_one_agent_carries_comes_over(tmp_path: Path) -> None:
    async with forked(tmp_path, ctx=[Set(path="mood", value="wild")]) as one:
        with pytest.raises(NotFound):
            await one.merges.take(GUILD, BOSS, one.timeline, one.node.id, "all", of=AgentId(2))
        await one.merges.take(GUILD, BOSS, one.timeline, one.node.id, "all", of=WREN)
        assert (await one.mind()).knowledge == {"mood": "wild"}


class Shut:
    """Files of trees into which nobody in the house looks."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)


async def test_worlds_are_opened_away_from_the_house(tmp_path: Path) -> None:
    async with forked(tmp_path, ctx=[Set(path="mood", value="wild")]) as one:
        orchard = one.trees.orchard
        assert orchard is not None
        one.merges = Merges(one.merges.office, replace(orchard, trees=Shut()))  # type: ignore[arg-type]
        await one.take("mood")
        assert (await one.mind()).knowledge == {"mood": "wild"}
