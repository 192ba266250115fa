"""The real openai client against a transcription endpoint: the words of a voice message, and what they cost."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.adapters.llm.communities import Providers
from bot.core.errors import ModelError, ModelRefused, ModelUnreachable
from bot.core.models import VoiceMessage
from bot.core.records import Json
from tests.adapters.test_providers import made

HEARS = "gpt-4o-mini-transcribe"
TOLD: dict[str, Json] = {"input_tokens": 200, "output_tokens": 10, "total_tokens": 210, "type": "tokens"}
SAID = VoiceMessage(
    content=b"OggS and so on", filename="voice-message.ogg", media_type="audio/ogg; codecs=opus", seconds=12.0
)


@asynccontextmanager
async def listening(*answers: web.Response, seen: list[dict[str, Any]] | None = None) -> AsyncIterator[Providers]:
    """Give providers whose server answers so, one after the other."""
    left = list(answers)

    async def hear(request: web.Request) -> web.Response:
        form = await request.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        if seen is not None:
            seen.append({"model": form["model"], "name": file.filename, "sound": file.file.read()})
        return left.pop(0)

    app = web.Application()
    app.router.add_post("/v1/audio/transcriptions", hear)
    server = TestServer(app)
    async with server, made(server) as providers:
        yield providers


async def test_it_gives_the_words_and_what_they_cost() -> None:
    seen: list[dict[str, Any]] = []
    said = web.json_response({"text": " Good morning, Wren. ", "usage": TOLD})
    async with listening(said, seen=seen) as providers:
        heard = await providers.hear(HEARS, SAID)
    assert heard.text == "Good morning, Wren."
    assert seen == [{"model": HEARS, "name": "voice-message.ogg", "sound": b"OggS and so on"}]
    assert heard.usage.cost_usd == (Decimal(3) * 200 + Decimal(5) * 10) / 1_000_000


async def test_what_a_server_does_not_tell_counts_as_much_as_it_may_have_been() -> None:
    async with listening(web.json_response({"text": "Good morning."})) as providers:
        heard = await providers.hear(HEARS, SAID)
        most = providers.hearing_price(HEARS, SAID.seconds)
    assert heard.usage.cost_usd == most > 0


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (web.json_response({"error": {"message": "out of order"}}, status=500), ModelUnreachable),
        (web.json_response({"error": {"message": "no such model"}}, status=404), ModelRefused),
        (web.json_response(["no", "transcription"]), ModelError),
        (web.json_response({"words": "none"}), ModelError),
    ],
    ids=["broken", "unknown", "a list", "no text"],
)
async def test_what_is_no_answer_is_an_error_with_a_sentence(answer: web.Response, error: type[ModelError]) -> None:
    async with listening(answer) as providers:
        with pytest.raises(error, match=r"\.$"):
            await providers.hear(HEARS, SAID)
