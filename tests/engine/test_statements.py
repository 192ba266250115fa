"""How many statements a message, a letter and a beat take: it does not depend on the machine, and time follows it."""

import pytest

from tests.bench.profile import KINDS, counted, lived_in
from tests.storage.databases import postgresql_database

# of several who beat at once, two of these ask how large their minds are and read them, so many as memory allows
MOST = {
    "sqlite": {"message": 8, "call": 10, "letter": 11, "beat": 33, "beat_of_20": 46},
    "postgresql": {"message": 5, "call": 7, "letter": 13, "beat": 35, "beat_of_20": 48},
}


@pytest.mark.parametrize("kind", KINDS)
async def test_it_takes_no_more_statements_than_it_did(kind: str) -> None:
    async with lived_in("sqlite://") as home:
        said = await counted(home, kind)
    assert said.count <= MOST["sqlite"][kind], "\n".join(one[:60] for one in said.said)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
async def test_nor_does_it_go_more_often_to_postgresql(kind: str) -> None:
    async with postgresql_database() as made:
        if made is None:
            pytest.skip("no PostgreSQL server answers on this machine")
        async with lived_in(made.url) as home:
            said = await counted(home, kind)
    assert said.count <= MOST["postgresql"][kind], "\n".join(one[:60] for one in said.said)
