"""A council: motions, amendments, ballots, and that every way through it has an end."""

from itertools import product

import pytest

from bot.core.errors import Rejected
from bot.core.scenes.council.kind import COUNCIL
from bot.core.scenes.council.motions import passes
from bot.core.scenes.council.state import Council, CouncilOptions
from bot.core.scenes.kind import RULES
from bot.core.scenes.play import MISSES_UNTIL_AWAY, Rule
from bot.core.scenes.silence import MOST_UNHEARD
from tests.core.scenes.plays import Playing, of


def meeting(seats: int = 4, **options: object) -> Playing:
    """A council whose first seat presides."""
    return of(COUNCIL, CouncilOptions.model_validate(options), seats)


def state_of(playing: Playing) -> Council:
    state = playing.standing.state
    assert isinstance(state, Council)
    return state


def vote(playing: Playing, **choices: str) -> list[str]:
    """Let seats vote, as `s2="yes"`; gives what is told at last."""
    told: list[str] = []
    for seat, choice in choices.items():
        told = playing.move(int(seat[1:]), "vote", choice=choice)
    return told


def test_who_is_left_alone_in_a_meeting_says_little_more() -> None:
    council = meeting(3)
    for _ in range(MISSES_UNTIL_AWAY):
        council.move(1, "speak", text="Where are you?")
        for _ in (2, 3):
            council.enter(RULES, Rule.DEADLINE)
    for _ in range(MOST_UNHEARD):
        assert not council.is_over
        council.move(1, "speak", text="Is anybody there?")
    assert council.outcome == "The council is closed, for nobody had more to say: nothing was voted on."


def test_a_motion_is_amended_voted_on_and_passed() -> None:
    council = meeting()
    told = council.move(1, "move_motion", title="A rule", text="Nobody shouts.")
    assert told == ["{s1} moves motion 1: **{t1}** {t2}"]
    told = council.move(2, "amend", clause=1, text="Nobody shouts at night.")
    assert told == ["{s2} would have clause 1 say: {t3}"]
    council.move(3, "speak", text="I like it.")
    council.move(4, "yield")
    council.move(1, "call_vote")
    assert state_of(council).phase == "amending"
    (told_last,) = [one for one in vote(council, s2="yes", s3="yes", s4="no") if "Amendment" in one]
    assert told_last == "Amendment to motion 1 passed: 2 yes, 1 no, 0 abstained, 0 absent. Clause 1: {t3}"
    assert state_of(council).phase == "ballot"
    told = vote(council, s4="yes", s3="yes", s2="abstain")
    assert told[:3] == ["{s2}: abstained.", "{s3}: yes.", "{s4}: yes."]
    assert told[3] == "Motion 1 passed: 2 yes, 0 no, 1 abstained, 0 absent. **{t1}** (1) {t3}"
    assert ("Motion 1", "passed: 2 yes, 0 no, 1 abstained, 0 absent. **{t1}**") in state_of(council).view(0).facts
    assert state_of(council).phase == "debate"
    while state_of(council).order.current != 1:
        council.move(state_of(council).order.current or 0, "yield")
    told = council.move(1, "adjourn")
    assert told[-1] == (
        "The council is closed, for it adjourned: 1 motion voted on, 1 passed.\n"
        "- Motion 1 passed: 2 yes, 0 no, 1 abstained, 0 absent. **{t1}** (1) {t3} ({s2} abstained, {s3} yes, {s4} yes)"
    )
    assert council.is_over
    assert state_of(council).won_by == "1 motion voted on, 1 passed"


@pytest.mark.parametrize(("yes", "no", "abstained"), [*product(range(4), repeat=3)])
def test_a_ballot_that_is_played_comes_to_what_the_formula_says(yes: int, no: int, abstained: int) -> None:
    members = max(2, yes + no + abstained)
    council = meeting(members + 1)
    council.move(1, "move_motion", title="A rule", text="As it is.")
    for seat in range(2, members + 2):
        council.move(seat, "yield")
    council.move(1, "call_vote")
    choices = ["yes"] * yes + ["no"] * no + ["abstain"] * abstained
    for seat, choice in enumerate(choices, 2):
        council.move(seat, "vote", choice=choice)
    if len(choices) < members:
        council.enter(RULES, Rule.DEADLINE)
    (tally,) = state_of(council).decided
    assert (tally.yes, tally.no, tally.abstained, tally.absent) == (yes, no, abstained, members - len(choices))
    assert tally.passed is passes(yes, no, abstained, members)


def test_votes_are_seen_by_nobody_before_the_last_of_them() -> None:
    council = meeting()
    council.move(1, "move_motion", title="A rule", text="As it is.")
    for seat in (2, 3, 4):
        council.move(seat, "yield")
    council.move(1, "call_vote")
    before = [council.standing.state.view(seat) for seat in range(5)]
    assert vote(council, s2="yes") == []
    assert [council.standing.state.view(seat) for seat in range(5)] == before
    with pytest.raises(Rejected, match="You are not asked now"):
        vote(council, s2="no")
    told = vote(council, s3="no", s4="no")
    assert told[:3] == ["{s2}: yes.", "{s3}: no.", "{s4}: no."]


def test_a_secret_ballot_never_tells_who_voted_how() -> None:
    council = meeting(secret=True)
    council.move(1, "move_motion", title="A rule", text="As it is.")
    for seat in (2, 3, 4):
        council.move(seat, "yield")
    council.move(1, "call_vote")
    (told,) = vote(council, s2="yes", s3="no", s4="no")
    assert told.startswith("Motion 1 failed: 1 yes, 2 no")
    assert "votes" in Council.model_fields
    assert state_of(council).votes == {}
    council.enter(RULES, Rule.AWAY, {"seat": 1})
    council.move(2, "adjourn")
    assert council.outcome.endswith("\n- Motion 1 failed: 1 yes, 2 no, 0 abstained, 0 absent. **{t1}** (1) {t2}")


def test_an_amendment_that_failed_is_not_in_what_was_decided() -> None:
    council = meeting()
    council.move(1, "move_motion", title="A rule", text="Nobody shouts.")
    council.move(2, "amend", clause=1, text="Nobody whispers.")
    council.move(3, "amend", clause=2, text="Nor at night.")
    council.move(4, "yield")
    council.move(1, "call_vote")
    for choice in ("no", "yes", "yes"):
        vote(council, s2=choice, s3=choice, s4=choice)
    council.enter(RULES, Rule.AWAY, {"seat": 1})
    council.move(2, "adjourn")
    (decided,) = council.outcome.split("\n")[1:]
    assert "**{t1}** (1) {t2} (2) {t4} ({s2} yes, {s3} yes, {s4} yes)" in decided


def test_what_is_said_with_secret_votes_is_told_in_no_order_of_seats() -> None:
    orders = set()
    for seed in range(20):
        council = of(COUNCIL, CouncilOptions(secret=True), 5, seed=str(seed))
        council.move(1, "move_motion", title="A rule", text="As it is.")
        for seat in (2, 3, 4, 5):
            council.move(seat, "yield")
        council.move(1, "call_vote")
        told: list[str] = []
        for seat in (2, 3, 4, 5):
            told = council.move(seat, "vote", choice="yes", comment=f"Seat {seat} likes it.")
        said = [one for one in told if one.startswith("Said with a vote:")]
        assert sorted(said) == [f"Said with a vote: {{t{number}}}" for number in (3, 4, 5, 6)]
        orders.add(tuple(said))
    assert len(orders) > 10


def test_a_members_motion_falls_when_nobody_seconds_it_within_the_round() -> None:
    council = meeting(host=False)
    council.move(1, "move_motion", title="A rule", text="As it is.")
    told: list[str] = []
    for seat in (2, 3, 4, 1):
        assert state_of(council).motion is not None
        told = council.move(seat, "yield")
    assert told == ["Nobody seconds motion 1: it falls."]
    assert state_of(council).motion is None


def test_a_second_lets_a_motion_stand_and_leaves_the_turn_with_whoever_seconds() -> None:
    council = meeting(host=False)
    council.move(1, "move_motion", title="A rule", text="As it is.")
    with pytest.raises(Rejected, match="amend cannot be done now"):
        council.move(2, "amend", clause=1, text="Otherwise.")
    assert council.move(2, "second") == ["{s2} seconds."]
    council.move(2, "amend", clause=2, text="And more.")
    council.move(3, "call_vote")
    council.move(4, "second")
    assert state_of(council).phase == "amending"


def test_a_debate_without_end_comes_to_the_vote_by_itself() -> None:
    council = meeting()
    council.move(1, "move_motion", title="A rule", text="As it is.")
    told: list[str] = []
    for turn in range(8):
        told = council.move((turn + 1) % 4 + 1, "speak", text="More words.")
    assert told[-1] == "It was debated long enough: it is voted on now."
    assert state_of(council).phase == "ballot"


def test_the_host_decides_a_tie_where_that_was_chosen() -> None:
    council = meeting(3, host_breaks_ties=True)
    council.move(1, "move_motion", title="A rule", text="As it is.")
    council.move(2, "yield")
    council.move(3, "yield")
    council.move(1, "call_vote")
    assert vote(council, s2="yes", s3="no")[-1] == "A tie: the host decides."
    assert vote(council, s1="yes")[-1].startswith("Motion 1 passed: 1 yes, 1 no")


@pytest.mark.parametrize(
    ("members", "votes", "options"),
    [
        (5, {"s2": "yes", "s3": "no"}, {}),  # without a quorum
        (5, {"s2": "yes", "s3": "yes", "s4": "no", "s5": "no"}, {"two_thirds": True}),
    ],
)
def test_a_host_passes_no_motion_that_one_yes_more_would_not_pass(
    members: int, votes: dict[str, str], options: dict[str, bool]
) -> None:
    council = meeting(members + 1, host_breaks_ties=True, **options)
    council.move(1, "move_motion", title="A rule", text="As it is.")
    for seat in range(2, members + 2):
        council.move(seat, "yield")
    council.move(1, "call_vote")
    vote(council, **votes)
    told = council.enter(RULES, Rule.DEADLINE)
    assert [one for one in told if one.startswith("Motion 1 failed")]


def test_when_the_host_is_away_the_lowest_seat_presides() -> None:
    council = meeting()
    council.enter(RULES, Rule.AWAY, {"seat": 1})
    assert state_of(council).chair == 2
    council.move(2, "adjourn")
    assert council.is_over


def test_an_absentee_holds_no_ballot_up_and_is_away_after_three_misses() -> None:
    council = meeting(motions=3)
    told: list[str] = []

    def come_to(seat: int) -> None:
        while (current := state_of(council).order.current) != seat:
            spoke = (
                council.enter(RULES, Rule.DEADLINE)
                if current == 4
                else council.move(current or 0, "speak", text="Go on.")
            )
            told.extend(spoke)

    for number in (1, 2, 3):
        come_to(1)
        council.move(1, "move_motion", title=f"Rule {number}", text="As it is.")
        come_to(3)
        council.move(3, "speak", text="Let us vote.")
        come_to(1)
        council.move(1, "call_vote")
        told += vote(council, s2="yes", s3="yes")
        if state_of(council).ballot:
            told += council.enter(RULES, Rule.DEADLINE)
    assert sum("2 yes, 0 no, 0 abstained, 1 absent" in one for one in told[:-1]) == 3
    assert told.count("{s4} is away.") == 1


def test_it_says_before_it_begins_what_it_needs() -> None:
    assert CouncilOptions().refusal(2) == "A council needs two members beside the host: seat one more."
    assert CouncilOptions(host=False).refusal(2) == ""
    assert (
        CouncilOptions(host=False).refusal(16)
        == "A council without a host has 15 members at most: somebody has to leave."
    )
