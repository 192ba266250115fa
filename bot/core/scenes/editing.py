"""A scene as a what-if would have it: what its kind lets be changed, and nothing that could not be."""

from collections.abc import Mapping
from dataclasses import replace

from pydantic import ValidationError

from bot.core.errors import Rejected
from bot.core.scenes.kind import Over
from bot.core.scenes.records import Scene, SceneStatus
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
