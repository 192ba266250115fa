"""Whether a claimed agent goes, waits or stays."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from bot.core.after_beat import widened
from bot.core.config import CommunityConfig
from bot.core.gate import Claim, Held, Ready, is_overtaken, is_self_caused, limited_until, side_of, verdict
from bot.core.kinds import HeldFor, ReasonKind, Visibility
from bot.core.records import (
    PUBLIC_SIDE,
    Agent,
    AgentId,
    BeatId,
    Community,
    Message,
    MessageId,
    Reason,
    Room,
    Side,
    Snowflake,
)
from bot.core.spending import Spending
from bot.core.view import RoomView, View
from tests.factories import COMMUNITY_ID, agent, by_agent, community, later, membership, message, room, view
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


def claimed(*reasons: Reason) -> Claim:
    return Claim(community_id=COMMUNITY_ID, agent_id=ONE, beat_id=BeatId(7), lease_until=later(60), reasons=reasons)


def judge(
    *reasons: Reason,
    one: Agent | None = None,
    place: Room | None = None,
    config: CommunityConfig | None = None,
    spent: str = "0",
    community: Community | None = None,
    waiting: tuple[Reason, ...] = (),
    posting: tuple[Message, ...] = (),
) -> Ready | Held:
    """Judge agent 1, which is in its own room and in the private room 2; `posting`: its words still to be posted."""
    secret = room(2, visibility=Visibility.PRIVATE)
    shown = [RoomView(room=place or room(1), members=(ONE,)), RoomView(room=secret, members=(AgentId(2), ONE))]
    seen: View = view(
        [one or agent(1), agent(2)],
        rooms=shown,
        memberships=[membership(1), membership(2), membership(1, 2)],
        config=config,
        reasons={ONE: (*reasons, *waiting)},
        being_posted={ONE: posting},
    )
    if community is not None:
        seen = replace(seen, community=community)
    return verdict(seen, claimed(*reasons), START, Spending(usd=Decimal(spent), usd_limit=Decimal(1)))


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
    first = reason(message_id=MessageId(3))
    newer = reason(message_id=MessageId(4), due_at=later(1))
    beside = reason(ReasonKind.AMBIENT, message_id=MessageId(4), due_at=later(1))
    ready = judge(first)
    assert isinstance(ready, Ready)
    seen = view([agent(1)], reasons={ONE: (newer, beside)})
    assert widened(seen, ready, {ONE: MessageId(4)}).reasons == (newer, beside)
    assert widened(seen, ready, {ONE: MessageId(3)}).reasons == (first,)


GONE = reason(room_id=9)  # of a room that the agent left
AMBIENT = reason(ReasonKind.AMBIENT)
TURN = reason(ReasonKind.TURN, 2)


def test_who_is_held_keeps_its_claim_and_learns_until_when_why_and_what_counts_no_more() -> None:
    said = reason()
    own_words = message(5, room_id=1, sender=by_agent(1), sent_at=later(-29))
    hushed = room(1, hushed_until=later(60))
    short = agent(1, interval_seconds=5, last_beat_at=later(-5))
    soon = reason(due_at=later(1))
    for held, reasons, until, why in (
        (judge(GONE), (GONE,), None, None),
        (judge(GONE, said, one=agent(1, asleep_until=later(9))), (GONE, said), later(9), None),
        (judge(GONE, said, one=agent(1, backs_off_until=later(9))), (GONE, said), later(9), None),
        (judge(GONE, said, place=hushed), (GONE, said), later(60), HeldFor.HUSH),
        (judge(GONE, said, posting=(own_words,)), (GONE, said), later(1), HeldFor.POSTING),
        (judge(GONE, AMBIENT, waiting=(soon,)), (GONE, AMBIENT), later(1), HeldFor.CALLED),
        (judge(GONE, AMBIENT, one=short, spent="0.8"), (GONE, AMBIENT), later(5), HeldFor.BUDGET),
    ):
        assert held == Held(claim=claimed(*reasons), until=until, held_for=why, dropped=(GONE,))


def test_of_a_paused_or_retired_agent_the_claim_is_given_back() -> None:
    at_rest = community(paused=True)
    for held, lost in (
        (judge(AMBIENT, one=agent(1, paused_reason="a rest")), (AMBIENT,)),
        (judge(AMBIENT, community=at_rest), (AMBIENT,)),
        (judge(AMBIENT, one=agent(1, retired_at=START)), (AMBIENT,)),
    ):
        assert held == Held(claim=claimed(AMBIENT), dropped=lost)


def test_who_goes_drops_what_counts_no_more() -> None:
    ready = judge(GONE, reason())
    assert ready == Ready(
        claim=claimed(GONE, reason()), agent=agent(1), side=PUBLIC_SIDE, reasons=(reason(),), dropped=(GONE,)
    )


def test_what_an_agent_rests_for_ends_on_the_second() -> None:
    assert isinstance(judge(reason(), one=agent(1, backs_off_until=START)), Ready)
    short = agent(1, interval_seconds=5, last_beat_at=later(-10))
    assert isinstance(judge(AMBIENT, one=short, spent="0.8"), Ready)
    said = message(5, room_id=1, sender=by_agent(1), sent_at=later(-30))
    assert isinstance(judge(reason(), posting=(said,)), Ready)
    assert isinstance(judge(AMBIENT, waiting=(reason(due_at=START),)), Ready)
    assert until(judge(AMBIENT, waiting=(reason(due_at=later(30)),))) == later(30)


def test_only_the_agents_own_words_in_the_same_room_are_waited_for() -> None:
    others = message(5, room_id=1, sender=by_agent(2), sent_at=START)
    own = replace(others, sender=by_agent(1))
    assert isinstance(judge(reason(), posting=(others,)), Ready)
    assert isinstance(judge(reason(room_id=2), posting=(own,)), Ready)
    assert isinstance(judge(reason(ReasonKind.WOKEN, None), posting=(own,)), Ready)
    mixed = judge(reason(), reason(room_id=2), posting=(own,))
    assert isinstance(mixed, Ready)
    assert mixed.reasons == (reason(room_id=2),)


def test_an_alarm_counts_while_its_agent_sleeps_and_no_more_once_it_was_woken() -> None:
    alarm = reason(ReasonKind.TIMER, None, person_id=None)
    assert isinstance(judge(alarm, one=agent(1, asleep_until=START)), Ready)
    assert judge(alarm) == Held(claim=claimed(alarm), dropped=(alarm,))


def test_what_was_looked_up_counts_wherever_it_was_asked() -> None:
    looked_up = reason(ReasonKind.ANSWER, 9, person_id=None)
    assert isinstance(judge(looked_up, place=room(1, agent_run=6)), Ready)


def test_initiative_knows_of_a_hush_only_where_it_names_the_room() -> None:
    on, hushed = CommunityConfig(initiative=True), room(1, hushed_until=later(60))
    anywhere = reason(ReasonKind.INITIATIVE, None, person_id=None)
    assert isinstance(judge(anywhere, config=on, place=hushed), Ready)
    assert isinstance(judge(replace(anywhere, room_id=ONE), config=on, place=hushed), Held)
    assert isinstance(judge(replace(anywhere, room_id=AgentId(77)), config=on, place=hushed), Ready)


def test_a_turn_is_a_beat_of_its_own_and_goes_first_when_its_time_is_nearly_up() -> None:
    called = reason()
    ready = judge(TURN, called, replace(TURN, room_id=ONE, since=later(1)))
    assert isinstance(ready, Ready)
    assert (ready.reasons, ready.side) == ((called,), PUBLIC_SIDE)
    pressing = replace(TURN, since=later(-70))
    ready = judge(called, pressing, TURN)
    assert isinstance(ready, Ready)
    assert (ready.reasons, ready.side) == ((pressing,), Side(2))
    waiting = replace(TURN, since=later(-69))
    ready = judge(called, waiting)
    assert isinstance(ready, Ready)
    assert ready.reasons == (called,)
    long_called = reason(since=later(-500))
    mixed = judge(replace(called, mentioned=True, since=later(-9)), long_called, AMBIENT)
    assert isinstance(mixed, Ready)
    assert [one.since for one in mixed.reasons] == [later(-500), later(-9), START]


def overtaken(*now: Reason, by: Reason | None = None, after: float = 5, seconds: float = 6, **fields: Any) -> bool:  # noqa: ANN401
    """Tell whether an agent that was let through `after` so many seconds is asked in vain; `now`: its newer reasons."""
    running = {"beat_id": BeatId(7), "lease_until": later(60)}
    place, at_rest = fields.pop("place", room(1)), fields.pop("at_rest", False)
    here = () if fields.pop("is_gone", False) else (agent(1, **(running | fields)),)
    seen = view(
        here,
        rooms=[RoomView(room=place, members=(ONE,))],
        memberships=[membership(1)],
        reasons={ONE: now},
        community=community(paused=at_rest),
    )
    asked = by or reason(message_id=MessageId(3))
    ready = Ready(claim=claimed(asked), agent=agent(1), side=PUBLIC_SIDE, reasons=(asked,))
    return is_overtaken(seen, ready, later(after), later(seconds))


def test_a_call_is_overtaken_once_its_agent_is_away_at_rest_or_in_another_beat() -> None:
    assert not overtaken()
    for away in ({"is_gone": True}, {"beat_id": BeatId(8)}, {"beat_id": None}, {"retired_at": START}):
        assert overtaken(**away), away
    assert overtaken(paused_reason="a rest")
    assert overtaken(at_rest=True)


def test_a_call_is_overtaken_once_its_room_is_silent_or_left() -> None:
    assert overtaken(place=room(1, hushed_until=later(60)))
    assert not overtaken(place=room(1, hushed_until=later(6)))
    assert overtaken(by=GONE)


def test_a_call_is_overtaken_when_its_person_goes_on_soon_but_only_once() -> None:
    more = reason(message_id=MessageId(4), due_at=later(9))
    assert overtaken(more)
    assert not overtaken(replace(more, message_id=MessageId(3)))
    assert not overtaken(replace(more, message_id=None))
    assert not overtaken(replace(more, person_id=Snowflake(502)))
    assert not overtaken(replace(more, room_id=AgentId(2)))
    assert not overtaken(replace(more, kind=ReasonKind.AMBIENT))
    assert not overtaken(more, after=5.1)  # 3 seconds at most to settle, 2 of the grid: it is asked anew already
    assert not overtaken(replace(more, kind=ReasonKind.AMBIENT), by=replace(AMBIENT, message_id=MessageId(3)))


def test_a_beat_is_self_caused_when_no_persons_message_led_to_it() -> None:
    own = reason(ReasonKind.INITIATIVE, person_id=None)
    assert is_self_caused([own, own])
    assert not is_self_caused([own, reason()])


def test_an_agent_caused_by_itself_too_often_waits_for_its_earliest_beat_that_counts_to_be_an_hour_ago() -> None:
    beats = [later(-3_000), later(-2_000), later(-1_000)]
    assert limited_until(beats, 4, START) is None
    assert limited_until(beats, 3, START) == later(600)
    assert limited_until(beats, 2, START) == later(1_600)
    assert limited_until([], 0, START) == later(3_600)
