"""What a heartbeat's face tells, and what people see when money or the model is away."""

import aiohttp
import pytest

from bot.core.hud.call import _schema_text
from bot.settings import Settings
from tests.e2e.commanding import Commander, words_of
from tests.e2e.conftest import Living, living
from tests.e2e.visitor import Visitor, until

pytestmark = pytest.mark.e2e


async def metrics(home: Living) -> str:
    assert home.house.face is not None
    async with aiohttp.ClientSession() as session, session.get(f"{home.house.face.url}/metrics") as response:
        return await response.text()


async def status(you: Visitor, channel: str) -> str:
    told = words_of(await Commander(you, channel).run("heartbeat status", agent="Wren"))
    return next(line for line in told.splitlines() if line.startswith("**Wren**"))


async def test_what_the_first_view_loads_is_there_before_anybody_waits_for_an_answer(settings: Settings) -> None:
    _schema_text.cache_clear()
    async with living(settings):
        assert _schema_text.cache_info().currsize > 0


async def test_status_and_metrics_tell_when_and_why_of_every_heart(home: Living, you: Visitor) -> None:
    hall = await you.channel("wren")
    assert "has not beaten yet · waits for something new to happen" in await status(you, hall)
    await you.answer_after(await you.say(hall, "Hello Wren"))
    told = await status(you, hall)
    assert "every 5.1 s (resting 10.0 s) · last beat <t:" in told
    assert ":R>, because somebody spoke to it" in told
    page = await metrics(home)
    assert 'selfroom_agent_interval_seconds{agent="1",community="1",name="Wren"} 5.1' in page
    assert 'selfroom_agent_last_beat_at{agent="1",community="1",name="Wren",reason="addressed"}' in page
    assert 'selfroom_agent_waits{agent="2",community="1",for="news",name="Ledger"} 1.0' in page
    await Commander(you, hall).run("heartbeat pause", agent="Wren")
    assert "waits for someone to resume it (paused by" in await status(you, hall)
    assert 'selfroom_agent_waits{agent="1",community="1",for="paused",name="Wren"} 1.0' in await metrics(home)


async def test_who_rests_without_money_says_until_when_and_answers_when_there_is_more(
    home: Living, you: Visitor
) -> None:
    hall = await you.channel("wren")
    manager = Commander(you, hall)
    await manager.run("usage budget", usd_per_day=0.0001)
    said = await you.say(hall, "Hello Wren, are you there?")

    async def rests() -> bool:
        return "at the earliest, waits for money" in await status(you, hall)

    await until(rests, "rest for want of money")
    assert "selfroom_agent_next_beat_at" in await metrics(home)
    await manager.run("usage budget", usd_per_day=1.0)
    await you.answer_after(said)


async def test_a_model_that_is_down_is_told_and_backed_off_from(home: Living, you: Visitor) -> None:
    hall = await you.channel("wren")
    await home.script({"fault": "server_error", "times": 12})
    said = await you.say(hall, "Hello Wren, are you there?")

    async def fails() -> bool:
        return "its model, which failed" in await status(you, hall)

    await until(fails, "word of a failing model")
    await you.answer_after(said)
    assert "which failed" not in await status(you, hall)
