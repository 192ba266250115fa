"""A short trial of what-ifs whose process is killed; `make chaos TIMELINES=1` holds a long one."""

import pytest

from tests.chaos.timelines import hold

pytestmark = pytest.mark.long


async def test_worlds_whose_process_is_killed_change_nothing_in_life_and_pay_for_nothing_twice() -> None:
    told: list[str] = []
    assert (await hold(20_261, 60, 3, None, told.append)).held, told
    assert " 0 times life differed, 0 answers paid twice, 0 lines elsewhere" in told[-1]
