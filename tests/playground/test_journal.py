"""The playground's state outlives its process: what was acknowledged is there after a kill."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import aiohttp
import discord
import pytest

from bot.playground.journal import Journal, Shelf
from bot.playground.server import Playground, PlaygroundError, PlaygroundOptions
from bot.playground.world import MessageBook
from tests.playground.person import PATIENCE_SECONDS, Person

SERVER = """
import asyncio, sys
from pathlib import Path
from bot.playground.server import Playground, PlaygroundOptions

async def main():
    options = PlaygroundOptions(port=0, pace="off", state_path=Path(sys.argv[1]))
    async with Playground(options) as playground:
        print(playground.url, flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


def in_file(path: Path) -> PlaygroundOptions:
    return PlaygroundOptions(port=0, pace="off", state_path=path / "state" / "playground.db")


def test_the_state_is_its_owners_alone_also_where_it_was_not(tmp_path: Path) -> None:
    path = tmp_path / "playground.db"
    path.touch(0o644)
    path.chmod(0o644)
    journal = Journal(path)
    journal.put_blob("a", "text/plain", b"words")
    journal.commit()
    assert {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()} == {0o600}
    journal.close()


async def test_everything_is_there_after_a_new_start(tmp_path: Path) -> None:
    async with Playground(in_file(tmp_path)) as first:
        token = first.bot_token
        async with Person.owner(first.url) as owner:
            room = owner.about["channel_id"]
            said = await owner.say(room, "remember me")
            await owner.react(said, "👍")
            made = await owner.setup("POST", "/people", json={"name": "Ada", "manager": True})
            await owner.setup("POST", "/clock", json={"advance": 5000})
    async with Playground(in_file(tmp_path)) as second:
        assert second.bot_token == token
        async with Person.owner(second.url) as owner:
            newest = (await owner.call("GET", f"/channels/{room}/messages?limit=1"))[0]
            assert (newest["content"], newest["reactions"][0]["me"]) == ("remember me", True)
            people = await owner.setup("GET", "/people")
            assert made["token"] in [person["token"] for person in people]
            later = await owner.say(room, "later")
            assert int(later["id"]) > int(newest["id"])
            assert discord.utils.snowflake_time(int(later["id"])) > discord.utils.snowflake_time(int(said["id"]))


async def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "playground.db"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, str(path), stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.getcwd()}
    )
    assert process.stdout is not None
    url = (await asyncio.wait_for(process.stdout.readline(), PATIENCE_SECONDS)).decode().strip()
    acknowledged: list[str] = []
    async with aiohttp.ClientSession() as session:
        about = await (await session.get(f"{url}/playground")).json()
        send = f"{url}/api/v10/channels/{about['channel_id']}/messages"
        headers = {"Authorization": about["person"]["token"]}

        async def talk(voice: int) -> None:
            for number in range(1000):
                body = {"content": f"{voice}:{number}"}
                async with session.post(send, json=body, headers=headers) as answer:
                    acknowledged.append((await answer.json())["id"])
                if voice == 0 and number == 20:
                    process.send_signal(signal.SIGKILL)

        results = await asyncio.gather(*(talk(voice) for voice in range(4)), return_exceptions=True)
    await process.wait()
    assert all(isinstance(result, aiohttp.ClientError) for result in results)
    assert len(acknowledged) > 20
    book = MessageBook(Journal(path))
    assert [message_id for message_id in acknowledged if book.get(message_id) is None] == []


async def test_a_file_that_is_no_state_is_named(tmp_path: Path) -> None:
    path = tmp_path / "playground.db"
    path.write_text("this is not a database, " * 100)
    with pytest.raises(PlaygroundError, match=r"playground\.db can't be opened") as refused:
        async with Playground(PlaygroundOptions(port=0, state_path=path)):
            pass
    assert str(refused.value).endswith(".")


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PlaygroundError, match="can't be opened"):
        async with Playground(PlaygroundOptions(port=0, state_path=tmp_path / "file" / "playground.db")):
            pass


async def test_one_state_has_one_playground(tmp_path: Path) -> None:
    async with Playground(in_file(tmp_path)):
        with pytest.raises(PlaygroundError, match="Another playground uses the state in"):
            async with Playground(in_file(tmp_path)):
                pass
    async with Playground(in_file(tmp_path)) as again:
        assert again.bot_token


def test_groups_follow_what_is_kept_and_dropped() -> None:
    shelf = Shelf(Journal(None), "thing")
    shelf.put("a", {"guild_id": "1"})
    shelf.put("b", {"guild_id": "2"})
    assert list(shelf.within("1")) == ["a"]
    shelf.drop("a")
    assert (shelf.within("1"), shelf.get("a"), list(shelf.rows)) == ({}, None, ["b"])


async def test_leaving_takes_less_than_a_second(tmp_path: Path) -> None:
    playground = Playground(in_file(tmp_path))
    await playground.__aenter__()
    async with aiohttp.ClientSession() as session, session.ws_connect(playground.gateway_url) as idle:
        await idle.receive_json()
        began = time.monotonic()
        await playground.__aexit__()
        assert time.monotonic() - began < 1.2 * 3  # on a machine three times busier
        assert (await idle.receive()).data == 1001
