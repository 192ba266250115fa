"""Meetings of the versions before go on as they began: what they remember is what they did."""

import pytest

from bot.core.scenes.council.before import Council1, Council2
from bot.core.scenes.council.kind import COUNCILS_BEFORE
from bot.core.scenes.council.state import Meeting
from bot.core.scenes.kind import RULES, SceneKind
from bot.core.scenes.play import Rule
from tests.core.scenes.plays import Playing, of


def voted_on(kind: SceneKind, **options: bool) -> Playing:
    """Hold a meeting of that version in which a motion came to the vote."""
    council = of(kind, kind.options.model_validate(options), 3)
    council.move(1, "move_motion", title="A rule", text="As it is.")
    for seat in (2, 3):
        council.move(seat, "yield")
    council.move(1, "call_vote")
    council.move(2, "vote", choice="yes")
    council.move(3, "vote", choice="abstain")
    return council


def state_of(council: Playing) -> Meeting:
    state = council.standing.state
    assert isinstance(state, Meeting)
    return state


@pytest.mark.parametrize("kind", COUNCILS_BEFORE, ids=["1", "2"])
def test_a_meeting_of_before_ends_without_the_words_that_it_never_kept(kind: SceneKind) -> None:
    council = voted_on(kind)
    council.enter(RULES, Rule.AWAY, {"seat": 1})
    council.move(2, "adjourn")
    assert council.outcome == "The council is closed, for it adjourned: 1 motion voted on, 1 passed."


def test_version_1_kept_nobodys_vote_and_version_2_those_of_the_last_ballot_unless_it_was_secret() -> None:
    first, second = COUNCILS_BEFORE
    assert isinstance(state_of(voted_on(first)), Council1)
    assert state_of(voted_on(first)).last_votes == {}
    assert isinstance(state_of(voted_on(second)), Council2)
    assert state_of(voted_on(second)).last_votes == {2: "yes", 3: "abstain"}
    assert state_of(voted_on(second, secret=True)).last_votes == {}
