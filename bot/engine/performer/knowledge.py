"""Performs what changes or reads knowledge."""

from bot.core import knowledge
from bot.core.actions import Append, Delete, Get, Set, UndoKnowledge
from bot.core.errors import Rejected
from bot.core.hud.knowledge import knowledge_tokens
from bot.core.records import PUBLIC_SIDE
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
