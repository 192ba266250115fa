"""What an agent is after: numbers are never given twice, and a change touches only what it names."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from bot.core.errors import Rejected
from bot.core.plan import (
    added,
    as_lines,
    as_value,
    cleared,
    difference,
    done,
    dropped,
    made_current,
    pieces,
    plan_of,
    shown_lines,
    undone,
    with_lines,
    with_strategy,
)
from bot.core.records import Plan

Step = tuple[str, str, str]
TEXTS = some.sampled_from(["row out", "mend the net", "sell fish", "learn the tides", "rest", "paint", "sing"])
NAMED = some.one_of(TEXTS, some.integers(1, 30).map(str))
STEPS = some.lists(
    some.one_of(
        some.tuples(some.just("add"), some.sampled_from(["goals", "milestones"]), TEXTS),
        some.tuples(some.sampled_from(["done", "drop"]), some.sampled_from(["goals", "milestones"]), NAMED),
        some.tuples(some.just("current"), some.just("goals"), NAMED),
        some.tuples(some.just("strategy"), some.just(""), TEXTS),
        some.tuples(some.just("clear"), some.sampled_from(["goals", "milestones", "strategy"]), some.just("")),
    ),
    max_size=40,
)


def after(plan: Plan, step: Step) -> Plan:
    what, part, text = step
    items: dict[str, Callable[..., tuple[Plan, object]]] = {"add": added, "done": done, "drop": dropped}
    try:
        if what in items:
            return items[what](plan, part, text)[0]
        if what == "current":
            return made_current(plan, text)[0]
        return with_strategy(plan, text) if what == "strategy" else cleared(plan, part)  # type: ignore[arg-type]
    except Rejected:
        return plan


def through(steps: Sequence[Step]) -> list[Plan]:
    """Give the plan before the first step and after each."""
    plans = [Plan()]
    for step in steps:
        plans.append(after(plans[-1], step))
    return plans


@given(STEPS)
def test_limits_hold_and_no_number_is_given_twice(steps: list[Step]) -> None:
    given: set[int] = set()
    for before, now in pairwise(through(steps)):
        assert len(now.goals) <= 5
        assert len(now.milestones) <= 10
        assert len(now.strategy) <= 300
        open_goals = {one.id for one in now.goals if not one.done}
        assert now.current is None or now.current in open_goals
        ids = [one.id for one in (*now.goals, *now.milestones)]
        assert len(set(ids)) == len(ids)
        new = set(ids) - {one.id for one in (*before.goals, *before.milestones)}
        assert not new & given
        given |= new


@given(STEPS)
def test_a_change_touches_only_what_it_names(steps: list[Step]) -> None:
    plans = through(steps)
    for step, before, now in zip(steps, plans, plans[1:], strict=False):
        was, _ = difference(before, now)
        named = {name for name in was if name != "current goal"}
        if step[0] == "strategy":
            assert named <= {"strategy"}
        elif step[0] == "current":
            assert named == set()
        elif step[0] != "clear":
            assert len(named) <= 1


@given(STEPS)
def test_what_was_changed_can_be_taken_back_one_by_one(steps: list[Step]) -> None:
    plans = through(steps)
    plan = plans[-1]
    for before, now in reversed(list(pairwise(plans))):
        was, _ = difference(before, now)
        plan = undone(plan, was)
        assert difference(plan, before) == ({}, {})
        assert plan.last_id == plans[-1].last_id


@given(STEPS)
def test_a_plan_is_read_as_it_was_kept_and_written_as_it_was_read(steps: list[Step]) -> None:
    plan = through(steps)[-1]
    assert plan_of(pieces(plan)) == plan
    for part in ("goals", "milestones", "strategy"):
        assert with_lines(plan, part, as_lines(plan, part)) == plan


def test_a_number_without_end_in_an_archive_is_none() -> None:
    plan = plan_of({"last id": 10**4_299 - 1 + 10**4_299, "goal 3": {"text": "tidy", "done": False}})
    after, new = added(plan, "goals", "rest")
    assert (new.id, plan_of(pieces(after))) == (4, after)


def test_the_first_goal_is_the_current_one_and_others_wait() -> None:
    plan, first = added(Plan(), "goals", "row out")
    plan, second = added(plan, "goals", "sell  fish\n")
    assert (plan.current, second.text) == (first.id, "sell fish")
    plan, _ = done(plan, "goals", "row")
    assert plan.current is None
    with pytest.raises(Rejected, match="Goal 1 is done"):
        made_current(plan, "1")
    plan, _ = made_current(plan, "goal 2")
    plan, _ = added(plan, "goals", "rest")
    assert shown_lines(plan, "goals") == ["2 current: sell fish", "3: rest", "1 done: row out"]


def test_there_is_no_sixth_goal_and_what_is_gone_is_named_no_more() -> None:
    plan = Plan()
    for number in range(5):
        plan, _ = added(plan, "goals", f"goal number {number}")
    with pytest.raises(Rejected, match="There are 5 goals already"):
        added(plan, "goals", "one more")
    with pytest.raises(Rejected, match="That is goal 2 already"):
        added(plan, "goals", "goal number 1")
    plan, gone = dropped(plan, "goals", "#2")
    with pytest.raises(Rejected, match='There is no goal "2"'):
        done(plan, "goals", str(gone.id))
    with pytest.raises(Rejected, match="at most 300"):
        with_strategy(plan, "x" * 301)
    assert added(plan, "goals", "one more")[1].id == 6


def test_undoing_needs_a_place() -> None:
    plan = Plan()
    for number in range(5):
        plan, _ = added(plan, "goals", f"goal {number}")
    less, _ = dropped(plan, "goals", "3")
    was, _ = difference(plan, less)
    full, _ = added(less, "goals", "another")
    with pytest.raises(Rejected, match="There are 5 goals already"):
        undone(full, was)
    assert undone(full, "nonsense") == full


def test_people_write_it_line_by_line_and_what_stays_keeps_its_number() -> None:
    plan = with_lines(Plan(), "goals", ["[>] row out", "", "sell fish", "[x] rest", "sell fish"])
    assert as_lines(plan, "goals") == ["[>] row out", "sell fish", "[x] rest"]
    plan = with_lines(plan, "goals", ["[x] row out", "[>] sing", "sell fish"])
    assert shown_lines(plan, "goals") == ["4 current: sing", "2: sell fish", "1 done: row out"]
    assert as_value(with_lines(plan, "strategy", ["slowly,", "with care"]))["strategy"] == "slowly, with care"
    assert cleared(plan, None) == Plan(last_id=4)
