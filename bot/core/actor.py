"""Who does something: an agent for itself, or a person by a command."""

from dataclasses import dataclass

from bot.core.kinds import SenderKind
from bot.core.records import ARCHITECT_NAME, AgentId, Person, Sender


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """An agent (by id) or a person; a manager may manage the server, and is then shown as The Architect."""

    agent_id: AgentId | None = None
    who: Person | None = None
    is_manager: bool = False

    @classmethod
    def agent(cls, agent_id: AgentId) -> "Actor":
        """Make an agent the actor."""
        return cls(agent_id=agent_id)

    @classmethod
    def person(cls, who: Person, *, manager: bool = False) -> "Actor":
        """Make a person the actor; The Architect is always a manager."""
        return cls(who=who, is_manager=manager or who.is_architect)

    @property
    def sender(self) -> Sender:
        """The actor as the sender of messages and reactions."""
        if self.who is None:
            return Sender(kind=SenderKind.AGENT, agent_id=self.agent_id)
        kind = SenderKind.ARCHITECT if self.is_manager else SenderKind.PERSON
        return Sender(kind=kind, person_id=self.who.id, name=self.who.username)

    def in_words(self) -> str:
        """Name the actor for journals: `itself`, `@mira` or `The Architect (@mira)`."""
        if self.who is None:
            return "itself"
        return f"{ARCHITECT_NAME} (@{self.who.username})" if self.is_manager else f"@{self.who.username}"
