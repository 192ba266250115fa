"""Answers as they come: what is written counts, what goes on for nothing is cut, and who lets go closes the line."""

import asyncio
import json
import tracemalloc
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from structlog.testing import capture_logs

from bot.adapters.llm.communities import Providers
from bot.adapters.llm.prices import Prices
from bot.adapters.llm.provider import Pace, Provider, ProviderOptions
from bot.adapters.llm.queue import Overlaps
from bot.core.errors import AskedAnew, ModelBusy, ModelError, ModelRefused, ModelUnreachable
from bot.core.models import Api
from bot.engine.timelines.chance import settle
from tests.adapters.test_providers import call
from tests.adapters.test_wire import completion, problem, response
from tests.engine.town import until

Json = dict[str, Any]
HANG, DRIP = "hang", "drip"
USED = {"prompt_tokens": 2_000, "completion_tokens": 100, "total_tokens": 2_100}


@dataclass
class Stream:
    """A server that streams pieces of text; `HANG` is silence for ever, `DRIP` for a moment, None the end."""

    api: Api
    pieces: Sequence[str | None]
    bodies: list[Json] = field(default_factory=list)
    open: int = 0
    most: int = 0  # that were open at once
    written: int = 0

    async def take(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        self.open += 1
        self.most = max(self.most, self.open)
        try:
            await answer.prepare(request)
            for piece in self.pieces:
                if piece == HANG:
                    await asyncio.Event().wait()
                if piece == DRIP:
                    await asyncio.sleep(0.02)
                    continue
                await answer.write(self.event(piece).encode())
                self.written += 1
                await asyncio.sleep(0)
        finally:
            self.open -= 1
        return answer

    def event(self, piece: str | None) -> str:
        if self.api == "chat":
            reason, delta = (None, {"content": piece}) if piece is not None else ("stop", {})
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            end = "" if piece is not None else f"data: {json.dumps({'id': 'c', 'choices': [], 'usage': USED})}\n\n"
            return f"data: {json.dumps({'id': 'c', 'choices': [choice]})}\n\n{end}"
        if piece is None:
            usage = {"input_tokens": 2_000, "output_tokens": 100, "total_tokens": 2_100}
            data: Json = {"type": "response.completed", "response": response("all of it", usage)}
        else:
            data = {"type": "response.output_text.delta", "item_id": "m", "delta": piece, "output_index": 0}
        return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n"


@asynccontextmanager
async def streaming(
    api: Api,
    *pieces: str | None,
    pace: Pace | None = None,
    **options: Any,  # noqa: ANN401
) -> AsyncIterator[tuple[Providers, Stream]]:
    there = Stream(api, pieces)
    app = web.Application()
    app.router.add_post("/v1/{rest:.*}", there.take)
    server = TestServer(app)
    async with server:
        fields: Json = {"name": "", "base_url": str(server.make_url("/v1")), "api_key": "k", "api": api, "near": True}
        one = ProviderOptions(**(fields | options))
        providers = Providers({"": Provider(one, replace(pace or Pace(), retries=0))}, Prices())
        try:
            yield providers, there
        finally:
            await providers.close()
            await settle()


both = pytest.mark.parametrize("api", ["responses", "chat"])


@both
async def test_an_answer_is_put_together_from_its_pieces_with_what_it_used(api: Api) -> None:
    async with streaming(api, "Hel", "lo ", "there.", None) as (providers, there):
        given = await providers.answer(call())
    assert (given.text, given.complete) == ("Hello there.", True)
    assert (given.usage.input_tokens, given.usage.output_tokens) == (2_000, 100)
    (sent,) = there.bodies
    assert sent["stream"] is True


@both
async def test_silence_after_some_words_ends_an_answer_and_the_words_count(api: Api) -> None:
    async with streaming(api, "One. ", "Two.", HANG, pace=Pace(silence_seconds=0.3)) as (providers, there):
        given = await providers.answer(call())
        await until(lambda: there.open == 0)
    assert (given.text, given.complete) == ("One. Two.", False)


@both
@pytest.mark.parametrize("drop", ["word ", ""], ids=["words", "nothing"])
async def test_a_server_that_drips_is_heard_no_longer_than_the_whole_limit(api: Api, drop: str) -> None:
    pace = Pace(silence_seconds=20, total_seconds=0.5)
    async with streaming(api, "One. ", *[DRIP, drop] * 1_000, pace=pace) as (providers, there):
        given = await providers.answer(call())
        await until(lambda: there.open == 0)
    assert given.text.startswith("One. ")
    assert not given.complete
    assert there.written < 200


@both
async def test_silence_before_the_first_word_is_no_answer(api: Api) -> None:
    async with streaming(api, HANG, pace=Pace(silence_seconds=0.1), near=False, free=False) as (providers, there):
        with pytest.raises(ModelUnreachable, match="took too long") as caught:
            await providers.answer(call())
        await until(lambda: there.open == 0)
    assert caught.value.usage is None


async def test_a_server_nearby_may_read_for_longer_than_it_may_be_silent() -> None:
    pace = Pace(silence_seconds=0.01, total_seconds=2)
    async with streaming("chat", HANG, pace=pace) as (providers, _):
        started = asyncio.get_running_loop().time()
        with pytest.raises(ModelUnreachable):
            await providers.answer(call())
        assert asyncio.get_running_loop().time() - started >= 1.9


@both
@pytest.mark.parametrize(
    "endless",
    [["I am happy to help you with that. "] * 2_000, ['{"responses": [', *["\n  "] * 2_000], ["x7 yz q"] * 50_000],
    ids=["circle", "blanks", "too long"],
)
async def test_what_goes_on_for_nothing_is_cut_and_its_server_let_go(api: Api, endless: list[str]) -> None:
    async with streaming(api, *endless, None) as (providers, there):
        given = await providers.answer(call(answer_tokens=5_000))
        await until(lambda: there.open == 0)
    assert not given.complete
    assert 0 < len(given.text) < 5_000
    assert there.written < len(endless)


@both
async def test_a_call_that_is_let_go_closes_its_line(api: Api) -> None:
    async with streaming(api, "Hel", HANG) as (providers, there):
        asking = asyncio.create_task(providers.answer(call()))
        await until(lambda: there.open == 1)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await until(lambda: there.open == 0)


async def test_calls_that_are_let_go_count_as_no_failures_of_their_server() -> None:
    async with streaming("chat", HANG) as (providers, there):
        for _ in range(7):
            asking = asyncio.create_task(providers.answer(call()))
            await until(lambda: there.open == 1)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            await until(lambda: there.open == 0)
    assert len(there.bodies) == 7


@pytest.mark.parametrize(("api", "whole"), [("responses", response("whole")), ("chat", completion("whole"))])
async def test_a_server_that_does_not_stream_is_heard_all_the_same(api: Api, whole: Json) -> None:
    refused = problem(400, "Unknown parameter: stream_options")
    bodies: list[Json] = []

    async def take(request: web.Request) -> web.StreamResponse:
        bodies.append(await request.json())
        return refused if len(bodies) == 1 else web.json_response(whole)

    app = web.Application()
    app.router.add_post("/v1/{rest:.*}", take)
    server = TestServer(app)
    async with server:
        one = ProviderOptions(name="", base_url=str(server.make_url("/v1")), api_key="k", api=api, near=True)
        providers = Providers({"": Provider(one, Pace(retries=0))}, Prices())
        assert (await providers.answer(call())).text == "whole"
        assert (await providers.answer(call())).complete
        await providers.close()
    assert [one.get("stream") for one in bodies] == [True, False, False]
    await settle()


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"code": "insufficient_quota", "message": "no more"}, ModelRefused),
        ({"code": "rate_limit_exceeded", "message": "slowly"}, ModelBusy),
        ({"code": "server_error", "message": "oh"}, ModelUnreachable),
    ],
)
@both
async def test_a_fault_told_in_a_stream_is_one_of_our_errors(api: Api, body: Json, error: type[ModelError]) -> None:
    failed: Json = {"error": body}
    if api == "responses":
        failed = {"type": "response.failed", "response": response() | {"status": "failed", "error": body}}

    async def take(_: web.Request) -> web.Response:
        return web.Response(text=f"data: {json.dumps(failed)}\n\n", content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/{rest:.*}", take)
    server = TestServer(app)
    async with server:
        one = ProviderOptions(name="", base_url=str(server.make_url("/v1")), api_key="k", api=api, near=True)
        providers = Providers({"": Provider(one, Pace(retries=0))}, Prices())
        with pytest.raises(error):
            await providers.answer(call())
        await providers.close()
    await settle()


@pytest.mark.parametrize(
    "body",
    [
        b'data: {"choices":[' + b"{}," * 100_000 + b"{}]}\n\n",
        b'data: {"choices":\r\ndata: ' + b"[" * 900 + b"]" * 900 + b"}\r\n\r\n",
        b"data: " + b'"' + b"x" * 1_100_000 + b'"\n\n',
        b'data: {"id":"c"}\n\n' * 400_000,
    ],
    ids=["wide", "nested in two lines", "long", "many"],
)
async def test_a_monster_of_a_stream_is_no_answer(body: bytes) -> None:
    async def take(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/{rest:.*}", take)
    server = TestServer(app)
    async with server:
        one = ProviderOptions(name="", base_url=str(server.make_url("/v1")), api_key="k", api="chat", near=True)
        providers = Providers({"": Provider(one, Pace(retries=0))}, Prices())
        with pytest.raises(ModelError):
            await providers.answer(call(answer_tokens=20))
        await providers.close()
    await settle()


@pytest.mark.parametrize(("near", "most"), [(True, 1), (False, 2)], ids=["nearby", "everybody's"])
async def test_times_that_others_can_bring_about_narrow_no_server_that_everybody_shares(
    monkeypatch: pytest.MonkeyPatch, *, near: bool, most: int
) -> None:
    monkeypatch.setattr(Overlaps, "is_narrow", True)
    async with streaming("chat", "One.", HANG, pace=Pace(silence_seconds=0.3), near=near) as (providers, there):
        await providers.answer(call())
        await asyncio.gather(providers.answer(call()), providers.answer(call()))
        assert there.most == most


@both
async def test_characters_that_come_in_halves_are_whole_in_what_was_heard(api: Api) -> None:
    async with streaming(api, "Hello \ud83d", "\ude00 \x00 \ud83d there.", None) as (providers, _):
        given = await providers.answer(call())
    assert given.text == "Hello 😀  \ufffd there."


async def test_what_a_server_repeats_of_a_call_stands_in_no_log() -> None:
    failed = {"error": {"message": "What now? The key is red-door-17."}}
    said = {"type": "response.output_text.delta", "item_id": "m", "delta": "Yes.", "output_index": 0}

    async def take(_: web.Request) -> web.Response:
        return web.Response(
            text="".join(f"data: {json.dumps(one)}\n\n" for one in (said, failed)), content_type="text/event-stream"
        )

    app = web.Application()
    app.router.add_post("/v1/{rest:.*}", take)
    server = TestServer(app)
    async with server:
        one = ProviderOptions(name="", base_url=str(server.make_url("/v1")), api_key="k", near=True)
        providers = Providers({"": Provider(one, Pace(retries=0))}, Prices())
        with capture_logs() as lines:
            assert (await providers.answer(call())).text == "Yes."
        await providers.close()
    await settle()
    assert lines
    assert "red-door-17" not in str(lines)


def _wide(*parts: bytes) -> bytes:
    begun = b'{"type":"response.completed","response":{"id":"r","status":"completed","output":['
    return b"data: " + begun + b",".join(parts) + b"]}}\n\n"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, _wide(*[b"{}"] * 1_900)),
        (200, _wide(*[b'{"type":"any"}'] * 990)),
        (400, b"data: \xf0\x9f\x98\x80\n\n" + (b"data: " + b"x" * 1_000 + b"\n\n") * 15_000),
    ],
    ids=["of no kind", "of a kind of its own", "a refusal without end"],
)
async def test_no_stream_takes_what_others_need(status: int, body: bytes) -> None:
    async def take(_: web.Request) -> web.Response:
        return web.Response(status=status, body=body, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/{rest:.*}", take)
    server = TestServer(app)
    async with server:
        one = ProviderOptions(name="", base_url=str(server.make_url("/v1")), api_key="k", near=True)
        providers = Providers({"": Provider(one, Pace(retries=0))}, Prices())
        tracemalloc.start()
        with suppress(ModelError):
            await providers.answer(call())
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        await providers.close()
    await settle()
    assert most - len(body) < 16_000_000


async def test_no_server_in_claudes_shapes_takes_what_others_need() -> None:
    message = {"id": "m", "content": [{}] * 1_900, "usage": {"input_tokens": 1}}
    body = f"event: message_start\ndata: {json.dumps({'type': 'message_start', 'message': message})}\n\n"

    async def take(_: web.Request) -> web.Response:
        return web.Response(text=body, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/messages", take)
    server = TestServer(app)
    async with server:
        url = str(server.make_url("/")).rstrip("/")
        provider = Provider(ProviderOptions(name="", base_url=url, api_key="k", api="anthropic", near=True))
        providers = Providers({"": provider}, Prices())
        with pytest.raises(AskedAnew):  # what says nothing and does not end may be thinking
            await providers.answer(call())
        tracemalloc.start()  # the library is loaded
        await providers.answer(call())
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        await providers.close()
    await settle()
    assert most < 8_000_000
