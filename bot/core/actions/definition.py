"""What an action is: a frozen model with one definition, from which its schema, HUD line, rules and docs are made."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from bot.core.actions.aims import Aim, aim_of


class Category(StrEnum):
    """The headings under which actions are listed."""

    KNOWLEDGE = "knowledge"
    SOCIAL = "social"
    MESSAGING = "messaging"
    ROOM = "room"
    ACCESS = "access"
    ATTENTION = "attention"
    IDENTITY = "identity"
    TIMING = "timing"
    FOCUS = "focus"
    MEMORY = "memory"
    AGENTS = "agents"
    COMMUNITY = "community"
    SCENES = "scenes"


class Need(StrEnum):
    """What `core.permissions` asks of an agent before its action is performed."""

    OWN_ROOM = "own_room"  # it changes the agent's room, which the beat must show
    MEMBER = "member"  # the agent is in `room_id` (or `in_room_id`), which the beat must show
    MESSAGE = "message"  # the message is one the agent may see
    NEIGHBOUR = "neighbour"  # the agent shares a room with `agent_id`, and is not it
    PRIVILEGE = "privilege"  # people let it create agents
    OPEN = "open"  # it shows in every room, so a beat for a private room may not do it


class People(StrEnum):
    """Which people may do it."""

    NOBODY = "nobody"
    MANAGERS = "managers"
    EVERYONE = "everyone"


class Action(BaseModel):
    """One thing to do; `type` is its name in answers, HUDs and records."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)
    definition: ClassVar["Definition"]

    def aimed_at(self, *aims: Aim) -> Iterator[int]:
        """Give the ids it was given for any of these, in the order of its parameters."""
        for name, aim in self.definition.aims.items():
            if aim in aims and (id_ := getattr(self, name)) is not None:
                yield id_


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """Everything there is to know about one action.

    `hint` follows the signature in the HUD; `summary` is a sentence for docs and slash commands. What is `alone_only`
    is not accepted from a call that several agents share. `aims`: what its ids stand for, by parameter. `also`: other
    names by which models call it.
    """

    model: type[Action]
    category: Category
    hint: str
    summary: str
    needs: frozenset[Need]
    people: People
    for_agents: bool
    listed: bool  # in the HUD and the schema; an unlisted action of agents is said in another way
    felt: bool  # listed only where the community lets agents feel (`emotions`)
    alone_only: bool
    of_retired: bool  # people may still do it to a retired agent or its room
    of_unheard: bool  # people to whom agents do not listen may still do it
    aims: Mapping[str, Aim]
    also: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name by which it is called."""
        return str(self.model.model_fields["type"].default)

    @property
    def privileged(self) -> bool:
        """Whether only agents that people let create agents may do it."""
        return Need.PRIVILEGE in self.needs

    @property
    def parameters(self) -> dict[str, FieldInfo]:
        """The parameters in order, those for people only included."""
        return {name: info for name, info in self.model.model_fields.items() if name != "type"}

    @property
    def agent_parameters(self) -> dict[str, FieldInfo]:
        """The parameters that agents may give."""
        return {name: info for name, info in self.parameters.items() if not for_people_only(info)}

    @property
    def signature(self) -> str:
        """Its name and parameters, `?` after optional ones."""
        return f"{self.name}({', '.join(marked(*item) for item in self.agent_parameters.items())})"

    @property
    def hud_line(self) -> str:
        """Its line in the HUD's list of actions."""
        return f"{self.signature}: {self.hint}" if self.hint else self.signature


def marked(name: str, info: FieldInfo) -> str:
    """Give a parameter's name, with `?` when it may be left out."""
    return name if info.is_required() else f"{name}?"


def for_people_only(info: FieldInfo) -> bool:
    """Tell whether agents may not give this parameter."""
    extra = info.json_schema_extra
    return isinstance(extra, dict) and bool(extra.get("people_only"))


ActionModel = TypeVar("ActionModel", bound=Action)

TOUCHES_OTHERS = frozenset({Category.ROOM, Category.ACCESS, Category.IDENTITY, Category.AGENTS})
OF_THE_RETIRED = frozenset({Category.KNOWLEDGE, Category.FOCUS, Category.AGENTS, Category.COMMUNITY})
AIM_OF_NEED = {Need.MEMBER: Aim.ROOM, Need.MESSAGE: Aim.MESSAGE, Need.NEIGHBOUR: Aim.AGENT}
DEFINED: dict[str, Definition] = {}
"""Every definition that was read, by its action's name."""


def define(
    category: Category,
    summary: str,
    *needs: Need,
    hint: str = "",
    people: People = People.MANAGERS,
    for_agents: bool = True,
    listed: bool = True,
    felt: bool = False,
    of_retired: bool = False,
    of_unheard: bool = False,
    also: tuple[str, ...] = (),
) -> Callable[[type[ActionModel]], type[ActionModel]]:
    """Give a model its definition; raises TypeError where that does not say what it acts on."""

    def defined(model: type[ActionModel]) -> type[ActionModel]:
        model.definition = definition = Definition(
            model=model,
            category=category,
            hint=hint,
            summary=summary,
            needs=frozenset(needs),
            people=people,
            for_agents=for_agents,
            listed=listed and for_agents,
            felt=felt,
            alone_only=category in TOUCHES_OTHERS,
            of_retired=of_retired or category in OF_THE_RETIRED,
            of_unheard=of_unheard,
            aims=_aims(model, needs),
            also=also,
        )
        if DEFINED.setdefault(definition.name, definition) is not definition:
            raise TypeError(f"There are two actions {definition.name}: give one of them another name.")
        return model

    return defined


def _aims(model: type[Action], needs: Sequence[Need]) -> dict[str, Aim]:
    """Read what an action's ids stand for; whatever permissions ask after must be among it."""
    found = {name: aim_of(name, info) for name, info in model.model_fields.items()}
    aims = {name: aim for name, aim in found.items() if aim is not None}
    for need in needs:
        if need in AIM_OF_NEED and AIM_OF_NEED[need] not in aims.values():
            raise TypeError(
                f"{model.__name__} needs {need} but is given no {AIM_OF_NEED[need]}: add a parameter for it."
            )
    return aims


def people_only() -> Any:  # noqa: ANN401 - what pydantic gives for a default
    """Mark an optional parameter that only people may give."""
    return Field(default=None, json_schema_extra={"people_only": True})
