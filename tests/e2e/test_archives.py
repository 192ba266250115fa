"""A server's owner takes the whole community along as a file, and lets it move into another server."""

import io
import json
import zipfile

import pytest

from tests.e2e.commanding import Commander, words_of
from tests.e2e.conftest import Living
from tests.e2e.proving import proves
from tests.e2e.test_commands_trouble import without_permission
from tests.e2e.test_doors import MANAGE_CHANNELS, rights_of_the_bot
from tests.e2e.visitor import Visitor, until, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio]

SECRET = "under the third flowerpot"


async def another_server(home: Living) -> str:
    """Open a server that the bot is in and nobody lives in; gives its id."""
    async with home.session.post(f"{home.url}/playground/guilds", json={"name": "The Others"}) as response:
        other = str((await response.json())["id"])
    async with home.session.get(f"{home.url}/playground") as response:
        bot = (await response.json())["application_id"]
    async with home.session.put(f"{home.url}/playground/guilds/{other}/members/{bot}", json={}) as response:
        assert response.status == 200, await response.text()
    return other


async def told_of(manager: Commander) -> bytes:
    """Have Wren learn something, and give the file of the whole community."""
    you = manager.visitor
    await manager.told("knowledge set", agent="Wren", path="facts.heliotrope", value="a flower")
    await manager.told("key create", room="Ledger", label="spare", key=SECRET)
    await you.answer_after(await you.say(manager.channel_id, "Hello Wren, this is the last evening here"))
    given = await manager.run("setup export")
    assert "No key is in it that opens anything." in words_of(given)
    return await manager.bytes_of(given)


@proves(manager="setup export | setup import")
async def test_a_community_moves_from_one_server_into_another_as_a_file(home: Living, owner: Visitor) -> None:
    manager = Commander(owner, await owner.channel("wren"))
    data = await told_of(manager)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert SECRET not in str([archive.read(name) for name in archive.namelist()])
        assert [json.loads(line)["ciphertext"] for line in archive.read("keys.jsonl").splitlines()] == [""]
    other = await another_server(home)
    async with visiting(home.url) as mover:
        mover.about = mover.about | {"guild_id": other}
        there = Commander(mover, await mover.channel("general"))
        assert "damaged" in words_of(await there.run("setup import", file=("x.zip", data[: len(data) // 2])))
        asked = await there.run("setup import", file=("community.zip", data))
        assert "**2 agents** with " in words_of(asked)
        assert "move in?" in words_of(asked)
        path, role = await rights_of_the_bot(mover)
        await without_permission(mover, MANAGE_CHANNELS)
        told = words_of(await there.press(asked, "Let them move in"))
        assert "They are here now." in told
        assert "Selfroom lacks **manage channels** there. It is done as soon as" in told
        await mover.ask("PATCH", path, {"permissions": role["permissions"]})
        there.channel_id = await mover.channel("wren")
        assert "a flower" in await there.told("knowledge show", agent="Wren")
        answer = await mover.answer_after(await mover.say(there.channel_id, "Wren, do you like it here?"))
        assert answer["author"]["username"] == "Wren"

        async def remembered() -> bool:
            return any("the last evening here" in call["input"] for call in (await home.calls())[-3:])

        await until(remembered, "call in which Wren sees what was said before")
        assert "The whole community was given out as a file." in await manager.told("audit")
        assert "live here already" in await refused_again(there, data)
    assert not [one for one in await owner.messages(manager.channel_id) if "do you like it here" in one["content"]]


async def refused_again(there: Commander, data: bytes) -> str:
    """Try to let them move in once more."""
    asked = await there.run("setup import", file=("community.zip", data))
    return words_of(await there.press(asked, "Let them move in"))


async def test_a_manager_takes_the_whole_but_only_who_sees_every_channel_lets_it_move_in(
    home: Living, you: Visitor
) -> None:
    manager = Commander(you, await you.channel("wren"))
    with zipfile.ZipFile(io.BytesIO(await told_of(manager))) as archive:
        assert b"heliotrope" in b"".join(archive.read(name) for name in archive.namelist())
    assert "owner and administrators" in words_of(await manager.run("setup import", file=("x.zip", b"")))


async def test_what_is_no_file_of_ours_is_refused_in_a_sentence(home: Living, owner: Visitor) -> None:
    manager = Commander(owner, await owner.channel("wren"))
    assert "Give the file" in await manager.told("setup import")
    assert "damaged" in words_of(await manager.run("setup import", file=("x.zip", b"PK nothing")))
    data = await told_of(manager)
    assert "live here already" in await refused_again(manager, data)
