"""Performs what changes or shows the focus."""

from bot.core import focus
from bot.core.actions import Hud, HudBlocker, HudClear, HudDecision, HudFile, HudNote, HudStep, HudUpdate
from bot.core.records import Focus
from bot.engine.performer.desk import Desk
from bot.engine.performer.lookups import expect_answer
from bot.engine.performer.registry import handles


@handles(Hud)
def show(desk: Desk, action: Hud) -> str:
    desk.look_up(f"hud {action.section or 'all'}", focus.as_value(desk.mind().focus, action.section))
    return expect_answer(desk)


@handles(HudUpdate)
def update(desk: Desk, action: HudUpdate) -> str:
    return _keep(desk, focus.with_section(desk.mind().focus, action.section, action.value, desk.now))


@handles(HudNote)
def note(desk: Desk, action: HudNote) -> str:
    return _keep(desk, focus.with_item(desk.mind().focus, "notes", action.text, desk.now))


@handles(HudDecision)
def decision(desk: Desk, action: HudDecision) -> str:
    return _keep(desk, focus.with_item(desk.mind().focus, "key_decisions", action.text, desk.now))


@handles(HudFile)
def file(desk: Desk, action: HudFile) -> str:
    return _add_or_remove(desk, "active_files", action.text, add=action.action == "add")


@handles(HudBlocker)
def blocker(desk: Desk, action: HudBlocker) -> str:
    return _add_or_remove(desk, "blockers", action.text, add=action.action == "add")


@handles(HudStep)
def step(desk: Desk, action: HudStep) -> str:
    return _add_or_remove(desk, "next_steps", action.text, add=action.action == "add")


@handles(HudClear)
def clear(desk: Desk, action: HudClear) -> str:
    return _keep(desk, focus.cleared(desk.mind().focus, action.section, desk.now))


def _add_or_remove(desk: Desk, name: str, text: str, *, add: bool) -> str:
    change = focus.with_item if add else focus.without_item
    return _keep(desk, change(desk.mind().focus, name, text, desk.now))


def _keep(desk: Desk, after: Focus) -> str:
    desk.keep_focus(after)
    return f"{desk.whose('focus')} is updated."
