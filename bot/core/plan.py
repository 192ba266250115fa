"""What an agent is after: how its plan changes (docs/memory.md#plan)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, Literal

from bot.core.errors import Rejected
from bot.core.focus import ITEM_CHARACTERS, item_of
from bot.core.records import Json, Plan, PlanItem
from bot.core.sentences import Sentence

PlanList = Literal["goals", "milestones"]
PlanPart = Literal["goals", "milestones", "strategy"]
PARTS: Final[tuple[PlanPart, ...]] = ("goals", "milestones", "strategy")
MOST: Final[Mapping[PlanList, int]] = {"goals": 5, "milestones": 10}
ONE: Final[Mapping[PlanList, str]] = {"goals": "goal", "milestones": "milestone"}
CURRENT, LAST_ID = "current goal", "last id"  # pieces of a plan, beside `goal 3`, `milestone 4`
LONGEST_NUMBER: Final = 9  # digits
DONE_MARK, CURRENT_MARK = "[x] ", "[>] "


def added(plan: Plan, part: PlanList, text: Json) -> tuple[Plan, PlanItem]:
    """Add one under a number of its own, the current goal if there is none; raises Rejected when there are enough."""
    told = item_of(text)
    if same := next((one for one in items_of(plan, part) if one.text == told), None):
        raise Rejected(Sentence("That is {part} {same} already.", part=ONE[part], same=same.id))
    new = PlanItem(id=plan.last_id + 1, text=told)
    after = _checked(replace(_with(plan, part, (*items_of(plan, part), new)), last_id=new.id))
    if part == "goals" and after.current is None:
        after = replace(after, current=new.id)
    return after, new


def done(plan: Plan, part: PlanList, named: str) -> tuple[Plan, PlanItem]:
    """Tick one off, named by its number, its text or its beginning; raises Rejected if there is none."""
    found = _found(plan, part, named)
    items = tuple(replace(one, done=True) if one == found else one for one in items_of(plan, part))
    return _with(plan, part, items), found


def dropped(plan: Plan, part: PlanList, named: str) -> tuple[Plan, PlanItem]:
    """Take one out; raises Rejected if there is none."""
    found = _found(plan, part, named)
    return _with(plan, part, (one for one in items_of(plan, part) if one != found)), found


def made_current(plan: Plan, named: str) -> tuple[Plan, PlanItem]:
    """Make a goal the one that counts now; raises Rejected if there is none, or it is done."""
    found = _found(plan, "goals", named)
    if found.done:
        raise Rejected(Sentence("Goal {found} is done: choose another, or add a new one.", found=found.id))
    return replace(plan, current=found.id), found


def with_strategy(plan: Plan, text: str) -> Plan:
    """Put a strategy in place of the one there was; an empty one takes it away."""
    return replace(plan, strategy=item_of(text) if text.strip() else "")


def cleared(plan: Plan, part: PlanPart | None) -> Plan:
    """Clear a part, or all; numbers go on."""
    if part == "strategy":
        return replace(plan, strategy="")
    if part is None:
        return Plan(last_id=plan.last_id)
    return _with(plan, part, ())


def items_of(plan: Plan, part: PlanList) -> tuple[PlanItem, ...]:
    """Give its goals or its milestones."""
    return plan.goals if part == "goals" else plan.milestones


def as_lines(plan: Plan, part: PlanPart) -> list[str]:
    """Give a part as people write it: a line each, with a mark before what is done and before the current goal."""
    if part == "strategy":
        return [plan.strategy] if plan.strategy else []
    return [f"{_mark(plan, part, one)}{one.text}" for one in items_of(plan, part)]


def with_lines(plan: Plan, part: PlanPart, lines: Iterable[str]) -> Plan:
    """Give a part as people wrote it: lines that were there keep their numbers, others get new ones."""
    given = [line for line in map(str.strip, lines) if line]
    if part == "strategy":
        return with_strategy(plan, " ".join(given))
    known = {one.text: one for one in items_of(plan, part)}
    after = _with(plan, part, ())
    for line in given:
        mark = next((mark for mark in (DONE_MARK, CURRENT_MARK) if line.startswith(mark)), "")
        text = item_of(line.removeprefix(mark))
        if any(one.text == text for one in items_of(after, part)):
            continue
        item = known.get(text) or PlanItem(id=after.last_id + 1, text=text)
        item = replace(item, done=mark == DONE_MARK)
        after = replace(after, last_id=max(after.last_id, item.id))
        if part == "goals" and mark == CURRENT_MARK:
            after = replace(after, current=item.id)
        after = _with(after, part, (*items_of(after, part), item))
    return _checked(after)


def shown_lines(plan: Plan, part: PlanList) -> list[str]:
    """Give goals or milestones with their numbers: the current goal first, what is done last."""
    told = sorted(items_of(plan, part), key=lambda one: (not _is_current(plan, part, one), one.done, one.id))
    return [f"{one.id}{_state(plan, part, one)}: {one.text}" for one in told]


def as_value(plan: Plan) -> dict[str, Json]:
    """Give the whole plan as agents see it."""
    return {
        "goals": list[Json](shown_lines(plan, "goals")),
        "milestones": list[Json](shown_lines(plan, "milestones")),
        "strategy": plan.strategy,
    }


def pieces(plan: Plan) -> dict[str, Json]:
    """Give a plan as it is kept, piece by piece, without what is empty: what changed is what differs."""
    found: dict[str, Json] = {
        f"{ONE[part]} {one.id}": {"text": one.text, "done": one.done} for part in MOST for one in items_of(plan, part)
    }
    found |= {CURRENT: plan.current} if plan.current is not None else {}
    found |= {"strategy": plan.strategy} if plan.strategy else {}
    return found | ({LAST_ID: plan.last_id} if plan.last_id else {})


def plan_of(kept: Mapping[str, Json]) -> Plan:
    """Give the plan of such pieces; what is none is left out."""
    last, current, strategy = kept.get(LAST_ID), kept.get(CURRENT), kept.get("strategy")
    plan = Plan(
        goals=_items(kept, "goals"),
        milestones=_items(kept, "milestones"),
        strategy=strategy[:ITEM_CHARACTERS] if isinstance(strategy, str) else "",
        current=current if isinstance(current, int) else None,
        last_id=max([last if isinstance(last, int) and 0 <= last < 10**LONGEST_NUMBER else 0, *map(_number, kept)]),
    )
    return _with(plan, "goals", plan.goals)


def difference(before: Plan, after: Plan) -> tuple[dict[str, Json], dict[str, Json]]:
    """Give what a change took away and what it put there, None where there was nothing; numbers once given stay so."""
    was, now = pieces(before), pieces(after)
    names = [name for name in {**was, **now} if was.get(name) != now.get(name) and name != LAST_ID]
    return {name: was.get(name) for name in names}, {name: now.get(name) for name in names}


def undone(plan: Plan, before: Json) -> Plan:
    """Put back what a change took away, and nothing else; raises Rejected where there is no place for it."""
    given = before if isinstance(before, dict) else {}
    put = {name: value for name, value in given.items() if name != LAST_ID}
    whole = {name: value for name, value in (pieces(plan) | put).items() if value is not None}
    return _checked(plan_of(whole))


def _number(name: str) -> int:
    one, _, number = name.partition(" ")
    fits = one in ONE.values() and number.isascii() and number.isdigit() and len(number) <= LONGEST_NUMBER
    return int(number) if fits else 0


def _items(kept: Mapping[str, Json], part: PlanList) -> tuple[PlanItem, ...]:
    found = [
        PlanItem(id=_number(name), text=str(value.get("text", ""))[:ITEM_CHARACTERS], done=value.get("done") is True)
        for name, value in kept.items()
        if isinstance(value, dict) and name.startswith(f"{ONE[part]} ") and _number(name)
    ]
    return tuple(sorted(found, key=lambda one: one.id))


def _with(plan: Plan, part: PlanList, items: Iterable[PlanItem]) -> Plan:
    """Put goals or milestones in their place; what is done or gone is not the current goal."""
    if part == "milestones":
        return replace(plan, milestones=tuple(items))
    goals = tuple(items)
    is_there = any(one.id == plan.current and not one.done for one in goals)
    return replace(plan, goals=goals, current=plan.current if is_there else None)


def _checked(plan: Plan) -> Plan:
    for part, most in MOST.items():
        if len(items_of(plan, part)) > most:
            raise Rejected(Sentence("There are {most} {part} already: drop one first.", most=most, part=part))
    return plan


def _found(plan: Plan, part: PlanList, named: str) -> PlanItem:
    wanted = " ".join(named.split()).casefold()
    number = wanted.removeprefix(ONE[part]).strip().removeprefix("#")
    items = items_of(plan, part)
    by_number = [one for one in items if str(one.id) == number]
    by_text = [one for one in items if one.text.casefold() == wanted]
    begun = [one for one in items if wanted and one.text.casefold().startswith(wanted)]
    for some in (by_number, by_text, begun):
        if len(some) == 1:
            return some[0]
    raise Rejected(
        Sentence(
            'There is no {part} "{wanted}" in the plan: name it by its number.',
            part=ONE[part],
            wanted=wanted[:60],
        )
    )


def _is_current(plan: Plan, part: PlanPart, one: PlanItem) -> bool:
    return part == "goals" and one.id == plan.current


def _state(plan: Plan, part: PlanPart, one: PlanItem) -> str:
    return " done" if one.done else " current" if _is_current(plan, part, one) else ""


def _mark(plan: Plan, part: PlanPart, one: PlanItem) -> str:
    return DONE_MARK if one.done else CURRENT_MARK if _is_current(plan, part, one) else ""
