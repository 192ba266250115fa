"""Loads what some actions need, in a few reads and once."""

from collections.abc import Sequence
from dataclasses import replace

from bot.core.access import all_labels
from bot.core.actions import Action, Aim, Category
from bot.core.actor import Actor
from bot.core.focus import files_of, with_files_of
from bot.core.key_redaction import given_in
from bot.core.kinds import ReasonKind
from bot.core.people import as_decided
from bot.core.permissions import may_see
from bot.core.ports import Cipher, Models, Tokenizer, Writing
from bot.core.ports.people import People
from bot.core.ports.residents import Views
from bot.core.ports.talk import Talk
from bot.core.records import AgentId, CommunityId, MessageId, MindId, Reason, Side
from bot.core.view import Doors, Glance, Outline, Subject, carried_by
from bot.engine.performer.action_context import ActionContext
from bot.engine.performer.inquiry import inquired
from bot.engine.performer.unit_of_work import UnitOfWork


async def load(
    write: Writing,
    community_id: CommunityId,
    actor: Actor,
    actions: Sequence[Action],
    *,
    subject: AgentId | None,
    context: ActionContext,
    view: Glance | None = None,
    cipher: Cipher,
    tokenizer: Tokenizer,
    models: Models | None,
) -> UnitOfWork:
    """Load what one actor's actions need."""
    actor = await _known(write.people, community_id, actor)
    subject_id = actor.agent_id if actor.agent_id is not None else subject
    agents = [subject_id] if subject_id is not None else []
    named = [AgentId(id_) for one in actions for id_ in one.aimed_at(Aim.ROOM, Aim.AGENT)]  # an agent is its room
    rooms = list(dict.fromkeys([*agents, *named]))
    ids = list(dict.fromkeys(MessageId(id_) for one in actions for id_ in one.aimed_at(Aim.MESSAGE)))
    laid: Subject | None = None
    seen: Outline
    if view is not None and not _brings_files(view, context.reasons):
        seen = view
    else:
        ids += _addressing(context.reasons)
        doors = any(action.definition.category is Category.ACCESS for action in actions)
        places = [*rooms, *await _places_of(write.talk, community_id, actor, ids)]
        seen = laid = await _laid(write.views, community_id, agents, places, context.side, doors=doors)
    keys = laid.doors if laid is not None else None
    ids += _calling(seen, context)
    here = shown_to(seen, subject_id, context)
    inquiry = inquired(actor, actions, subject_id, rooms, context.now, seen.config, messages=ids, rooms_in=here)
    work = UnitOfWork(
        write=write,
        view=seen,
        minds=laid,
        doors=keys,
        actor=actor,
        subject_id=subject_id,
        cipher=cipher,
        tokenizer=tokenizer,
        models=models,
        context=context,
        rooms_at_first=here,
        redactor=context.redactor | given_in(actions, _labels(keys)),
        circumstances=await write.inquiries.answer(community_id, inquiry),
    )
    _notice(work, context.reasons)
    return work


async def _laid(
    views: Views,
    community_id: CommunityId,
    agents: Sequence[AgentId],
    rooms: Sequence[AgentId],
    side: Side,
    *,
    doors: bool,
) -> Subject:
    minds = frozenset[MindId]().union(*(carried_by(id_, side) for id_ in agents))
    return await views.action_view(community_id, agent_ids=agents, room_ids=rooms, doors=doors, minds=minds)


def shown_to(view: Outline, agent_id: AgentId | None, context: ActionContext) -> tuple[AgentId, ...]:
    """Give the rooms that the agent is in and this beat shows."""
    mine = (room for agent, room in view.memberships if agent == agent_id)
    return tuple(room for room in mine if context.rooms_shown is None or room in context.rooms_shown)


async def _known(people: People, community_id: CommunityId, actor: Actor) -> Actor:
    """Give an actor with what was decided about them here: Discord does not know to whom agents listen."""
    if actor.who is None:
        return actor
    return replace(actor, who=as_decided(actor.who, await people.find(community_id, actor.who.id)))


async def _places_of(
    talk: Talk, community_id: CommunityId, actor: Actor, message_ids: Sequence[MessageId]
) -> set[AgentId]:
    """Give where the messages are that a person names: in private threads, too, that are in no view else."""
    if actor.agent_id is not None or not message_ids:
        return set()
    return {one.room_id for one in (await talk.by_id(community_id, message_ids)).values()}


def _calling(view: Outline, context: ActionContext) -> list[MessageId]:
    """Give the messages that called the agent and are not in view."""
    shown = {message.id for room in view.rooms.values() for message in room.messages}
    return [id_ for id_ in context.called_by if id_ not in shown]


def _labels(doors: Doors | None) -> frozenset[str]:
    held = (*doors.keys.values(), *doors.held_keys.values()) if doors else ()
    return all_labels(key for keys in held for key in keys)


def _addressing(reasons: Sequence[Reason]) -> list[MessageId]:
    """Give the messages by which somebody spoke to the agent."""
    spoken_to = (reason for reason in reasons if reason.kind is ReasonKind.ADDRESSED)
    return [reason.message_id for reason in spoken_to if reason.message_id is not None]


def _brings_files(view: Glance, reasons: Sequence[Reason]) -> bool:
    """Whether one of them may bring links or attachments, for which the agent's focus must be read."""
    shown = {message.id: message for room in view.rooms.values() for message in room.messages}
    return any(id_ not in shown or bool(files_of(shown[id_])) for id_ in _addressing(reasons))


def _notice(work: UnitOfWork, reasons: Sequence[Reason]) -> None:
    """What was brought to the agent stands among its active files by itself."""
    agent_id = work.actor.agent_id
    if agent_id is None or agent_id not in work.agents:
        return
    for message in filter(None, map(work.messages.get, _addressing(reasons))):
        if may_see(agent_id, message, work) and files_of(message):
            focus = with_files_of(work.mind().focus, message, work.now)
            if focus != work.mind().focus:
                work.keep_focus(focus)
