"""What is typed of how a world is otherwise, as changes."""

from collections.abc import Iterator, Sequence

from bot.core.actions import (
    AlterAgent,
    Delete,
    HudNote,
    PlanGoal,
    PlanMilestone,
    PlanStrategy,
    Set,
    SetAttention,
)
from bot.core.errors import Rejected, one_of
from bot.core.records import Agent, AgentId
from bot.core.timelines.changes import AgentCtx, AgentPlan, AgentProps, Change, SceneState
from bot.core.view import agent_named
from cogs.arguments import pairs_of

PLANNED = ("goal", "milestone", "strategy")
ALTERED = {"prompt": "background_prompt", "model": "model", "temperature": "temperature", "tokens": "token_budget"}
OWN = ("interval", "emotion", "paused", "attention", "joins", "leaves")
PROPERTIES = (*ALTERED, *OWN)
MEANT = "Name the agent that is to be otherwise."


def pair(typed: str) -> tuple[str, str]:
    """Read name=value."""
    name, sign, value = typed.partition("=")
    if not sign or not name.strip():
        raise Rejected("Write name=value.")
    return name.strip(), value.strip()


def mind_changes(
    agent: Agent | None, knows: str | None, told: str | None, note: str | None, plan: str | None
) -> Iterator[Change]:
    """Give what is otherwise in an agent's head; what it `knows` no more has no value after the =."""
    given = [one for one in (knows, told, note, plan) if one]
    if agent is None:
        if given:
            raise Rejected(MEANT)
        return
    actions: list[Set | Delete | HudNote] = []
    if knows:
        path, value = pair(knows)
        actions.append(Set(path=path, value=value) if value else Delete(path=path))
    actions += [HudNote(text=note)] if note else []
    if actions or told:
        yield AgentCtx(agent_id=agent.id, actions=tuple(actions), told=told or "")
    if plan:
        yield AgentPlan(agent_id=agent.id, actions=(_planned(*pair(plan)),))


def _planned(part: str, text: str) -> PlanGoal | PlanMilestone | PlanStrategy:
    match part.casefold():
        case "goal":
            return PlanGoal(text=text)
        case "milestone":
            return PlanMilestone(text=text)
        case "strategy":
            return PlanStrategy(text=text)
    raise Rejected(f"Write {one_of(PLANNED)}, with = and a text.")


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
        raise Rejected(f"There is no {unknown[0]!r} here: an agent has {one_of(PROPERTIES)}.")
    altered = {ALTERED[name]: value for name, value in given.items() if name in ALTERED}
    rooms = {name: (agent_named(everyone, given[name]).id,) for name in ("joins", "leaves") if name in given}
    attention = given.get("attention")
    yield AgentProps.model_validate(
        {
            "agent_id": agent.id,
            "altered": AlterAgent.model_validate({"agent_id": agent.id, **altered}) if altered else None,
            "attention": (SetAttention(room_id=room_id, value=attention),) if attention else (),
            "interval_seconds": given.get("interval"),
            "emotion": given.get("emotion"),
            "paused": given.get("paused"),
            **rooms,
        }
    )


def scene_changes(scene: int | None, typed: str | None) -> Iterator[Change]:
    """Give how a scene stands otherwise, from name=value with ; between: what its kind lets be changed."""
    if (scene is not None) != bool(typed):
        raise Rejected("Name a scene by its number, and in state what of it is otherwise: seat=2; x=3.")
    if scene is not None and typed:
        edit = {name: int(value) if value.isascii() and value.isdigit() else value for name, value in pairs_of(typed)}
        yield SceneState(scene_id=scene, edit=edit)
