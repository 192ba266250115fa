"""A person says something aloud: a model hears it, and the agent that is called in it answers."""

import json
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.e2e.conftest import living, quick_settings
from tests.e2e.visitor import Visitor, until, visiting
from tests.voices import voice

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio]
SAID = "Wren, what is the lighthouse called?"


async def hear(request: web.Request) -> web.Response:
    """Answer as servers that hear do."""
    form = await request.post()
    assert form["model"] == "whisper"
    return web.json_response({"text": SAID, "usage": {"type": "duration", "seconds": 3}})


async def speak(you: Visitor, channel_id: str) -> None:
    """Send a voice message, as Discord's own clients do."""
    about = {"id": "0", "filename": "voice-message.ogg", "duration_secs": 3.2, "waveform": "AAAA"}
    form = aiohttp.FormData()
    form.add_field("payload_json", json.dumps({"flags": 1 << 13, "attachments": [about]}))
    form.add_field("files[0]", voice(3.2), filename="voice-message.ogg", content_type="audio/ogg")
    await you.post_form(f"/channels/{channel_id}/messages", form)


async def seen(you: Visitor, words: str) -> str:
    """Give what the model was shown with these words in it, as soon as it is."""

    async def shown() -> str | None:
        inputs = [str(one["input"]) for one in await you.model_calls()]
        return next((one for one in inputs if words in one), None)

    return await until(shown, f"call with {words}")


@pytest.mark.parametrize("is_heard", [True, False], ids=["heard", "nobody hears"])
async def test_what_is_said_aloud_is_heard_where_the_community_has_a_model_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_heard: bool
) -> None:
    monkeypatch.setattr("bot.adapters.discord.files.VOICE_SECONDS", 60.0)  # the machine may be busy
    app = web.Application()
    app.router.add_post("/v1/audio/transcriptions", hear)
    async with TestServer(app) as server:
        providers = json.dumps({"ears": {"base_url": str(server.make_url("/v1"))}})
        model = {"SELFROOM_COMMUNITY__VOICE_MODEL": "ears/whisper"} if is_heard else {}
        settings = quick_settings(tmp_path, monkeypatch, SELFROOM_PROVIDERS=providers, **model)
        async with living(settings) as home, visiting(home.url) as you:
            await speak(you, await you.channel("wren"))
            assert f"(voice 0:03) {SAID if is_heard else ''}".strip() in await seen(you, "(voice 0:03)")
