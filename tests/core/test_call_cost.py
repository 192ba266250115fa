"""One shared call or one call each: what the cache makes of both."""

from decimal import Decimal
from typing import Any

from bot.core.call_cost import CACHE_KEPT, ROOM_LINE_TOKENS, UNCOUNTED_TOKENS, Comparison, compare
from bot.core.gate import Claim, Ready
from bot.core.hud.call import AgentPart, BuiltCall
from bot.core.kinds import ReasonKind
from bot.core.records import PUBLIC_SIDE, AgentId, BeatId, Message, MessageId, Reason
from bot.core.view import RoomView, View
from tests.factories import COMMUNITY_ID, agent, later, membership, message, room, view
from tests.fakes import START

CONSTANT = 2_000
HALL = AgentId(1)
WHY = Reason(kind=ReasonKind.AMBIENT, room_id=HALL, since=START, due_at=START)
Asked = list[tuple[int, int]]


def part(id: int, *, seen_to: int = 3, tokens: int = 1_000, **sections: int) -> AgentPart:
    return AgentPart(
        agent_id=AgentId(id),
        side=PUBLIC_SIDE,
        sections=tuple(({"messages": 400, "knowledge": 300} | sections).items()),
        room_ids=(HALL,),
        window_starts={},
        seen_until={},
        message_ids=frozenset(MessageId(id) for id in range(1, seen_to + 1)),
        tokens=tokens,
    )


def compared(*parts: AgentPart, ago: float | None = 10, shared: int = 3_500, **seen: Any) -> tuple[Asked, Comparison]:  # noqa: ANN401
    """Compare what these parts cost; gives what prices were asked for, the shared one last."""
    beaten = None if ago is None else later(-ago)
    ids = [one.agent_id for one in parts]
    asked: Asked = []

    def price(tokens: int, cached: int) -> Decimal:
        asked.append((tokens, cached))
        return Decimal(tokens - cached)

    ready = [
        Ready(
            claim=Claim(
                community_id=COMMUNITY_ID, agent_id=id, beat_id=BeatId(id), lease_until=later(60), reasons=(WHY,)
            ),
            agent=agent(id, last_beat_at=beaten),
            side=PUBLIC_SIDE,
            reasons=(WHY,),
        )
        for id in ids
    ]
    built = BuiltCall(instructions="", input="", tokens=shared, parts=parts, cache_key="")
    return asked, compare(town(ids, **seen), ready, built, CONSTANT, price, START)


def town(ids: list[AgentId], *, known_to: int = 3, said: tuple[Message, ...] | None = None) -> View:
    """A room in which three messages were said, all of which but the newest `3 - known_to` are known."""
    messages = said or tuple(message(id, room_id=1, tokens=50) for id in (1, 2, 3))
    seats = [membership(id, 1, seen_until=MessageId(known_to)) for id in ids]
    return view(
        map(agent, ids), rooms=[RoomView(room=room(1), members=tuple(ids), messages=messages)], memberships=seats
    )


def test_where_somebody_has_not_beaten_lately_only_the_constant_part_is_cached() -> None:
    for ago in (None, CACHE_KEPT.total_seconds() + 1):
        asked, _ = compared(part(1), part(2), ago=ago)
        assert sorted(asked) == [(3_000, CONSTANT), (3_000, CONSTANT), (3_500, CONSTANT)]


def test_what_was_told_before_and_has_not_changed_is_cached() -> None:
    asked, costs = compared(part(1, recent_actions=100), part(2, budget=10, now=30), ago=CACHE_KEPT.total_seconds())
    alone = [(3_000, 3_000 - 100 - ROOM_LINE_TOKENS), (3_000, 3_000 - 40 - ROOM_LINE_TOKENS)]
    told = 3_500 - CONSTANT - 2 * (1_000 - 400)  # without what each agent alone is told
    assert sorted(asked) == sorted([*alone, (3_500, CONSTANT + told)])
    assert (costs.alone_usd, costs.shared_usd) == (Decimal(260), Decimal(1_200))
    assert costs.alone_is_cheaper


def test_of_a_room_nothing_is_cached_from_the_first_new_line_on() -> None:
    asked, _ = compared(part(1), part(2), known_to=1)
    assert asked.count((3_000, 3_000 - ROOM_LINE_TOKENS - 100)) == 2
    assert (3_500, CONSTANT + 300 - 100) in asked  # each new message once, whoever has not seen it


def test_a_message_that_was_not_counted_is_taken_for_a_short_one_and_one_that_is_not_shown_for_none() -> None:
    said = (message(1, room_id=1, tokens=50), message(2, room_id=1, tokens=0), message(3, room_id=1, tokens=50))
    asked, _ = compared(part(1, seen_to=2), known_to=1, said=said, shared=3_000)
    assert (3_000, 3_000 - ROOM_LINE_TOKENS - UNCOUNTED_TOKENS) in asked


def test_a_short_beginning_is_not_cached() -> None:
    asked, costs = compared(part(1, tokens=900, budget=3_000), ago=None, shared=900)
    assert all(cached >= 1_024 or cached == 0 for _, cached in asked)
    assert not costs.alone_is_cheaper
