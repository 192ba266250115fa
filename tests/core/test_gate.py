"""Whether a claimed agent goes, waits or stays."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from bot.core.after_beat import widened
from bot.core.config import CommunityConfig
from bot.core.gate import Claim, Held, Ready, side_of, verdict
from bot.core.kinds import HeldFor, ReasonKind, Visibility
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, BeatId, Community, MessageId, Reason, Room, Side, Snowflake
from bot.core.spending import Spending
from bot.core.view import RoomView, View
from tests.factories import COMMUNITY_ID, agent, later, membership, room, view
from tests.fakes import START

ONE = AgentId(1)


def reason(kind: ReasonKind = ReasonKind.ADDRESSED, room_id: int | None = 1, **fields: Any) -> Reason:  # noqa: ANN401
    base: dict[str, Any] = {
        "room_id": None if room_id is None else AgentId(room_id),
        "person_id": Snowflake(501),
        "since": START,
        "due_at": START,
    }
    return Reason(kind=kind, **(base | fields))


def judge(
    *reasons: Reason,
    one: Agent | None = None,
    place: Room | None = None,
    config: CommunityConfig | None = None,
    spent: str = "0",
    community: Community | None = None,
    waiting: tuple[Reason, ...] = (),
) -> Ready | Held:
    """Judge agent 1, which is in its own room and in the private room 2."""
    secret = room(2, visibility=Visibility.PRIVATE)
    shown = [RoomView(room=place or room(1), members=(ONE,)), RoomView(room=secret, members=(AgentId(2), ONE))]
    seen: View = view(
        [one or agent(1), agent(2)],
        rooms=shown,
        memberships=[membership(1), membership(2), membership(1, 2)],
        config=config,
        reasons={ONE: (*reasons, *waiting)},
    )
    if community is not None:
        seen = replace(seen, community=community)
    claim = Claim(
        community_id=COMMUNITY_ID, agent_id=ONE, beat_id=BeatId(7), lease_until=later(60), reasons=tuple(reasons)
    )
    return verdict(seen, claim, START, Spending(usd=Decimal(spent), usd_limit=Decimal(1)))


def until(held: Ready | Held) -> datetime | None:
    assert isinstance(held, Held)
    return held.until


def test_an_agent_with_a_reason_goes_for_the_side_of_the_most_urgent_one() -> None:
    ambient = reason(ReasonKind.AMBIENT)
    secret = reason(room_id=2)
    ready = judge(ambient, secret)
    assert isinstance(ready, Ready)
    assert (ready.side, ready.reasons) == (Side(2), (secret,))
    assert isinstance(open_ := judge(ambient), Ready)
    assert open_.side == PUBLIC_SIDE


def test_a_room_that_was_not_read_is_a_side_of_its_own() -> None:
    seen = view([agent(1)], rooms=[RoomView(room=room(1), members=(ONE,))])
    assert side_of(seen, AgentId(77)) == Side(77)
    assert side_of(seen, None) == PUBLIC_SIDE


def test_a_look_up_made_in_the_open_is_answered_in_the_open() -> None:
    ready = judge(reason(ReasonKind.ANSWER, None))
    assert isinstance(ready, Ready)
    assert ready.side == PUBLIC_SIDE


def test_a_retired_agent_loses_its_reasons_and_a_paused_one_all_but_what_people_asked() -> None:
    overheard = reason(ReasonKind.AMBIENT)
    for one, lost in (
        (agent(1, paused_reason="a rest"), (overheard,)),
        (agent(1, retired_at=START), (reason(), overheard)),
    ):
        held = judge(reason(), overheard, one=one)
        assert isinstance(held, Held)
        assert held.dropped == lost


def test_a_sleeper_stays_until_its_time_unless_it_is_named_or_woken() -> None:
    asleep = agent(1, asleep_until=later(500))
    assert until(judge(reason(), one=asleep)) == later(500)
    assert isinstance(judge(reason(mentioned=True), one=asleep), Ready)
    assert isinstance(judge(reason(ReasonKind.WOKEN, None), one=asleep), Ready)
    deep = CommunityConfig(mention_wakes=False)
    assert until(judge(reason(mentioned=True), one=asleep, config=deep)) == later(500)


def test_what_was_overheard_in_a_room_that_is_hushed_or_said_in_one_that_was_left_counts_no_more() -> None:
    hushed = room(1, hushed_until=later(60))
    for held in (judge(reason(ReasonKind.AMBIENT), place=hushed), judge(reason(room_id=9))):
        assert isinstance(held, Held)
        assert held.dropped
        assert held.until is None


def test_what_a_person_asks_in_a_hushed_room_waits_for_the_end_of_the_hush() -> None:
    held = judge(reason(), place=room(1, hushed_until=later(60)))
    assert (until(held), isinstance(held, Held) and held.held_for) == (later(60), HeldFor.HUSH)


def test_too_much_banter_ends_the_reasons_that_agents_gave_but_not_a_persons() -> None:
    full = room(1, agent_run=6)
    assert isinstance(judge(reason(person_id=None), place=full), Held)
    assert isinstance(judge(reason(), place=full), Ready)


def test_listening_waits_for_an_answer_that_is_due_soon() -> None:
    soon = reason(due_at=later(0.8))
    assert until(judge(reason(ReasonKind.AMBIENT), waiting=(soon,))) == later(0.8)
    tomorrow = reason(due_at=later(9_999))
    assert isinstance(judge(reason(ReasonKind.AMBIENT), waiting=(tomorrow,)), Ready)


def test_short_money_stretches_listening_but_not_answers() -> None:
    one = agent(1, interval_seconds=5, last_beat_at=later(-5))
    assert isinstance(judge(reason(ReasonKind.AMBIENT), one=one), Ready)
    assert until(judge(reason(ReasonKind.AMBIENT), one=one, spent="0.8")) == later(5)
    assert until(judge(reason(ReasonKind.AMBIENT), one=one, spent="0.95")) == later(15)
    assert isinstance(judge(reason(), one=one, spent="0.95"), Ready)


def test_initiative_needs_to_be_on_and_to_be_affordable() -> None:
    own = reason(ReasonKind.INITIATIVE, person_id=None)
    on = CommunityConfig(initiative=True)
    assert isinstance(judge(own), Held)
    assert isinstance(judge(own, config=on), Ready)
    assert isinstance(judge(own, config=on, spent="0.96"), Held)


def test_a_beat_answers_what_its_hud_showed_and_nothing_newer() -> None:
    claimed = reason(message_id=MessageId(3))
    newer = reason(message_id=MessageId(4), due_at=later(1))
    beside = reason(ReasonKind.AMBIENT, message_id=MessageId(4), due_at=later(1))
    ready = judge(claimed)
    assert isinstance(ready, Ready)
    seen = view([agent(1)], reasons={ONE: (newer, beside)})
    assert widened(seen, ready, {ONE: MessageId(4)}).reasons == (newer, beside)
    assert widened(seen, ready, {ONE: MessageId(3)}).reasons == (claimed,)
