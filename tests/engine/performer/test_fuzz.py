"""Whatever a model answers, nothing raises, and nothing changes but by a valid, permitted action."""

import asyncio
import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.core.actions import CATALOGUE
from bot.core.actor import Actor
from bot.core.answers import parse_answer
from bot.core.changes import CloseRequest, CountFailure, RecordAction
from bot.core.kinds import OutputFormat
from bot.core.records import PUBLIC_SIDE, AgentId, CommunityId, Side
from bot.engine.performer import ActionContext, Outcome, Performer
from tests.engine.performer.answers import answers
from tests.engine.performer.lawful import Bounds, is_lawful
from tests.engine.performer.still import ADA, BO, CY, DI, EL, SECRETS, StillStore
from tests.fakes import START, PlainCipher, SeededRandom, WordTokenizer

# A few with the quick tests, the rest with all of them; FUZZ_EXAMPLES=50000 is the long run.
FEW = 200
MANY = int(os.environ.get("FUZZ_EXAMPLES", "2000"))
PERFORMER = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())

BEATS = [
    Bounds(ADA, frozenset({ADA}), PUBLIC_SIDE),
    Bounds(BO, frozenset({ADA, BO}), PUBLIC_SIDE),
    Bounds(BO, frozenset({EL}), Side(EL)),
    Bounds(CY, frozenset({CY}), PUBLIC_SIDE),
    Bounds(EL, frozenset({EL}), Side(EL)),
    Bounds(DI, frozenset({ADA, DI}), PUBLIC_SIDE),
]


async def beat(store: StillStore, text: str, bounds: Bounds, *, shared: bool) -> list[Outcome]:
    """Let one agent's answer take its whole way."""
    agent_id = bounds.actor
    asked = [agent_id, AgentId(98)] if shared else [agent_id]
    parsed = parse_answer(text, asked=asked, output_format=OutputFormat.JSON)
    assert set(parsed.replies) | parsed.unusable == set(asked)
    reply = parsed.replies.get(agent_id)
    if reply is None:
        return []
    return await PERFORMER.perform(
        store.as_writing(),
        CommunityId(1),
        Actor.agent(agent_id),
        reply.actions,
        ActionContext(now=START, random=SeededRandom(), side=bounds.side, rooms_shown=bounds.shown, shared=shared),
        refused=reply.rejected,
    )


def spilt(store: StillStore) -> list[str]:
    """Find secrets where no secret may stand: in what is recorded of actions that take a key."""
    records = [change.record for change in store.written if isinstance(change, RecordAction)]
    text = repr([one for one in records if "key" in one.parameters])
    return [secret for secret in set(SECRETS.values()) if secret in text]


@st.composite
def beats(draw: st.DrawFn) -> tuple[Bounds, str]:
    """Whose beat it is, and what is answered."""
    bounds = draw(st.sampled_from(BEATS))
    return bounds, draw(answers(int(bounds.actor)))


def check(runner: asyncio.Runner, bounds: Bounds, text: str, *, shared: bool) -> list[str]:
    """Hold one answer to the law; gives the names of what was accepted."""
    store = StillStore()
    outcomes = runner.run(beat(store, text, bounds, shared=shared))
    assert [change for change in store.written if not is_lawful(change, bounds)] == []
    accepted = [outcome for outcome in outcomes if outcome.accepted]
    if not accepted:
        assert all(isinstance(change, RecordAction | CountFailure | CloseRequest) for change in store.written)
    assert all(outcome.why or outcome.result for outcome in outcomes)
    assert not spilt(store)
    assert not (shared and any(outcome.action.definition.alone_only for outcome in accepted))
    return [outcome.action.definition.name for outcome in accepted]


@pytest.mark.slow
@pytest.mark.parametrize("examples", [FEW, pytest.param(MANY, marks=pytest.mark.e2e)])
def test_no_answer_does_what_its_agent_may_not(examples: int) -> None:
    accepted: Counter[str] = Counter()

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(beats(), st.sampled_from([False, False, True]))
    def holds(one: tuple[Bounds, str], shared: bool) -> None:
        accepted.update(check(runner, *one, shared=shared))

    with asyncio.Runner() as runner:
        holds()
    if examples < MANY:
        return
    missed = {each.name for each in CATALOGUE if each.listed} - set(accepted)
    assert len(missed) <= 6, "the fuzz reaches too few actions to say anything"
