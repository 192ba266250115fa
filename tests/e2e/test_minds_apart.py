"""A gateway and minds in processes of their own, on one PostgreSQL: whoever of them goes, each is answered, once."""

import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.test_lives import Life, started
from tests.e2e.visitor import Json, Visitor, until, visiting
from tests.nats import nats_server
from tests.storage.databases import postgresql_database

pytestmark = pytest.mark.e2e

LEASE_SECONDS = 2.0
WORD = "kestrel"
NOTHING_MORE: Mapping[str, str] = {}
SLOWLY = {"match": WORD, "delay_seconds": 300, "answer": {"agents": []}}


@dataclass
class Town:
    """A gateway with its playground, somebody who visits it, and the minds that were begun beside it."""

    folder: Path
    settings: dict[str, str]
    stack: AsyncExitStack
    gateway: Life
    you: Visitor
    minds: list[Life] = field(default_factory=list)

    async def mind(self) -> Life:
        """Begin one more mind."""
        folder = self.folder / f"mind{len(self.minds) + 1}"
        settings = self.settings | {"SELFROOM_OPENAI_BASE_URL": f"{self.gateway.url}/v1"}
        life = await self.stack.enter_async_context(started(folder, "mind", **settings))
        await life.says("This mind is ready")
        self.minds.append(life)
        return life

    async def asked(self, times: int) -> None:
        """Wait until the model was asked so often about the word."""

        async def look() -> bool:
            return sum(WORD in str(one) for one in await self.you.model_calls()) >= times

        await until(look, f"{times} calls")

    async def posts_after(self, said: Json) -> list[Json]:
        """Give what agents have posted since something was said."""
        posts = await self.you.messages(said["channel_id"])
        return [one for one in posts if int(one["id"]) > int(said["id"]) and "webhook_id" in one]


@asynccontextmanager
async def town(folder: Path, minds: int = 0, more: Mapping[str, str] = NOTHING_MORE) -> AsyncIterator[Town]:
    async with postgresql_database() as made, AsyncExitStack() as stack:
        if made is None:
            pytest.skip("no PostgreSQL server answers on this machine")
        settings = {
            "SELFROOM_DATABASE_URL": made.url,
            "SELFROOM_SECRET": "a secret that all of them share",
            "SELFROOM_SPONSORED_SERVERS": "*",
            "SELFROOM_LEASE_SECONDS": str(LEASE_SECONDS),
        } | dict(more)
        gateway = await stack.enter_async_context(started(folder / "gateway", "gateway", **settings))
        await gateway.ready()
        you = await stack.enter_async_context(visiting(gateway.url))
        here = Town(folder, settings, stack, gateway, you)
        for _ in range(minds):
            await here.mind()
        yield here


async def test_minds_answer_and_the_gateway_alone_does_not(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        said = await here.you.say(await here.you.channel("wren"), f"Hello Wren, what is a {WORD}?")
        first, second = await here.mind(), await here.mind()
        assert (await here.you.answer_after(said))["content"]
        assert len(await here.posts_after(said)) == 1
        first.process.send_signal(signal.SIGTERM)
        assert await first.ends() == 0
        said = await here.you.say(said["channel_id"], "Wren, and what do you do by the sea?")
        assert (await here.you.answer_after(said))["content"]
        second.process.send_signal(signal.SIGTERM)
        assert await second.ends() == 0


async def test_who_was_asked_by_a_mind_that_is_killed_is_asked_by_another(tmp_path: Path) -> None:
    async with town(tmp_path, minds=1) as here:
        await here.you.prepare_model(SLOWLY)
        said = await here.you.say(await here.you.channel("wren"), f"Wren, what is a {WORD}?")
        await here.asked(1)
        here.minds[0].process.kill()
        await here.mind()
        await here.you.answer_after(said)
        await here.asked(2)
        assert len(await here.posts_after(said)) == 1


async def test_what_a_mind_says_that_slept_beyond_its_lease_is_dropped(tmp_path: Path) -> None:
    async with town(tmp_path, minds=1) as here:
        said = await here.you.say(await here.you.channel("wren"), "Hello Wren!")
        await here.you.answer_after(said)  # now it is known how far the model is held to a form
        late = {"thoughts": "", "responses": [{"room_id": 1, "message": "Here I am, late."}], "actions": []}
        await here.you.prepare_model(SLOWLY | {"delay_seconds": LEASE_SECONDS, "answer": late})
        said = await here.you.say(said["channel_id"], f"Wren, what is a {WORD}?")
        await here.asked(1)
        here.minds[0].process.send_signal(signal.SIGSTOP)
        await here.mind()
        await here.you.answer_after(said)
        here.minds[0].process.send_signal(signal.SIGCONT)
        await here.minds[0].says("a claim had ended before its answer came")
        here.minds[0].process.send_signal(signal.SIGTERM)
        assert await here.minds[0].ends() == 0
        (post,) = await here.posts_after(said)
        assert "late" not in post["content"]


async def test_a_bell_wakes_minds_that_look_once_a_minute_and_its_fall_is_found_out_by_looking(tmp_path: Path) -> None:
    async with nats_server(tmp_path / "nats") as server:
        rung = {"SELFROOM_NATS_URL": server.url, "SELFROOM_SWEEP_SECONDS": "60"}
        async with town(tmp_path, more=rung) as here:
            mind = await here.mind()
            await mind.says("the bell rings")
            said = await here.you.say(await here.you.channel("wren"), "Hello Wren, and how are you?")
            assert (await here.you.answer_after(said, seconds=30))["content"]
            await server.kill(wiped=True)
            await mind.says("the bell is away")
            mind.process.send_signal(signal.SIGTERM)
            assert await mind.ends() == 0
            here.settings["SELFROOM_SWEEP_SECONDS"] = "1"
            await here.mind()
            said = await here.you.say(said["channel_id"], "Wren, and what do you do by the sea?")
            assert (await here.you.answer_after(said))["content"]


async def test_who_waits_for_a_minds_answer_sees_somebody_typing(tmp_path: Path) -> None:
    async with town(tmp_path, minds=1) as here:
        await here.you.prepare_model(SLOWLY)
        channel = await here.you.channel("wren")
        await here.you.say(channel, f"Wren, what is a {WORD}?")
        await here.asked(1)
        await here.you.hear("TYPING_START", lambda data: data["channel_id"] == channel)
