"""Loads what some actions need, in a few reads and once."""

from collections.abc import Sequence

from bot.core.access import all_labels
from bot.core.actions import Action, Aim, Category
from bot.core.actor import Actor
from bot.core.blotting import given_in
from bot.core.focus import files_of, with_files_of
from bot.core.kinds import ReasonKind
from bot.core.permissions import may_see
from bot.core.ports import Cipher, Models, Tokenizer, Writing
from bot.core.records import AgentId, CommunityId, MessageId, Reason
from bot.core.view import Doors, Glance, Outline, Subject
from bot.engine.performer.desk import Desk
from bot.engine.performer.inquiry import inquired
from bot.engine.performer.terms import Terms


async def lay(
    write: Writing,
    community_id: CommunityId,
    actor: Actor,
    actions: Sequence[Action],
    *,
    subject: AgentId | None,
    terms: Terms,
    view: Glance | None = None,
    cipher: Cipher,
    tokenizer: Tokenizer,
    models: Models | None,
) -> Desk:
    """Lay the desk for one actor's actions."""
    subject_id = actor.agent_id if actor.agent_id is not None else subject
    agents = [subject_id] if subject_id is not None else []
    named = [AgentId(id) for one in actions for id in one.aimed_at(Aim.ROOM, Aim.AGENT)]  # an agent stands for its room
    rooms = list(dict.fromkeys([*agents, *named]))
    ids = list(dict.fromkeys(MessageId(id) for one in actions for id in one.aimed_at(Aim.MESSAGE)))
    laid: Subject | None = None
    seen: Outline
    if view is not None and not _brings_files(view, terms.reasons):
        seen = view
    else:
        ids += _addressing(terms.reasons)
        doors = any(action.definition.category is Category.ACCESS for action in actions)
        seen = laid = await write.desk(community_id, agent_ids=agents, room_ids=rooms, doors=doors)
    keys = laid.doors if laid is not None else None
    ids += _calling(seen, terms)
    here = shown_to(seen, subject_id, terms)
    inquiry = inquired(actor, actions, subject_id, rooms, terms.now, seen.config, messages=ids, rooms_in=here)
    desk = Desk(
        write=write,
        view=seen,
        minds=laid,
        doors=keys,
        actor=actor,
        subject_id=subject_id,
        cipher=cipher,
        tokenizer=tokenizer,
        models=models,
        terms=terms,
        rooms_at_first=here,
        blots=terms.blots | given_in(actions, _labels(keys)),
        circumstances=await write.circumstances(community_id, inquiry),
    )
    _notice(desk, terms.reasons)
    return desk


def shown_to(view: Outline, agent_id: AgentId | None, terms: Terms) -> tuple[AgentId, ...]:
    """Give the rooms that the agent is in and this beat shows."""
    mine = (room for agent, room in view.memberships if agent == agent_id)
    return tuple(room for room in mine if terms.rooms_shown is None or room in terms.rooms_shown)


def _calling(view: Outline, terms: Terms) -> list[MessageId]:
    """Give the messages that called the agent and are not in view."""
    shown = {message.id for room in view.rooms.values() for message in room.messages}
    return [id for id in terms.called_by if id not in shown]


def _labels(doors: Doors | None) -> frozenset[str]:
    held = (*doors.keys.values(), *doors.held_keys.values()) if doors else ()
    return all_labels(key for keys in held for key in keys)


def _addressing(reasons: Sequence[Reason]) -> list[MessageId]:
    """Give the messages by which somebody spoke to the agent."""
    spoken_to = (reason for reason in reasons if reason.kind is ReasonKind.ADDRESSED)
    return [reason.message_id for reason in spoken_to if reason.message_id is not None]


def _brings_files(view: Glance, reasons: Sequence[Reason]) -> bool:
    """Whether one of them brings links or attachments, for which the agent's focus must be read."""
    wanted = set(_addressing(reasons))
    shown = (message for room in view.rooms.values() for message in room.messages if message.id in wanted)
    return any(files_of(message) for message in shown)


def _notice(desk: Desk, reasons: Sequence[Reason]) -> None:
    """What was brought to the agent stands among its active files by itself."""
    agent_id = desk.actor.agent_id
    if agent_id is None or agent_id not in desk.agents:
        return
    for message in filter(None, map(desk.messages.get, _addressing(reasons))):
        if may_see(agent_id, message, desk) and files_of(message):
            focus = with_files_of(desk.mind().focus, message, desk.now)
            if focus != desk.mind().focus:
                desk.keep_focus(focus)
