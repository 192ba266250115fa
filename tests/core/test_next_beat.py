"""What an agent's next beat waits for, and when it comes at the earliest, in the words that people are told."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from bot.core.kinds import BECAUSE, Doing, HeldFor, ReasonKind, State
from bot.core.next_beat import HELD, NextBeat, Waiting, doing_words, next_beats
from bot.core.records import AgentId, Reason, Room
from bot.core.spending import Funds, Limit, Spending, next_day
from bot.core.view import RoomView
from tests.core.test_gate import reason
from tests.factories import agent, community, later, room, view
from tests.fakes import START

ONE = AgentId(1)


def told(
    *reasons: Reason,
    place: Room | None = None,
    funds: Funds | None = None,
    missing: str = "",
    paused: bool = False,
    **fields: Any,  # noqa: ANN401
) -> NextBeat:
    """Tell of agent 1, in its own room with these reasons."""
    shown = [RoomView(room=place or room(1), members=(ONE,))]
    seen = view([agent(1, **fields)], rooms=shown, reasons={ONE: reasons}, community=community(paused=paused))
    return next_beats(seen, funds or Funds(), START, missing=missing)[ONE]


def at(look: NextBeat) -> tuple[Waiting, datetime | None]:
    return look.waiting, look.at


def test_who_rests_is_told_why_before_anything_else() -> None:
    call = reason()
    assert at(told(call, retired_at=START)) == (Waiting.RETIRED, None)
    assert told(call, paused_reason="a rest").words == "someone to resume it (a rest)"
    assert told(call, paused=True).words == "someone to resume everyone (/heartbeat resume)"
    assert at(told(call, missing="no model")) == (Waiting.PROVIDER, None)
    assert told(call, lease_until=later(60), beat_id=7).waiting is Waiting.MODEL
    assert told(call, lease_until=later(-60), beat_id=7).waiting is not Waiting.MODEL


@pytest.mark.parametrize(
    ("kind", "waiting"),
    [
        (ReasonKind.ADDRESSED, Waiting.SETTLE),
        (ReasonKind.AMBIENT, Waiting.INTERVAL),
        (ReasonKind.WOKEN, Waiting.INTERVAL),
        (ReasonKind.TURN, Waiting.SCENE),
    ],
)
def test_a_reason_that_is_due_later_says_what_its_time_came_from(kind: ReasonKind, waiting: Waiting) -> None:
    assert at(told(reason(kind, due_at=later(3)))) == (waiting, later(3))
    due = told(reason(kind))
    assert at(due) == (Waiting.SLOT, START) and BECAUSE[kind] in due.words


def test_the_first_of_several_reasons_is_waited_for() -> None:
    assert at(told(reason(due_at=later(9)), reason(ReasonKind.WOKEN, due_at=later(4)))) == (Waiting.INTERVAL, later(4))


@pytest.mark.parametrize("held", [one for one in HeldFor if one is not HeldFor.BUDGET])
def test_who_was_put_off_is_told_for_what(held: HeldFor) -> None:
    assert told(reason(due_at=later(3), held_for=held)).waiting is HELD[held]


def test_what_stands_before_a_beat_puts_it_off_as_far_as_it_reaches() -> None:
    overheard = reason(ReasonKind.AMBIENT)
    assert at(told(overheard, backs_off_until=later(8), failures_in_a_row=2)) == (Waiting.BACK_OFF, later(8))
    assert at(told(overheard, asleep_until=later(9))) == (Waiting.SLEEP, later(9))
    assert at(told(reason(mentioned=True), asleep_until=later(9))) == (Waiting.SLOT, START)
    assert at(told(reason(), place=room(1, hushed_until=later(7)))) == (Waiting.HUSH, later(7))
    both = told(overheard, backs_off_until=later(8), asleep_until=later(4))
    assert at(both) == (Waiting.BACK_OFF, later(8))


def test_without_money_it_comes_after_midnight() -> None:
    spent = Funds(spending=Spending(usd=Decimal(2), usd_limit=Decimal(1)))
    look = told(reason(), funds=spent)
    assert at(look) == (Waiting.BUDGET, next_day(START))
    of_family = Funds(overspent=frozenset({ONE}))
    assert at(told(reason(), funds=of_family)) == (Waiting.BUDGET, next_day(START))
    assert told(funds=of_family).words == f"money, until midnight UTC: t{Limit.SHARE[1:]} is spent"


def test_without_a_reason_it_waits_for_what_would_give_it_one() -> None:
    assert (
        told().words == "something new to happen, not before 10:00:05 UTC unless a person calls it" or told().at is None
    )
    assert told().waiting is Waiting.NEWS
    assert told(asleep_until=later(60)).words == "waking at 10:01:00 UTC, or to be mentioned"
    hushed = told(place=room(1, hushed_until=later(60)))
    assert hushed.words == "the end of the hush in the room of Agent1 at 10:01:00 UTC"
    tired = told(place=room(1, agent_run=6))
    assert (tired.waiting, tired.words) == (
        Waiting.BANTER,
        "a person to speak or react in the room of Agent1: agents said 6 messages in a row",
    )


def test_what_it_is_at_is_named_by_the_rooms_owners_and_not_in_private_threads() -> None:
    look = NextBeat(waiting=Waiting.NEWS, words="", doing={ONE: Doing.TYPING, AgentId(8): Doing.THINKING})
    assert doing_words(view([agent(1)]), look) == f"{Doing.TYPING} in Agent1's room"
    assert told(retired_at=START).state is State.RETIRED
