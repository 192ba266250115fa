"""Performs what changes or shows the focus."""

from bot.core import focus
from bot.core.actions import Hud, HudBlocker, HudClear, HudDecision, HudFile, HudNote, HudStep, HudUpdate
from bot.core.records import Focus
from bot.engine.performer.lookups import expect_answer
from bot.engine.performer.registry import handles
from bot.engine.performer.unit_of_work import UnitOfWork


@handles(Hud)
def show(work: UnitOfWork, action: Hud) -> str:
    work.look_up(f"hud {action.section or 'all'}", focus.as_value(work.mind().focus, action.section))
    return expect_answer(work)


@handles(HudUpdate)
def update(work: UnitOfWork, action: HudUpdate) -> str:
    return _keep(work, focus.with_section(work.mind().focus, action.section, action.value, work.now))


@handles(HudNote)
def note(work: UnitOfWork, action: HudNote) -> str:
    return _keep(work, focus.with_item(work.mind().focus, "notes", action.text, work.now))


@handles(HudDecision)
def decision(work: UnitOfWork, action: HudDecision) -> str:
    return _keep(work, focus.with_item(work.mind().focus, "key_decisions", action.text, work.now))


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
    return _keep(work, focus.cleared(work.mind().focus, action.section, work.now))


def _add_or_remove(work: UnitOfWork, name: str, text: str, *, add: bool) -> str:
    change = focus.with_item if add else focus.without_item
    return _keep(work, change(work.mind().focus, name, text, work.now))


def _keep(work: UnitOfWork, after: Focus) -> str:
    work.keep_focus(after)
    return f"{work.whose('focus')} is updated."
