"""Nobody who sits in a closed scene learns more from anything around it, whatever they ask: managers, too."""

import pytest

from bot.core.records import Side
from bot.core.scenes.landlord.table import Table
from bot.core.scenes.registry import KINDS
from bot.engine import foresight
from bot.engine.front_desk import minds
from tests.engine.worlds_alike import SEATS, around, compared

pytestmark = pytest.mark.long
PAIRS = 15


@pytest.mark.parametrize("kind", SEATS)
async def test_whoever_sits_there_and_manages_sees_no_byte_of_what_their_seat_may_not_know(kind: str) -> None:
    async with around(KINDS[kind]) as here:
        wrong, surfaces = await compared(here, PAIRS)
    assert wrong == []
    assert surfaces >= 52


async def test_a_mask_that_is_missing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foresight, "seated_in", lambda scenes: frozenset())
    monkeypatch.setattr(minds, "shut_sides", no_sides)
    async with around(KINDS["werewolf"]) as here:
        wrong, _ = await compared(here, 4)
    assert {one.split(" at step")[0] for one in wrong} >= {"heartbeat status", "metrics", "page"}


async def test_a_picture_that_shows_what_others_hold_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "is_over", True)
    async with around(KINDS["landlord"]) as here:
        wrong, _ = await compared(here, 3)
    assert {one.split(" at step")[0] for one in wrong} >= {"my picture", "picture of the board"}


async def no_sides(*_: object) -> frozenset[Side]:
    return frozenset()


def test_every_closed_kind_is_among_them() -> None:
    assert {*SEATS} == {kind for kind, one in KINDS.items() if one.is_closed}
