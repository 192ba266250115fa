"""What a Discord that is not quite like Discord costs: an event that cannot be read, a picture that hangs."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.sharing import Cast, shared_home
from tests.e2e.visitor import Json, bot_of, until

ARCHIVED = "GET /channels/*/threads/archived/*"

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("odd")) as one:
        yield one


async def trouble(cast: Cast, fault: Json) -> None:
    """Have the playground fail so."""
    async with cast.home.session.post(f"{cast.home.url}/playground/faults", json=fault) as response:
        assert response.status == 200, await response.text()


async def test_the_first_words_of_an_agent_do_not_wait_for_its_picture(cast: Cast) -> None:
    await trouble(cast, {"kind": "latency", "route": "PATCH /webhooks/*", "seconds": 600.0, "count": None})
    await cast.agent("Moss")
    said = await cast.you.say(await cast.you.channel("moss"), "Moss, what is 20 + 22?")
    answer = await cast.you.answer_after(said)
    assert "42" in answer["content"]
    assert answer["author"]["avatar"] is None


async def test_an_event_that_cannot_be_read_ends_nothing_and_is_told_the_third_time(cast: Cast) -> None:
    office = await cast.you.channel("welcome")
    await cast.manager.told("setup places", managers_channel=office)
    maimed: Json = {"kind": "maim_events", "event": "CHANNEL_CREATE", "lacks": "position", "count": 3}
    await trouble(cast, maimed | {"user_id": await bot_of(cast.you)})
    guild = cast.you.about["guild_id"]
    for number in (1, 2):
        made = await cast.owner.ask("POST", f"/guilds/{guild}/channels", {"name": f"odd-{number}"})

        async def known(id: int = int(made["id"])) -> bool:
            return cast.home.house.client.get_channel(id) is not None

        await until(known, "channel that the bot learns of when it connects again")
        assert "12" in (await cast.answered(f"Wren, what is {number} + {12 - number}?"))["content"]
    await cast.owner.ask("POST", f"/guilds/{guild}/channels", {"name": "odd-3"})

    async def told() -> bool:
        return any("(CHANNEL_CREATE)" in one["content"] for one in await cast.you.messages(office))

    await until(told, "notice to the managers")
    assert "105" in (await cast.answered("Wren, what is 50 + 55?"))["content"]
    assert 'selfroom_gateway_events_unread_total{event="CHANNEL_CREATE"} 3.0' in await cast.home.face("/metrics")


async def test_where_there_is_no_list_of_archived_threads_a_line_that_was_missed_is_answered(cast: Cast) -> None:
    bot = await bot_of(cast.you)
    await trouble(cast, {"kind": "status", "route": ARCHIVED, "status": 404, "count": None, "user_id": bot})
    await trouble(cast, {"kind": "invalid_session", "user_id": bot})
    assert "15" in (await cast.answered("Wren, what is 7 + 8?"))["content"]
    asked = (await cast.home.stats())["routes"]["GET /channels/{channel_id}/threads/archived/public"]
    assert asked["404"] >= 1
