"""What every test of a running playground shares."""

from collections.abc import Iterator

import pytest

from bot.playground.rest.exchange import Observer
from tests.playground.openapi import held_to_the_description


@pytest.fixture
def observers() -> Iterator[list[Observer]]:
    """Hold everything bots say and hear against Discord's own description, where that is there."""
    with held_to_the_description() as watching:
        yield watching
