"""Digests of standings in turn are those of each alone, whatever a kind keeps in its states."""

import pytest

from bot.core.scenes import digests
from bot.core.scenes.digests import Digests
from bot.core.scenes.kind import SceneKind
from bot.core.scenes.registry import KINDS
from tests.core.scenes.plays import dice, play_out

GAMES = 3


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize("remembered", [digests.REMEMBERED, 40])
def test_what_did_not_change_is_known_and_nothing_else_is(
    kind: SceneKind, remembered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "REMEMBERED", remembered)
    for seed in range(GAMES):
        known, seen = Digests(), set[str]()
        for playing in play_out(kind, dice(seed), illegal=False):
            digest = playing.standing.digest(known)
            assert digest == playing.standing.digest()
            assert digest not in seen
            seen.add(digest)


def test_two_standings_that_differ_in_one_thing_alone_are_told_apart() -> None:
    for playing in play_out(KINDS["village"], dice(5), illegal=False):
        standing, known = playing.standing, Digests()
        others = [standing.but(turns=standing.turns + 1), standing.but(stuck=not standing.stuck)]
        others.append(standing.but(state=standing.state.model_copy(update={"away": (99,)})))
        assert len({one.digest(known) for one in (standing, *others)}) == 4
