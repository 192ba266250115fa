"""A community is given to another server: it lives on there, and nothing of it reaches the one it came from."""

from pathlib import Path

import pytest

from bot.vault import export_community, import_community
from tests.e2e.conftest import Living
from tests.e2e.visitor import visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio]


async def test_an_imported_community_comes_to_life_in_its_new_server_alone(home: Living, tmp_path: Path) -> None:
    async with home.session.get(f"{home.url}/playground") as response:
        about = await response.json()
    async with home.session.post(f"{home.url}/playground/guilds", json={"name": "The Others"}) as response:
        other = str((await response.json())["id"])
    async with visiting(home.url) as you:
        hall = await you.channel("wren")
        await you.answer_after(await you.say(hall, "Hello Wren, remember the word heliotrope"))
        old, said = await you.channels(), list[str]()
        archive = tmp_path / "community.zip"
        await export_community(home.settings, path=archive, guild_id=int(about["guild_id"]), say=said.append)
        await import_community(home.settings, path=archive, guild_id=int(other), say=said.append)
        assert any("get new channels there" in line for line in said)
        bot = about["application_id"]
        async with home.session.put(f"{home.url}/playground/guilds/{other}/members/{bot}", json={}) as response:
            assert response.status == 200, await response.text()
        you.about = you.about | {"guild_id": other}
        new_hall = await you.channel("wren")
        assert new_hall != hall
        answer = await you.answer_after(await you.say(new_hall, "Wren, do you like moving house?"))
        assert answer["author"]["username"] == "Wren"
        you.about = about
        assert (await you.channels()).keys() == old.keys()
        assert not [one for one in await you.messages(hall) if "moving house" in one["content"]]
        webhooks = await you.ask("GET", f"/channels/{new_hall}/webhooks")
        assert {hook["guild_id"] for hook in webhooks} == {other}
