"""A server that takes neither a temperature nor a schema is asked in words, and its agents live all the same."""

from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.adapters.test_wire import Line, completion, problem, response
from tests.e2e.conftest import living, quick_settings
from tests.e2e.visitor import visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio]

SAID = 'Sure! ```json\n{"agents": [{"agent_id": 1, "responses": [{"room_id": 1, "message": "In words, then."}]}]}\n```'


async def test_what_a_server_does_not_take_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mind = Line(
        [
            problem(400, "Unsupported value: 'temperature' does not support 0.7.", param="temperature"),
            problem(400, "This server has no response_format."),
            completion(SAID, {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}),
        ]
    )
    app = web.Application()
    app.router.add_post("/v1/chat/completions", mind.take)
    server = TestServer(app)
    async with server:
        address = {"SELFROOM_OPENAI_BASE_URL": str(server.make_url("/v1")), "SELFROOM_OPENAI_API": "chat"}
        settings = quick_settings(tmp_path, monkeypatch, **address, SELFROOM_MODEL="tiny")
        async with living(settings) as home, visiting(home.url) as you:
            answer = await you.answer_after(await you.say(await you.channel("wren"), "Wren, are you there?"))
            assert answer["content"] == "In words, then."
    given = [{name for name in ("temperature", "response_format") if name in body} for body in mind.bodies]
    assert given == [{"temperature", "response_format"}, {"response_format"}, {"response_format"}]
    assert mind.bodies[-1]["response_format"] == {"type": "json_object"}
    held, _, told = (body["messages"][0]["content"] for body in mind.bodies)
    assert '{"message"' not in held
    assert '{"message"' in told  # nobody knows the model: its agents are shown little


async def test_a_server_that_ignores_the_schema_and_speaks_in_words_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind = Line([response("Wren: It is called Kestrel."), response("Yes, still Kestrel.")])
    app = web.Application()
    app.router.add_post("/v1/responses", mind.take)
    server = TestServer(app)
    async with server:
        address = {"SELFROOM_OPENAI_BASE_URL": str(server.make_url("/v1"))}
        settings = quick_settings(tmp_path, monkeypatch, **address, SELFROOM_MODEL="tiny")
        async with living(settings) as home, visiting(home.url) as you:
            room = await you.channel("wren")
            answer = await you.answer_after(await you.say(room, "Wren, what is my boat called?"))
            assert answer["content"] == "It is called Kestrel."
            answer = await you.answer_after(await you.say(room, "Wren, really?"))
            assert answer["content"] == "Yes, still Kestrel."
    assert [body["text"]["format"]["type"] for body in mind.bodies[:2]] == ["json_schema", "json_object"]
    assert " spoke to you in message " in mind.bodies[0]["input"].splitlines()[-1]
