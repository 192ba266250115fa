"""What an agent did, or was refused, as it stands among its recent actions: keys blacked out, talk shortened."""

from collections.abc import Sequence

from bot.core.actions import Action
from bot.core.blotting import KEY, Blots
from bot.core.changes import RecordAction
from bot.core.records import ActionRecord, Json
from bot.engine.performer.desk import Desk
from bot.engine.performer.outcome import Outcome

BLACKED_OUT = "***"
LONGEST_TEXT = 120


def record(desk: Desk, outcome: Outcome) -> None:
    """Keep an agent's action, accepted or not."""
    action = outcome.action
    _keep(
        desk,
        ActionRecord(
            type=action.definition.name,
            at=desk.now,
            parameters=shown_parameters(action, desk.blots),
            accepted=outcome.accepted,
            result=desk.blots.text(outcome.result),
            why=desk.blots.text(outcome.why),
        ),
    )


def record_refused(desk: Desk, refused: Sequence[tuple[str, str]]) -> None:
    """Keep what could not even be read as an action."""
    for what, why in refused:
        _keep(desk, ActionRecord(type=what, at=desk.now, parameters={}, accepted=False, why=desk.blots.text(why)))


def shown_parameters(action: Action, blots: Blots) -> dict[str, Json]:
    """Give an action's parameters without secrets; a key may be any text that a model took for one."""
    given: dict[str, Json] = action.model_dump(mode="json", exclude={"type"}, exclude_defaults=True)
    if given.get(KEY) is not None:
        given[KEY] = BLACKED_OUT
    return {name: _shortened(value, blots) for name, value in given.items()}


def _shortened(value: Json, blots: Blots) -> Json:
    if not isinstance(value, str) or len(value) <= LONGEST_TEXT:
        return blots.value(value)
    return f"{blots.beginning(value, LONGEST_TEXT - 1)}…"


def _keep(desk: Desk, entry: ActionRecord) -> None:
    agent_id = desk.actor.agent_id
    if agent_id is not None and agent_id in desk.agents:
        desk.put(RecordAction(agent_id=agent_id, side=desk.side, record=entry, beat_id=desk.beat_id))
