"""Performs what changes or reads knowledge."""

from bot.core import knowledge
from bot.core.actions import Append, Delete, Get, Set, UndoKnowledge
from bot.core.errors import Rejected
from bot.core.hud.knowledge import knowledge_tokens
from bot.core.records import PUBLIC_SIDE
from bot.engine.performer.desk import Desk
from bot.engine.performer.lookups import expect_answer
from bot.engine.performer.registry import handles

HISTORY = 1_000


@handles(Set)
def set_value(desk: Desk, action: Set) -> str:
    edit = knowledge.assigned(desk.mind().knowledge, action.path, action.value, action.w)
    return _keep(desk, action.path, edit, f"{action.path} is set.")


@handles(Append)
def append(desk: Desk, action: Append) -> str:
    edit = knowledge.appended(desk.mind().knowledge, action.path, action.value)
    return _keep(desk, action.path, edit, f"Added to {action.path}.")


@handles(Delete)
def delete(desk: Desk, action: Delete) -> str:
    edit = knowledge.deleted(desk.mind().knowledge, action.path)
    if not edit.changed:
        return f"There was nothing at {action.path}."
    desk.keep_knowledge(edit.whole, action.path, edit.before, None)
    return f"{action.path} is deleted."


@handles(Get)
def get(desk: Desk, action: Get) -> str:
    found = knowledge.read(desk.mind().knowledge, action.path)
    if found is knowledge.MISSING and desk.side != PUBLIC_SIDE:
        found = knowledge.read(desk.belongings.mind_of(desk.me().id).knowledge, action.path)
    if found is knowledge.MISSING:
        raise Rejected(f"There is nothing at {action.path}.")
    desk.look_up(f"get {action.path}", knowledge.as_json(found))
    return expect_answer(desk)


@handles(UndoKnowledge)
async def undo(desk: Desk, action: UndoKnowledge) -> str:
    agent = desk.me()
    journal = await desk.write.logs.journal(desk.community_id, agent.id, side=desk.side, limit=HISTORY)
    entry = next((one for one in journal if action.entry_id in (None, one.id)), None)
    if entry is None:
        raise Rejected("There is no such change in the history of its knowledge.")
    whole = desk.mind().knowledge
    if entry.before is None:
        edit = knowledge.deleted(whole, entry.path)
    else:
        edit = knowledge.assigned(whole, entry.path, entry.before)
    return _keep(desk, entry.path, edit, f"{entry.path} is as it was before {entry.at:%Y-%m-%d %H:%M} UTC.")


def _keep(desk: Desk, path: str, edit: knowledge.Edit, result: str) -> str:
    agent, before = desk.me(), desk.mind().knowledge
    cap = agent.token_budget * agent.allocations.knowledge // 100
    tokens = knowledge_tokens(desk.tokenizer, edit.whole)
    if tokens > cap:
        knowledge.check_room(knowledge_tokens(desk.tokenizer, before), tokens, cap)
    desk.keep_knowledge(edit.whole, path, edit.before, edit.after)
    return result
