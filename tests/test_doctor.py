"""What the doctor finds, against servers that answer as the real ones do."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.core.errors import StoreError
from bot.doctor import Finding, examine
from bot.settings import Settings, load_settings
from tests.fakes import WordTokenizer


@pytest.fixture
async def server() -> AsyncIterator[TestServer]:
    """Discord's own words on tokens, a model server with a key, and a playground, all at one address."""

    async def me(request: web.Request) -> web.Response:
        known = request.headers["Authorization"] == "Bot right"
        return web.json_response({"username": "Selfroom"} if known else {}, status=200 if known else 401)

    async def models(request: web.Request) -> web.Response:
        return web.json_response({}, status=200 if request.headers.get("Authorization") == "Bearer right" else 401)

    async def playground(_: web.Request) -> web.Response:
        return web.json_response({"gateway_url": "ws://127.0.0.1:1/gateway"})

    app = web.Application()
    app.router.add_get("/users/@me", me)
    app.router.add_get("/v1/models", models)
    app.router.add_get("/playground", playground)
    running = TestServer(app)
    async with running:
        yield running


async def look(tmp_path: Path, **named: str) -> dict[str, bool]:
    """Examine with these settings; gives every finding's sentence and whether it is well."""
    file = tmp_path / "settings.env"
    there = named | {"SELFROOM_DATA_DIR": str(tmp_path / "data")}
    file.write_text("".join(f"{name}={value}\n" for name, value in there.items()))
    settings: Settings = load_settings({}, file)

    async def database(url: str) -> str:
        assert url.startswith("sqlite")
        raise StoreError("The database is full: make room.")

    findings = await examine(settings, tokenizer=WordTokenizer(), database=database)
    assert findings[-1] == Finding(ok=False, what="The database is full: make room.")
    return {finding.what: finding.ok for finding in findings}


async def test_a_token_and_a_key_that_are_taken_are_well(tmp_path: Path, server: TestServer) -> None:
    url = str(server.make_url("")).rstrip("/")
    more = {"SELFROOM_DISCORD_API": url, "SELFROOM_OPENAI_BASE_URL": f"{url}/v1"}
    found = await look(tmp_path, DISCORD_TOKEN="right", OPENAI_API_KEY="right", **more)
    assert found["Discord knows the bot as 'Selfroom'."]
    assert found[f"A model server answers at {url}/v1."]


async def test_a_token_and_a_key_that_are_refused_are_told_and_never_shown(tmp_path: Path, server: TestServer) -> None:
    url = str(server.make_url("")).rstrip("/")
    more = {"SELFROOM_DISCORD_API": url, "SELFROOM_OPENAI_BASE_URL": f"{url}/v1"}
    found = await look(tmp_path, DISCORD_TOKEN="wrong-token", OPENAI_API_KEY="wrong-key", **more)
    assert not found["Discord refuses DISCORD_TOKEN (401): copy the token again."]
    assert not found[f"The model server at {url}/v1 answers 401: check the key and the address."]
    assert "wrong-" not in "".join(found)


async def test_a_playground_that_runs_already_is_well(tmp_path: Path, server: TestServer) -> None:
    found = await look(tmp_path, SELFROOM_PLAYGROUND_PORT=str(server.port))
    assert found[f"A playground is open at http://127.0.0.1:{server.port}."]


async def test_a_discord_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    found = await look(tmp_path, DISCORD_TOKEN="some", SELFROOM_DISCORD_API="http://127.0.0.1:9")
    assert not found["Discord cannot be reached at http://127.0.0.1:9 (ClientConnectorError)."]
    assert not found["No model is set: set OPENAI_API_KEY, or SELFROOM_OPENAI_BASE_URL for a server of yours."]
