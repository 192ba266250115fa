"""Faults on request, as a client meets them."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest
from discord.ext import commands

from bot.playground.faults import Faults
from bot.playground.server import Playground
from tests.playground.person import PATIENCE_SECONDS, Person, Refusal

POSTS = "POST /channels/*/messages"


async def ask(person: Person, **fault: object) -> dict[str, Any]:
    """Ask for a fault and give what the playground says to that."""
    return await person.setup("POST", "/faults", json=fault)  # type: ignore[no-any-return]


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let discord.py retry at once: how long it waits is its own affair."""

    async def nap(seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.01))

    impatient = SimpleNamespace(**(vars(asyncio) | {"sleep": nap}))
    for module in (discord.http, discord.webhook.async_, discord.client):
        monkeypatch.setattr(module, "asyncio", impatient)


@pytest.mark.parametrize("status", [500, 502])
async def test_a_failed_request_is_tried_again(channel: discord.TextChannel, owner: Person, status: int) -> None:
    await ask(owner, kind="status", status=status, route=POSTS, count=2)
    await channel.send("at last")
    assert (await owner.setup("GET", "/faults"))[0]["hits"] == 2
    assert [m.content async for m in channel.history(limit=1)] == ["at last"]


async def test_a_failure_after_the_fact_makes_no_second_message(channel: discord.TextChannel, owner: Person) -> None:
    await ask(owner, kind="status", status=502, route=POSTS, after=True)
    await channel.send("once")
    assert [m.content async for m in channel.history(limit=2)].count("once") == 1
    hook = await channel.create_webhook(name="no nonce")
    await ask(owner, kind="status", status=502, route="POST /webhooks/*", after=True)
    await hook.send("twice", wait=True)
    assert [m.content async for m in channel.history(limit=2)] == ["twice", "twice"]


async def test_what_is_not_tried_again_fails(channel: discord.TextChannel, owner: Person) -> None:
    await ask(owner, kind="status", status=503, route=POSTS)
    with pytest.raises(discord.DiscordServerError):
        await channel.send("no")
    await ask(owner, kind="status", status=403, route=POSTS)
    with pytest.raises(discord.Forbidden):
        await channel.send("no")


@pytest.mark.parametrize("everywhere", [True, False])
async def test_a_limit_is_waited_out(channel: discord.TextChannel, owner: Person, everywhere: bool) -> None:
    fault = {"kind": "rate_limit", "retry_after": 0.01, "scope": "global" if everywhere else "user", "route": POSTS}
    await ask(owner, **fault)
    message = await channel.send("after the wait")
    assert message.content == "after the wait"


async def test_a_connection_dropped_before_leaves_nothing(channel: discord.TextChannel, owner: Person) -> None:
    await ask(owner, kind="drop_before", route=POSTS)
    with pytest.raises(aiohttp.ClientConnectionError):
        await channel.send("lost")
    assert "lost" not in [m.content async for m in channel.history()]


async def test_a_connection_dropped_after_leaves_the_message(channel: discord.TextChannel, owner: Person) -> None:
    await ask(owner, kind="drop_after", route=POSTS)
    with pytest.raises(aiohttp.ClientConnectionError):
        await channel.send("there")
    assert [m.content async for m in channel.history(limit=1)] == ["there"]


async def test_a_request_can_be_slow(channel: discord.TextChannel, owner: Person) -> None:
    await ask(owner, kind="latency", seconds=0.1, route="GET /channels/*/messages")
    began = time.monotonic()
    assert [m async for m in channel.history(limit=1)]
    assert time.monotonic() - began >= 0.1


async def test_an_answer_can_be_held_back_though_the_request_is_done(
    channel: discord.TextChannel, owner: Person, ada: Person
) -> None:
    await ask(owner, kind="latency", seconds=0.2, route=POSTS, after=True)
    sending = asyncio.create_task(channel.send("there"))
    await ada.hears("MESSAGE_CREATE", content="there")
    assert not sending.done()
    await sending


async def test_events_come_twice_or_late(bot: commands.Bot, channel: discord.TextChannel, ada: Person) -> None:
    await ask(ada, kind="duplicate_events", event="MESSAGE_CREATE", user_id=ada.id)
    await channel.send("echo")
    await channel.send("marker")
    await ada.hears("MESSAGE_CREATE", content="marker")
    assert [e["content"] for e in ada.heard("MESSAGE_CREATE")] == ["echo", "echo", "marker"]
    await ask(ada, kind="delay_events", event="MESSAGE_CREATE", seconds=0.05, user_id=ada.id)
    await channel.send("slow")
    await channel.send("quick")
    await ada.hears("MESSAGE_CREATE", content="slow")
    assert [e["content"] for e in ada.heard("MESSAGE_CREATE")][-2:] == ["quick", "slow"]


async def test_events_come_without_a_field(channel: discord.TextChannel, ada: Person, owner: Person) -> None:
    await ask(ada, kind="maim_events", event="MESSAGE_CREATE", lacks="embeds", user_id=ada.id)
    await channel.send("maimed")
    await channel.send("whole")
    await ada.hears("MESSAGE_CREATE", content="whole")
    assert ["embeds" in e for e in ada.heard("MESSAGE_CREATE")] == [False, True]
    await owner.hears("MESSAGE_CREATE", content="maimed")
    assert all("embeds" in e for e in owner.heard("MESSAGE_CREATE"))


async def test_trouble_ends_when_asked(channel: discord.TextChannel, owner: Person) -> None:
    await ask(owner, kind="status", route="*", count=None)
    with pytest.raises(Refusal):
        await owner.say(channel.id, "no")
    await owner.setup("DELETE", "/faults")
    await owner.say(channel.id, "yes")


async def test_the_gateway_can_be_out_of_order(bot: commands.Bot, owner: Person) -> None:
    back = asyncio.ensure_future(bot.wait_for("resumed", timeout=PATIENCE_SECONDS))
    await ask(owner, kind="status", status=503, route="CONNECT /gateway", count=3)
    await ask(owner, kind="close", code=4000, user_id=str(bot.application_id))
    await back
    assert (await owner.setup("GET", "/faults"))[0]["hits"] == 3


async def test_a_close_code_that_ends_it_all_ends_it(bot: commands.Bot, owner: Person) -> None:
    gone = asyncio.ensure_future(bot.wait_for("disconnect", timeout=PATIENCE_SECONDS))
    assert (await ask(owner, kind="close", code=4004, user_id=str(bot.application_id)))["hits"] == 1
    await gone


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "earthquake"}, {"kind": "status", "status": 200}, {"kind": "latency", "seconds": "long"}],
)
async def test_a_fault_nobody_knows_is_refused(owner: Person, wrong: dict[str, Any]) -> None:
    assert (await ask(owner, **wrong))["code"] == 50035


def test_chance_is_the_same_for_the_same_seed() -> None:
    def struck(seed: int) -> list[bool]:
        faults = Faults()
        faults.add({"kind": "status", "probability": 0.3, "seed": seed})
        return [bool(faults.for_request("GET /users/@me", None)) for _ in range(200)]

    assert struck(1) == struck(1) != struck(2)
    assert 30 < sum(struck(1)) < 90


HELD = {
    "POST /channels/*/messages": ("content", "MESSAGE_CREATE"),
    "POST /guilds/*/channels": ("name", "CHANNEL_CREATE"),
    "POST /guilds/*/roles": ("name", "GUILD_ROLE_CREATE"),
    "POST /channels/*/webhooks": ("name", "WEBHOOKS_UPDATE"),
}


@pytest.mark.parametrize("route", HELD)
async def test_a_thing_is_done_while_its_answer_is_held_back(owner: Person, route: str) -> None:
    key, event = HELD[route]
    await owner.setup("POST", "/faults", json={"kind": "latency", "seconds": 30, "after": True, "route": route})
    path = route.split(" ")[1].replace("/channels/*", f"/channels/{owner.about['channel_id']}")
    path = path.replace("/guilds/*", f"/guilds/{owner.about['guild_id']}")
    asking = asyncio.create_task(owner.call("POST", path, json={key: "held"}))
    await owner.hears(event)
    assert not asking.done()
    asking.cancel()


@pytest.mark.parametrize("route", HELD)
async def test_a_thing_is_done_though_its_answer_is_lost(owner: Person, route: str) -> None:
    key, event = HELD[route]
    await owner.setup("POST", "/faults", json={"kind": "drop_after", "route": route})
    path = route.split(" ")[1].replace("/channels/*", f"/channels/{owner.about['channel_id']}")
    path = path.replace("/guilds/*", f"/guilds/{owner.about['guild_id']}")
    with pytest.raises(aiohttp.ClientError):
        await owner.call("POST", path, json={key: "lost"})
    await owner.hears(event)


async def test_answers_are_counted_by_route_and_status_so_that_a_bots_errors_have_a_name(
    owner: Person,
) -> None:
    await owner.call("GET", "/users/@me")
    for _ in range(2):
        with pytest.raises(Refusal):
            await owner.call("GET", "/channels/1")
    stats = await owner.setup("GET", "/stats")
    assert stats["routes"]["GET /channels/{channel_id}"] == {"404": 2}
    assert stats["routes"]["GET /users/@me"]["200"] >= 1
    assert stats["statuses"]["404"] == 2


async def test_routes_nobody_knows_are_counted(owner: Person, playground: Playground) -> None:
    with pytest.raises(Refusal) as refused:
        await owner.call("GET", "/guilds/1/moonbeams")
    assert (refused.value.status, refused.value.body) == (404, {"message": "404: Not Found", "code": 0})
    stats = await owner.setup("GET", "/stats")
    assert stats["unknown_routes"] == {"GET /guilds/1/moonbeams": 1}
