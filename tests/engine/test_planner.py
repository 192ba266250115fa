"""Who shares a call, how many fit, and when calls alone are cheaper."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.core.config import CommunityConfig, Manner
from bot.core.gate import Claim, Ready
from bot.core.hud.call import AgentPart, BuiltCall
from bot.core.kinds import Detail, InputFormat, OutputFormat, ReasonKind
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, BeatId, MessageId, Reason, Side
from bot.core.view import RoomView, View
from bot.engine.planner import CallKind, PlannedCall, alone, ids_of, kind_of, plan, tokens_of
from tests.factories import COMMUNITY_ID, agent, later, membership, message, room, view
from tests.fakes import START, ScriptedModel

CONSTANT, SEGMENT, ROOMS = 1_900, 400, 4_000


def ready(one: Agent, *, side: Side = PUBLIC_SIDE, kind: ReasonKind = ReasonKind.AMBIENT) -> Ready:
    why = Reason(kind=kind, room_id=AgentId(1), since=START, due_at=START)
    claim = Claim(
        community_id=COMMUNITY_ID, agent_id=one.id, beat_id=BeatId(one.id), lease_until=later(60), reasons=(why,)
    )
    return Ready(claim=claim, agent=one, side=side, reasons=(why,))


def write(kind: CallKind, group: Sequence[Ready]) -> BuiltCall:
    """Write a call as long as one would be: rooms once, a segment for each."""
    parts = tuple(
        AgentPart(
            agent_id=one.agent_id,
            side=one.side,
            sections=(("identity", SEGMENT - 50), ("recent_actions", 50), ("messages", ROOMS)),
            room_ids=(AgentId(1),),
            window_starts={},
            seen_until={},
            message_ids=frozenset({MessageId(1), MessageId(2)}),
            tokens=SEGMENT + ROOMS,
        )
        for one in group
    )
    tokens = CONSTANT + ROOMS + SEGMENT * len(group)
    return BuiltCall(instructions="x" * 4 * CONSTANT, input="", tokens=tokens, parts=parts, cache_key="k")


def community(agents: Sequence[Agent], config: CommunityConfig | None = None) -> View:
    ids = tuple(one.id for one in agents)
    hall = RoomView(
        room=room(1), members=ids, messages=(message(1, tokens=ROOMS - 30), message(2, "the newest", tokens=30))
    )
    seats = [membership(id, 1, seen_until=MessageId(1)) for id in ids]
    return view(agents, rooms=[hall], memberships=seats, config=config)


def calls(
    ones: Sequence[Ready], *, config: CommunityConfig | None = None, model: ScriptedModel | None = None
) -> list[PlannedCall]:
    seen = community([one.agent for one in ones], config or CommunityConfig(planner="shared"))
    return list(plan(seen, ones, model or ScriptedModel(), write, START))


def groups(ones: Sequence[Ready], **rest: Any) -> list[list[int]]:  # noqa: ANN401
    return [[int(id) for id in ids_of(call)] for call in calls(ones, **rest)]


def test_agents_that_are_alike_share_a_call() -> None:
    assert groups([ready(agent(id)) for id in (1, 2, 3)]) == [[1, 2, 3]]


def test_model_temperature_and_format_keep_calls_apart() -> None:
    ones = [
        agent(1),
        agent(2, model="gpt-4.1"),
        agent(3, temperature=0.1),
        agent(4, input_format=InputFormat.TOON),
        agent(5),
    ]
    assert groups([ready(one) for one in ones]) == [[1, 5], [2], [3], [4]]


def test_a_temperature_that_the_model_does_not_take_keeps_nobody_apart() -> None:
    ones = [agent(1, model="o3", temperature=0.1), agent(2, model="o3", temperature=0.9)]
    (call,) = calls([ready(one) for one in ones])
    assert call.kind.temperature is None
    assert len(call.ready) == 2


def test_the_privileged_and_owners_with_a_knock_are_alone() -> None:
    ones = [ready(agent(1, can_create_agents=True)), ready(agent(2)), ready(agent(3), kind=ReasonKind.ACCESS)]
    assert groups([*ones, ready(agent(4))]) == [[1], [2, 4], [3]]


def test_private_rooms_are_apart_from_the_open_and_from_each_other() -> None:
    ones = [ready(agent(id), side=Side(side)) for id, side in ((1, 0), (2, 7), (3, 8), (4, 7), (5, 0))]
    assert groups(ones) == [[1, 5], [2, 4], [3]]


def test_a_community_can_want_everyone_alone() -> None:
    ones = [ready(agent(id)) for id in (1, 2)]
    assert groups(ones, config=CommunityConfig(isolation="solo")) == [[1], [2]]
    assert groups(ones, config=CommunityConfig(planner="solo")) == [[1], [2]]


class SmallModel(ScriptedModel):
    """Reads little."""

    def __init__(self, context: int) -> None:
        super().__init__()
        self._context = context

    def context_tokens(self, model: str) -> int:
        return self._context


@settings(deadline=None)  # the first of them makes the schema
@given(st.integers(1, 30), st.integers(10_000, 30_000))
def test_each_call_fits_with_room_for_its_answer_and_nobody_is_left_out(count: int, context: int) -> None:
    made = calls([ready(agent(id)) for id in range(1, count + 1)], model=SmallModel(context))
    assert [id for call in made for id in ids_of(call)] == list(range(1, count + 1))
    for call in made:
        fits = call.built.tokens + call.answer_tokens <= context
        assert fits or len(call.ready) == 1
        assert call.answer_tokens == max(600, 400 * len(call.ready))


def warm(id: int) -> Ready:
    return ready(agent(id, last_beat_at=later(-100)))


def test_with_a_cheap_cache_agents_that_beat_often_are_asked_one_by_one() -> None:
    model = ScriptedModel()
    model.cached_price = Decimal("0.001")
    auto = CommunityConfig()
    assert groups([warm(1), warm(2), warm(3)], config=auto, model=model) == [[1], [2], [3]]
    cold = ready(agent(3, last_beat_at=later(-400)))
    assert groups([warm(1), warm(2), cold], config=auto, model=model) == [[1, 2, 3]]


def test_with_a_dear_cache_they_share() -> None:
    assert groups([warm(1), warm(2), warm(3)], config=CommunityConfig()) == [[1, 2, 3]]


def test_the_schema_that_a_model_is_held_to_takes_room_in_its_context() -> None:
    ones = [ready(agent(id)) for id in range(1, 9)]
    (whole,) = calls(ones)
    held = tokens_of(whole.kind, whole.built, ScriptedModel()) + whole.answer_tokens
    seen = community([one.agent for one in ones], CommunityConfig(planner="shared"))
    assert len(list(plan(seen, ones, SmallModel(held), write, START))) == 1
    assert len(list(plan(seen, ones, SmallModel(held - 1), write, START))) == 2
    free = [ready(agent(id, output_format=OutputFormat.TOON)) for id in range(1, 9)]
    toon = community([one.agent for one in free], CommunityConfig(planner="shared"))
    assert len(list(plan(toon, free, SmallModel(whole.built.tokens + whole.answer_tokens), write, START))) == 1


def test_who_is_shown_little_is_asked_alone() -> None:
    lean = [ready(agent(id, detail=Detail.LEAN)) for id in (1, 2)]
    assert groups([*lean, ready(agent(3)), ready(agent(4))]) == [[1], [2], [3, 4]]


@pytest.mark.parametrize(
    ("own", "found", "known", "is_lean"),
    [
        (Detail.AUTO, Detail.AUTO, True, False),
        (Detail.AUTO, Detail.AUTO, False, True),
        (Detail.AUTO, Detail.FULL, False, False),
        (Detail.AUTO, Detail.LEAN, True, True),
        (Detail.FULL, Detail.LEAN, False, False),
        (Detail.LEAN, Detail.FULL, True, True),
    ],
)
def test_an_agents_own_detail_goes_before_what_was_found_of_its_model(
    own: Detail, found: Detail, known: bool, is_lean: bool
) -> None:
    model = ScriptedModel()
    model.unknown = set() if known else {"gpt-4o-mini"}
    config = CommunityConfig(models={"gpt-4o-mini": Manner(detail=found)})
    one = ready(agent(1, detail=own))
    assert kind_of(community([one.agent], config), one, model).lean is is_lean


def test_what_was_found_of_a_model_bounds_its_warmth() -> None:
    one = ready(agent(1, temperature=1.1))
    held = kind_of(community([one.agent]), one, ScriptedModel())
    assert held.temperature == 1.1
    config = CommunityConfig(models={"gpt-4o-mini": Manner(temperature=0.3)})
    free = kind_of(community([one.agent], config), one, ScriptedModel())
    assert free.temperature == 0.3


def test_no_more_agents_share_a_call_than_the_community_wants() -> None:
    ones = [ready(agent(id)) for id in range(1, 8)]
    few = CommunityConfig(planner="shared", agents_per_call=3)
    assert groups(ones, config=few) == [[1, 2, 3], [4, 5, 6], [7]]


def test_why_agents_are_asked_one_by_one_stands_in_the_log() -> None:
    model = ScriptedModel()
    model.cached_price = Decimal("0.001")
    with capture_logs() as lines:
        groups([warm(1), warm(2)], config=CommunityConfig(), model=model)
    (line,) = lines
    assert line["agents"] == (1, 2)
    assert Decimal(line["alone_usd"]) < Decimal(line["shared_usd"])
    assert line["event"].startswith("agents are asked one by one: with warm caches that costs less")


def test_one_can_be_planned_alone() -> None:
    one = ready(agent(1))
    call = alone(community([one.agent]), one, ScriptedModel(), write)
    assert (ids_of(call), call.shared) == ((1,), False)
    assert call.kind == replace(call.kind, cell="public")
