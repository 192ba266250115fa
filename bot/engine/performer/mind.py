"""Performs what changes or reads a mind: knowledge and focus."""

from bot.core import focus, knowledge
from bot.core.actions import (
    Append,
    Delete,
    Get,
    Hud,
    HudBlocker,
    HudClear,
    HudDecision,
    HudFile,
    HudNote,
    HudStep,
    HudUpdate,
    Set,
    UndoKnowledge,
)
from bot.core.errors import Rejected
from bot.core.hud.knowledge import knowledge_tokens
from bot.core.records import PUBLIC_SIDE, Focus
from bot.engine.performer.lookups import expect_answer
from bot.engine.performer.registry import handles
from bot.engine.performer.unit_of_work import UnitOfWork

HISTORY = 1_000


@handles(Set)
def set_value(work: UnitOfWork, action: Set) -> str:
    edit = knowledge.assigned(work.mind().knowledge, action.path, action.value, action.w)
    return _keep(work, action.path, edit, f"{action.path} is set.")


@handles(Append)
def append(work: UnitOfWork, action: Append) -> str:
    edit = knowledge.appended(work.mind().knowledge, action.path, action.value)
    return _keep(work, action.path, edit, f"Added to {action.path}.")


@handles(Delete)
def delete(work: UnitOfWork, action: Delete) -> str:
    edit = knowledge.deleted(work.mind().knowledge, action.path)
    if not edit.changed:
        return f"There was nothing at {action.path}."
    work.keep_knowledge(edit.whole, action.path, edit.before, None)
    return f"{action.path} is deleted."


@handles(Get)
def get(work: UnitOfWork, action: Get) -> str:
    found = knowledge.read(work.mind().knowledge, action.path)
    if found is knowledge.MISSING and work.side != PUBLIC_SIDE:
        found = knowledge.read(work.belongings.mind_of(work.me().id).knowledge, action.path)
    if found is knowledge.MISSING:
        raise Rejected(f"There is nothing at {action.path}.")
    work.look_up(f"get {action.path}", knowledge.as_json(found))
    return expect_answer(work)


@handles(UndoKnowledge)
async def undo(work: UnitOfWork, action: UndoKnowledge) -> str:
    agent = work.me()
    journal = await work.write.logs.journal(work.community_id, agent.id, side=work.side, limit=HISTORY)
    entry = next((one for one in journal if action.entry_id in (None, one.id)), None)
    if entry is None:
        raise Rejected("There is no such change in the history of its knowledge.")
    whole = work.mind().knowledge
    if entry.before is None:
        edit = knowledge.deleted(whole, entry.path)
    else:
        edit = knowledge.assigned(whole, entry.path, entry.before)
    return _keep(work, entry.path, edit, f"{entry.path} is as it was before {entry.at:%Y-%m-%d %H:%M} UTC.")


def _keep(work: UnitOfWork, path: str, edit: knowledge.Edit, result: str) -> str:
    agent, before = work.me(), work.mind().knowledge
    cap = agent.token_budget * agent.allocations.knowledge // 100
    tokens = knowledge_tokens(work.tokenizer, edit.whole)
    if tokens > cap:
        knowledge.check_room(knowledge_tokens(work.tokenizer, before), tokens, cap)
    work.keep_knowledge(edit.whole, path, edit.before, edit.after)
    return result


@handles(Hud)
def show(work: UnitOfWork, action: Hud) -> str:
    work.look_up(f"hud {action.section or 'all'}", focus.as_value(work.mind().focus, action.section))
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
    return f"{work.whose('focus')} is updated."
