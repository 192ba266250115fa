"""What an agent is doing, everywhere and in each of its rooms."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.kinds import Doing, HeldFor, LetterKind, LetterState, ReasonKind, State
from bot.core.records import Agent, AgentId, BeatId, CommunityId, Letter, LetterId, MessageId, Reason
from bot.core.status import doing, state_of
from bot.core.view import View
from tests.factories import agent, by_agent, community, later, message, view
from tests.fakes import START

BUSY = {"beat_id": BeatId(7), "lease_until": later(60), "last_beat_at": START}


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({}, State.IDLE),
        ({"asleep_until": later(1)}, State.SLEEPING),
        ({"asleep_until": START}, State.IDLE),
        (BUSY, State.THINKING),
        (BUSY | {"lease_until": START}, State.IDLE),
        (BUSY | {"asleep_until": later(1)}, State.THINKING),
        (BUSY | {"paused_reason": "a rest"}, State.PAUSED),
        ({"paused_reason": "a rest", "retired_at": START}, State.RETIRED),
    ],
)
def test_the_strongest_of_an_agents_states_is_shown(fields: dict[str, Any], state: State) -> None:
    assert state_of(agent(1, **fields), START) is state


def test_words_on_their_way_show_before_sleep_and_behind_thinking() -> None:
    assert state_of(agent(1, asleep_until=later(9)), START, typing=True) is State.TYPING
    assert state_of(agent(1, **BUSY), START, typing=True) is State.THINKING
    assert state_of(agent(1), START, typing=True, all_paused=True) is State.PAUSED


def reason(room_id: int | None, **fields: Any) -> Reason:  # noqa: ANN401
    base: dict[str, Any] = {"room_id": None if room_id is None else AgentId(room_id), "since": START, "due_at": START}
    return Reason(kind=ReasonKind.ADDRESSED, **(base | fields))


def seen(one: Agent, *reasons: Reason, says_in: int | None = None) -> View:
    shown = view([one, agent(2), agent(3)], reasons={one.id: reasons})
    words = message(9, sender=by_agent(one.id), room_id=says_in or 1, discord_id=None)
    return replace(shown, being_posted={AgentId(says_in): (words,)}) if says_in else shown


def test_an_agent_thinks_where_its_beat_was_due_and_waits_where_others_hold_the_floor() -> None:
    one = agent(1, **BUSY)
    newer, held = reason(2, due_at=later(1)), reason(3, due_at=later(1), held_for=HeldFor.FLOOR)
    shown = seen(one, reason(1), newer, held, reason(None))
    assert doing(shown, one, START) == {AgentId(1): Doing.THINKING, AgentId(3): Doing.WAITING}


def test_who_rests_waits_nowhere() -> None:
    held = reason(3, held_for=HeldFor.FLOOR)
    for fields in ({"paused_reason": "a rest"}, {"asleep_until": later(9)}, {"retired_at": START}):
        one = agent(1, **fields)
        assert doing(seen(one, held), one, START) == {}
    one = agent(1)
    assert doing(seen(one, held), one, START) == {AgentId(3): Doing.WAITING}
    paused = replace(seen(one, held), community=community(paused=True))
    assert doing(paused, one, START) == {}


def test_whose_typing_is_over_waits_to_post() -> None:
    one, words = agent(1), MessageId(9)
    late = Letter(
        id=LetterId(1),
        community_id=CommunityId(1),
        room_id=AgentId(2),
        kind=LetterKind.POST,
        payload={},
        message_id=words,
        not_before=later(-3),
        created_at=START,
    )
    for kept, what in (
        (late, Doing.QUEUED),
        (replace(late, state=LetterState.SENDING), Doing.TYPING),
        (replace(late, not_before=later(2)), Doing.TYPING),
        (replace(late, not_before=later(9), created_at=later(-15)), Doing.QUEUED),  # looked at again and again
    ):
        shown = replace(seen(one, says_in=2), unposted={AgentId(2): (kept,)})
        assert doing(shown, one, START) == {AgentId(2): what}


def test_an_agent_types_where_its_words_are_on_their_way_unless_it_thinks_there_again() -> None:
    one = agent(1)
    assert doing(seen(one, reason(2, held_for=HeldFor.FLOOR), says_in=2), one, START) == {AgentId(2): Doing.TYPING}
    busy = agent(1, **BUSY)
    assert doing(seen(busy, reason(2), says_in=2), busy, START) == {AgentId(2): Doing.THINKING}
