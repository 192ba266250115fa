"""How many statements a message, a letter and a beat take: it does not depend on the machine, and time follows it."""

import pytest

from tests.bench.profile import KINDS, counted, lived_in

MOST = {"message": 14, "call": 17, "letter": 21, "beat": 59, "beat_of_20": 72}


@pytest.mark.parametrize("kind", KINDS)
async def test_it_takes_no_more_statements_than_it_did(kind: str) -> None:
    async with lived_in("sqlite://") as home:
        said = await counted(home, kind)
    assert said.count <= MOST[kind], "\n".join(one[:60] for one in said.said)
