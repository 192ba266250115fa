"""People behind proxies: what a bot like PluralKit posts for somebody is theirs, if its own service says so."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living, living, quick_settings
from tests.e2e.visitor import Json, until, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.long]


@dataclass
class ProxyBot:
    """A bot that posts anew what people write, deletes what they wrote, and tells who it was whoever asks."""

    home: Living
    token: str
    guild_id: str
    webhook: Json = field(default_factory=dict)
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)  # nobody is told before it is known who it was
    told: dict[str, Json] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def call(self, method: str, path: str, body: Json | None = None, *, bot: bool = True) -> Any:  # noqa: ANN401
        head = {"Authorization": f"Bot {self.token}"} if bot else {}
        url = f"{self.home.url}/api/v10{path}"
        async with self.home.session.request(method, url, json=body, headers=head) as response:
            assert response.status < 300, await response.text()
            return await response.json() if response.status != 204 else None

    async def post(self, said: Json, name: str, *, tell: bool = True) -> Json:
        """Post anew what somebody wrote under one of their names, and delete what they wrote."""
        hook = f"/webhooks/{self.webhook['id']}/{self.webhook['token']}?wait=true"
        async with self.busy:
            posted: Json = await self.call("POST", hook, {"content": said["content"], "username": name}, bot=False)
            if tell:
                self.told[posted["id"]] = {
                    "id": posted["id"],
                    "original": said["id"],
                    "sender": said["author"]["id"],
                    "channel": posted["channel_id"],
                    "guild": self.guild_id,
                }
        await self.call("DELETE", f"/channels/{said['channel_id']}/messages/{said['id']}")
        return posted


@asynccontextmanager
async def proxy_bot(home: Living, room: str) -> AsyncIterator[ProxyBot]:
    made, guild_id = await _made(home)
    mine = ProxyBot(home, made["token"], guild_id)
    mine.webhook = await mine.call("POST", f"/channels/{room}/webhooks", {"name": "Proxies"})

    async def tell(request: web.Request) -> web.Response:
        mine.asked.append(request.match_info["id"])
        async with mine.busy:
            found = mine.told.get(request.match_info["id"])
        return web.json_response(found or {}, status=200 if found else 404)

    app = web.Application()
    app.router.add_get("/messages/{id}", tell)
    async with TestServer(app) as service:
        home.settings.proxy_services[int(made["application_id"])] = f"{service.make_url('/messages/')}{{}}"
        yield mine


async def _made(home: Living) -> tuple[Json, str]:
    async with home.session.get(f"{home.url}/playground") as response:
        about = await response.json()
    body = {"name": "Plural", "guild_id": about["guild_id"], "permissions": str(1 << 3)}
    head = {"Authorization": about["person"]["token"]}
    async with home.session.post(f"{home.url}/playground/bots", json=body, headers=head) as response:
        return await response.json(), about["guild_id"]


async def test_who_writes_through_a_proxy_has_a_whole_conversation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = quick_settings(tmp_path, monkeypatch, SELFROOM_COMMUNITY__PROXIES="true")
    async with living(settings) as home, visiting(home.url, "mira") as mira:
        room = await mira.channel("wren")
        async with proxy_bot(home, room) as plural:
            said = await mira.say(room, "Hello Wren, remember that my boat is called Kestrel.")
            posted = await plural.post(said, "Ash of Mira")
            answer = await mira.answer_after(posted)
            while answer["author"]["username"] != "Wren":
                answer = await mira.answer_after(answer)
            inside = Commander(mira, room)
            assert "@mira said it, a person" in (await inside.known(posted)).replace("*", "")
            (call,) = [one for one in await home.calls() if "Kestrel" in str(one)]
            assert "@mira: (as Ash of Mira) Hello Wren" in str(call)
            assert plural.asked == [posted["id"]]

            # One whom the service does not know is a foreign bot, whatever it calls itself.
            before = len(await home.calls())
            said = await mira.say(room, "Wren, what is my boat called?")
            answer = await mira.answer_after(said)
            forged = await plural.post(said, "mira", tell=False)

            async def asked() -> bool:
                return forged["id"] in plural.asked

            await until(asked, "question about the forged one")
            again = await mira.say(room, "Wren, and how old is it?")
            await mira.answer_after(again)
            calls = (await home.calls())[before:]
            assert "Kestrel" in str(calls[0]) and "(as mira)" not in str(calls)


async def test_without_the_setting_a_proxy_bot_is_a_foreign_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with living(quick_settings(tmp_path, monkeypatch)) as home, visiting(home.url, "mira") as mira:
        room = await mira.channel("wren")
        async with proxy_bot(home, room) as plural:
            said = await mira.say(room, "zebras are striped")
            posted = await plural.post(said, "Ash")
            again = await mira.say(room, "Wren, what did I say?")
            await mira.answer_after(again)
            assert plural.asked == [] and "(as Ash)" not in str(await home.calls()), posted
