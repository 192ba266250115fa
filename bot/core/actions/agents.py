"""Actions on agents: what they are called, and making, changing and retiring them."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bot.core.actions.definition import Action, Category, Need, define, people_only
from bot.core.actions.fields import AgentRef, Line, Number, Prompt, RoomRef
from bot.core.kinds import AgentType, Detail, InputFormat, OutputFormat
from bot.core.names import LONGEST_ALIAS, MOST_ALIASES
from bot.core.records import LONGEST_MODEL, MOST_SPARES

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]  # held to its rules by core.names
Temperature = Annotated[Number, Field(ge=0, le=2)]
Alias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_ALIAS)]
Aliases = Annotated[tuple[Alias, ...], Field(max_length=MOST_ALIASES)]
Spare = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_MODEL, pattern="^[^,]*$")
]
Spares = Annotated[tuple[Spare, ...], Field(max_length=MOST_SPARES)]
Budget = Annotated[int, Field(ge=4_000, le=200_000)]


@define(Category.IDENTITY, "Take another name.", Need.OPEN, also=("rename", "change_name"))
class SetName(Action):
    type: Literal["set_name"] = "set_name"
    name: Name


@define(
    Category.AGENTS,
    "Create an agent with a room of its own.",
    Need.PRIVILEGE,
    Need.MEMBER,
    Need.OPEN,
    hint="agent_type: persona|bot; it joins in_room_id",
    also=("spawn_agent",),
)
class CreateAgent(Action):
    type: Literal["create_agent"] = "create_agent"
    name: Name | None = None
    background_prompt: Prompt
    agent_type: AgentType = AgentType.PERSONA
    in_room_id: RoomRef | None = None
    model: Line | None = people_only()
    temperature: Temperature | None = people_only()
    avatar_url: Line | None = people_only()
    token_budget: Budget | None = people_only()


@define(
    Category.AGENTS,
    "Change an agent's prompt, name or model.",
    Need.PRIVILEGE,
    Need.NEIGHBOUR,
    Need.OPEN,
)
class AlterAgent(Action):
    type: Literal["alter_agent"] = "alter_agent"
    agent_id: AgentRef
    background_prompt: Prompt | None = None
    name: Name | None = None
    model: Line | None = None
    spare_models: Spares | None = people_only()
    temperature: Temperature | None = people_only()
    avatar_url: Line | None = people_only()
    token_budget: Budget | None = people_only()
    input_format: InputFormat | None = people_only()
    output_format: OutputFormat | None = people_only()
    detail: Detail | None = people_only()
    aliases: Aliases | None = people_only()
    listens_to_bare_name: bool | None = people_only()


@define(
    Category.AGENTS, "Retire an agent: its room becomes read-only, its history stays.", Need.PRIVILEGE, Need.NEIGHBOUR
)
class RetireAgent(Action):
    type: Literal["retire_agent"] = "retire_agent"
    agent_id: AgentRef


@define(Category.AGENTS, "Bring a retired agent back.", for_agents=False)
class RestoreAgent(Action):
    type: Literal["restore_agent"] = "restore_agent"
    agent_id: AgentRef


@define(Category.AGENTS, "Let an agent create agents, or no longer.", for_agents=False)
class PermitAgent(Action):
    type: Literal["permit_agent"] = "permit_agent"
    agent_id: AgentRef
    allowed: bool


@define(Category.AGENTS, "Make another agent like one, with its knowledge if asked for.", for_agents=False)
class CloneAgent(Action):
    type: Literal["clone_agent"] = "clone_agent"
    agent_id: AgentRef
    name: Name
    with_knowledge: bool = False


@define(Category.AGENTS, "Delete an agent for good, with its room and all that was said there.", for_agents=False)
class DeleteAgent(Action):
    type: Literal["delete_agent"] = "delete_agent"
    agent_id: AgentRef
    channel: Literal["keep", "remove"] = "keep"
