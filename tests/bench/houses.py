"""Communities of a given size with real talk in their rooms."""

from bot.core.records import PUBLIC_SIDE, ActionRecord, Agent, AgentId, Focus, Json, Membership, Mind
from bot.core.view import RoomView, View
from tests import factories
from tests.bench import traces
from tests.fakes import START

SEED = (
    "A resident with a voice of its own: curious, warm, a little dry; collects odd facts and remembers who said what."
)


def house(rooms: int, messages: int, *, budget: int = 10_000) -> View:
    """One agent in so many rooms, each with so many messages."""
    shown = [talk_room(id, messages, members=(id, 1)) for id in range(1, rooms + 1)]
    agents = [resident(id, budget) for id in range(1, rooms + 1)]
    return factories.view(
        agents,
        rooms=shown,
        memberships=[factories.membership(1, id) for id in range(1, rooms + 1)],
        minds=minds(agents),
    )


def neighbourhood(agents: int, messages: int = 20, *, shared: int = 2) -> View:
    """Agents with a room each and so many rooms that all of them share."""
    common = range(agents + 1, agents + 1 + shared)
    everyone = tuple(range(1, agents + 1))
    shown = [talk_room(id, messages, members=(id,)) for id in everyone]
    shown += [talk_room(id, messages, members=(id, *everyone)) for id in common]
    residents = [resident(id, 10_000) for id in range(1, agents + 1 + shared)]
    memberships: list[Membership] = [factories.membership(id, room) for id in everyone for room in (id, *common)]
    return factories.view(residents, rooms=shown, memberships=memberships, minds=minds(residents))


def resident(id: int, budget: int) -> Agent:
    return factories.agent(id, name=f"Resident{id}", prompt=SEED, token_budget=budget)


def talk_room(id: int, messages: int, *, members: tuple[int, ...]) -> RoomView:
    files = traces.there()
    talk = traces.messages(files[id % len(files)], messages, room_id=id, first_id=id * 1_000, skip=400 + 7 * id)
    room = factories.room(id, topic="what is new", billboard="Be kind, be brief.")
    return RoomView(room=room, members=tuple(map(AgentId, members)), messages=talk, older=200)


def minds(agents: list[Agent], *, deeds: int = 3) -> dict[tuple[AgentId, int], Mind]:
    """What each of them carries: a little knowledge, a task, some actions."""
    done = tuple(
        ActionRecord(
            type="send_message", at=START, parameters={"room_id": 8, "message": "I would try the other driver"}
        )
        for _ in range(3)
    )
    focus = Focus(current_task="help with the install", notes=("mira is on 16.04",), updated_at=START)
    knowledge: dict[str, Json] = {
        "people": {"mira": {"trust": 0.8}},
        "character": {"mood": "calm"},
        "ai": {"lesson": "ask first"},
    }
    return {
        (agent.id, PUBLIC_SIDE): Mind(agent_id=agent.id, knowledge=knowledge, focus=focus, recent_actions=done)
        for agent in agents
    }
