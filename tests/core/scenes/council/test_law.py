"""A council's law, clause by clause: who may do what, what needs how many, and when it ends."""

import pytest

from bot.core.errors import Rejected
from bot.core.scenes.kind import RULES, Expect
from bot.core.scenes.play import Rule
from tests.core.scenes.council.test_state import meeting, state_of, vote
from tests.core.scenes.plays import Playing


def may(council: Playing, seat: int) -> set[str]:
    """Give the moves that are legal for a seat now."""
    return {form.move.name for form in state_of(council).legal(seat)}


def yield_to(council: Playing, seat: int) -> None:
    """Let everybody say nothing until it is a seat's turn."""
    while (current := state_of(council).order.current or 0) != seat:
        council.move(current, "yield")


def moved(council: Playing) -> Playing:
    """Let who presides move a motion."""
    yield_to(council, 1)
    council.move(1, "move_motion", title="A rule", text="As it is.")
    return council


def balloted(council: Playing) -> Playing:
    """Let it come to a vote without amendments."""
    yield_to(moved(council), 1)
    council.move(1, "call_vote")
    return council


def test_amendments_pass_by_simple_majority_and_the_earliest_is_voted_on_first() -> None:
    council = moved(meeting(6, two_thirds=True))
    council.move(2, "amend", clause=1, text="The first.")
    council.move(3, "amend", clause=1, text="The second.")
    yield_to(council, 1)
    council.move(1, "call_vote")
    told = vote(council, s2="yes", s3="yes", s4="yes", s5="no", s6="no")
    assert "Amendment to motion 1 passed: 3 yes, 2 no, 0 abstained, 0 absent. Clause 1: {t3}" in told
    told = vote(council, s2="no", s3="no", s4="no", s5="yes", s6="yes")
    assert "Amendment to motion 1 failed: 2 yes, 3 no, 0 abstained, 0 absent. Clause 1: {t4}" in told
    told = vote(council, s2="yes", s3="yes", s4="yes", s5="no", s6="no")
    assert told[-1] == "Motion 1 failed: 3 yes, 2 no, 0 abstained, 0 absent. **{t1}** (1) {t3}"


def test_members_amend_and_who_presides_does_not() -> None:
    council = moved(meeting())
    assert "amend" in may(council, 2)
    yield_to(council, 1)
    assert "amend" not in may(council, 1)
    with pytest.raises(Rejected, match="amend cannot be done now"):
        council.move(1, "amend", clause=1, text="Otherwise.")


def test_three_amendments_are_open_at_most() -> None:
    council = moved(meeting(6))
    for seat in (2, 3, 4):
        council.move(seat, "amend", clause=1, text="Otherwise.")
    assert "amend" not in may(council, 5)


def test_only_the_mover_withdraws_a_motion() -> None:
    council = meeting(host=False)
    council.move(1, "move_motion", title="A rule", text="As it is.")
    assert "withdraw" not in may(council, 2)
    council.move(2, "second")
    yield_to(council, 1)
    assert council.move(1, "withdraw") == ["{s1} withdraws motion 1."]
    assert state_of(council).motion is None


def test_members_move_nothing_where_only_the_host_may() -> None:
    council = meeting(members_move=False)
    assert "move_motion" in may(council, 1)
    council.move(1, "yield")
    assert "move_motion" not in may(council, 2)


def test_there_are_five_motions_at_most_and_the_last_ends_it() -> None:
    council = meeting(turns=400)
    for _ in range(5):
        assert not council.is_over
        balloted(council)
        vote(council, s2="yes", s3="yes", s4="no")
    assert council.outcome.startswith(
        "The council is closed, for there were as many motions as there may be: 5 motions voted on, 5 passed.\n"
    )


def test_one_motion_is_on_the_table_at_a_time() -> None:
    council = moved(meeting())
    assert "move_motion" not in may(council, 2)
    yield_to(council, 1)
    assert "move_motion" not in may(council, 1)


def test_neither_who_moved_a_motion_nor_who_presides_seconds_it() -> None:
    council = meeting()
    council.move(1, "yield")
    council.move(2, "move_motion", title="A rule", text="As it is.")
    assert "second" in may(council, 3)
    yield_to(council, 1)
    assert "second" not in may(council, 1)
    council.move(1, "yield")
    assert "second" not in may(council, 2)


def test_more_than_half_of_the_members_adjourn_and_no_fewer() -> None:
    council = meeting(5)
    council.move(1, "yield")
    council.move(2, "adjourn")
    council.move(3, "adjourn")
    assert not council.is_over
    council.move(4, "adjourn")
    assert council.is_over


def test_a_ballot_is_open_ten_minutes_for_people_and_90_seconds_for_agents() -> None:
    awaits = balloted(meeting()).standing.awaits
    assert isinstance(awaits, Expect)
    assert (awaits.seats, awaits.together) == ((2, 3, 4), True)
    assert (awaits.agent_seconds, awaits.person_seconds) == (90, 600)


@pytest.mark.parametrize(("quorum", "came_to"), [(True, "failed"), (False, "passed")])
def test_without_a_quorum_one_vote_is_enough(quorum: bool, came_to: str) -> None:
    council = balloted(meeting(quorum=quorum))
    vote(council, s2="yes")
    told = council.enter(RULES, Rule.DEADLINE)
    assert any(one.startswith(f"Motion 1 {came_to}: 1 yes, 0 no, 0 abstained, 2 absent.") for one in told)


def test_a_host_that_is_away_breaks_no_tie() -> None:
    council = balloted(meeting(3, host_breaks_ties=True))
    council.enter(RULES, Rule.AWAY, {"seat": 1})
    told = vote(council, s2="yes", s3="no")
    assert any(one.startswith("Motion 1 failed: 1 yes, 1 no") for one in told)
    assert state_of(council).ballot == ""
