"""Performs what changes or reads a mind: knowledge and focus."""

import asyncio
from typing import assert_never

from bot.core import focus, knowledge, plan
from bot.core.actions import (
    Append,
    ClearPlan,
    Delete,
    Feel,
    Get,
    Hud,
    HudBlocker,
    HudClear,
    HudDecision,
    HudFile,
    HudNote,
    HudStep,
    HudUpdate,
    PlanGoal,
    PlanMilestone,
    PlanStrategy,
    Set,
    SetPlan,
    UndoKnowledge,
    UndoPlan,
)
from bot.core.errors import Rejected
from bot.core.feelings import with_feeling
from bot.core.hud.knowledge import Tally
from bot.core.keeping import JournalEntry
from bot.core.kinds import MindPart
from bot.core.records import PUBLIC_SIDE, Focus, Plan, PlanItem
from bot.core.sentences import Sentence
from bot.engine.performer.lookups import expect_answer
from bot.engine.performer.registry import handles
from bot.engine.performer.unit_of_work import UnitOfWork


@handles(Set)
async def set_value(work: UnitOfWork, action: Set) -> str:
    edit = knowledge.assigned(work.mind().knowledge, action.path, action.value, action.w)
    return await _keep(work, action.path, edit, Sentence("{path} is set.", path=action.path))


@handles(Append)
async def append(work: UnitOfWork, action: Append) -> str:
    edit = knowledge.appended(work.mind().knowledge, action.path, action.value)
    return await _keep(work, action.path, edit, Sentence("Added to {path}.", path=action.path))


@handles(Delete)
def delete(work: UnitOfWork, action: Delete) -> str:
    edit = knowledge.deleted(work.mind().knowledge, action.path)
    if not edit.changed:
        return Sentence("There was nothing at {path}.", path=action.path)
    if work.tally is not None:
        work.tally.change(work.mind().knowledge, edit.whole, action.path)
    work.keep_knowledge(edit.whole, action.path, edit.before, None)
    return Sentence("{path} is deleted.", path=action.path)


@handles(Get)
def get(work: UnitOfWork, action: Get) -> str:
    found = knowledge.read(work.mind().knowledge, action.path)
    if found is knowledge.MISSING and work.side != PUBLIC_SIDE:
        found = knowledge.read(work.belongings.mind_of(work.me().id).knowledge, action.path)
    if found is knowledge.MISSING:
        raise Rejected(Sentence("There is nothing at {path}.", path=action.path))
    work.look_up(f"get {action.path}", knowledge.as_json(found))
    return expect_answer(work)


@handles(UndoKnowledge)
async def undo(work: UnitOfWork, action: UndoKnowledge) -> str:
    entry = await _journalled(work, MindPart.KNOWLEDGE, action.entry_id)
    if entry is None:
        raise Rejected(Sentence("There is no such change in the history of its knowledge."))
    whole = work.mind().knowledge
    if entry.before is None:
        edit = knowledge.deleted(whole, entry.path)
    else:
        edit = knowledge.assigned(whole, entry.path, entry.before)
    return await _keep(work, entry.path, edit, f"{entry.path} is as it was before {entry.at:%Y-%m-%d %H:%M} UTC.")


async def _journalled(work: UnitOfWork, part: MindPart, entry_id: int | None) -> JournalEntry | None:
    """Give a change of what the subject carries, by its number or the newest."""
    whose = work.community_id, work.me().id
    return await work.write.logs.change(*whose, part, side=work.side, entry_id=entry_id)


async def _keep(work: UnitOfWork, path: str, edit: knowledge.Edit, result: str) -> str:
    agent = work.me()
    tally = await _tally(work)
    tally.change(work.mind().knowledge, edit.whole, path, agent.token_budget * agent.allocations.knowledge // 100)
    work.keep_knowledge(edit.whole, path, edit.before, edit.after)
    return result


async def _tally(work: UnitOfWork) -> Tally:
    """Give what the subject's knowledge takes, counted once for all that is changed of it."""
    if work.tally is None:
        work.tally = Tally(work.tokenizer)
        for _ in work.tally.fill(work.mind().knowledge):
            await asyncio.sleep(0)  # others come first in between
    return work.tally


@handles(Hud)
def show(work: UnitOfWork, action: Hud) -> str:
    held = work.mind().focus
    kept, planned = focus.as_value(held), plan.as_value(held.plan)
    if action.section is not None:
        work.look_up(f"hud {action.section}", (kept | planned)[action.section])
    else:
        work.look_up("hud all", kept | {name: part for name, part in planned.items() if part})
    return expect_answer(work)


@handles(HudUpdate)
def update(work: UnitOfWork, action: HudUpdate) -> str:
    return _keep_focus(work, focus.with_section(work.mind().focus, action.section, action.value, work.now))


@handles(HudNote)
def note(work: UnitOfWork, action: HudNote) -> str:
    return _keep_focus(work, focus.with_item(work.mind().focus, "notes", action.text, work.now))


@handles(HudDecision)
def decision(work: UnitOfWork, action: HudDecision) -> str:
    return _keep_focus(work, focus.with_item(work.mind().focus, "key_decisions", action.text, work.now))


@handles(HudFile)
def file(work: UnitOfWork, action: HudFile) -> str:
    return _add_or_remove(work, "active_files", action.text, add=action.action == "add")


@handles(HudBlocker)
def blocker(work: UnitOfWork, action: HudBlocker) -> str:
    return _add_or_remove(work, "blockers", action.text, add=action.action == "add")


@handles(HudStep)
def step(work: UnitOfWork, action: HudStep) -> str:
    return _add_or_remove(work, "next_steps", action.text, add=action.action == "add")


@handles(HudClear)
def clear(work: UnitOfWork, action: HudClear) -> str:
    return _keep_focus(work, focus.cleared(work.mind().focus, action.section, work.now))


def _add_or_remove(work: UnitOfWork, name: str, text: str, *, add: bool) -> str:
    change = focus.with_item if add else focus.without_item
    return _keep_focus(work, change(work.mind().focus, name, text, work.now))


def _keep_focus(work: UnitOfWork, after: Focus) -> str:
    work.keep_focus(after)
    return Sentence("{what} is updated.", what=work.whose("focus"))


@handles(PlanGoal)
def goal(work: UnitOfWork, action: PlanGoal) -> str:
    held = work.mind().focus.plan
    match action.action:
        case "add":
            return _keep_item(work, "Goal", "added", plan.added(held, "goals", action.text))
        case "current":
            return _keep_item(work, "Goal", "the current one", plan.made_current(held, action.text))
        case "done":
            return _keep_item(work, "Goal", "done", plan.done(held, "goals", action.text))
        case "drop":
            return _keep_item(work, "Goal", "dropped", plan.dropped(held, "goals", action.text))
        case _:
            assert_never(action.action)


@handles(PlanMilestone)
def milestone(work: UnitOfWork, action: PlanMilestone) -> str:
    held = work.mind().focus.plan
    match action.action:
        case "add":
            return _keep_item(work, "Milestone", "added", plan.added(held, "milestones", action.text))
        case "done":
            return _keep_item(work, "Milestone", "done", plan.done(held, "milestones", action.text))
        case "drop":
            return _keep_item(work, "Milestone", "dropped", plan.dropped(held, "milestones", action.text))
        case _:
            assert_never(action.action)


@handles(PlanStrategy)
def strategy(work: UnitOfWork, action: PlanStrategy) -> str:
    return _keep_plan(work, plan.with_strategy(work.mind().focus.plan, action.text))


@handles(SetPlan)
def set_plan(work: UnitOfWork, action: SetPlan) -> str:
    return _keep_plan(work, plan.with_lines(work.mind().focus.plan, action.part, action.lines))


@handles(ClearPlan)
def clear_plan(work: UnitOfWork, action: ClearPlan) -> str:
    return _keep_plan(work, plan.cleared(work.mind().focus.plan, action.part))


@handles(UndoPlan)
async def undo_plan(work: UnitOfWork, action: UndoPlan) -> str:
    entry = await _journalled(work, MindPart.PLAN, action.entry_id)
    if entry is None:
        raise Rejected(Sentence("There is no such change of its plan: /plan show lists the newest."))
    work.keep_plan(plan.undone(work.mind().focus.plan, entry.before))
    return Sentence("{path} is as it was before {at:%Y-%m-%d %H:%M} UTC.", path=entry.path, at=entry.at)


@handles(Feel)
def feel(work: UnitOfWork, action: Feel) -> str:
    if not (work.config.emotions or work.context.feels):
        raise Rejected("Nobody notes feelings here: the setting emotions is off.")
    work.keep_focus(with_feeling(work.mind().focus, action.emotion, action.why, work.now))
    return "You noted it for yourself."


def _keep_item(work: UnitOfWork, what: str, state: str, changed: tuple[Plan, PlanItem]) -> str:
    after, item = changed
    return f"{what} {item.id} is {state}." if work.keep_plan(after) else f"{what} {item.id} was {state} already."


def _keep_plan(work: UnitOfWork, after: Plan) -> str:
    what = work.whose("plan")
    return (
        Sentence("{what} is updated.", what=what)
        if work.keep_plan(after)
        else Sentence("{what} is as it was.", what=what)
    )
