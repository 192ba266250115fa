"""The one door for every change: actions of agents and of people, worked out and written in one transaction."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import isawaitable

from bot.core.actions import Action, Category
from bot.core.actor import Actor
from bot.core.blotting import KEY, Blots
from bot.core.changes import AddLetter, Audit, Change, RecordAction, Say
from bot.core.errors import Rejected
from bot.core.hud.knowledge import knowledge_tokens
from bot.core.kinds import LetterKind
from bot.core.people import named
from bot.core.permissions import refusal
from bot.core.ports import Cipher, Models, Tokenizer, Writing
from bot.core.records import ActionRecord, AgentId, CommunityId, Json
from bot.core.view import Glance
from bot.core.wording import as_words
from bot.engine.performer.desk import Desk
from bot.engine.performer.laying import lay
from bot.engine.performer.outcome import Outcome
from bot.engine.performer.registry import HANDLERS
from bot.engine.performer.terms import Terms

BLACKED_OUT = "***"
LONGEST_TEXT = 120
AUDITED = frozenset({Category.ROOM, Category.ACCESS, Category.AGENTS})  # of what agents do


class Performer:
    """Performs actions; one instance serves all communities."""

    def __init__(self, *, cipher: Cipher, tokenizer: Tokenizer, models: Models | None = None) -> None:
        self._cipher = cipher
        self._tokenizer = tokenizer
        self._models = models

    def knowledge_tokens(self, knowledge: Mapping[str, Json]) -> int:
        """Count what an agent would have to keep in view to know this."""
        return knowledge_tokens(self._tokenizer, knowledge)

    async def perform(
        self,
        write: Writing,
        community_id: CommunityId,
        actor: Actor,
        actions: Sequence[Action],
        terms: Terms,
        *,
        subject: AgentId | None = None,
        refused: Sequence[tuple[str, str]] = (),
        view: Glance | None = None,
    ) -> list[Outcome]:
        """Perform actions in order and write what they change; gives one outcome for each.

        `subject`: the agent whose thing a person means.
        `refused`: (what, why) of items that could not be read, kept among the agent's recent actions. `view`: what this
        transaction has read already, if that is all the actions need.
        """
        desk = await lay(
            write,
            community_id,
            actor,
            actions,
            subject=subject,
            terms=terms,
            view=view,
            cipher=self._cipher,
            tokenizer=self._tokenizer,
            models=self._models,
        )
        record_refused(desk, refused)
        outcomes = [await _perform_one(desk, action) for action in actions]
        if desk.changes:
            await write.apply(community_id, desk.changes)
        return outcomes


async def _perform_one(desk: Desk, action: Action) -> Outcome:
    """Do one thing, or say why not; what is refused changes nothing of the others."""
    no = refusal(desk.actor, action, desk)
    if no is not None:
        outcome = Outcome(action=action, accepted=False, why=no.why, needs_solo=no.needs_solo)
    else:
        outcome = await _attempt(desk, action)
    record(desk, outcome)
    return outcome


async def _attempt(desk: Desk, action: Action) -> Outcome:
    desk.secret, before = "", len(desk.changes)
    try:
        done = HANDLERS[type(action)](desk, action)
        result = await done if isawaitable(done) else done
    except Rejected as no:
        return Outcome(action=action, accepted=False, why=no.sentence)
    letters = tuple(_letters(desk.changes[before:]))
    outcome = Outcome(action=action, accepted=True, result=named(result, desk.named), letters=letters)
    if desk.actor.who is None:
        _audit_agent(desk, action, result)
        return outcome
    desk.put(Audit(by=desk.actor.signature(), what=_audited(action, result), agent_id=desk.subject_id, at=desk.now))
    return replace(outcome, secret=desk.secret)


def _audited(action: Action, result: str) -> str:
    return f"{as_words(action.definition.name)}: {result}"


def _audit_agent(desk: Desk, action: Action, result: str) -> None:
    """Let managers see what an agent changed for others, too; the same only once for each answer."""
    if action.definition.category not in AUDITED or desk.actor.agent_id is None:
        return
    what = desk.blots.text(_audited(action, result))
    entry = Audit(by=f"agent {desk.actor.agent_id}", what=what, agent_id=desk.subject_id, at=desk.now)
    if entry not in desk.changes:
        desk.put(entry)


def _letters(changes: Sequence[Change]) -> Iterator[tuple[AgentId, LetterKind]]:
    """Give what changes send to Discord, by room."""
    for change in changes:
        match change:
            case AddLetter(room_id=room_id, kind=kind, payload=payload) if "left_channel_id" not in payload:
                yield room_id, kind
            case Say(room_id=room_id, post=True):
                yield room_id, LetterKind.POST
            case _:
                pass


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
