"""The gateway: greeting, intents, resuming, close codes, compression, shards."""

import asyncio
import json
import time
import zlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp
import discord
import pytest
from discord.ext import commands

from bot.playground.events import GUILD_MESSAGES, GUILDS, MESSAGE_CONTENT
from bot.playground.hub import MOST_SESSIONS, Hub
from bot.playground.server import Playground, PlaygroundOptions
from bot.playground.session import Session
from bot.playground.writing import posting
from tests.playground.conftest import INTENTS, connected
from tests.playground.person import PATIENCE_SECONDS, Person

Socket = aiohttp.ClientWebSocketResponse


@asynccontextmanager
async def socket_to(playground: Playground, query: str = "?v=10&encoding=json") -> AsyncIterator[Socket]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(playground.gateway_url + query) as socket,
    ):
        yield socket


async def identify(socket: Socket, token: str, **more: object) -> dict[str, Any]:
    """Greet and give READY."""
    hello = await socket.receive_json(timeout=PATIENCE_SECONDS)
    assert hello["op"] == 10
    data = {"token": token, "properties": {}, "intents": GUILDS | GUILD_MESSAGES, **more}
    await socket.send_json({"op": 2, "d": data})
    ready: dict[str, Any] = await socket.receive_json(timeout=PATIENCE_SECONDS)
    assert ready["t"] == "READY"
    return ready["d"]  # type: ignore[no-any-return]


async def next_event(socket: Socket, name: str) -> dict[str, Any]:
    while True:
        frame = await socket.receive_json(timeout=PATIENCE_SECONDS)
        if frame["t"] == name:
            return frame  # type: ignore[no-any-return]


async def close_code(socket: Socket) -> int | None:
    while True:
        message = await socket.receive(timeout=PATIENCE_SECONDS)
        if message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.CLOSING):
            return socket.close_code


async def test_without_the_intent_a_bot_reads_no_content(playground: Playground, ada: Person) -> None:
    room = ada.about["channel_id"]
    application = ada.about["application_id"]
    async with socket_to(playground) as deaf, socket_to(playground) as hearing:
        await identify(deaf, playground.bot_token)
        await identify(hearing, playground.bot_token, intents=GUILDS | GUILD_MESSAGES | MESSAGE_CONTENT)
        await ada.say(room, "can you read this?")
        assert (await next_event(deaf, "MESSAGE_CREATE"))["d"]["content"] == ""
        assert (await next_event(hearing, "MESSAGE_CREATE"))["d"]["content"] == "can you read this?"
        await ada.say(room, f"<@{application}> and this?")
        assert (await next_event(deaf, "MESSAGE_CREATE"))["d"]["content"] == f"<@{application}> and this?"


async def test_a_bot_whose_application_may_read_no_content_reads_none_in_histories_either(
    playground: Playground, bot: commands.Bot, ada: Person
) -> None:
    room, id_ = ada.about["channel_id"], ada.about["application_id"]
    for text in ("can you read this?", f"<@{id_}> and this?"):
        await ada.say(room, text)
    channel = bot.get_partial_messageable(int(room))
    row = playground.world.applications.rows[id_]
    assert "can you read this?" in [one.content async for one in channel.history()]
    row["flags"] &= ~(1 << 19)
    assert [one.content async for one in channel.history(limit=2)] == [f"<@{id_}> and this?", ""]


async def test_without_the_intent_an_event_does_not_come(playground: Playground, ada: Person) -> None:
    room = ada.about["channel_id"]
    async with socket_to(playground) as socket:
        await identify(socket, playground.bot_token)
        said = await ada.say(room, "one")
        await ada.react(said, "👍")
        await ada.say(room, "two")
        names: list[str] = []
        while not names or names.count("MESSAGE_CREATE") < 2:
            names.append((await socket.receive_json(timeout=PATIENCE_SECONDS))["t"])
    assert "MESSAGE_REACTION_ADD" not in names


async def test_what_was_missed_is_replayed(playground: Playground, ada: Person) -> None:
    room = ada.about["channel_id"]
    async with socket_to(playground) as socket:
        ready = await identify(socket, playground.bot_token, intents=GUILDS | GUILD_MESSAGES | MESSAGE_CONTENT)
        await ada.say(room, "heard")
        seq = (await next_event(socket, "MESSAGE_CREATE"))["s"]
        await socket.close(code=4000)
    for text in ("missed", "missed too"):
        await ada.say(room, text)
    async with socket_to(playground) as socket:
        await socket.receive_json(timeout=PATIENCE_SECONDS)
        data = {"token": playground.bot_token, "session_id": ready["session_id"], "seq": seq}
        await socket.send_json({"op": 6, "d": data})
        frames = [await socket.receive_json(timeout=PATIENCE_SECONDS) for _ in range(3)]
    assert [frame["t"] for frame in frames] == ["MESSAGE_CREATE", "MESSAGE_CREATE", "RESUMED"]
    assert [frame["d"].get("content") for frame in frames[:2]] == ["missed", "missed too"]
    assert [frame["s"] for frame in frames] == [seq + 1, seq + 2, seq + 3]


async def test_one_account_keeps_so_many_sessions_and_those_left_behind_give_way(
    playground: Playground, ada: Person
) -> None:
    """Each keeps what it missed, and nobody but bots is held to how often they identify."""
    hub, token = playground.world.hub, str(playground.world.users.rows[ada.id]["token"])
    async with AsyncExitStack() as left:
        there = sum(one.token == token for one in hub.sessions())
        for _ in range(MOST_SESSIONS - there):
            await identify(await left.enter_async_context(socket_to(playground)), token)
        one_more = await left.enter_async_context(socket_to(playground))
        await one_more.receive_json(timeout=PATIENCE_SECONDS)
        await one_more.send_json({"op": 2, "d": {"token": token, "intents": 0}})
        closed = await one_more.receive(timeout=PATIENCE_SECONDS)
        assert closed.data == 4008
    hub = Hub()
    for number in range(MOST_SESSIONS + 3):
        assert hub.has_room_for("1")
        hub.open(Session(id=str(number), user_id="1", token=token, is_bot=False))
    assert [one.id for one in hub.sessions()] == [str(number) for number in range(3, MOST_SESSIONS + 3)]


async def test_a_session_left_politely_is_over(playground: Playground) -> None:
    async with socket_to(playground) as socket:
        ready = await identify(socket, playground.bot_token)
        await socket.close(code=1000)
    async with socket_to(playground) as socket:
        await socket.receive_json(timeout=PATIENCE_SECONDS)
        data = {"token": playground.bot_token, "session_id": ready["session_id"], "seq": 1}
        await socket.send_json({"op": 6, "d": data})
        assert (await socket.receive_json(timeout=PATIENCE_SECONDS)) == {"t": None, "s": None, "op": 9, "d": False}


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"op": 2, "d": {"token": "wrong", "intents": 0}}, 4004),
        ({"op": 2, "d": {"token": "TOKEN", "intents": 1 << 40}}, 4013),
        ({"op": 2, "d": {"token": "TOKEN", "intents": 0, "shard": [2, 2]}}, 4010),
        ({"op": 6, "d": {"token": "TOKEN", "session_id": "SESSION", "seq": 99}}, 4007),
        ({"op": 3, "d": {}}, 4003),
        ({"op": 99}, 4003),
        ("no json", 4002),
    ],
)
async def test_faults_close_with_discords_codes(playground: Playground, frame: object, code: int) -> None:
    async with socket_to(playground) as socket:
        ready = await identify(socket, playground.bot_token)
        text = json.dumps(frame).replace("TOKEN", playground.bot_token).replace("SESSION", ready["session_id"])
        await socket.close(code=4000)
    async with socket_to(playground) as socket:
        await socket.receive_json(timeout=PATIENCE_SECONDS)
        await socket.send_str(text)
        assert await close_code(socket) == code


async def test_identifying_twice_and_unknown_opcodes_close(playground: Playground) -> None:
    for frame, code in (({"op": 2, "d": {"token": playground.bot_token}}, 4005), ({"op": 99}, 4001)):
        async with socket_to(playground) as socket:
            await identify(socket, playground.bot_token)
            await socket.send_json(frame)
            assert await close_code(socket) == code


@pytest.mark.parametrize("limit", ["1e999", "NaN", '"many"', "[1]", "-1"])
async def test_a_limit_that_is_no_number_closes(playground: Playground, limit: str) -> None:
    async with socket_to(playground) as socket:
        ready = await identify(socket, playground.bot_token)
        guild = ready["guilds"][0]["id"]
        await socket.send_str(f'{{"op": 8, "d": {{"guild_id": "{guild}", "query": "", "limit": {limit}}}}}')
        assert await close_code(socket) == 4002


async def test_too_many_frames_close(playground: Playground) -> None:
    async with socket_to(playground) as socket:
        await identify(socket, playground.bot_token)
        for _ in range(121):
            await socket.send_json({"op": 1, "d": None})
        assert await close_code(socket) == 4008


@pytest.mark.parametrize(("query", "code"), [("?v=3", 4012), ("?v=10&compress=zstd-stream", 4002)])
async def test_what_is_not_spoken_here_closes(playground: Playground, query: str, code: int) -> None:
    async with socket_to(playground, query) as socket:
        assert await close_code(socket) == code


async def test_intents_the_application_lacks_close(playground: Playground, owner: Person) -> None:
    made = await owner.setup("POST", "/bots", json={"name": "Plain", "flags": 0})
    async with socket_to(playground) as socket:
        await socket.receive_json(timeout=PATIENCE_SECONDS)
        await socket.send_json({"op": 2, "d": {"token": made["token"], "intents": MESSAGE_CONTENT}})
        assert await close_code(socket) == 4014


async def test_discord_py_words_a_wrong_token_and_missing_intents(pointed: Playground, owner: Person) -> None:
    with pytest.raises(discord.LoginFailure):
        async with connected(discord.Client(intents=INTENTS), "wrong"):
            pass
    made = await owner.setup("POST", "/bots", json={"name": "Plain", "flags": 0})
    with pytest.raises(discord.PrivilegedIntentsRequired):
        async with connected(discord.Client(intents=INTENTS), made["token"]):
            pass


async def test_heartbeats_are_answered_and_presence_ignored(playground: Playground) -> None:
    async with socket_to(playground) as socket:
        await identify(socket, playground.bot_token)
        await next_event(socket, "GUILD_CREATE")
        await socket.send_json({"op": 3, "d": {"status": "idle", "activities": [], "afk": False, "since": 0}})
        await socket.send_json({"op": 1, "d": 2})
        assert (await socket.receive_json(timeout=PATIENCE_SECONDS))["op"] == 11


async def test_a_heartbeat_is_not_answered_before_its_sender_has_noted_it(playground: Playground) -> None:
    async with socket_to(playground) as socket:
        await identify(socket, playground.bot_token)
        await next_event(socket, "GUILD_CREATE")
        sent = time.perf_counter()
        await socket.send_json({"op": 1, "d": 2})
        assert (await socket.receive_json(timeout=PATIENCE_SECONDS))["op"] == 11
        assert time.perf_counter() - sent > 0.05
        await socket.send_json({"op": 1, "d": 2})
        await socket.close()


async def test_a_zlib_stream_is_one_stream(playground: Playground, ada: Person) -> None:
    stream = zlib.decompressobj()
    async with socket_to(playground, "?v=10&encoding=json&compress=zlib-stream") as socket:

        async def receive() -> dict[str, Any]:
            data = await socket.receive_bytes(timeout=PATIENCE_SECONDS)
            assert data.endswith(b"\x00\x00\xff\xff")
            return json.loads(stream.decompress(data))  # type: ignore[no-any-return]

        assert (await receive())["op"] == 10
        await socket.send_json({"op": 2, "d": {"token": playground.bot_token, "intents": GUILDS | GUILD_MESSAGES}})
        assert [(await receive())["t"] for _ in range(2)] == ["READY", "GUILD_CREATE"]
        await ada.say(ada.about["channel_id"], "squeezed")
        assert (await receive())["t"] == "MESSAGE_CREATE"


async def test_large_and_many_frames_arrive_whole_and_in_order(playground: Playground, ada: Person) -> None:
    guild = ada.about["guild_id"]
    second = await ada.setup("POST", "/guilds", json={"name": "Second", "owner_id": ada.id})
    for number in range(200):
        place = {"id": playground.world.ids.next(), "type": 0, "guild_id": guild, "name": f"room-{number}"}
        row = place | {"position": number, "parent_id": None, "topic": "x" * 300, "permission_overwrites": []}
        playground.world.channels.put(row["id"], row)
    async with socket_to(playground) as socket:
        await socket.receive_json(timeout=PATIENCE_SECONDS)
        await socket.send_json({"op": 2, "d": {"token": ada._token}})
        texts = [await socket.receive_str(timeout=PATIENCE_SECONDS) for _ in range(3)]
        assert len(texts[1]) > 1 << 16
        assert [json.loads(text)["d"].get("id") for text in texts[1:]] == [guild, second["id"]]
        for number in range(150):
            posting.say(playground.world, playground.world.channels.rows[ada.about["channel_id"]], ada.id, str(number))
        frames = [await socket.receive_json(timeout=PATIENCE_SECONDS) for _ in range(150)]
    assert [frame["d"]["content"] for frame in frames] == [str(number) for number in range(150)]


async def test_each_shard_has_its_servers(playground: Playground, ada: Person) -> None:
    for number in range(6):
        guild = await ada.setup("POST", "/guilds", json={"name": f"Server {number}", "owner_id": ada.id})
        await ada.setup("PUT", f"/guilds/{guild['id']}/members/{ada.about['application_id']}", json={})
    seen: list[set[str]] = []
    for number in (0, 1):
        async with socket_to(playground) as socket:
            ready = await identify(socket, playground.bot_token, shard=[number, 2])
            seen.append({guild["id"] for guild in ready["guilds"]})
            assert all((int(guild) >> 22) % 2 == number for guild in seen[-1])
    assert len(seen[0] | seen[1]) == 7
    assert not seen[0] & seen[1]


async def test_discord_py_resumes_and_hears_what_it_missed(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    resumed = asyncio.ensure_future(bot.wait_for("resumed", timeout=PATIENCE_SECONDS))
    heard = asyncio.ensure_future(bot.wait_for("message", timeout=PATIENCE_SECONDS))
    await ada.setup("POST", "/faults", json={"kind": "close", "code": 4000, "user_id": str(bot.application_id)})
    await ada.say(channel.id, "while you were out")
    await resumed
    assert (await heard).content == "while you were out"


@pytest.mark.parametrize("kind", ["reconnect", "invalid_session"])
async def test_discord_py_comes_back(bot: commands.Bot, channel: discord.TextChannel, ada: Person, kind: str) -> None:
    back = "resumed" if kind == "reconnect" else "ready"
    returned = asyncio.ensure_future(bot.wait_for(back, timeout=PATIENCE_SECONDS))
    await ada.setup("POST", "/faults", json={"kind": kind, "user_id": str(bot.application_id)})
    await returned
    heard = asyncio.ensure_future(bot.wait_for("message", timeout=PATIENCE_SECONDS))
    await ada.say(channel.id, "welcome back")
    assert (await heard).content == "welcome back"


async def test_an_auto_sharded_bot_connects(pointed: Playground) -> None:
    client = discord.AutoShardedClient(intents=INTENTS, guild_ready_timeout=0.02)
    async with connected(client, pointed.bot_token):
        assert (client.shard_count, len(client.guilds)) == (1, 1)


class TestInDiscordsPace:
    """How often a session may be started."""

    @pytest.fixture
    def options(self) -> PlaygroundOptions:
        """Identify once in 5 s, as with Discord, but sixty times faster."""
        return PlaygroundOptions(port=0, pace="fast")

    async def test_identifying_too_soon_invalidates(self, playground: Playground) -> None:
        async with socket_to(playground) as first, socket_to(playground) as second:
            await identify(first, playground.bot_token)
            await second.receive_json(timeout=PATIENCE_SECONDS)
            await second.send_json({"op": 2, "d": {"token": playground.bot_token, "intents": 0}})
            assert (await second.receive_json(timeout=PATIENCE_SECONDS))["op"] == 9


async def test_a_frame_larger_than_any_client_sends_is_not_taken_in(playground: Playground) -> None:
    async with socket_to(playground) as socket:
        await socket.send_str(json.dumps({"op": 1, "d": None, "x": "y" * 70_000}))
        assert await close_code(socket) == 1009


@pytest.mark.parametrize(
    "frame", ["[" * 60_000, '{"op": 1e999}', '{"op": ' + "9" * 5000 + "}"], ids=lambda text: text[:9]
)
async def test_a_frame_that_nothing_can_be_made_of_closes_the_connection(playground: Playground, frame: str) -> None:
    async with socket_to(playground) as socket:
        await socket.send_str(frame)
        assert await close_code(socket) == 4002
