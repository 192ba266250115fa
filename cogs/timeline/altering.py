"""What is typed of how a world is otherwise, as changes."""

from collections.abc import Iterator, Mapping, Sequence

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
from bot.core.timelines.changes import AgentCtx, AgentPlan, AgentProps, Change, SceneState
from bot.core.view import agent_named
from cogs.arguments import pairs_of

PLANNED = ("goal", "milestone", "strategy")
TICKED = ("done", "current", "drop")
ANEW: Mapping[str, PlanPart] = {"goals": "goals", "milestones": "milestones"}
ALTERED = {"prompt": "background_prompt", "model": "model", "temperature": "temperature", "tokens": "token_budget"}
OWN = ("interval", "resting", "emotion", "paused", "attention", "allocation", "joins", "leaves")
DIVIDED = ("knowledge", "recent_actions", "rooms")
PROPERTIES = (*ALTERED, *OWN)
MEANT = Sentence("Name the agent that is to be otherwise.")


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
            Sentence("There is no “{name}” here: an agent has {parts}.", name=unknown[0], parts=one_of(PROPERTIES))
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
