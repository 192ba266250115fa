"""The two endpoints over HTTP: who may ask, waiting, failing, answering at once or as a stream."""

import asyncio
from types import ModuleType

from aiohttp import web

from bot.core.records import Json
from bot.standin import chat_shape, responses_shape
from bot.standin.answering import reply_to
from bot.standin.completion import new_id
from bot.standin.problems import (
    Problem,
    bad_request,
    no_credit,
    no_key,
    rate_limited,
    server_error,
    wrong_key,
)
from bot.standin.question import Endpoint, read_question
from bot.standin.script import Script, Step

LOOK_EVERY_SECONDS = 0.2
SHAPES: dict[Endpoint, ModuleType] = {"responses": responses_shape, "chat": chat_shape}


class Endpoints:
    """Answers questions for one desk until it is closed."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._closing = asyncio.Event()

    async def close(self, _: web.Application) -> None:
        """End every wait, so that a shutdown need not sit through them."""
        self._closing.set()

    async def responses(self, request: web.Request) -> web.StreamResponse:
        return await self._answered(request, "responses")

    async def chat(self, request: web.Request) -> web.StreamResponse:
        return await self._answered(request, "chat")

    async def _answered(self, request: web.Request, endpoint: Endpoint) -> web.StreamResponse:
        request_id = new_id("req_")
        try:
            return await self._answer(request, endpoint, request_id)
        except Problem as problem:
            return problem.response(request_id)

    async def _answer(self, request: web.Request, endpoint: Endpoint, request_id: str) -> web.StreamResponse:
        check_key(request)
        question = read_question(await json_of(request), endpoint)
        step = self.script.step_for(question.text)
        call = self.script.record(request_id, question)
        call.fault = step.fault
        await self._wait(request, step.delay_seconds)
        await self._fail(request, step)
        shape = SHAPES[endpoint]
        reply, outcome = reply_to(question, step, self.script, call, new_id(shape.PREFIX))
        if question.stream:
            return await streamed(request, list(shape.events(reply)), request_id, hang_up=outcome.hang_up)
        if outcome.hang_up:
            drop(request)
        return web.json_response(shape.whole(reply), headers={"x-request-id": request_id})

    async def _fail(self, request: web.Request, step: Step) -> None:
        """The faults that leave no answer at all."""
        match step.fault:
            case "rate_limit":
                raise rate_limited(step.retry_after_seconds)
            case "no_credit":
                raise no_credit()
            case "server_error":
                raise server_error()
            case "timeout":
                await self._wait(request, step.timeout_seconds)
                drop(request)
            case _:
                return

    async def _wait(self, request: web.Request, seconds: float) -> None:
        """Wait, but not on when the asker has gone or the server is closing."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while not self._closing.is_set() and not gone(request):
            left = until - loop.time()
            if left <= 0:
                return
            try:
                await asyncio.wait_for(self._closing.wait(), min(left, LOOK_EVERY_SECONDS))
            except TimeoutError:
                continue


def gone(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()


def drop(request: web.Request) -> None:
    """Cut the connection without a word."""
    if request.transport is not None:
        request.transport.abort()


def check_key(request: web.Request) -> None:
    """Any key will do, except none and the word `wrong`."""
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise no_key()
    if key.strip() == "wrong":
        raise wrong_key(key.strip())


async def json_of(request: web.Request) -> Json:
    try:
        body: Json = await request.json()
    except (ValueError, RecursionError):
        message = "We could not parse the JSON body of your request: it is not valid JSON."
        raise bad_request(message) from None
    return body


async def streamed(request: web.Request, events: list[str], request_id: str, *, hang_up: bool) -> web.StreamResponse:
    """Send the events one by one; a hang-up ends the connection after half of them."""
    headers = {"Content-Type": "text/event-stream; charset=utf-8", "x-request-id": request_id}
    response = web.StreamResponse(headers=headers | {"Cache-Control": "no-cache"})
    await response.prepare(request)
    for event in events[: len(events) // 2 if hang_up else None]:
        await response.write(event.encode("utf-8", "replace"))
    if hang_up:
        drop(request)
        return response
    await response.write_eof()
    return response
