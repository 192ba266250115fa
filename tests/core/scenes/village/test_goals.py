"""Goals, and what they count."""

from bot.core.scenes.kind import Over
from bot.core.scenes.village.bodies import Body
from bot.core.scenes.village.goals import Goal
from tests.core.scenes.village.games import state_of, village


def test_it_ends_when_every_goal_is_met_and_the_score_says_who_met_whom() -> None:
    playing = village(2)
    state = state_of(playing)
    goals = {1: Goal(what="give", item="bread", count=1, seat=2), 2: Goal(what="meet", count=1)}
    home = state.bodies[1].tile
    bodies = {1: Body(tile=home, bag={"bread": 2}), 2: Body(tile=home)}
    changed = state.model_copy(update={"goals": goals, "bodies": bodies})
    playing.standing = type(playing.standing)(state=changed)
    assert "Your goal" in dict(changed.view(1).private)
    assert "{s2}" in dict(changed.view(1).private)["Your goal"]
    playing.move(1, "give", seat=2, item="bread", n=1)
    assert playing.outcome == "It is over: every goal was met. 2 of 2 goals were met. Scores: {s1} 17, {s2} 16."
    over = playing.standing.awaits
    assert isinstance(over, Over)
    assert over.results == {1: ("won", 17), 2: ("won", 16)}
