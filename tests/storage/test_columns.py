"""Both databases give back what was stored in them, exactly."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from storage.columns import from_microseconds, to_microseconds

SOON, FAR = datetime(1970, 1, 1), datetime(2240, 1, 1)  # noqa: DTZ001 - hypothesis adds the zone


@given(st.datetimes(SOON, FAR, timezones=st.just(UTC)))
def test_a_moment_comes_back_to_the_microsecond(moment: datetime) -> None:
    assert from_microseconds(to_microseconds(moment)) == moment
    assert from_microseconds(to_microseconds(moment)).utcoffset() == timedelta(0)
