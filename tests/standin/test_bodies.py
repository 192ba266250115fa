"""How much of a body the scripted model takes, says again and keeps."""

import io
import json
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer

from bot.standin import script
from bot.standin.endpoint import DEEPEST, LARGEST_QUESTION, LARGEST_SETUP
from bot.standin.problems import LONGEST_MESSAGE
from tests.standin.serving import serving

KEY = {"Authorization": "Bearer any", "Content-Type": "application/json"}


@pytest.fixture
async def server() -> AsyncIterator[TestServer]:
    async with serving() as opened:
        yield opened


async def sent(server: TestServer, path: str, body: bytes) -> tuple[int, str]:
    """Post a body; gives the status and what is wrong."""
    async with (
        ClientSession() as session,
        session.post(server.make_url(path), data=io.BytesIO(body), headers=KEY) as answer,
    ):
        return answer.status, ((await answer.json()).get("error") or {}).get("message", "")


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/v1/responses", LARGEST_QUESTION),
        ("/v1/chat/completions", LARGEST_QUESTION),
        ("/playground/model/script", LARGEST_SETUP),
        ("/playground/model/faults", LARGEST_SETUP),
    ],
)
async def test_a_body_is_read_up_to_the_limit_of_its_route(server: TestServer, path: str, most: int) -> None:
    status, told = await sent(server, path, b" " * (most + 1))
    assert (status, told) == (413, f"The body of your request is too large: send {most:,} bytes at most.")
    assert (await sent(server, path, b" " * most))[0] == 400
    status, told = await sent(server, path, b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1))
    assert (status, "nested too deeply" in told) == (400, True)
    assert (await sent(server, path, b"[" + b"[]," * (most // 4) + b"0]"))[0] == 400
    assert (await sent(server, path, b"[" * 100_000 + b"]" * 100_000))[0] == 400


async def test_a_long_question_is_answered(server: TestServer) -> None:
    body = {"model": "m", "input": "word " * 600_000}
    assert await sent(server, "/v1/responses", json.dumps(body).encode()) == (200, "")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/responses", {"model": "m", "input": "a", "max_output_tokens": [["x"] * 1000] * 100}),
        ("/playground/model/script", {"fault": "x" * 100_000}),
        ("/playground/model/script", {"x" * 100_000: 1}),
        ("/playground/model/script", {"times": ["x" * 1000] * 100}),
    ],
)
async def test_what_is_wrong_is_shown_by_its_beginning(server: TestServer, path: str, body: object) -> None:
    status, told = await sent(server, path, json.dumps(body).encode())
    assert (status, len(told) <= LONGEST_MESSAGE + 1) == (400, True)


async def test_the_record_of_calls_is_bounded_by_its_size(server: TestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "KEPT_CHARACTERS", 10_000)
    for number in range(8):
        await sent(server, "/v1/responses", json.dumps({"model": "m", "input": f"{number} {'x' * 3_000}"}).encode())
    async with ClientSession() as session:
        kept = await (await session.get(server.make_url("/playground/model/calls"))).json()
        assert [call["input"][0] for call in kept] == ["5", "6", "7"]
        await sent(server, "/v1/responses", json.dumps({"model": "m", "input": "9" * 20_000}).encode())
        kept = await (await session.get(server.make_url("/playground/model/calls"))).json()
    assert [call["input"][0] for call in kept] == ["9"]
