"""Who has just said something does not say it again because it is not posted yet (docs/heartbeat.md#the-floor)."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from bot.core.changes import AddMembership
from bot.core.errors import Limited
from bot.core.kinds import InputFormat
from bot.core.next_beat import Waiting
from tests.engine.hearts import Hearts, answer, hearts
from tests.engine.recording import Trouble
from tests.engine.test_foresight import ONE, told
from tests.factories import membership
from tests.storage.databases import postgresql_database

SUM = "Three and four are seven, which everybody here will surely remember for a long while."


@pytest.fixture(params=["sqlite", "postgresql"])
async def url(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """An empty database of each kind."""
    if request.param == "sqlite":
        yield "sqlite://"
        return
    async with postgresql_database() as database:
        if database is None:
            pytest.skip("no PostgreSQL server answers on this machine")
        yield database.url


def shown(home: Hearts, call: int = -1) -> str:
    return home.model.calls[call].input


async def test_a_line_during_its_typing_lets_it_answer_once_its_own_words_stand_there(url: str) -> None:
    async with hearts(1, url=url, script=[answer({1: [(1, SUM)]})]) as home:
        await home.hear("what is 3 + 4?")
        await home.slot(1)
        typed = await home.view()
        (letter,) = typed.unposted[ONE]
        await home.hear("anybody there?")
        while home.clock.now() + timedelta(seconds=0.25) < letter.not_before:
            await home.slot(0.25)
            assert len(home.model.calls) == 1
        await home.run(2)
        assert len(home.model.calls) == 2
        assert f"1: {SUM}" in shown(home)
        assert "being posted" not in shown(home)


async def test_it_is_woken_by_the_post_itself(url: str) -> None:
    async with hearts(1, url=url, script=[answer({1: [(1, SUM)]})]) as home:
        await home.hear("what is 3 + 4?")
        await home.slot(1)
        await home.hear("anybody there?")
        await home.slot(1)
        look = (await told(home))[ONE]
        assert (look.waiting, look.words) == (Waiting.POSTING, "its own words to be posted in Agent1's room")
        home.nudges.at.clear()
        await home.clock.advance(6)
        await home.deliver()
        assert home.nudges.at == [home.clock.now()]
        assert (await home.heartbeat.next_wake() or home.clock.now()) <= home.clock.now()


async def test_it_waits_half_a_minute_at_most_and_then_sees_what_it_said() -> None:
    async with hearts(1, script=[answer({1: [(1, SUM)]})]) as home:
        home.publisher.trouble.extend(Trouble(error=Limited("Slowly.", retry_after_seconds=600)) for _ in range(9))
        await home.hear("what is 3 + 4?")
        await home.slot(1)
        await home.hear("anybody there?")
        await home.run(28)
        assert len(home.model.calls) == 1
        await home.run(4)
        assert len(home.model.calls) == 2
        assert f'"{SUM}" *(being posted)*' in shown(home)


@pytest.mark.parametrize("format", list(InputFormat))
async def test_elsewhere_it_beats_and_sees_its_own_words_which_nobody_else_does(format: InputFormat) -> None:
    async with hearts(2, input_format=format, script=[answer({2: [(1, SUM)]})]) as home:
        await home.apply(AddMembership(membership=membership(1, 2)))
        await home.hear("Agent2: what is 3 + 4?")
        await home.slot(1)

        await home.hear("Agent1, Agent2, hello", room_id=2)
        await home.slot(1)
        mine = [call.input for call in home.model.calls[1:] if SUM in call.input]
        assert len(mine) == 1
        assert ("being_posted" in mine[0]) or ("being posted" in mine[0])
        assert mine[0].count(SUM) == 2  # once among what it did, once in the room
