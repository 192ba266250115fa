"""Two servers on one Selfroom: one spends the installation's key, the other brings its own; nobody sees either."""

import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.adapters.logs import QUIET
from bot.settings import Settings
from bot.vault import export_community, import_community
from tests.adapters.keyed import KeyedServer, keyed
from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living, living, quick_settings
from tests.e2e.proving import proves
from tests.e2e.sharing import words_of
from tests.e2e.visitor import Json, Visitor, until, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio]

HOUSE, OURS, WRONG = "sk-of-the-house-1234", "sk-our-own-5678-sesame", "sk-not-ours-0000"


@dataclass(frozen=True, slots=True)
class Stage:
    """A folder to live in, and the two model servers."""

    folder: Path
    patch: pytest.MonkeyPatch
    house: KeyedServer
    theirs: KeyedServer

    def settings(self, **more: str) -> Settings:
        own = {"SELFROOM_OPENAI_BASE_URL": self.house.url, "SELFROOM_OPENAI_API_KEY": HOUSE}
        return quick_settings(self.folder, self.patch, **own, SELFROOM_PRIVATE_PROVIDERS="true", **more)

    def everything_kept(self) -> bytes:
        return b"".join(path.read_bytes() for path in self.folder.rglob("*") if path.is_file())


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    async with keyed(HOUSE) as house, keyed(OURS) as theirs:
        yield Stage(tmp_path, monkeypatch, house, theirs)


@asynccontextmanager
async def at(home: Living, guild_id: str) -> AsyncIterator[tuple[Visitor, Commander]]:
    """Come to a server as its owner, to Wren's room."""
    async with visiting(home.url) as you:
        you.about = you.about | {"guild_id": guild_id}
        yield you, Commander(you, await you.channel("wren"))


async def second_server(home: Living) -> tuple[str, str]:
    """Make another server with the bot in it; gives the ids of the first and the other."""
    async with home.session.get(f"{home.url}/playground") as response:
        about = await response.json()
    async with home.session.post(f"{home.url}/playground/guilds", json={"name": "The Others"}) as response:
        other = str((await response.json())["id"])
    bot = about["application_id"]
    async with home.session.put(f"{home.url}/playground/guilds/{other}/members/{bot}", json={}) as response:
        assert response.status == 200, await response.text()
    return str(about["guild_id"]), other


async def notices(you: Visitor, channel_id: str, words: str) -> list[Json]:
    return [one for one in await you.messages(channel_id) if words in one["content"]]


async def bring(commands: Commander, key: str, address: str) -> str:
    form = await commands.run("setup provider", use="another server", calls_at_once=2)
    filled = {"base": address, "key": key, "model": "gpt-4o-mini"}
    return words_of(await commands.fill(form, **filled))


async def test_one_server_spends_the_installations_key_and_another_brings_its_own(
    stage: Stage, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in QUIET:  # as in a run
        caplog.set_level(logging.WARNING, name)
    async with living(stage.settings()) as home:
        ours, others = await second_server(home)
    calls_before = stage.house.came_with.total()
    settings = stage.settings(SELFROOM_SPONSORED_SERVERS=ours)

    async with living(settings) as home:
        async with at(home, ours) as (you, _):
            await you.answer_after(await you.say(await you.channel("wren"), "Hello Wren, this is home"))
        assert stage.house.came_with.total() > calls_before
        async with at(home, others) as (you, commands):
            hall = commands.channel_id
            await its_agents_rest_and_say_once_why(you, commands, stage)
            await a_wrong_key_changes_nothing(commands, stage)
            told = await bring(commands, OURS, stage.theirs.url)
            assert "gpt-4o-mini answers in" in told
            assert "this server's own key" in told
            first = next(one for one in await you.messages(hall) if "is anybody" in one["content"])
            await you.answer_after(first)  # what was said meanwhile is not lost
            await nobody_is_shown_the_key(commands, stage)

    async with living(settings) as home:  # the next day
        async with at(home, others) as (you, commands):
            await you.answer_after(await you.say(commands.channel_id, "Wren, are you still with us?"))
            await summaries_go_the_same_way(you, commands, stage)
        async with at(home, ours) as (you, commands):
            await you.answer_after(await you.say(commands.channel_id, "Wren, are you still at home?"))
        asked = [one["input"] for one in await stage.theirs.calls()]
        assert any("still with us" in one for one in asked)
        assert not any("at home" in one or "this is home" in one for one in asked)
        asked = [one["input"] for one in await stage.house.calls()]
        assert any("still at home" in one for one in asked)
        assert not any("with us" in one or "is anybody" in one for one in asked)
        assert stage.house.keys == {HOUSE}
        assert stage.theirs.keys == {WRONG, OURS}
        async with at(home, others) as (you, commands):
            await removal_brings_rest_again(you, commands, stage)

    await what_is_kept_has_no_key(settings, int(others), stage)
    logged = caplog.text + "".join(capsys.readouterr())
    assert "commands put into a server" in logged
    assert not any(secret in logged for secret in (HOUSE, OURS, WRONG))


async def its_agents_rest_and_say_once_why(you: Visitor, commands: Commander, stage: Stage) -> None:
    hall, before = commands.channel_id, stage.house.came_with.total()
    started = await commands.told("setup start")
    assert "❌ This server has no model provider yet" in started
    assert re.search(r"adds its id, \d+, to SELFROOM_SPONSORED_SERVERS", started)
    office = await you.channel("general")
    await commands.told("setup places", managers_channel=office)
    await you.say(hall, "Wren, is anybody there?")

    async def told() -> bool:
        return bool(await notices(you, hall, "no model provider yet")) and bool(
            await notices(you, office, "no model provider yet")
        )

    await until(told, "word of the missing provider")
    again = await you.say(hall, "Wren, please do say something")

    async def cued() -> bool:
        found = next(one for one in await you.messages(hall) if one["id"] == again["id"])
        return any(one["emoji"]["name"] == "🪫" for one in found.get("reactions", ()))

    await until(cued, "cue on the message")
    assert len(await notices(you, hall, "no model provider yet")) == 1
    assert len(await notices(you, office, "no model provider yet")) == 1
    assert "❌ This server has no model provider yet" in await commands.told("setup start")
    assert "no model provider yet" in await commands.told("setup model", model="gpt-4o-mini")
    assert stage.house.came_with.total() == before


async def a_wrong_key_changes_nothing(commands: Commander, stage: Stage) -> None:
    told = await bring(commands, WRONG, stage.theirs.url)
    assert "does not take the key" in told
    assert WRONG not in told
    assert "brought no provider of its own" in await commands.told("setup provider")
    assert "base URL" in await bring(commands, OURS, "models.example")
    assert "No model answers at" in await bring(commands, OURS, "http://127.0.0.1:9/v1")
    assert "no spaces" in await bring(commands, "two words", stage.theirs.url)
    assert "no model provider yet" in await commands.told("setup provider")


async def nobody_is_shown_the_key(commands: Commander, stage: Stage) -> None:
    shown = await commands.told("setup provider")
    assert f"read by models at {stage.theirs.url}, with this server's own key" in shown
    assert "Chat Completions, held to a schema and booked at list price" in shown
    assert "It is asked 2 calls at a time." in shown
    start, audit = await commands.told("setup start"), await commands.told("audit")
    assert stage.theirs.url in start
    assert f"The server's own model provider is set ({stage.theirs.url}, chat)." in audit
    hud = await commands.text_of(await commands.run("hud show", agent="Wren"))
    for text in (shown, start, audit, hud):
        assert OURS not in text
        assert HOUSE not in text


async def summaries_go_the_same_way(you: Visitor, commands: Commander, stage: Stage) -> None:
    wish = {"agent_id": 1, "responses": [], "actions": [{"type": "compact", "room_id": 1}]}
    await stage.theirs.prepare(match="please sum this up", answer={"agents": [wish]}, times=1)
    await stage.theirs.prepare(match="You keep the memory of a chat room", answer="Goal: to stay", times=1)
    await you.say(commands.channel_id, "Wren, please sum this up")

    async def summed_up() -> bool:
        return any("You keep the memory" in one["input"] for one in await stage.theirs.calls())

    await until(summed_up, "summary")
    assert not any("You keep the memory" in one["input"] for one in await stage.house.calls())


async def removal_brings_rest_again(you: Visitor, commands: Commander, stage: Stage) -> None:
    asked = await commands.run("setup provider", use="remove ours")
    told = words_of(await commands.press(asked, "Delete the key"))
    assert "The key is deleted. This server has no model provider yet" in told
    before = stage.theirs.came_with.total()
    hall = commands.channel_id
    await you.say(hall, "Wren, and now?")

    async def told_again() -> bool:
        return len(await notices(you, hall, "no model provider yet")) == 2

    await until(told_again, "word of the missing provider")
    assert "nothing has changed" in words_of(
        await commands.press(await commands.run("setup provider", use="remove ours"), "Delete the key")
    )
    assert stage.theirs.came_with.total() == before
    await bring(commands, OURS, stage.theirs.url)


async def what_is_kept_has_no_key(settings: Settings, guild_id: int, stage: Stage) -> None:
    said: list[str] = []
    archive = stage.folder / "others.zip"
    await export_community(settings, path=archive, guild_id=guild_id, say=said.append)
    assert "Left out" in said[-1]
    await import_community(settings, path=archive, guild_id=77, say=said.append)
    assert "To be set again" in said[-1]
    assert "/setup provider" in said[-1]
    kept = stage.everything_kept()
    for secret in (HOUSE, OURS, WRONG):
        assert secret.encode() not in kept


@proves(manager="setup provider")
async def test_a_strangers_machine_is_not_led_into_the_installations_network(home: Living) -> None:
    async with visiting(home.url) as you:
        manager = Commander(you, await you.channel("wren"))
        shown = await manager.told("setup provider")
        assert f"read by models at {home.url}/v1, with the key of whoever runs Selfroom" in shown
        for address in ("https://127.0.0.1:9/v1", "https://169.254.169.254/v1", "https://localhost:9/v1"):
            assert "is not on the public Internet" in await bring(manager, OURS, address)
        assert "must begin with https://" in await bring(manager, OURS, "http://models.example/v1")
        form = await manager.run("setup provider", use="OpenAI")
        assert [row["label"][:3] for row in form["components"]] == ["Key", "Mod", "Pre"]
        assert "brought no provider of its own" in await manager.told("setup provider")
