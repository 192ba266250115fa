"""The line to Discord: what breaks it, or cannot be read, costs neither the process nor more than a moment."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator

import aiohttp
import discord
import pytest
import yarl
from aiohttp import web
from discord.gateway import DiscordWebSocket
from discord.http import Route
from structlog.testing import capture_logs
from structlog.typing import EventDict

from bot.adapters.discord.reaching import NotDiscord, api_trouble, gateway_trouble, token_trouble
from bot.core.changes import SetOverride
from tests.adapters.discord.stage import Bot, Stage, staged, until


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    async with staged() as one:
        yield one


@pytest.fixture
def logged() -> Iterator[list[EventDict]]:
    with capture_logs() as lines:
        yield lines


def loud(logged: list[EventDict]) -> list[EventDict]:
    return [line for line in logged if line["log_level"] in ("warning", "error")]


def dead_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


async def make_channel(stage: Stage, name: str) -> int:
    made = await stage.owner.call("POST", f"/guilds/{stage.guild_id}/channels", {"name": name})
    return int(made["id"])


def knows(bot: Bot, channel_id: int) -> bool:
    return bot.client.get_channel(channel_id) is not None


async def test_an_event_that_cannot_be_read_costs_one_reconnection(stage: Stage, logged: list[EventDict]) -> None:
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        await stage.faults(kind="maim_events", event="CHANNEL_CREATE", lacks="position", user_id=stage.bot_id)
        made = await make_channel(stage, "odd")

        async def known() -> bool:
            return knows(bot, made)

        await until(known)  # from the server as it is told anew
        assert not bot.tasks[0].done()
        mira = await stage.guest("mira")
        await mira.say(channel_id, "still there?")
        await until(lambda: heard(stage, ada, "still there?"))
    [told] = loud(logged)
    assert (told["event_name"], told["why"]) == ("CHANNEL_CREATE", "KeyError: 'position'")
    assert "exc_info" not in told


async def heard(stage: Stage, room: object, words: str) -> bool:
    return words in await stage.contents(room)  # type: ignore[arg-type]


async def test_the_third_time_it_is_skipped_counted_and_told_to_the_managers(stage: Stage) -> None:
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        managers = await make_channel(stage, "managers")
        async with stage.store.writing(stage.community_id) as write:
            await write.apply(stage.community_id, [SetOverride(name="managers_channel_id", value=managers)])
        fault = {"kind": "maim_events", "event": "CHANNEL_CREATE", "lacks": "position", "count": 9}
        await stage.faults(user_id=stage.bot_id, **fault)
        for number in (1, 2):
            made = await make_channel(stage, f"odd-{number}")

            async def known(id: int = made) -> bool:
                return knows(bot, id)

            await until(known)
        session = bot.client.ws.session_id
        await make_channel(stage, "odd-3")

        async def told() -> bool:
            return any("(CHANNEL_CREATE)" in line["content"] for line in await stage.owner.read(managers))

        await until(told)
        await make_channel(stage, "odd-4")
        mira = await stage.guest("mira")
        await mira.say(channel_id, "and now?")
        await until(lambda: heard(stage, ada, "and now?"))
        assert bot.client.ws.session_id == session  # it listened on
        assert bot.metrics.counts["gateway_events_unread"] == 4
        assert sum("CHANNEL_CREATE" in line["content"] for line in await stage.owner.read(managers)) == 1


async def test_an_interaction_that_comes_twice_is_taken_once(stage: Stage) -> None:
    taken = list[object]()
    async with stage.bot() as bot:
        bot.client._connection.parsers["PROBE"] = taken.append
        parse = bot.client._connection.parsers["INTERACTION_CREATE"]
        parse.keywords.clear()  # type: ignore[attr-defined]
        reader = parse.func.__self__  # type: ignore[attr-defined]
        for id in ("1", "1", "2"):
            reader._read("INTERACTION_CREATE", taken.append, {"id": id})
    assert taken == [{"id": "1"}, {"id": "2"}]


async def test_a_gateway_that_is_out_of_reach_at_the_start_is_waited_for(stage: Stage, logged: list[EventDict]) -> None:
    right, dead = DiscordWebSocket.DEFAULT_GATEWAY, yarl.URL(f"ws://127.0.0.1:{dead_port()}/gateway")
    DiscordWebSocket.DEFAULT_GATEWAY = dead
    asyncio.get_running_loop().call_later(1.0, setattr, DiscordWebSocket, "DEFAULT_GATEWAY", right)
    async with stage.bot() as bot:
        assert bot.client.is_ready()
    assert_each_try_is_a_line(
        logged, f"Nothing answers at {dead}: start the server, or correct SELFROOM_DISCORD_GATEWAY."
    )


async def test_an_api_that_is_out_of_reach_at_the_start_is_waited_for(stage: Stage, logged: list[EventDict]) -> None:
    right, dead = Route.BASE, f"http://127.0.0.1:{dead_port()}/api/v10"
    Route.BASE = dead
    asyncio.get_running_loop().call_later(1.0, setattr, Route, "BASE", right)
    async with stage.bot() as bot:
        assert bot.client.is_ready()
    assert_each_try_is_a_line(logged, f"Nothing answers at {dead}: start the server, or correct SELFROOM_DISCORD_API.")


def assert_each_try_is_a_line(logged: list[EventDict], sentence: str) -> None:
    tries = [line for line in loud(logged) if line["event"] == sentence]
    assert len(tries) >= 2
    assert loud(logged) == tries
    assert not any("exc_info" in line for line in tries)


async def test_an_outage_is_a_line_for_each_try(stage: Stage, logged: list[EventDict]) -> None:
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        mira = await stage.guest("mira")
        right = bot.client.ws.gateway
        bot.client.ws.gateway = yarl.URL(f"ws://127.0.0.1:{dead_port()}/gateway")
        async with stage.session.post(f"{stage.playground.url}/playground/faults", json={"kind": "close"}) as answer:
            assert answer.status < 300

        async def tried() -> bool:
            return any("Nothing answers at" in line["event"] for line in loud(logged))

        await until(tried)
        bot.client.ws.gateway = right
        await mira.say(channel_id, "you were away")
        await until(lambda: heard(stage, ada, "you were away"))
    assert not any("exc_info" in line for line in loud(logged))


@pytest.fixture
async def no_discord() -> AsyncIterator[str]:
    """A web server that knows nothing of Discord."""

    async def page(request: web.Request) -> web.Response:
        return web.Response(text="<html>Welcome!</html>", content_type="text/html")

    app = web.Application()
    app.router.add_get("/web/{tail:.*}", page)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port := dead_port()).start()
    yield f"http://127.0.0.1:{port}"
    await runner.cleanup()


@pytest.mark.parametrize("path", ["/web", "/nowhere"])
async def test_a_server_that_is_not_discord_is_not_waited_for(stage: Stage, no_discord: str, path: str) -> None:
    Route.BASE = no_discord + path
    with pytest.raises((NotDiscord, discord.NotFound)) as raised:
        async with stage.bot():
            pass
    wrong = f"What answers at {no_discord}{path} is not Discord: correct SELFROOM_DISCORD_API."
    assert api_trouble(raised.value) == wrong


async def test_a_gateway_address_that_is_none_is_not_waited_for(stage: Stage, no_discord: str) -> None:
    address = no_discord.replace("http", "ws") + "/web/gateway"
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(address)
    with pytest.raises(aiohttp.WSServerHandshakeError) as raised:
        async with stage.bot():
            pass
    wrong = f"What answers at {address} is not Discord: correct SELFROOM_DISCORD_GATEWAY."
    assert gateway_trouble(raised.value) == wrong


def test_discords_own_address_is_never_said_to_be_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discord.http.Route, "BASE", "https://discord.com/api/v10")
    assert api_trouble(TimeoutError()) == "https://discord.com/api/v10 does not answer in time: check the network."


def test_what_a_token_looks_like_is_told_and_nothing_of_the_one_that_is_set() -> None:
    assert token_trouble("4b825dc642cb6eb9a060e54bf8d69288") == (
        "Discord does not take DISCORD_TOKEN (a token has three parts with dots between; this one has 1):"
        " copy it again from the developer portal, under Bot."
    )
    assert "(" not in token_trouble("MTIz.Gabc.xyz")
