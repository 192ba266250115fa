"""The one door for every change: actions of agents and of people, worked out and written in one transaction."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import isawaitable

from bot.core.actions import Action, Attach, Play
from bot.core.actor import Actor
from bot.core.changes import AddLetter, Change, RecordAction, Say
from bot.core.errors import Rejected
from bot.core.hud.knowledge import Tally
from bot.core.key_redaction import KEY, KeyRedactor
from bot.core.kinds import LetterKind
from bot.core.people import named
from bot.core.permissions import refusal
from bot.core.ports import Cipher, Models, Tokenizer, Writing
from bot.core.records import ActionRecord, AgentId, CommunityId, Json, Lookup
from bot.core.view import Glance
from bot.engine.performer.action_context import ActionContext
from bot.engine.performer.audit import Before, audit
from bot.engine.performer.loading import load
from bot.engine.performer.outcome import Outcome
from bot.engine.performer.registry import HANDLERS
from bot.engine.performer.unit_of_work import UnitOfWork

BLACKED_OUT = "***"
LONGEST_TEXT, LONGEST_VALUE = 120, 2_000


class Performer:
    """Performs actions; one instance serves all communities."""

    def __init__(self, *, cipher: Cipher, tokenizer: Tokenizer, models: Models | None = None) -> None:
        self._cipher = cipher
        self._tokenizer = tokenizer
        self._models = models

    def apart(self) -> "Performer":
        """Give one for a world beside the real ones: nobody's models are known there by its communities' numbers."""
        return Performer(cipher=self._cipher, tokenizer=self._tokenizer)

    async def knowledge_tokens(self, knowledge: Mapping[str, Json]) -> int:
        """Count what an agent would have to keep in view to know this."""
        tally = Tally(self._tokenizer)
        for _ in tally.fill(knowledge):
            await asyncio.sleep(0)  # others come first in between
        return tally.tokens

    async def perform(
        self,
        write: Writing,
        community_id: CommunityId,
        actor: Actor,
        actions: Sequence[Action],
        context: ActionContext,
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
        work = await load(
            write,
            community_id,
            actor,
            actions,
            subject=subject,
            context=context,
            view=view,
            cipher=self._cipher,
            tokenizer=self._tokenizer,
            models=self._models,
        )
        record_refused(work, refused)
        outcomes = await _perform_all(work, actions)
        work.keep_lookups()
        if work.changes:
            await write.apply(community_id, work.changes)
        return outcomes

    async def look_up(
        self,
        write: Writing,
        community_id: CommunityId,
        agent_id: AgentId,
        actions: Sequence[Action],
        context: ActionContext,
    ) -> list[tuple[Lookup, RecordAction]]:
        """Work an agent's look-ups out and write nothing; gives what each found, or why not, and its record."""
        work = await load(
            write,
            community_id,
            Actor.agent(agent_id),
            actions,
            subject=None,
            context=context,
            cipher=self._cipher,
            tokenizer=self._tokenizer,
            models=self._models,
        )
        outcomes = await _perform_all(work, actions)
        answers = iter(work.fitted_lookups())
        found = [next(answers) if one.accepted else _refused(one) for one in outcomes]
        records = [one for one in work.changes if isinstance(one, RecordAction)]
        return list(zip(found, records, strict=True))


def _refused(outcome: Outcome) -> Lookup:
    return Lookup(question=outcome.action.definition.name, answer=f"rejected: {outcome.why}")


async def _perform_all(work: UnitOfWork, actions: Sequence[Action]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for action in actions:
        outcomes.append(await _perform_one(work, action))
        await asyncio.sleep(0)  # an answer may hold hundreds, and others come first in between
    return outcomes


async def _perform_one(work: UnitOfWork, action: Action) -> Outcome:
    """Do one thing, or say why not; what is refused changes nothing of the others."""
    no = refusal(work.actor, action, work)
    if no is not None:
        outcome = Outcome(action=action, accepted=False, why=no.why, needs_solo=no.needs_solo)
    else:
        outcome = await _attempt(work, action)
    record(work, outcome)
    return outcome


async def _attempt(work: UnitOfWork, action: Action) -> Outcome:
    work.secret, before = "", Before(work.view, work.minds, len(work.changes))
    try:
        done = HANDLERS[type(action)](work, action)
        result = await done if isawaitable(done) else done
    except Rejected as no:
        return Outcome(action=action, accepted=False, why=no.sentence)
    letters = tuple(_letters(work.changes[before.changes :]))
    outcome = Outcome(action=action, accepted=True, result=named(result, work.named), letters=letters)
    audit(work, action, result, before)
    return outcome if work.actor.who is None else replace(outcome, secret=work.secret)


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


def record(work: UnitOfWork, outcome: Outcome) -> None:
    """Keep an agent's action, accepted or not."""
    action = outcome.action
    if isinstance(action, Play):
        return  # a scene keeps its own log, and what is sealed there stands nowhere else
    _keep(
        work,
        ActionRecord(
            type=action.definition.name,
            at=work.now,
            parameters=shown_parameters(action, work.redactor),
            accepted=outcome.accepted,
            result=work.redactor.text(outcome.result),
            why=work.redactor.text(outcome.why),
        ),
    )


def record_refused(work: UnitOfWork, refused: Sequence[tuple[str, str]]) -> None:
    """Keep what could not even be read as an action."""
    for what, why in refused:
        _keep(work, ActionRecord(type=what, at=work.now, parameters={}, accepted=False, why=work.redactor.text(why)))


def shown_parameters(action: Action, redactor: KeyRedactor) -> dict[str, Json]:
    """Give an action's parameters without secrets; a key may be any text that a model took for one.

    What is in a file stands in the file alone.
    """
    left_out = {"type", "text"} if isinstance(action, Attach) else {"type"}
    given: dict[str, Json] = action.model_dump(mode="json", exclude=left_out, exclude_defaults=True)
    if given.get(KEY) is not None:
        given[KEY] = BLACKED_OUT
    return {name: _shortened(value, redactor) for name, value in given.items()}


def _shortened(value: Json, redactor: KeyRedactor) -> Json:
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{redactor.beginning(value, LONGEST_TEXT - 1)}…"
    if isinstance(value, dict | list) and (characters := len(json.dumps(value))) > LONGEST_VALUE:
        return f"({characters:,} characters)"  # the last actions are read with every beat
    return redactor.value(value)


def _keep(work: UnitOfWork, entry: ActionRecord) -> None:
    agent_id = work.actor.agent_id
    if agent_id is not None and agent_id in work.agents:
        work.put(RecordAction(agent_id=agent_id, side=work.side, record=entry, beat_id=work.beat_id))
