"""Who runs it sees what goes on, and the doctor has a real model answer."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio

from bot.app import examine_house
from tests.e2e.sharing import Cast, shared_home
from tests.e2e.visitor import until
from tests.test_deploy import ALWAYS, exported

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("watching")) as one:
        yield one


async def page(cast: Cast, path: str) -> tuple[int, str]:
    face = cast.home.house.face
    assert face is not None
    async with aiohttp.ClientSession() as session, session.get(f"{face.url}{path}") as response:
        return response.status, await response.text()


async def test_what_an_answer_took_and_how_discord_took_it_stand_in_the_metrics(cast: Cast) -> None:
    await cast.owner.answer_after(await cast.owner.say(await cast.owner.channel("ledger"), "Ledger, add 2 and 3"))
    assert await page(cast, "/readyz") == (200, '{"ready": true, "lacks": []}')

    async def told() -> str | None:
        text = (await page(cast, "/metrics"))[1]
        return (
            text if "selfroom_loop_lag_seconds_count" in text and 'letter_seconds_count{kind="post"}' in text else None
        )

    seen = await until(told, "metrics of a whole answer")
    values = {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in seen.splitlines() if line[0] != "#"}
    assert values["selfroom_gateway_connected"] == 1
    assert values["selfroom_gateway_latency_seconds"] < 60
    assert values['selfroom_tokens_total{kind="input",model="gpt-4o-mini"}'] > 100
    assert values['selfroom_answer_seconds_count{model="gpt-4o-mini"}'] >= 1
    assert values['selfroom_discord_requests_total{status="200"}'] > 5
    names = {name.partition("{")[0] for name in values}
    assert {name for name in names if name.startswith("selfroom_") and not name.endswith("_created")} <= exported()
    assert "selfroom_agent_state" in names & ALWAYS


async def test_the_doctor_has_the_model_answer_and_says_how_long_that_took(cast: Cast) -> None:
    settings = cast.home.settings.model_copy(
        update={"openai_base_url": f"{cast.home.url}/v1", "sponsored_servers": "*"}
    )
    found = [finding.what for finding in await examine_house(settings)]
    (said,) = [what for what in found if what.startswith("gpt-4o-mini answers, in ")]
    assert said.endswith(" seconds; it keeps to a schema.")
