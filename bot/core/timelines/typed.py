"""What is typed of how a world is otherwise, as changes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.core.actions import (
    AlterAgent,
    Append,
    Delete,
    HudNote,
    PlanGoal,
    PlanMilestone,
    PlanStrategy,
    Set,
    SetAllocation,
    SetAttention,
    SetPlan,
)
from bot.core.errors import Rejected, one_of
from bot.core.plan import PlanPart
from bot.core.records import Agent, AgentId
from bot.core.sentences import Sentence
from bot.core.timelines.changes import AgentCtx, AgentPlan, AgentProps, Change, PublicEvent, SceneState, Settings
from bot.core.view import agent_named

PLANNED = ("goal", "milestone", "strategy")
TICKED = ("done", "current", "drop")
ANEW: Mapping[str, PlanPart] = {"goals": "goals", "milestones": "milestones"}
ALTERED = {"prompt": "background_prompt", "model": "model", "temperature": "temperature", "tokens": "token_budget"}
OWN = ("interval", "resting", "emotion", "paused", "attention", "allocation", "joins", "leaves")
DIVIDED = ("knowledge", "recent_actions", "rooms")
PROPERTIES = (*ALTERED, *OWN)
MEANT = Sentence("Name the agent that is to be otherwise.")


Text = Annotated[str, Field(max_length=1_500)]


class Typed(BaseModel):
    """What is to be otherwise, as people type it; what is left out stays as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    event: Text | None = None
    visitor: Annotated[str, Field(max_length=32)] | None = None
    knows: Text | None = None
    told: Text | None = None
    note: Annotated[str, Field(max_length=300)] | None = None
    plan: Annotated[str, Field(max_length=320)] | None = None
    properties: Text | None = None
    scene: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    state: Text | None = None
    setting: Annotated[str, Field(max_length=200)] | None = None


def changes_of(typed: Typed, agent: Agent | None, everyone: Sequence[Agent], room_id: AgentId) -> tuple[Change, ...]:
    """Read what is to be otherwise; raises Rejected. `agent`: whose head is meant; `room_id`: the tree's room."""
    try:
        line = PublicEvent(room_id=room_id, text=typed.event, visitor=typed.visitor or "") if typed.event else None
        return (
            *([line] if line is not None else []),
            *mind_changes(agent, typed.knows, typed.told, typed.note, typed.plan),
            *property_changes(agent, typed.properties, everyone, room_id),
            *scene_changes(typed.scene, typed.state),
            *([Settings(values=dict([pair(typed.setting)]))] if typed.setting else []),
        )
    except ValidationError as error:
        raise Rejected(Sentence("That cannot be changed so: {why}.", why=error.errors()[0]["msg"])) from error


def pairs_of(typed: str) -> list[tuple[str, str]]:
    """Read name=value, with semicolons between several; raises Rejected."""
    pairs = [one.partition("=") for one in typed.split(";") if one.strip()]
    if any(not sign for _, sign, _ in pairs):
        raise Rejected(Sentence("Write name=value, with semicolons between several."))
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def pair(typed: str) -> tuple[str, str]:
    """Read name=value."""
    name, sign, value = typed.partition("=")
    if not sign or not name.strip():
        raise Rejected(Sentence("Write name=value."))
    return name.strip(), value.strip()


def agents_named(everyone: Sequence[Agent], typed: str) -> tuple[AgentId, ...]:
    """Read names of agents with commas between; raises NotFound for one that there is not."""
    return tuple(agent_named(everyone, one).id for one in typed.split(",") if one.strip())


def mind_changes(
    agent: Agent | None, knows: str | None, told: str | None, note: str | None, plan: str | None
) -> Iterator[Change]:
    """Give what is otherwise in an agent's head.

    After += stands what a list that it `knows` has beside the rest; what it knows no more has no value after the =.
    """
    given = [one for one in (knows, told, note, plan) if one]
    if agent is None:
        if given:
            raise Rejected(MEANT)
        return
    actions: list[Set | Append | Delete | HudNote] = [_known(*pair(knows))] if knows else []
    actions += [HudNote(text=note)] if note else []
    if actions or told:
        yield AgentCtx(agent_id=agent.id, actions=tuple(actions), told=told or "")
    if plan:
        yield AgentPlan(agent_id=agent.id, actions=(_planned(*pair(plan)),))


def _known(path: str, value: str) -> Set | Append | Delete:
    if path.endswith("+"):
        return Append(path=path.removesuffix("+").rstrip(), value=value)
    return Set(path=path, value=value) if value else Delete(path=path)


def _planned(part: str, text: str) -> PlanGoal | PlanMilestone | PlanStrategy | SetPlan:
    what, _, tick = part.casefold().partition(" ")
    if what in ANEW and not tick:
        return SetPlan(part=ANEW[what], lines=tuple(filter(None, map(str.strip, text.split(";")))))
    given = {"text": text, **({"action": tick} if tick in TICKED else {})}
    if tick in ("", *TICKED):
        match what:
            case "goal":
                return PlanGoal.model_validate(given)
            case "milestone":
                return PlanMilestone.model_validate(given)
            case "strategy" if not tick:
                return PlanStrategy(text=text)
    raise Rejected(
        Sentence("Write {parts}, with = and a text; goal done=2 ticks one off by its number.", parts=one_of(PLANNED))
    )


def _divided(typed: str) -> SetAllocation:
    shares = [one.strip() for one in typed.split("/")]
    if len(shares) != len(DIVIDED):
        raise Rejected(Sentence("Write allocation=20/10/70: of knowledge, recent actions and rooms, in percent."))
    return SetAllocation.model_validate(dict(zip(DIVIDED, shares, strict=True)))


def property_changes(
    agent: Agent | None, typed: str | None, everyone: Sequence[Agent], room_id: AgentId
) -> Iterator[Change]:
    """Give what an agent is otherwise, from name=value with ; between; `room_id`: to which it gives that attention."""
    if not typed:
        return
    if agent is None:
        raise Rejected(MEANT)
    given = dict(pairs_of(typed))
    if unknown := [name for name in given if name not in PROPERTIES]:
        raise Rejected(
            Sentence(
                "There is no {name!r} here: an agent has {properties}.", name=unknown[0], properties=one_of(PROPERTIES)
            )
        )
    altered = {ALTERED[name]: value for name, value in given.items() if name in ALTERED}
    rooms = {name: (agent_named(everyone, given[name]).id,) for name in ("joins", "leaves") if name in given}
    attention = given.get("attention")
    yield AgentProps.model_validate(
        {
            "agent_id": agent.id,
            "altered": AlterAgent.model_validate({"agent_id": agent.id, **altered}) if altered else None,
            "attention": (SetAttention(room_id=room_id, value=attention),) if attention else (),
            "allocation": _divided(given["allocation"]) if "allocation" in given else None,
            "interval_seconds": given.get("interval"),
            "resting_interval_seconds": given.get("resting"),
            "emotion": given.get("emotion"),
            "paused": given.get("paused"),
            **rooms,
        }
    )


def scene_changes(scene: int | None, typed: str | None) -> Iterator[Change]:
    """Give how a scene stands otherwise, from name=value with ; between: what its kind lets be changed."""
    if (scene is not None) != bool(typed):
        raise Rejected(Sentence("Name a scene by its number, and in state what of it is otherwise: seat=2; x=3."))
    if scene is not None and typed:
        edit = {name: int(value) if value.isascii() and value.isdigit() else value for name, value in pairs_of(typed)}
        yield SceneState(scene_id=scene, edit=edit)
