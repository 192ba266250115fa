"""What the doctor finds, against servers that answer as the real ones do."""

import shutil
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.adapters.cipher import AesCipher
from bot.console.openapi import described
from bot.core.errors import StoreError
from bot.core.models import OwnProvider
from bot.core.records import Snowflake
from bot.core.sealing import of_provider
from bot.doctor import Finding, check_data_folder, examine, examine_communities, examine_model
from bot.settings import Settings, load_settings
from storage.store import SqlStore
from tests.adapters.test_wire import line, problem, response
from tests.fakes import WordTokenizer
from tests.nats import nats_server

TOLD = web.AppKey("told", dict[str, Any])  # what Discord tells of the bot: its flags, its servers, and the date
PAYS_FOR_ONE = {"SELFROOM_SPONSORED_SERVERS": "123456789012345678"}


@pytest.fixture
async def server() -> AsyncIterator[TestServer]:
    """Discord's own words on tokens, a model server with a key, and a playground, all at one address."""

    async def me(request: web.Request) -> web.Response:
        known = request.headers["Authorization"] == "Bot right"
        head = {"Date": request.app[TOLD]["date"]} if "date" in request.app[TOLD] else {}
        return web.json_response({"username": "Selfroom"} if known else {}, status=200 if known else 401, headers=head)

    async def models(request: web.Request) -> web.Response:
        return web.json_response({}, status=200 if request.headers.get("Authorization") == "Bearer right" else 401)

    async def playground(_: web.Request) -> web.Response:
        return web.json_response({"gateway_url": "ws://127.0.0.1:1/gateway"})

    async def application(request: web.Request) -> web.Response:
        return web.json_response({"flags": request.app[TOLD]["flags"]})

    async def guilds(request: web.Request) -> web.Response:
        return web.json_response(request.app[TOLD]["servers"])

    app = web.Application()
    app[TOLD] = {"flags": 1 << 19, "servers": [{"name": "The Pond", "permissions": str(1 << 3)}]}
    app.router.add_get("/users/@me", me)
    app.router.add_get("/applications/@me", application)
    app.router.add_get("/users/@me/guilds", guilds)
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

    async def database(url: str) -> list[Finding]:
        assert url.startswith("sqlite")
        raise StoreError("The database is full: make room.")

    findings = await examine(settings, tokenizer=WordTokenizer(), database=database, env_file=file)
    assert findings[-1] == Finding(ok=False, what="The database is full: make room.")
    return {finding.what: finding.ok for finding in findings}


async def test_a_token_and_a_key_that_are_taken_are_well(tmp_path: Path, server: TestServer) -> None:
    url = str(server.make_url("")).rstrip("/")
    more = {"SELFROOM_DISCORD_API": url, "SELFROOM_OPENAI_BASE_URL": f"{url}/v1"}
    found = await look(tmp_path, DISCORD_TOKEN="right", OPENAI_API_KEY="right", **more)
    assert found["Discord knows the bot as 'Selfroom'."]
    assert found[f"A model server answers at {url}/v1."]


async def test_what_the_bot_may_do_is_told_by_server(tmp_path: Path, server: TestServer) -> None:
    url = str(server.make_url("")).rstrip("/")
    found = await look(tmp_path, DISCORD_TOKEN="right", SELFROOM_DISCORD_API=url)
    assert found["The bot may read what people write."]
    assert found["Servers in which Selfroom has every right that it needs: 1."]
    everything = discord.Permissions.all()
    everything.update(administrator=False, manage_webhooks=False, pin_messages=False)
    server.app[TOLD]["servers"].append({"name": "The Shore", "permissions": str(everything.value)})
    found = await look(tmp_path, DISCORD_TOKEN="right", SELFROOM_DISCORD_API=url)
    assert found["In The Shore Selfroom's role lacks: manage webhooks, pin messages."]
    server.app[TOLD]["servers"].clear()
    found = await look(tmp_path, DISCORD_TOKEN="right", SELFROOM_DISCORD_API=url)
    assert found["The bot is in no server yet: invite it with the link from the developer portal (README)."]
    server.app[TOLD]["servers"].append({"nonsense": ""})
    found = await look(tmp_path, DISCORD_TOKEN="right", SELFROOM_DISCORD_API=url)
    assert found["Discord does not tell what the bot may do: look at `/setup start` in its server."]


async def test_an_intent_that_is_off_and_a_clock_that_is_wrong_are_told(tmp_path: Path, server: TestServer) -> None:
    url = str(server.make_url("")).rstrip("/")
    server.app[TOLD].update(flags=0, date="Sat, 01 Jan 2022 00:00:00 GMT")
    found = await look(tmp_path, DISCORD_TOKEN="right", SELFROOM_DISCORD_API=url)
    hint = "switch on the Message Content intent in the developer portal, under Bot"
    assert not found[f"The bot may not read what people write: {hint}."]
    assert any(what.startswith("This machine's clock is ") and " off Discord's: set it" in what for what in found)


async def test_a_bot_with_many_people_hears_of_the_review_and_one_that_reads_no_content_does_not(
    tmp_path: Path, server: TestServer
) -> None:
    url = str(server.make_url("")).rstrip("/")
    named = {"DISCORD_TOKEN": "right", "SELFROOM_DISCORD_API": url}
    server.app[TOLD]["servers"][0]["approximate_member_count"] = 9_999
    assert not any("reviews" in what for what in await look(tmp_path, **named))
    server.app[TOLD]["servers"].append({"name": "The Sea", "permissions": "8", "approximate_member_count": 2})
    (told,) = [what for what in await look(tmp_path, **named) if "reviews" in what]
    assert told.startswith("About 10,001 people: ") and "SELFROOM_MESSAGE_CONTENT=false" in told
    server.app[TOLD]["flags"] = 0
    found = await look(tmp_path, **named, SELFROOM_MESSAGE_CONTENT="false")
    assert found["The bot reads only what mentions it or is passed on to it, as is set."]
    assert not any("reviews" in what for what in found)


async def test_a_disk_without_room_and_a_secret_that_others_may_read_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "data/secret"
    secret.parent.mkdir()
    secret.write_text("sesame")
    secret.chmod(0o644)
    for free, well in ((400_000_000, True), (1_000_000, False)):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: SimpleNamespace(free=free))
        found = await look(tmp_path)
        assert found[f"The disk of {tmp_path}/data has {free / 1e6:,.0f} MB left: make room."] is well
        assert not found[f"Others on this machine may read {secret}, which opens every key: run `chmod 600 {secret}`."]


async def test_the_port_for_health_is_free_or_ours_or_taken(tmp_path: Path) -> None:
    async def alive(_: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    app = web.Application()
    app.router.add_get("/healthz", alive)
    async with TestServer(app) as ours:
        port = str(ours.port)
        found = await look(tmp_path, SELFROOM_FACE_PORT=port)
        assert found[f"A Selfroom tells its health at http://127.0.0.1:{port}/readyz."]
    assert (await look(tmp_path, SELFROOM_FACE_PORT=port))[f"Port {port} is free for health and metrics."]
    async with TestServer(web.Application(), port=int(port)):
        found = await look(tmp_path, SELFROOM_FACE_PORT=port)
        assert not found[f"Port {port} is in use: stop the program that has it, or set SELFROOM_FACE_PORT."]


async def test_the_consoles_port_is_free_or_ours_or_taken(tmp_path: Path) -> None:
    async def description(request: web.Request) -> web.Response:
        ours = request.host in (f"127.0.0.1:{request.url.port}", "console.example")
        return web.json_response(described([], "1", "cookie", "proof") if ours else {}, status=200 if ours else 403)

    app = web.Application()
    app.router.add_get("/api/v1/openapi.json", description)
    async with TestServer(app) as ours:
        port = str(ours.port)
        told = await look(tmp_path, SELFROOM_CONSOLE_PORT=port)
        assert told[f"A Selfroom has its console open at http://127.0.0.1:{port}."]
        told = await look(tmp_path, SELFROOM_CONSOLE_PORT=port, SELFROOM_CONSOLE_URL="https://console.example")
        assert told["A Selfroom has its console open at https://console.example."]
    async with TestServer(web.Application(), port=int(port)):
        told = await look(tmp_path, SELFROOM_CONSOLE_PORT=port)
        assert not told[f"Port {port} is in use: stop the program that has it, or set SELFROOM_CONSOLE_PORT."]
    assert (await look(tmp_path, SELFROOM_CONSOLE_PORT=port))[f"Port {port} is free for the console."]


async def test_a_token_and_a_key_that_are_refused_are_told_and_never_shown(tmp_path: Path, server: TestServer) -> None:
    url = str(server.make_url("")).rstrip("/")
    more = {"SELFROOM_DISCORD_API": url, "SELFROOM_OPENAI_BASE_URL": f"{url}/v1"}
    found = await look(tmp_path, DISCORD_TOKEN="wrong-token", OPENAI_API_KEY="wrong-key", **more)
    looks = "a token has three parts with dots between; this one has 1"
    assert not found[
        f"Discord does not take DISCORD_TOKEN ({looks}): copy it again from the developer portal, under Bot."
    ]
    assert not found[f"The model server at {url}/v1 answers 401: check the key and the address."]
    assert "wrong-" not in "".join(found)


async def test_a_playground_that_runs_already_is_well(tmp_path: Path, server: TestServer) -> None:
    found = await look(tmp_path, SELFROOM_PLAYGROUND_PORT=str(server.port))
    assert found[f"A playground is open at http://127.0.0.1:{server.port}."]


async def test_a_discord_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    found = await look(tmp_path, DISCORD_TOKEN="some", SELFROOM_DISCORD_API="http://127.0.0.1:9")
    assert not found["Nothing answers at http://127.0.0.1:9: start the server, or correct SELFROOM_DISCORD_API."]
    assert found["The installation pays for no models: every server brings its own provider."]


async def test_a_sponsor_without_a_key_is_told(tmp_path: Path) -> None:
    found = await look(tmp_path, DISCORD_TOKEN="some", SELFROOM_DISCORD_API="http://127.0.0.1:9", **PAYS_FOR_ONE)
    assert not found["No model is set: set OPENAI_API_KEY, or SELFROOM_OPENAI_BASE_URL for a server of yours."]


async def test_a_key_that_nobody_may_spend_is_told_and_so_is_what_it_may_cost(tmp_path: Path) -> None:
    there = {"DISCORD_TOKEN": "some", "SELFROOM_DISCORD_API": "http://127.0.0.1:9", "OPENAI_API_KEY": "key"}
    there |= {"SELFROOM_OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    found = await look(tmp_path, **there)
    nobody = "No server may spend the installation's keys: name your own in SELFROOM_SPONSORED_SERVERS, by its id."
    assert not found[nobody]
    found = await look(tmp_path, **there, **PAYS_FOR_ONE, SELFROOM_CEILING_USD_PER_DAY="2.50")
    assert found[
        "The installation pays for 1 server by id, a day at most 2.50 USD each and 25.00 USD together; "
        "models: any with a known price."
    ]


async def test_whose_models_communities_ask_is_told_and_whether_their_keys_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "settings.env"
    file.write_text("SELFROOM_SPONSORED_SERVERS=1\n")
    settings = load_settings({}, file)
    cipher = AesCipher("a secret that is long enough")
    moved = AesCipher("the secret of another machine")
    async with await SqlStore.open("sqlite://") as store:
        ids = []
        async with store.writing() as write:
            for guild_id, name in enumerate(("Paid", "Own", "Moved", "Poor"), 1):
                ids.append((await write.communities.add(Snowflake(guild_id), name)).id)
            for id, sealer in ((ids[1], cipher), (ids[2], moved)):
                own = OwnProvider(
                    base_url="https://models.example/v1", api="chat", sealed_key=sealer.encrypt("sk-1", of_provider(id))
                )
                await write.providers.keep(id, own)
        async with store.reading() as read:
            found = {one.what: one.ok for one in await examine_communities(read, settings, cipher)}
    assert found["The database opens; communities in it: 4."]
    assert found["Own brings its own model provider: https://models.example/v1."]
    assert not found["The key that Moved brought cannot be read: restore the secret, or use /setup provider there."]
    poor = (
        "No model is asked for Poor (4) until somebody uses /setup provider there, "
        "or you add the id to SELFROOM_SPONSORED_SERVERS."
    )
    assert found[poor]
    assert "sk-1" not in str(found)


async def test_an_installation_that_pays_for_nobody_needs_no_key(tmp_path: Path, server: TestServer) -> None:
    url = str(server.make_url("")).rstrip("/")
    found = await look(tmp_path, DISCORD_TOKEN="right", SELFROOM_DISCORD_API=url, SELFROOM_SPONSORED_SERVERS="none")
    assert found["The installation pays for no models: every server brings its own provider."]


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
async def test_settings_that_others_may_get_at_are_told_with_the_command_that_mends_it(
    tmp_path: Path, mode: int
) -> None:
    file = tmp_path / "settings.env"
    file.touch()
    file.chmod(mode)
    (told,) = [what for what, ok in (await look(tmp_path)).items() if "chmod 600" in what and ok]
    assert told == (
        f"{file} holds keys, and others on this machine may get at it (mode {mode:04o}): run `chmod 600 {file}`."
    )
    file.chmod(0o600)
    assert not [what for what in await look(tmp_path) if "chmod 600" in what]


async def test_a_folder_that_others_use_too_is_refused_and_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "data"
    shared.mkdir()
    shared.chmod(0o1777)
    sentence = f"The data folder {shared} is not ours alone: set SELFROOM_DATA_DIR to a folder of its own."
    assert not (await look(tmp_path))[sentence]
    assert stat.S_IMODE(shared.stat().st_mode) == 0o1777


async def test_an_answer_without_a_bottom_is_no_answer_of_discords(tmp_path: Path) -> None:
    async def deep(_: web.Request) -> web.Response:
        return web.Response(text="[" * 100_000, content_type="application/json")

    app = web.Application()
    app.router.add_get("/users/@me", deep)
    app.router.add_get("/playground", deep)
    async with TestServer(app) as server:
        url = str(server.make_url("")).rstrip("/")
        found = await look(tmp_path, DISCORD_TOKEN="any", SELFROOM_DISCORD_API=url)
        assert not found[f"{url} does not answer as Discord does: correct SELFROOM_DISCORD_API."]
        found = await look(tmp_path, SELFROOM_PLAYGROUND_PORT=str(server.port))
        assert any(what.startswith(f"Port {server.port} is in use") for what in found)


async def test_what_talks_without_end_where_a_playground_may_be_is_not_listened_to(tmp_path: Path) -> None:
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"9" * 100_000)
            sent += 100_000

    app = web.Application()
    app.router.add_get("/playground", endless)
    async with TestServer(app) as running:
        found = await look(tmp_path, SELFROOM_PLAYGROUND_PORT=str(running.port))
        assert any(what.startswith(f"Port {running.port} is in use") for what in found)
    assert sent < 20_000_000


def test_the_files_of_what_ifs_are_their_owners_alone_again_once_somebody_has_moved_them(tmp_path: Path) -> None:
    tree = tmp_path / "data" / "timelines" / "1" / "2.db"
    tree.parent.mkdir(parents=True)
    tree.write_bytes(b"a world")
    for one in (tree, tree.parent, tree.parent.parent, tmp_path / "data"):
        one.chmod(0o755)
    check_data_folder(tmp_path / "data")
    modes = [stat.S_IMODE(one.stat().st_mode) for one in (tree, tree.parent, tree.parent.parent, tmp_path / "data")]
    assert modes == [0o600, 0o700, 0o700, 0o700]


async def test_a_bell_that_rings_and_one_that_does_not_are_told(tmp_path: Path) -> None:
    async with nats_server(tmp_path / "nats") as there:
        found = await look(tmp_path, SELFROOM_NATS_URL=there.url)
        assert found[f"A bell can ring at {there.url}."]
        await there.kill()
        found = await look(tmp_path, SELFROOM_NATS_URL=there.url)
        assert found[f"No bell rings at {there.url}, for no NATS answers: minds only look now and then."]


async def test_the_doctor_tells_whether_a_model_keeps_to_a_schema() -> None:
    async with line(problem(400, "json_schema unknown"), response(), response('{"word": "ready"}')) as (
        providers,
        there,
    ):
        assert (await examine_model(providers, "tiny")).what.endswith("it takes no schema, and is shown an example.")
        assert (await examine_model(providers, "other")).what.endswith("it keeps to a schema.")
    assert ["text" in one for one in there.bodies] == [True, False, True]
