"""Who does something: an agent for itself, or a person by a command."""

from dataclasses import dataclass

from bot.core.kinds import SenderKind
from bot.core.people import by_person
from bot.core.records import AgentId, Person, Sender


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """An agent (by id) or a person; a manager may manage the server, and is then shown as The Architect.

    `origin`: the world from which a person takes something over into this one, as logs name it.
    """

    agent_id: AgentId | None = None
    who: Person | None = None
    is_manager: bool = False
    origin: str = ""

    @classmethod
    def agent(cls, agent_id: AgentId) -> "Actor":
        """Make an agent the actor."""
        return cls(agent_id=agent_id)

    @classmethod
    def person(cls, who: Person, *, manager: bool = False, origin: str = "") -> "Actor":
        """Make a person the actor; The Architect is always a manager."""
        return cls(who=who, is_manager=manager or who.is_architect, origin=origin)

    @property
    def sender(self) -> Sender:
        """The actor as the sender of messages and reactions."""
        if self.who is None:
            return Sender(kind=SenderKind.AGENT, agent_id=self.agent_id)
        kind = SenderKind.ARCHITECT if self.is_manager else SenderKind.PERSON
        return Sender(kind=kind, person_id=self.who.id, name=self.who.username)

    def signature(self) -> str:
        """Give the actor for logs: `itself`, or the person's id (`core.people` puts the name in its place)."""
        if self.who is None:
            return "itself"
        by = by_person(self.who.id, manager=self.is_manager)
        return f"{by} from {self.origin}" if self.origin else by
