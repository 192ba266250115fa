"""What a person sees in the drawer is what they may see by command: the same rights, asked anew each time."""

import json

import aiohttp
import pytest

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.visitor import Visitor, until, visiting

pytestmark = pytest.mark.e2e
ONLY_MANAGERS = "Only people who may manage the server can do that."


async def test_who_may_not_show_huds_reads_none_in_the_drawer_either(home: Living, you: Visitor) -> None:
    channel = await you.channel("wren")
    await you.answer_after(await you.say(channel, "Wren, the safe code is 4711"))
    assert home.house.face is not None
    async with visiting(home.url, "guest") as guest:
        assert "hud" not in {one["name"] for one in await guest.offered(channel)}
        assert json.loads(await home.face("/agents/1/beat", token=guest.token)) == {"message": ONLY_MANAGERS}
        assert "Wren" in {one["name"] for one in json.loads(await home.face("/agents", token=guest.token))}
    async with visiting(home.url, "deputy", manager=True) as deputy:
        assert "4711" in json.loads(await home.face("/agents/1/beat", token=deputy.token))["hud"]
    async with aiohttp.ClientSession() as session:
        for headers in ({}, {"Authorization": "Bot nonsense"}):
            async with session.get(f"{home.house.face.url}/agents/1/beat", headers=headers) as response:
                assert (response.status, "4711" in await response.text()) == (401, False)


async def test_what_goes_on_in_a_private_room_is_not_in_the_drawer_of_who_is_not_let_in(home: Living) -> None:
    async with visiting(home.url) as owner, visiting(home.url, "guest") as guest:
        channel = await owner.channel("wren")
        await owner.answer_after(await owner.say(channel, "Wren, good morning"))
        await Commander(owner, channel).told("room visibility", visibility="private")

        async def hidden() -> bool:
            rows = {one["name"]: one for one in json.loads(await home.face("/agents", token=guest.token))}
            return (rows["Wren"]["channel_id"], rows["Wren"]["last_beat_at"]) == (None, None)

        await until(hidden, "silence on what Wren does")
        assert "There is no room 1." in await home.face("/rooms/1/tally", token=guest.token)
        assert (await home.agents())["Wren"]["last_beat_at"]


async def test_what_the_drawer_shows_of_a_beat_adds_up(home: Living, you: Visitor) -> None:
    channel = await you.channel("wren")
    await you.answer_after(await you.say(channel, "Wren, good morning"))

    async def beaten() -> bool:
        return "os section" in await home.face("/agents/1/beat")

    await until(beaten, "a beat")
    row = json.loads(await home.face("/agents/1/beat"))
    sizes = {one["name"]: one["tokens"] for one in row["sections"]}
    assert sum(sizes.values()) == row["tokens"]["input"]
    assert {"os section", "answer schema", "identity"} <= set(sizes)
    assert row["imaginary"]
