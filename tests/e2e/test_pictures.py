"""A picture that a person sends reaches a model that sees, as bytes where the model could not fetch it."""

import base64
import io
import json
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from PIL import Image

from tests.adapters.test_wire import Line, response
from tests.e2e.conftest import living, quick_settings
from tests.e2e.visitor import Json, Visitor, until, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio]


def red_square() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (64, 64), "red").save(data, "PNG")
    return data.getvalue()


async def show(you: Visitor, channel_id: str, words: str, picture: bytes) -> None:
    form = aiohttp.FormData()
    form.add_field("payload_json", json.dumps({"content": words, "attachments": [{"id": "0", "filename": "red.png"}]}))
    form.add_field("files[0]", picture, filename="red.png", content_type="image/png")
    await you.post_form(f"/channels/{channel_id}/messages", form)


async def test_a_persons_picture_reaches_the_model_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mind = Line([response('{"agents": []}')])
    app = web.Application()
    app.router.add_post("/v1/responses", mind.take)
    server = TestServer(app)
    async with server:
        settings = quick_settings(tmp_path, monkeypatch, SELFROOM_OPENAI_BASE_URL=str(server.make_url("/v1")))
        async with living(settings) as home, visiting(home.url) as you:
            channel = await you.channel("wren")
            await show(you, channel, "Wren, what colour is this?", red_square())

            async def seen() -> list[Json]:
                parts = [part for body in mind.bodies for part in parts_of(body)]
                return [part for part in parts if part["type"] == "input_image"]

            (picture,) = await until(seen, "picture at the model")
            sent = base64.b64decode(picture["image_url"].removeprefix("data:image/png;base64,"))
            assert Image.open(io.BytesIO(sent)).size == (64, 64)
            asked = len(mind.bodies)
            await you.say(channel, "Wren, and what else?")

            async def asked_again() -> bool:
                return len(mind.bodies) > asked

            await until(asked_again, "another call")
            assert len(await seen()) == 1  # what was looked at is not paid for twice


def parts_of(body: Json) -> list[Json]:
    """Give the parts of a request's input; plain text is one."""
    if isinstance(body["input"], str):
        return [{"type": "input_text", "text": body["input"]}]
    return [part for item in body["input"] for part in item["content"]]
