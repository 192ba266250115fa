"""Who may do what, as one table: every action, every kind of actor, allowed or the exact reason."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from bot.core import permissions
from bot.core.actions import BY_NAME, CATALOGUE, Action, Aim, Category, Definition, Need
from bot.core.actor import Actor
from bot.core.kinds import Visibility
from bot.core.people import why_unheard
from bot.core.permissions import refusal
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Membership, Message, MessageId, Person, Room, Side
from tests.factories import agent, membership, message, person, room
from tests.fakes import START

OWNER, MEMBER, STRANGER, PRIVILEGED, PAUSED, RETIRED, SLEEPING, GUEST, FOREIGN = (AgentId(id) for id in range(1, 10))

ACTORS: Mapping[str, Actor] = {
    "owner": Actor.agent(OWNER),
    "member": Actor.agent(MEMBER),
    "stranger": Actor.agent(STRANGER),
    "privileged": Actor.agent(PRIVILEGED),
    "paused": Actor.agent(PAUSED),
    "retired": Actor.agent(RETIRED),
    "sleeping": Actor.agent(SLEEPING),
    "foreign": Actor.agent(FOREIGN),
    "person": Actor.person(person()),
    "manager": Actor.person(person("ann", 502), manager=True),
    "architect": Actor.person(person("boss", 503, is_architect=True)),
}

WHY = {
    "ok": "",
    "paused": "You are paused.",
    "retired": "You are retired.",
    "foreign": "There is no agent 9 here.",
    "managers": "Only people who may manage the server can do that.",
    "agents": "That is for agents.",
    "people": "Only people can do that.",
    "outside": "You are not in room 1, or it is not shown in this beat.",
    "unseen": "There is no message 10 in your rooms.",
    "apart": "You share no room with an agent 8.",
    "unprivileged": "You may not manage agents: only people can allow you to.",
}

# Room 1 is the owner's; all but the stranger and the foreign agent are in it. Actions on one's own room mean the
# actor's own; a person means the owner's. Message 10 is a person's in room 1, agent 8 a member of it.
MATRIX = """
                  owner        member       stranger     privileged paused retired sleeping     foreign person   manager architect
set               ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
append            ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
delete            ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
get               ok           ok           ok           ok         paused retired ok           foreign agents   agents  agents
react             ok           ok           unseen       ok         paused retired ok           foreign managers ok      ok
wake_agent        ok           ok           apart        ok         paused retired ok           foreign managers ok      ok
send_message      ok           ok           outside      ok         paused retired ok           foreign agents   agents  agents
reply             ok           ok           outside      ok         paused retired ok           foreign agents   agents  agents
say               people       people       people       people     paused retired people       foreign managers ok      ok
set_billboard     ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
clear_billboard   ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
set_topic         ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
clear_topic       ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
set_wpm           ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
set_access        ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
set_rpm           people       people       people       people     paused retired people       foreign managers ok      ok
set_visibility    people       people       people       people     paused retired people       foreign managers ok      ok
hush              people       people       people       people     paused retired people       foreign ok       ok      ok
invite            people       people       people       people     paused retired people       foreign managers ok      ok
remove            people       people       people       people     paused retired people       foreign managers ok      ok
create_key        ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
revoke_key        ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
give_key          ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
request_access    ok           ok           ok           ok         paused retired ok           foreign ok       ok      ok
grant_access      ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
deny_access       ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
join_room         ok           ok           ok           ok         paused retired ok           foreign agents   agents  agents
leave_room        ok           ok           outside      ok         paused retired ok           foreign managers ok      ok
set_attention     ok           ok           outside      ok         paused retired ok           foreign managers ok      ok
set_allocation    ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
set_name          ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
sleep             ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
schedule_message  ok           ok           outside      ok         paused retired ok           foreign managers ok      ok
cancel_scheduled  ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
set_interval      people       people       people       people     paused retired people       foreign managers ok      ok
pause             people       people       people       people     paused retired people       foreign managers ok      ok
resume            people       people       people       people     paused retired people       foreign managers ok      ok
hud               ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
hud_update        ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
hud_note          ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
hud_decision      ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
hud_file          ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
hud_blocker       ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
hud_step          ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
hud_clear         ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
recall            ok           ok           outside      ok         paused retired ok           foreign agents   agents  agents
read_history      ok           ok           outside      ok         paused retired ok           foreign agents   agents  agents
read_message      ok           ok           unseen       ok         paused retired ok           foreign agents   agents  agents
checkpoints       ok           ok           outside      ok         paused retired ok           foreign agents   agents  agents
compact           ok           ok           outside      ok         paused retired ok           foreign managers ok      ok
create_agent      unprivileged unprivileged unprivileged ok         paused retired unprivileged foreign managers ok      ok
alter_agent       unprivileged unprivileged unprivileged ok         paused retired unprivileged foreign managers ok      ok
retire_agent      unprivileged unprivileged unprivileged ok         paused retired unprivileged foreign managers ok      ok
restore_agent     people       people       people       people     paused retired people       foreign managers ok      ok
clone_agent       people       people       people       people     paused retired people       foreign managers ok      ok
delete_agent      people       people       people       people     paused retired people       foreign managers ok      ok
plan_goal         ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
plan_milestone    ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
plan_strategy     ok           ok           ok           ok         paused retired ok           foreign managers ok      ok
feel              ok           ok           ok           ok         paused retired ok           foreign agents   agents  agents
set_plan          people       people       people       people     paused retired people       foreign managers ok      ok
clear_plan        people       people       people       people     paused retired people       foreign managers ok      ok
undo_plan         people       people       people       people     paused retired people       foreign managers ok      ok
undo_knowledge    people       people       people       people     paused retired people       foreign managers ok      ok
hand_key          people       people       people       people     paused retired people       foreign managers ok      ok
set_setting       people       people       people       people     paused retired people       foreign managers ok      ok
set_ignored       people       people       people       people     paused retired people       foreign ok       ok      ok
set_muted         people       people       people       people     paused retired people       foreign managers ok      ok
permit_agent      people       people       people       people     paused retired people       foreign managers ok      ok
"""  # noqa: E501 - a table

EXAMPLES: Mapping[str, object] = {
    "room_id": 1,
    "in_room_id": 1,
    "message_id": 10,
    "agent_id": 8,
    "request_id": 1,
    "path": "a.b",
    "value": "40",
    "message": "hello",
    "text": "a note",
    "reaction": "heart",
    "topic": "tea",
    "wpm": 60,
    "rpm": 60,
    "access": "open",
    "visibility": "public",
    "key": "open sesame",
    "label": "blue",
    "knowledge": 30,
    "recent_actions": 10,
    "rooms": 60,
    "name": "Newt",
    "until": START + timedelta(hours=1),
    "at": START + timedelta(hours=1),
    "query": "tea",
    "section": "notes",
    "action": "add",
    "part": "goals",
    "lines": ("row out",),
    "emotion": "joy",
    "background_prompt": "You are new.",
    "allowed": True,
    "category": "room",
    "person_id": 777,
    "id": 10,
}


def example(name: str) -> Action:
    """Make an action with what it needs, and its room where it may name one."""
    definition = BY_NAME[name]
    wanted = {key for key, info in definition.parameters.items() if info.is_required()}
    wanted |= {key for key, aim in definition.aims.items() if aim is Aim.ROOM}
    return definition.model.model_validate({key: fitting(key, definition.parameters[key]) for key in wanted})


def fitting(key: str, info: FieldInfo) -> object:
    """Give something that a parameter takes."""
    kind: Any = Annotated[info.annotation, info]
    held = TypeAdapter[object](kind)
    for value in [EXAMPLES[key]] if key in EXAMPLES else {repr(one): one for one in EXAMPLES.values()}.values():
        with suppress(ValidationError):
            held.validate_python(value)
            return value
    raise AssertionError(f"{key}: put something that fits it among the examples")


@dataclass
class Town:
    """The scene of the table."""

    agents: Mapping[AgentId, Agent] = field(default_factory=lambda: _agents())
    rooms: Mapping[AgentId, Room] = field(default_factory=lambda: {AgentId(id): room(id) for id in range(1, 9)})
    memberships: Mapping[tuple[AgentId, AgentId], Membership] = field(default_factory=lambda: _memberships())
    messages: Mapping[MessageId, Message] = field(default_factory=lambda: {MessageId(10): message(10)})
    subject_id: AgentId | None = None
    side: Side = PUBLIC_SIDE
    rooms_shown: frozenset[AgentId] | None = None
    shared: bool = False

    def shares_a_room(self, agent_id: AgentId, other: AgentId) -> bool:
        rooms = {room for who, room in self.memberships if who == agent_id}
        shown = rooms if self.rooms_shown is None else rooms & self.rooms_shown
        return any((other, room) in self.memberships for room in shown)


def _agents() -> dict[AgentId, Agent]:
    special = {
        PRIVILEGED: agent(PRIVILEGED, can_create_agents=True),
        PAUSED: agent(PAUSED, paused_reason="by a person"),
        RETIRED: agent(RETIRED, retired_at=START),
        SLEEPING: agent(SLEEPING, asleep_until=START + timedelta(hours=1)),
    }
    return {id: special.get(id) or agent(id) for id in map(AgentId, range(1, 9))}


def _memberships() -> dict[tuple[AgentId, AgentId], Membership]:
    own = {(AgentId(id), AgentId(id)): membership(id) for id in range(1, 9)}
    guests = (MEMBER, PRIVILEGED, PAUSED, RETIRED, SLEEPING, GUEST)
    return own | {(id, OWNER): membership(id, 1) for id in guests}


def why(actor: Actor, action: Action, town: Town) -> str:
    """Ask as the performer does."""
    town.subject_id = actor.agent_id if actor.agent_id is not None else OWNER
    no = refusal(actor, action, town)
    return no.why if no else ""


def table() -> dict[tuple[str, str], str]:
    """Read the table: (action, actor) -> the expected sentence."""
    header, *rows = [line.split() for line in MATRIX.strip().splitlines()]
    assert header == list(ACTORS)
    return {(row[0], actor): WHY[cell] for row in rows for actor, cell in zip(header, row[1:], strict=True)}


@pytest.mark.parametrize("actor", ACTORS)
def test_everyone_may_do_what_the_table_says_and_learns_why_not(actor: str) -> None:
    expected = {action: sentence for (action, who), sentence in table().items() if who == actor}
    found = {action: why(ACTORS[actor], example(action), Town()) for action in expected}
    assert found == expected


@pytest.mark.parametrize("definition", CATALOGUE, ids=lambda each: each.name)
def test_actions_with_the_same_rules_are_for_the_same_actors(definition: Definition) -> None:
    """So that an action which the table does not name is held to it too."""
    alike = next(name for name, _ in table() if rules(BY_NAME[name]) == rules(definition))
    for name, actor in ACTORS.items():
        assert why(actor, example(definition.name), Town()) == table()[alike, name], (alike, name)


def rules(definition: Definition) -> tuple[object, ...]:
    needs = definition.needs - {Need.OPEN, Need.OWN_ROOM}  # in the table's scene all is open, and every room is shown
    return needs, definition.people, definition.for_agents


def test_a_shared_call_leaves_what_touches_others_to_a_call_of_its_own() -> None:
    for definition in CATALOGUE:
        if not definition.for_agents:
            continue
        no = refusal(ACTORS["privileged"], example(definition.name), Town(shared=True))
        assert (no is not None and no.needs_solo) is definition.alone_only, definition.name


def test_access_keys_room_settings_names_and_agents_are_for_a_call_alone() -> None:
    touching = {Category.ROOM, Category.ACCESS, Category.IDENTITY, Category.AGENTS}
    assert {each.category for each in CATALOGUE if each.alone_only} == touching
    assert all(each.alone_only for each in CATALOGUE if each.category in touching)


def test_what_a_beat_did_not_show_cannot_be_reached() -> None:
    private = Town(side=Side(8), rooms_shown=frozenset({GUEST}))
    private.subject_id = GUEST
    actor = Actor.agent(MEMBER)
    named = {name for name, _ in table()}
    refused = {
        each.name
        for each in CATALOGUE
        if each.name in named
        and each.for_agents
        and not each.privileged
        and refusal(actor, example(each.name), private) is not None
    }
    reaching = {"set_billboard", "clear_billboard", "set_topic", "clear_topic", "set_wpm", "set_access", "set_name"}
    reaching |= {"create_key", "revoke_key", "give_key", "grant_access", "deny_access", "leave_room"}
    reaching |= {"send_message", "reply", "schedule_message", "react", "wake_agent", "set_attention", "compact"}
    reaching |= {"recall", "read_history", "read_message", "checkpoints"}
    assert refused == reaching


def test_a_privileged_agent_makes_and_changes_agents_in_the_open_only() -> None:
    private = Town(side=Side(1), rooms_shown=frozenset({OWNER}))
    for name in ("create_agent", "alter_agent", "set_name"):
        assert why(ACTORS["privileged"], example(name), private) == permissions.ONLY_IN_THE_OPEN


def test_nobody_manages_itself() -> None:
    action = BY_NAME["retire_agent"].model.model_validate({"agent_id": int(PRIVILEGED)})
    assert why(ACTORS["privileged"], action, Town()) == "You cannot do that to yourself."


def test_a_private_rooms_earlier_messages_are_not_the_newcomers() -> None:
    town = Town()
    town.rooms = {**town.rooms, OWNER: room(1, visibility=Visibility.PRIVATE)}
    joined = {(MEMBER, OWNER): membership(2, 1, joined_after=MessageId(10))}
    owns = {(OWNER, OWNER): membership(1, joined_after=MessageId(10))}  # all that is said there is its own to read
    town.memberships = {**town.memberships, **joined, **owns}
    assert why(ACTORS["member"], example("read_message"), town) == WHY["unseen"]
    assert why(ACTORS["owner"], example("read_message"), town) == ""


def test_who_names_an_agent_that_there_is_not_is_told_which() -> None:
    assert why(ACTORS["manager"], example("set_topic"), Town(agents={})) == "There is no agent 1 here."


def test_of_a_retired_agent_only_what_managers_keep_is_open() -> None:
    town = Town()
    town.agents = {**town.agents, OWNER: agent(1, retired_at=START)}
    allowed = {each.name for each in CATALOGUE if why(ACTORS["manager"], example(each.name), town) == ""}
    assert {"set", "delete", "hud_clear", "restore_agent", "revoke_key"} <= allowed
    assert not {"set_topic", "say", "sleep", "pause", "create_key", "invite"} & allowed
    assert why(ACTORS["manager"], example("say"), town) == "Agent1 is retired: restore it first."


@pytest.mark.parametrize("them", [person(muted=True), person(ignored=True)])
def test_whom_agents_do_not_hear_does_nothing_but_change_that_wish(them: Person) -> None:
    above = replace(them, is_architect=True)
    allowed = {each.name for each in CATALOGUE if why(Actor.person(them), example(each.name), Town()) == ""}
    assert allowed == {"set_ignored"}
    assert why(Actor.person(them), example("hush"), Town()) == why_unheard(them) != ""
    assert why(Actor.person(above), example("hush"), Town()) == ""


def test_everyone_may_choose_to_be_ignored_but_nobody_lifts_what_a_manager_decided() -> None:
    wish = BY_NAME["set_ignored"].model.model_validate({"ignored": False})
    assert why(ACTORS["person"], wish, Town()) == ""
    lifted = BY_NAME["set_muted"].model.model_validate({"person_id": 501, "muted": False})
    assert why(ACTORS["person"], lifted, Town()) == WHY["managers"]
