"""How long a window of a scene is open, whether what happened in it shows anywhere, and who looks when nobody waits."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from math import ceil

from bot.core.config import SCENE_AGENT_SECONDS, SCENE_PERSON_SECONDS
from bot.core.due_times import own_beat_at
from bot.core.records import Agent, AgentId
from bot.core.scenes.kind import Chance, Expect, SceneKind, Wait
from bot.core.scenes.play import Standing, Step
from bot.core.scenes.records import Scene

NOBODY: Mapping[AgentId, Agent] = {}
LENGTHS = (1, 1, 1, 1, 2, 3)  # of which one is drawn: how many least lengths an unseen window seems to need


def has_people(scene: Scene) -> bool:
    """Tell whether a person sits in it."""
    return any(one.person_id is not None and one.left_at is None for one in scene.seats)


def window_seconds(
    scene: Scene,
    standing: Standing,
    *,
    agents: int = SCENE_AGENT_SECONDS,
    people: int = SCENE_PERSON_SECONDS,
    looking: Mapping[AgentId, Agent] = NOBODY,
) -> int:
    """Give how long a window is open; of an unseen one its length tells nothing of who is awaited.

    `agents`, `people`: how long they have where the kind does not say it. `looking`: agents of whom, where nobody waits
    for anybody, each is to have looked before it closes.
    """
    awaits = standing.awaits
    if isinstance(awaits, Expect):
        awaited = standing.waited_for
        is_person = any(one.seat in awaited and one.person_id is not None for one in scene.seats)
        more = _round_seconds(scene, standing, looking) if awaits.anyone else 0
        if has_people(scene) if awaits.unseen else is_person:
            return more + (people if awaits.person_seconds is None else awaits.person_seconds)
        return more + (agents if awaits.agent_seconds is None else awaits.agent_seconds)
    if not isinstance(awaits, Wait):
        return 0
    if awaits.agent_seconds is None:
        return awaits.seconds
    return awaits.seconds * unseen_lengths(scene.seed, standing) if has_people(scene) else awaits.agent_seconds


def unseen_lengths(seed: str, standing: Standing) -> int:
    """Give how many of its least lengths an unseen window is open at the least, where a person sits.

    It is drawn for each, whoever is awaited, and where nobody is: that one is longer than another tells nothing.
    """
    return LENGTHS[Chance(seed, standing.window).below("how long nobody sees", len(LENGTHS))]


def closes_at(scene: Scene, standing: Standing, now: datetime) -> datetime | None:
    """Give when an unseen window closes in which all have moved: at once, where no person sits.

    Else after as many of its least lengths as were drawn for it, or as many as there had to be: how long a model thinks
    would tell who was asked, and that somebody was.
    """
    awaits = standing.awaits
    if not isinstance(awaits, Expect) or not standing.is_complete:
        return None
    began = scene.window_at or now
    if not has_people(scene):
        return began
    least = timedelta(seconds=awaits.least_seconds)
    return began + max(unseen_lengths(scene.seed, standing), -((began - now) // least)) * least


def is_hidden(standing: Standing) -> bool:
    """Tell whether nobody may learn who is awaited, or that nobody is."""
    awaits = standing.awaits
    if isinstance(awaits, Wait):
        return awaits.agent_seconds is not None
    return isinstance(awaits, Expect) and awaits.unseen


def costs(scene: Scene, standing: Standing, *, is_new: bool) -> bool:
    """Tell whether there must be money now for turns of agents.

    Where nobody may learn who is awaited that is asked when it begins, of all who sit there: a pause would tell.
    """
    agents = [one.seat for one in scene.seats if one.agent_id is not None and one.left_at is None]
    if is_hidden(standing):
        return is_new and bool(agents)
    return any(seat in standing.open_seats for seat in agents)


def tells_nobody(kind: SceneKind, scene: Scene, step: Step) -> bool:
    """Tell whether a step of a closed scene is for nobody but some seats: an edit of the board would tell of it."""
    is_new = step.standing.window != scene.window_step
    return kind.is_closed and not is_new and all(event.audience is not None for event in step.events)


FLOOR_SECONDS = 45.0  # after which the next one looks though the one before has not answered


def _round_seconds(scene: Scene, standing: Standing, looking: Mapping[AgentId, Agent]) -> int:
    """Give how long a round of the slowest heartbeat is, by which each of the agents looks."""
    waited = [one.agent_id for one in scene.seats if one.seat in standing.waited_for and one.agent_id is not None]
    return ceil(max((looking[id_].interval_seconds for id_ in waited if id_ in looking), default=0.0))


def heartbeats(
    agents: Mapping[AgentId, Agent], asked: Collection[AgentId], *, now: datetime, not_before: datetime
) -> dict[AgentId, datetime]:
    """Give when each of those that are asked looks: the first at its own next beat, and so on as answers come.

    Who looks has the floor, so that no two speak at once without having heard each other.
    """
    own = {id_: max(not_before, own_beat_at(agents[id_], now)) for id_ in asked if id_ in agents}
    order = sorted(own, key=lambda id_: (own[id_], id_))
    return {id_: own[id_] + place * timedelta(seconds=FLOOR_SECONDS) for place, id_ in enumerate(order)}
