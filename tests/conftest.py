"""What every test of a running playground shares."""

import re
from collections.abc import Iterator

import pytest

from bot.playground.rest.exchange import Observer
from tests.playground.openapi import held_to_the_description

SLOW_PLACES = re.compile(r"^tests/(adapters/discord|chaos|playground)/?|\[postgres")


@pytest.fixture
def observers() -> Iterator[list[Observer]]:
    """Hold everything bots say and hear against Discord's own description, where that is there."""
    with held_to_the_description() as watching:
        yield watching


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs a playground or a database server as end to end, so that `make fast` stays fast."""
    for item in items:
        if SLOW_PLACES.search(item.nodeid):
            item.add_marker(pytest.mark.e2e)
