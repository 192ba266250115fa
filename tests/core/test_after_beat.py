"""What a beat leaves behind: in its agent, its rooms, and in what people and managers are told."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.core.after_beat import (
    BACKOFF_AT_MOST_SECONDS,
    FAILURES_SHOWN,
    FAILURES_TOLD,
    answered,
    backoff_until,
    begun,
    failed,
    looked,
    misunderstood,
    rests,
    retired_with_its_channel,
    seen,
    spoken,
    undone,
    unprovided,
)
from bot.core.changes import AddLetter, Change, DropReasons, UpdateAgent, UpdateMembership, UpdateMessage, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.errors import ModelBusy, ModelUnreachable
from bot.core.gate import Ready
from bot.core.kinds import LetterKind, ReasonKind
from bot.core.letters import NoticePayload, parse_payload
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, MessageId, Reason
from bot.core.spending import Limit
from bot.core.view import RoomView, View
from tests.core.test_gate import claimed, reason
from tests.factories import agent, later, membership, message, room, view
from tests.fakes import START

ONE = AgentId(1)
CALL = reason(message_id=MessageId(4))
OVERHEARD = reason(ReasonKind.AMBIENT)
FAILED = ModelUnreachable("Nothing answers there.")


def ready(*reasons: Reason, **fields: Any) -> Ready:  # noqa: ANN401
    """Agent 1 as it was let through for some reasons, the most urgent first."""
    them = reasons or (CALL,)
    return Ready(claim=claimed(*them), agent=agent(1, **fields), side=PUBLIC_SIDE, reasons=them)


def here(*, config: CommunityConfig | None = None, told_at: Any = None, **fields: Any) -> View:  # noqa: ANN401
    """Agent 1, as it is stored, in its own room, in which a person spoke last."""
    place = RoomView(room=room(1, fault_told_at=told_at, rest_told_at=told_at), members=(ONE,), messages=(message(4),))
    return view([agent(1, **fields)], rooms=[place], config=config)


def notices(changes: list[Change]) -> list[tuple[str, bool]]:
    """What is said, and whether to managers."""
    told = [parse_payload(one.kind, one.payload) for one in changes if isinstance(one, AddLetter)]
    return [(one.text, one.to_managers) for one in told if isinstance(one, NoticePayload)]


def signs(changes: list[Change]) -> int:
    return sum(isinstance(one, AddLetter) and one.kind is LetterKind.CUE for one in changes)


def columns(changes: list[Change]) -> dict[str, object]:
    """What is set of the agent."""
    return {name: value for one in changes if isinstance(one, UpdateAgent) for name, value in one.fields.items()}


def test_who_begins_is_awake_and_who_is_put_back_is_as_before() -> None:
    going = ready(asleep_until=later(9), last_beat_at=later(-9), interval_seconds=2.0)
    told = columns(begun(going, START))
    assert (told["last_beat_at"], told["last_reason"], told["asleep_until"]) == (START, ReasonKind.ADDRESSED, None)
    stored = replace(going.agent, interval_seconds=told["interval_seconds"])  # type: ignore[arg-type]
    back = undone(going, stored)
    assert (back["last_beat_at"], back["asleep_until"], back["interval_seconds"]) == (later(-9), later(9), 2.0)


def test_who_was_sped_up_meanwhile_keeps_that_when_it_is_put_back() -> None:
    going = ready(interval_seconds=2.0)
    assert "interval_seconds" not in undone(going, replace(going.agent, interval_seconds=1.5))


def test_the_reasons_of_a_beat_are_seen_and_no_others() -> None:
    assert seen(ready(CALL, OVERHEARD)) == [DropReasons(agent_id=ONE, reasons=(CALL, OVERHEARD))]


def test_what_was_shown_is_kept_of_rooms_that_it_is_still_in() -> None:
    until = {ONE: MessageId(4), AgentId(9): MessageId(7)}
    (kept,) = looked(here(), ready(), until, {})
    assert kept == UpdateMembership(agent_id=ONE, room_id=ONE, fields={"seen_until": MessageId(4)})
    (kept,) = looked(here(), ready(), until, {ONE: MessageId(2)})
    assert isinstance(kept, UpdateMembership)
    assert kept.fields == {"seen_until": MessageId(4), "window_start": MessageId(2)}


def test_who_spoke_has_failed_no_more_and_its_room_learns_that_its_model_is_back() -> None:
    done = spoken(here(told_at=START), ready(), [ONE], START, model=agent(1).model)
    fields = {"last_beat_silent": False, "failures_in_a_row": 0, "backs_off_until": None, "unusable_in_a_row": 0}
    assert columns(done) == fields
    assert UpdateRoom(room_id=ONE, fields={"fault_told_at": None}) in done
    told = here(fault_told_at=START)
    assert columns(spoken(told, ready(), [ONE], START, model=agent(1).model)) == {**fields, "fault_told_at": None}
    useless = columns(spoken(told, ready(), [ONE], START, model=agent(1).model, useless=True))
    assert "unusable_in_a_row" not in useless and "fault_told_at" not in useless
    assert columns(spoken(here(), ready(), [], START, model=agent(1).model))["last_beat_silent"] is True


def test_managers_hear_once_that_a_spare_model_speaks() -> None:
    first = spoken(here(), ready(), [ONE], START, model="spare")
    assert notices(first) == [
        ("gpt-4o-mini fails: spare answers for Agent1 until it is back (`/agent edit` changes both).", True)
    ]
    assert notices(spoken(here(fault_told_at=START), ready(), [ONE], START, model="spare")) == []
    assert columns(first)["fault_told_at"] == START


def test_patience_grows_by_silent_listening_and_ends_with_a_word() -> None:
    waited = replace(membership(1), patience_seconds=40.0)
    seen_by = replace(here(), memberships={(ONE, ONE): waited})
    silent = [
        one for one in spoken(seen_by, ready(OVERHEARD), [], START, model="m") if isinstance(one, UpdateMembership)
    ]
    assert [one.fields["patience_seconds"] > 40 for one in silent] == [True]  # type: ignore[operator]
    for going, spoke_in in ((ready(OVERHEARD), [ONE]), (ready(CALL), [])):
        changes = spoken(seen_by, going, spoke_in, START, model="m")
        (ended,) = [one for one in changes if isinstance(one, UpdateMembership)]
        assert ended.fields == {"patience_seconds": None}


def test_an_answer_nobody_asked_for_is_counted_with_the_message() -> None:
    (counted,) = answered(here(), ready(OVERHEARD), ONE, later(5))
    assert counted == UpdateMessage(message_id=MessageId(4), fields={"answers_from_agents": 1})
    assert answered(here(), ready(CALL), ONE, later(5)) == []


@pytest.mark.parametrize(("failures", "seconds"), [(1, 1), (2, 2), (5, 16), (6, 32), (7, 60), (99, 60)])
def test_a_failed_model_is_left_alone_ever_longer_up_to_a_minute(failures: int, seconds: int) -> None:
    assert backoff_until(failures, START, FAILED) == later(seconds)


def test_what_a_provider_asks_for_counts_up_to_a_minute() -> None:
    assert backoff_until(1, START, ModelBusy("Later.", retry_after_seconds=20)) == later(20)
    assert backoff_until(6, START, ModelBusy("Later.", retry_after_seconds=20)) == later(32)
    long = ModelBusy("Later.", retry_after_seconds=9_000)
    assert backoff_until(1, START, long) == START + timedelta(seconds=BACKOFF_AT_MOST_SECONDS)


def test_whoever_waits_sees_a_sign_once_and_the_room_is_told_later_and_once() -> None:
    def after(earlier: int, told_at: Any = None) -> list[Change]:  # noqa: ANN401
        stored = here(told_at=told_at, failures_in_a_row=earlier)
        return failed(stored, ready(), FAILED, START, later(4))

    assert [signs(after(earlier)) for earlier in range(4)] == [0, 1, 0, 0] and FAILURES_SHOWN == 2
    assert [len(notices(after(earlier))) for earlier in (FAILURES_TOLD - 2, FAILURES_TOLD - 1, FAILURES_TOLD)] == [
        0,
        2,
        2,
    ]
    assert notices(after(FAILURES_TOLD - 1)) == [
        ("Agent1 cannot answer just now: Nothing answers there. It keeps trying.", False),
        ("Agent1 cannot answer: Nothing answers there.", True),
    ]
    assert notices(after(FAILURES_TOLD, START)) == []
    assert (columns(after(3))["failures_in_a_row"], columns(after(3))["backs_off_until"]) == (4, later(4))


def test_answers_that_cannot_be_used_are_told_managers_at_the_number_that_is_set() -> None:
    config = CommunityConfig(unusable_told=3)
    for earlier, told_at, told in ((0, None, 0), (1, None, 0), (2, None, 1), (7, None, 1), (3, START, 0)):
        stored = here(config=config, failures_in_a_row=9, unusable_in_a_row=earlier, fault_told_at=told_at)
        changes = misunderstood(stored, ready(), "m", START)
        assert (signs(changes), len(notices(changes))) == (1, told)
        assert columns(changes)["unusable_in_a_row"] == earlier + 1


def test_that_money_is_spent_is_said_where_a_person_waits_once_a_day() -> None:
    changes = rests(here(), ready(CALL, OVERHEARD), START, Limit.BUDGET)
    assert [to_managers for _, to_managers in notices(changes)] == [False, True]
    assert all("rest until midnight UTC" in text for text, _ in notices(changes))
    assert changes[0] == DropReasons(agent_id=ONE, reasons=(OVERHEARD,)) and signs(changes) == 1
    assert notices(rests(here(told_at=START), ready(), later(60), Limit.BUDGET)) == []
    assert len(notices(rests(here(told_at=START), ready(), later(86_400), Limit.BUDGET))) == 2
    assert notices(rests(here(), ready(), START, Limit.BUDGET, told=[ONE])) == []
    assert notices(rests(here(), ready(OVERHEARD), START, Limit.BUDGET)) == []


def test_where_no_model_may_be_asked_the_room_and_the_managers_hear_why_once() -> None:
    assert notices(unprovided(here(), ready(), START, "Bring one.")) == [("Bring one.", False), ("Bring one.", True)]
    assert notices(unprovided(here(told_at=START), ready(), START, "Bring one.")) == []
    assert notices(unprovided(here(), ready(), START, "Bring one.", told=[AgentId(7)])) == [("Bring one.", False)]
    assert notices(unprovided(here(), ready(OVERHEARD), START, "Bring one.")) == []


def test_an_agent_whose_channel_was_deleted_retires_and_managers_hear_of_it_once() -> None:
    def of(one: Agent) -> tuple[object, int]:
        changes = retired_with_its_channel(one, START)
        assert UpdateRoom(room_id=ONE, fields={"channel_id": None}) in changes
        return columns(changes)["retired_at"], len(notices(changes))

    assert of(agent(1)) == (START, 1)
    assert of(agent(1, retired_at=later(-60))) == (later(-60), 0)
