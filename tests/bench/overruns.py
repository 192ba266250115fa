"""Random, hostile communities by the thousand: does any HUD exceed its budget, or differ in a shared call?"""

import multiprocessing
from collections.abc import Iterable
from dataclasses import astuple, dataclass

from hypothesis import HealthCheck, Phase, given, seed, settings

from bot.core.hud.call import BuiltCall
from bot.core.kinds import InputFormat
from bot.core.view import View
from bot.tokens import o200k
from tests.core.hud.worlds import Drawn, hud, worlds

WORLDS = 20_000
PROCESSES = 2
OTHERS = tuple(one for one in InputFormat if one is not InputFormat.TEXT)


@dataclass
class Found:
    """What was looked at and what was wrong."""

    worlds: int = 0
    over: int = 0
    inexact: int = 0
    different: int = 0

    def look(self, drawn: Drawn) -> None:
        """Build one agent's HUD as text, and now and then in another format or in a shared call."""
        view = drawn.view
        self.worlds += 1
        alone = hud(view, 1)
        self.weigh(view, alone)
        if drawn.seed % 8 == 0:
            self.weigh(view, hud(view, 1, hud_format=OTHERS[drawn.seed // 8 % 3]))
        if drawn.seed % 8 == 1 and len(view.agents) > 1:
            self.different += hud(view, 1, 2).parts[0].message_ids != alone.parts[0].message_ids

    def weigh(self, view: View, built: BuiltCall) -> None:
        """Count the final text."""
        tokens = o200k().count(built.input)
        self.over += tokens > view.agents[built.parts[0].agent_id].token_budget
        self.inexact += tokens != built.parts[0].tokens


def search(number: int) -> Found:
    """Look at one process's part of the worlds."""
    found = Found()

    @seed(number)
    @settings(
        max_examples=WORLDS // PROCESSES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(worlds())
    def each(drawn: Drawn) -> None:
        found.look(drawn)

    each()
    return found


def overruns() -> Found:
    """Look at all worlds, side by side."""
    o200k()
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        return added(pool.map(search, range(PROCESSES)))


def added(parts: Iterable[Found]) -> Found:
    """Add up what the processes found."""
    return Found(*map(sum, zip(*map(astuple, parts), strict=True)))
