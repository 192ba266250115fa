"""What all tests of Discord's adapter share."""

from collections.abc import Iterator

import pytest

from tests.hurried import hurried


@pytest.fixture(autouse=True, scope="module")
def in_a_hurry() -> Iterator[None]:
    """Have a bot rest no longer than it must."""
    with hurried():
        yield
