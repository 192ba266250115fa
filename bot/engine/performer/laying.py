"""Loads what some actions need, in a few reads and once."""

from collections.abc import Iterator, Sequence

from bot.core.actions import Action, Category
from bot.core.actor import Actor
from bot.core.ports import Cipher, Tokenizer, Writing
from bot.core.records import AgentId, CommunityId, MessageId
from bot.core.view import View
from bot.engine.performer.desk import Desk
from bot.engine.performer.terms import Terms


async def lay(
    write: Writing,
    community_id: CommunityId,
    actor: Actor,
    actions: Sequence[Action],
    *,
    subject: AgentId | None,
    terms: Terms,
    view: View | None = None,
    cipher: Cipher,
    tokenizer: Tokenizer,
) -> Desk:
    """Lay the desk for one actor's actions."""
    subject_id = actor.agent_id if actor.agent_id is not None else subject
    agents = [subject_id] if subject_id is not None else []
    rooms = list(dict.fromkeys([*agents, *_rooms_named(actions)]))
    if view is None:
        doors = any(action.definition.category is Category.ACCESS for action in actions)
        view = await write.desk(community_id, agent_ids=agents, room_ids=rooms, doors=doors)
    ids = list(dict.fromkeys(_messages_named(actions)))
    messages = await write.messages_by_id(community_id, ids) if ids else {}
    return Desk(
        write=write,
        view=view,
        actor=actor,
        subject_id=subject_id,
        cipher=cipher,
        tokenizer=tokenizer,
        terms=terms,
        messages=messages,
    )


def _rooms_named(actions: Sequence[Action]) -> Iterator[AgentId]:
    """Rooms that actions name; an agent that is named stands for its room too."""
    for action in actions:
        for name in ("room_id", "in_room_id", "agent_id"):
            if id := getattr(action, name, None):
                yield AgentId(id)


def _messages_named(actions: Sequence[Action]) -> Iterator[MessageId]:
    for action in actions:
        id = getattr(action, "message_id", None)
        if id is None and action.definition.name == "read_message":
            id = getattr(action, "id", None)
        if id is not None:
            yield MessageId(id)
