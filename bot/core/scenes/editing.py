"""A scene as a what-if would have it: what its kind lets be changed, and nothing that could not be."""

from collections.abc import Mapping
from dataclasses import replace

from pydantic import ValidationError

from bot.core.errors import Rejected
from bot.core.records import AgentId
from bot.core.scenes.kind import Over, Seat
from bot.core.scenes.records import Scene, SceneStatus, Seated
from bot.core.scenes.showing import begun
from bot.core.sentences import Sentence

GOING_ON = (SceneStatus.RUNNING, SceneStatus.PAUSED)


def edited(scene: Scene, given: Mapping[str, object]) -> Scene:
    """Give a scene with its state changed; raises Rejected with the rule's sentence."""
    found = begun(scene)
    if found is None or scene.status not in GOING_ON:
        raise Rejected(Sentence("That scene does not go on: only one that does can be changed."))
    play, before = found
    form = play.kind.edit
    if form is None:
        raise Rejected(
            Sentence("Nothing in {kind} can be changed: branch at an earlier step instead.", kind=play.kind.title)
        )
    try:
        change = form.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors()[0]
        raise Rejected(
            Sentence("{field}: {fault}.", field=first["loc"][0] if first["loc"] else "edit", fault=first["msg"].lower())
        ) from error
    standing = replace(before, state=before.state.edit(change))
    if why := standing.state.valid():
        raise Rejected(why)
    if standing.awaits != before.awaits or isinstance(standing.awaits, Over):
        raise Rejected(Sentence("That would change whose turn it is: change it at another moment."))
    return replace(scene, standing=standing.packed(), digest=standing.digest())


def seats_of_people(scene: Scene) -> list[Seat]:
    """Give the seats on which people sit, in their order."""
    return sorted(one.seat for one in scene.seats if one.person_id is not None and one.left_at is None)


def played_by(scene: Scene, agents: Mapping[Seat, AgentId]) -> Scene:
    """Give a scene in which agents sit on seats of people, with all that these have seen.

    Moves that were missed there were not theirs: a seat that is away for them is waited for again.
    """
    seats = tuple(
        one.taken_by(Seated(seat=one.seat, agent_id=agents[one.seat])) if one.seat in agents else one
        for one in scene.seats
    )
    scene = replace(scene, seats=seats)
    if (found := begun(scene)) is None:
        return scene
    standing = found[1]
    away = tuple(seat for seat in standing.state.away if seat not in agents)
    standing = standing.but(
        state=standing.state.model_copy(update={"away": away}),
        misses={seat: many for seat, many in standing.misses.items() if seat not in agents},
    )
    return replace(scene, standing=standing.packed(), digest=standing.digest())
