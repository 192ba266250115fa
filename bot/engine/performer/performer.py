"""The one door for every change: actions of agents and of people, worked out and written in one transaction."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from inspect import isawaitable
from typing import Unpack

from bot.core.actions import Action
from bot.core.actor import Actor
from bot.core.changes import AddLetter, Audit, Change, Say
from bot.core.errors import Rejected
from bot.core.hud.knowledge import knowledge_tokens
from bot.core.kinds import LetterKind, ReasonKind
from bot.core.people import named
from bot.core.permissions import refusal
from bot.core.ports import Cipher, Models, Random, Tokenizer, Writing
from bot.core.records import AgentId, CommunityId, Json, MessageId, Reason, Snowflake
from bot.core.view import Glance
from bot.core.wording import as_words
from bot.engine.performer.desk import Desk
from bot.engine.performer.laying import lay
from bot.engine.performer.outcome import Outcome
from bot.engine.performer.recording import record, record_refused
from bot.engine.performer.registry import HANDLERS
from bot.engine.performer.terms import Bounds, Terms


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
        *,
        now: datetime,
        random: Random,
        subject: AgentId | None = None,
        reasons: Sequence[Reason] = (),
        refused: Sequence[tuple[str, str]] = (),
        view: Glance | None = None,
        **bounds: Unpack[Bounds],
    ) -> list[Outcome]:
        """Perform actions in order and write what they change; gives one outcome for each.

        `subject`: the agent whose thing a person means. `bounds`: those of the beat (performer.terms).
        `refused`: (what, why) of items that could not be read, kept among the agent's recent actions. `view`: what this
        transaction has read already, if that is all the actions need.
        """
        called = any(reason.kind is ReasonKind.ADDRESSED or reason.mentioned for reason in reasons)
        terms = Terms(
            now=now, random=random, person_id=_led_by(reasons), called_by=_called_by(reasons), called=called, **bounds
        )
        desk = await lay(
            write,
            community_id,
            actor,
            actions,
            subject=subject,
            terms=terms,
            reasons=reasons,
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
        return outcome
    by, what = desk.actor.signature(), f"{as_words(action.definition.name)}: {result}"
    desk.put(Audit(by=by, what=what, agent_id=desk.subject_id, at=desk.now))
    return replace(outcome, secret=desk.secret)


def _called_by(reasons: Sequence[Reason]) -> tuple[MessageId, ...]:
    """Give the messages that called the agent, first or before it looked something up."""
    calls = (reason for reason in reasons if reason.kind in (ReasonKind.ADDRESSED, ReasonKind.ANSWER))
    return tuple(sorted(reason.message_id for reason in calls if reason.message_id is not None))


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


def _led_by(reasons: Sequence[Reason]) -> Snowflake | None:
    return next((reason.person_id for reason in reasons if reason.person_id is not None), None)
