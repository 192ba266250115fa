"""Who may do what: asked of the actor, here and nowhere else. Pure, with the exact sentence of a refusal."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.core.actions import Action, Aim, Definition, Need, People
from bot.core.actor import Actor
from bot.core.errors import Rejected
from bot.core.kinds import SenderKind, Visibility
from bot.core.people import why_unheard
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Membership, Message, MessageId, Room, Side
from bot.core.sentences import Sentence

ONLY_PEOPLE = "Only people can do that."
ONLY_AGENTS = Sentence("That is for agents.")
ONLY_MANAGERS = Sentence("Only people who may manage the server can do that.")
ONLY_DIRECTORS = Sentence("Only who started the scene, and people who may manage the server, can do that.")
PAUSED = "You are paused."
RETIRED = "You are retired."
NOT_PRIVILEGED = "You may not manage agents: only people can allow you to."
NEEDS_SOLO = "That takes an answer of your own: you are asked again alone."
ONLY_IN_THE_OPEN = "Everyone would see that: do it in a beat for public rooms."
OWN_ROOM_NOT_SHOWN = "Your own room is not shown in this beat."
YOURSELF = "You cannot do that to yourself."
NAME_THE_AGENT = Sentence("Say which agent is meant.")


class PermissionContext(Protocol):
    """What a permission depends on."""

    @property
    def agents(self) -> Mapping[AgentId, Agent]: ...

    @property
    def rooms(self) -> Mapping[AgentId, Room]: ...

    @property
    def memberships(self) -> Mapping[tuple[AgentId, AgentId], Membership]: ...

    @property
    def messages(self) -> Mapping[MessageId, Message]: ...

    @property
    def subject_id(self) -> AgentId | None:
        """Whose thing it is: the actor itself when it is an agent."""

    @property
    def side(self) -> Side: ...

    @property
    def rooms_shown(self) -> frozenset[AgentId] | None:
        """The rooms that the beat showed; None: no barrier."""

    @property
    def shared(self) -> bool:
        """Whether the answer came from a call for several agents."""

    def shares_a_room(self, agent_id: AgentId, other: AgentId) -> bool:
        """Tell whether both are in one of the rooms shown."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why not; with `needs_solo` the agent may ask again in a call of its own."""

    why: str
    needs_solo: bool = False


def refusal(actor: Actor, action: Action, context: PermissionContext) -> Refusal | None:
    """Give why the actor may not do it, or None."""
    if actor.agent_id is None:
        why = _of_person(actor, action, context)
        return Refusal(why) if why else None
    agent = context.agents.get(actor.agent_id)
    if agent is None:
        return Refusal(no_agent(actor.agent_id))
    if why := _of_state(agent) or _of_kind(agent, action.definition):
        return Refusal(why)
    if context.shared and action.definition.alone_only:
        return Refusal(NEEDS_SOLO, needs_solo=True)
    why = _of_needs(agent.id, action, context)
    return Refusal(why) if why else None


def no_agent(agent_id: int) -> str:
    """Word that an agent is not of this community."""
    return Sentence("There is no agent {agent_id} here.", agent_id=agent_id)


def no_room(room_id: int) -> str:
    """Word that a room is not one of the agent's, or not shown: the same for both."""
    return f"You are not in room {room_id}, or it is not shown in this beat."


def no_message(message_id: int) -> str:
    """Word that a message is not there, or not for whom asked: the same for both."""
    return f"There is no message {message_id} in your rooms."


def in_room(agent_id: AgentId, room_id: AgentId, context: PermissionContext) -> bool:
    """Tell whether the agent is in the room and the beat shows it."""
    shown = context.rooms_shown is None or room_id in context.rooms_shown
    return shown and (agent_id, room_id) in context.memberships


def may_see(agent_id: AgentId, message: Message, context: PermissionContext) -> bool:
    """Tell whether a message is the agent's to read: once it is posted, in a private room only since it joined."""
    room_id = message.room_id
    if message.sender.kind is SenderKind.AGENT and message.discord_id is None:
        return False
    if not in_room(agent_id, room_id, context):
        return False
    if room_id == agent_id or context.rooms[room_id].visibility is Visibility.PUBLIC:
        return True
    return message.id > context.memberships[agent_id, room_id].joined_after


def visible_message(agent_id: AgentId, message_id: MessageId, context: PermissionContext) -> Message:
    """Find a message that the agent may see; raises Rejected."""
    message = context.messages.get(message_id)
    if message is None or not may_see(agent_id, message, context):
        raise Rejected(no_message(message_id))
    return message


def _of_person(actor: Actor, action: Action, context: PermissionContext) -> str:
    definition = action.definition
    if definition.people is People.NOBODY:
        return ONLY_AGENTS
    if definition.people is People.MANAGERS and not actor.is_manager:
        return ONLY_MANAGERS
    if actor.who is not None and not actor.is_manager and not definition.of_unheard and (why := why_unheard(actor.who)):
        return why
    if context.subject_id is None:
        return ""
    subject = context.agents.get(context.subject_id)
    if subject is None:
        return no_agent(context.subject_id)
    if subject.retired_at is not None and not definition.of_retired:
        return Sentence("{subject} is retired: restore it first.", subject=subject.name)
    return ""


def _of_state(agent: Agent) -> str:
    if agent.retired_at is not None:
        return RETIRED
    return PAUSED if agent.paused_reason is not None else ""


def _of_kind(agent: Agent, definition: Definition) -> str:
    if not definition.for_agents:
        return ONLY_PEOPLE
    return NOT_PRIVILEGED if definition.privileged and not agent.can_create_agents else ""


def _of_needs(agent_id: AgentId, action: Action, context: PermissionContext) -> str:
    needs = action.definition.needs
    if Need.OPEN in needs and context.side != PUBLIC_SIDE:
        return ONLY_IN_THE_OPEN
    if Need.OWN_ROOM in needs and not in_room(agent_id, agent_id, context):
        return OWN_ROOM_NOT_SHOWN
    if Need.MEMBER in needs and (why := _of_room(agent_id, action, context)):
        return why
    if Need.MESSAGE in needs and (why := _of_message(agent_id, action, context)):
        return why
    return _of_neighbour(agent_id, action, context) if Need.NEIGHBOUR in needs else ""


def _of_room(agent_id: AgentId, action: Action, context: PermissionContext) -> str:
    rooms = action.aimed_at(Aim.ROOM)
    return next((no_room(id_) for id_ in rooms if not in_room(agent_id, AgentId(id_), context)), "")


def _of_message(agent_id: AgentId, action: Action, context: PermissionContext) -> str:
    for id_ in action.aimed_at(Aim.MESSAGE):
        message = context.messages.get(MessageId(id_))
        if message is None or not may_see(agent_id, message, context):
            return no_message(id_)
    return ""


def _of_neighbour(agent_id: AgentId, action: Action, context: PermissionContext) -> str:
    for id_ in action.aimed_at(Aim.AGENT):
        if id_ == agent_id:
            return YOURSELF
        if not context.shares_a_room(agent_id, AgentId(id_)):
            return f"You share no room with an agent {id_}."
    return ""
