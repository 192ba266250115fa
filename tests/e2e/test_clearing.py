"""A room of hundreds of messages is cleared: with progress, until it is stopped, over a kill, and the old ones too."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.e2e.commanding import Commander, words_of
from tests.e2e.conftest import Living
from tests.e2e.test_commands_survive import at_work, bot
from tests.e2e.test_commands_trouble import trouble
from tests.e2e.test_lives import a_server
from tests.e2e.visitor import Json, Visitor, until, visiting

pytestmark = pytest.mark.e2e

BULK = "POST /channels/*/messages/bulk-delete"
HELD_SECONDS = 5.0  # longer than one waits for an answer without wondering


@pytest.fixture
async def manager(home: Living, you: Visitor) -> AsyncIterator[Commander]:
    yield Commander(you, await you.channel("wren"))


async def filled(manager: Commander, count: int) -> list[str]:
    """Have so many lines said in a room whose agent is paused, and give their ids."""
    await manager.told("agent pause", agent="Wren")
    said = [manager.visitor.say(manager.channel_id, f"heron number {number}") for number in range(count)]
    ids = sorted((str(one["id"]) for one in await asyncio.gather(*said)), key=int)
    await manager.known({"id": ids[-1], "channel_id": manager.channel_id})
    return ids


async def left(you: Visitor, channel_id: str) -> list[str]:
    """Give the ids of all that still stands there and was said by people, oldest first."""
    found: list[Json] = []
    while page := await you.ask("GET", f"/channels/{channel_id}/messages?limit=100" + before(found)):
        found += page
    return [str(one["id"]) for one in found[::-1] if "heron" in one["content"]]


def before(found: list[Json]) -> str:
    return f"&before={found[-1]['id']}" if found else ""


async def asked(manager: Commander, messages: int) -> Json:
    """Ask for so many to be deleted, say yes, and give the first answer to that."""
    question = await manager.run("room clear", messages=messages)
    return await manager.press(question, f"Delete {messages}")


async def test_hundreds_of_messages_go_and_the_answer_tells_how_far_it_is(home: Living, manager: Commander) -> None:
    ids = await filled(manager, 230)
    await trouble(home, {"kind": "latency", "route": BULK, "seconds": HELD_SECONDS})
    answer = await asked(manager, 220)
    assert "of 220 messages deleted" in words_of(answer)
    assert "is being cleared already" in words_of(await asked(manager, 1))
    await manager.changed_to(answer, "Deleted: 220 messages.")
    assert await left(manager.visitor, manager.channel_id) == ids[:10]

    async def forgotten() -> bool:
        return (await manager.told("search", words="heron")).count("heron number") == 10

    await until(forgotten, "end of what agents and people find")


async def test_it_is_stopped_and_what_is_left_stays(home: Living, manager: Commander) -> None:
    ids = await filled(manager, 130)
    await trouble(home, {"kind": "latency", "route": BULK, "seconds": HELD_SECONDS})
    answer = await asked(manager, 130)
    assert "No more messages of" in words_of(await manager.press(answer, "Stop"))
    await manager.changed_to(answer, "It ended early")

    async def settled() -> bool:
        return await left(manager.visitor, manager.channel_id) == ids[:30]

    await until(settled, "end of the step that was under way")
    assert "It ended early" in await manager.told("room clear")
    assert "is not being cleared" in await manager.told("room clear", stop=True)


async def test_what_is_too_old_to_go_together_goes_one_by_one(home: Living, manager: Commander) -> None:
    ids = await filled(manager, 12)
    await home.session.post(f"{home.url}/playground/clock", json={"advance": 15 * 86_400})
    answer = await asked(manager, 11)
    await manager.changed_to(answer, "Deleted: 11 messages.")
    assert await left(manager.visitor, manager.channel_id) == ids[:1]


async def test_it_goes_on_after_a_kill_and_takes_no_more_than_was_asked(tmp_path: Path) -> None:
    async with a_server(tmp_path / "server") as settings:
        url = settings["SELFROOM_DISCORD_API"].removesuffix("/api/v10")
        async with visiting(url) as you:
            async with bot(tmp_path / "bot", settings):
                manager = await at_work(you, "Wren")
                ids = await filled(manager, 230)
                held = {"kind": "latency", "route": BULK, "seconds": 600, "after": True}  # done, and never answered
                async with (
                    aiohttp.ClientSession() as session,
                    session.post(f"{url}/playground/faults", json=held) as told,
                ):
                    assert told.status == 200
                await asked(manager, 220)

                async def begun() -> bool:
                    return len(await left(you, manager.channel_id)) == 130

                await until(begun, "first hundred to go")
            async with bot(tmp_path / "bot", settings):

                async def done() -> bool:
                    return await left(you, manager.channel_id) == ids[:10]

                await until(done, "rest to go")
                assert "Deleted: 220 messages." in await manager.comes_to_tell("room clear", "Deleted")
                assert await left(you, manager.channel_id) == ids[:10]
