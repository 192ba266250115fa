"""What the composition root makes of the settings."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.app import run_selfroom
from bot.core.errors import BadSetting
from bot.house import DiscordSite
from bot.providers import provider_options
from bot.settings import Settings, load_settings

DISCORD, PLAYGROUND = DiscordSite(token="t"), DiscordSite(token="t", model_url="http://127.0.0.1:1/v1")


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISCORD_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def read(tmp_path: Path, *lines: str) -> Settings:
    file = tmp_path / ".env"
    file.write_text("\n".join(lines), encoding="utf-8")
    return load_settings({}, file)


def test_without_a_key_there_is_no_model_unless_every_server_brings_its_own(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="No model is set"):
        provider_options(read(tmp_path), DISCORD)
    assert provider_options(read(tmp_path, "SELFROOM_SPONSORED_SERVERS=none"), DISCORD) == []


def test_a_playground_asks_the_scripted_model_and_spends_no_key(tmp_path: Path) -> None:
    (first,) = provider_options(read(tmp_path, "OPENAI_API_KEY=sk-1234567890"), PLAYGROUND)
    assert (first.base_url, first.api_key) == (PLAYGROUND.model_url, "playground")


def test_servers_side_by_side_are_named_by_their_prefix_and_keys_are_not_shown(tmp_path: Path) -> None:
    local = '{"local": {"base_url": "http://127.0.0.1:11434/v1"}}'
    options = provider_options(read(tmp_path, "OPENAI_API_KEY=sk-1234567890", f"SELFROOM_PROVIDERS={local}"), DISCORD)
    assert [(one.name, one.api, one.free) for one in options] == [("", "responses", False), ("local", "chat", True)]
    assert "sk-1234567890" not in repr(options)


def test_keys_of_other_vendors_open_their_models_by_prefix(tmp_path: Path) -> None:
    lines = ("ANTHROPIC_API_KEY=sk-ant-1234567890", "GEMINI_API_KEY=g-1234567890")
    _, *others = provider_options(read(tmp_path, *lines), DISCORD)
    assert [(one.name, one.api, one.base_url) for one in others] == [
        ("claude", "anthropic", None),
        ("gemini", "gemini", None),
    ]
    assert [one.api_key for one in others] == ["sk-ant-1234567890", "g-1234567890"]
    assert "1234567890" not in repr(others)


@pytest.mark.slow
async def test_no_collection_goes_through_what_a_run_has_loaded_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen: list[int] = []

    class Served:
        async def serve(self, stop: object, *, ready: object) -> None:
            frozen.append(gc.get_freeze_count())

    @asynccontextmanager
    async def opened(settings: Settings, **_: object) -> AsyncIterator[Served]:
        yield Served()

    monkeypatch.setattr("bot.app.selfroom", opened)
    monkeypatch.setattr("bot.app.set_up_logs", lambda *_, **__: None)
    monkeypatch.setattr("bot.app.stopped_by_signals", asyncio.Event)
    loaded, before = [[number] for number in range(50_000)], gc.get_freeze_count()
    await run_selfroom(read(tmp_path, f"SELFROOM_DATA_DIR={tmp_path}/data", "DISCORD_TOKEN=t"), say=print)
    assert frozen[0] - before >= len(loaded)
