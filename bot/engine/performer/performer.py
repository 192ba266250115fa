"""The one door for every change: actions of agents and of people, worked out and written in one transaction."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from inspect import isawaitable
from typing import Unpack

from bot.core.actions import Action
from bot.core.actor import Actor
from bot.core.changes import Audit
from bot.core.errors import Rejected
from bot.core.kinds import ReasonKind
from bot.core.permissions import refusal
from bot.core.ports import Cipher, Random, Tokenizer, Writing
from bot.core.records import AgentId, CommunityId, Reason, Snowflake
from bot.core.view import View
from bot.engine.performer.desk import Desk
from bot.engine.performer.laying import lay
from bot.engine.performer.outcome import Outcome
from bot.engine.performer.recording import record, record_refused
from bot.engine.performer.registry import HANDLERS
from bot.engine.performer.terms import Bounds, Terms


class Performer:
    """Performs actions; one instance serves all communities."""

    def __init__(self, *, cipher: Cipher, tokenizer: Tokenizer) -> None:
        self._cipher = cipher
        self._tokenizer = tokenizer

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
        view: View | None = None,
        **bounds: Unpack[Bounds],
    ) -> list[Outcome]:
        """Perform actions in order and write what they change; gives one outcome for each.

        `subject`: the agent whose thing a person means. `bounds`: those of the beat (performer.terms).
        `refused`: (what, why) of items that could not be read, kept among the agent's recent actions. `view`: what this
        transaction has read already, if that is all the actions need.
        """
        called = any(reason.kind is ReasonKind.ADDRESSED or reason.mentioned for reason in reasons)
        terms = Terms(now=now, random=random, person_id=_led_by(reasons), called=called, **bounds)
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
    desk.secret = ""
    try:
        done = HANDLERS[type(action)](desk, action)
        result = await done if isawaitable(done) else done
    except Rejected as no:
        return Outcome(action=action, accepted=False, why=no.sentence)
    outcome = Outcome(action=action, accepted=True, result=result)
    if desk.actor.who is None:
        return outcome
    by, what = desk.actor.in_words(), f"{action.definition.name}: {result}"
    desk.put(Audit(by=by, what=what, agent_id=desk.subject_id, at=desk.now))
    return replace(outcome, secret=desk.secret)


def _led_by(reasons: Sequence[Reason]) -> Snowflake | None:
    return next((reason.person_id for reason in reasons if reason.person_id is not None), None)
