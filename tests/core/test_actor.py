"""Who does something, as messages and logs name it."""

from bot.core.actor import Actor
from bot.core.kinds import SenderKind
from bot.core.people import by_person
from bot.core.records import AgentId, Sender, Snowflake
from tests.factories import person

MIRA = person("mira", 501)


def test_an_agent_acts_under_its_own_id_and_signs_as_itself() -> None:
    actor = Actor.agent(AgentId(5))
    assert actor.sender == Sender(kind=SenderKind.AGENT, agent_id=AgentId(5))
    assert (actor.signature(), actor.is_manager) == ("itself", False)


def test_a_person_who_manages_is_shown_as_the_architect_and_signs_by_id_alone() -> None:
    plain, manager = Actor.person(MIRA), Actor.person(MIRA, manager=True)
    assert plain.sender == Sender(kind=SenderKind.PERSON, person_id=Snowflake(501), name="mira")
    assert manager.sender.shown() == "The Architect (@mira)"
    assert plain.signature() == by_person(MIRA.id, manager=False)
    assert manager.signature() == by_person(MIRA.id, manager=True)
    assert "mira" not in plain.signature() + manager.signature()


def test_the_architect_is_always_a_manager() -> None:
    boss = person("boss", 502, is_architect=True)
    assert Actor.person(boss).is_manager and Actor.person(boss, manager=False).is_manager
