"""The two endpoints over HTTP: who may ask, waiting, failing, the words of an answer, at once or as a stream."""

import asyncio
import json
import re
from collections.abc import Iterator
from itertools import chain, repeat
from types import ModuleType

from aiohttp import web

from bot.core.hud.formats.document import Document
from bot.core.hud.values import entries
from bot.core.records import Json
from bot.standin import chat_shape, responses_shape
from bot.standin.brain import think
from bot.standin.completion import Completion, new_id
from bot.standin.faults import Outcome, spoilt
from bot.standin.player import played
from bot.standin.problems import (
    Problem,
    bad_request,
    no_credit,
    no_key,
    rate_limited,
    server_error,
    wrong_key,
)
from bot.standin.question import Endpoint, Question, read_question
from bot.standin.reader import read_hud, words
from bot.standin.schema import Fitter, Schema, by_kind, kind_of
from bot.standin.script import Call, Script, Step, read_rule, read_steps
from bot.standin.smalltalk import ANNOUNCEMENT
from bot.standin.usage import Usage, first_tokens, tokens_of

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
        question = read_question(await json_of(request, LARGEST_QUESTION), endpoint)
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


def words_for(question: Question, step: Step) -> str:
    """The answer's text. A prepared text goes out as it is; a prepared object only gains missing nulls."""
    fitter = Fitter(question.schema) if question.schema else None
    if isinstance(step.answer, str):
        return step.answer
    if step.answer is not None:
        return as_json(fitter.filled(step.answer) if fitter else step.answer)
    if (turn := played(question.text)) is not None:
        return as_json(fitter.fitted(turn) if fitter else turn)
    hud = read_hud(question.text)
    if hud is None:
        return plain_answer(question, fitter)
    answer = think(hud)
    if fitter is None:
        return as_json(answer)
    return as_json(fitter.fitted(in_one_room(answer) if "message" in fitter.schema.get("properties", {}) else answer))


def in_one_room(answer: Document) -> Document:
    """The answer where one message is asked for: what is said in the one room that is shown."""
    said = [words(one, "message") for one in entries(answer.get("responses"))]
    return {**answer, "message": " ".join(said)}


def as_json(answer: object) -> str:
    return json.dumps(answer, ensure_ascii=False)


def reply_to(question: Question, step: Step, script: Script, call: Call, reply_id: str) -> tuple[Completion, Outcome]:
    """The reply with its usage, which is noted on the call as well."""
    outcome = shortened(question, spoilt(words_for(question, step), step.fault, incomplete=step.incomplete))
    usage = Usage(
        input_tokens=tokens_of(question.prompt),
        cached_tokens=script.cache.cached_tokens(question.prompt, model=question.model, key=question.cache_key),
        output_tokens=tokens_of(outcome.refusal or outcome.text),
    )
    call.usage, call.answer = usage, outcome.refusal or outcome.text
    reply = Completion(
        question=question,
        text=outcome.text,
        refusal=outcome.refusal,
        incomplete=outcome.incomplete,
        usage=usage,
        id=reply_id,
    )
    return reply, outcome


def shortened(question: Question, outcome: Outcome) -> Outcome:
    """The outcome, cut where the asker's limit of output tokens ends it."""
    limit = question.max_output_tokens
    if limit is None or tokens_of(outcome.text) <= limit:
        return outcome
    cut = first_tokens(outcome.text, limit)
    return Outcome(text=cut, refusal=outcome.refusal, incomplete=True, hang_up=outcome.hang_up)


LINE = re.compile(r"^\[\d+[^\]]*\] (.{1,60}?): (.+)$")
LONGEST = 160
SHOWN_LINES = 6
MAX_DEPTH = 12


def plain_answer(question: Question, fitter: Fitter | None) -> str:
    """Words for a question without a schema, and a value full of the text's own lines for one with."""
    points = points_of(question.text)
    if fitter is not None:
        filler = chain(points, repeat("nothing more"))
        value = sample(fitter, fitter.schema, filler)
        return json.dumps(fitter.fitted(value), ensure_ascii=False)
    words = summary(points) if re.search(r"summar|checkpoint", question.text, re.IGNORECASE) else echo(points)
    return json.dumps({"answer": words}, ensure_ascii=False) if question.json_wanted else words


def points_of(text: str) -> list[str]:
    """The lines of the talk when there is one, else the last lines that hold words."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    talk = [f"{found[1]}: {found[2]}" for line in lines if (found := LINE.match(line))]
    return [point[:LONGEST] for point in (talk or lines)[-SHOWN_LINES:]]


def summary(points: list[str]) -> str:
    return "Said lately: " + " / ".join(points) if points else "Nothing was said."


def echo(points: list[str]) -> str:
    return f"{ANNOUNCEMENT} You wrote: {points[-1]}" if points else ANNOUNCEMENT


def sample(fitter: Fitter, part: Schema, filler: Iterator[str], depth: int = 0) -> Json:
    """A value of the part's kind, its texts taken from the filler."""
    part = fitter.resolve(part)
    options = part.get("anyOf") or by_kind(part)
    part = next((option for option in map(fitter.resolve, options) if kind_of(option) != "null"), part)
    if depth > MAX_DEPTH or "enum" in part or "const" in part:
        return fitter.blank(part)
    match kind_of(part):
        case "object":
            properties = part.get("properties", {}).items()
            return {name: sample(fitter, sub, filler, depth + 1) for name, sub in properties}
        case "array":
            return [sample(fitter, part.get("items", {}), filler, depth + 1)]
        case "string":
            return next(filler)
        case _:
            return fitter.blank(part)


MODELS = ("gpt-4o-mini", "gpt-4o", "gpt-4.1-mini", "scripted")
BORN = 1_700_000_000


class SetUp:
    """`/playground/model/...`: prepared answers and faults, and the record of calls."""

    def __init__(self, script: Script) -> None:
        self.script = script

    async def add_steps(self, request: web.Request) -> web.Response:
        try:
            self.script.steps += read_steps(await json_of(request, LARGEST_SETUP))
        except Problem as problem:
            return problem.response("set-up")
        return web.json_response({"waiting": len(self.script.steps)})

    async def drop_steps(self, _: web.Request) -> web.Response:
        self.script.steps.clear()
        return web.Response(status=204)

    async def add_fault(self, request: web.Request) -> web.Response:
        try:
            self.script.rules.append(read_rule(await json_of(request, LARGEST_SETUP)))
        except Problem as problem:
            return problem.response("set-up")
        return web.json_response({"rules": len(self.script.rules)})

    async def drop_faults(self, _: web.Request) -> web.Response:
        self.script.rules.clear()
        return web.Response(status=204)

    async def show_calls(self, request: web.Request) -> web.Response:
        last = request.query.get("last", "")
        calls = list(self.script.calls)[-int(last) if last.isdecimal() and len(last) < 10 and int(last) else None :]
        return web.json_response([call.shown() for call in calls])

    async def drop_calls(self, _: web.Request) -> web.Response:
        self.script.calls.clear()
        return web.Response(status=204)


async def list_models(_: web.Request) -> web.Response:
    return web.json_response({"object": "list", "data": [model_card(name) for name in MODELS]})


async def show_model(request: web.Request) -> web.Response:
    name = request.match_info["name"]
    if name == "missing-model":
        message = f"The model '{name}' does not exist"
        return Problem(404, message, param="model", code="model_not_found").response("models")
    return web.json_response(model_card(name))


def model_card(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": BORN, "owned_by": "playground"}


async def unknown(request: web.Request) -> web.Response:
    message = f"Unknown request URL: {request.method} {request.path}."
    return Problem(404, message, code="unknown_url").response("unknown")


def add_routes(app: web.Application) -> None:
    script = Script()
    endpoints, set_up = Endpoints(script), SetUp(script)
    app.on_shutdown.append(endpoints.close)
    add, here = app.router.add_route, "/playground/model"
    add("GET", "/v1/models", list_models)
    add("GET", "/v1/models/{name:.+}", show_model)
    add("POST", "/v1/responses", endpoints.responses)
    add("POST", "/v1/chat/completions", endpoints.chat)
    add("*", "/v1/{rest:.*}", unknown)
    add("POST", f"{here}/script", set_up.add_steps)
    add("DELETE", f"{here}/script", set_up.drop_steps)
    add("POST", f"{here}/faults", set_up.add_fault)
    add("DELETE", f"{here}/faults", set_up.drop_faults)
    add("GET", f"{here}/calls", set_up.show_calls)
    add("DELETE", f"{here}/calls", set_up.drop_calls)


LARGEST_QUESTION = 4_000_000  # bytes: what the largest windows of models hold
LARGEST_SETUP = 1_000_000
MOST_BRACKETS = 200_000  # each may become a list, which takes far longer to make than text
DEEPEST = 64  # lists and objects within one another


async def json_of(request: web.Request, most: int) -> Json:
    """Give the JSON of a body; raises Problem for none, and for more than may be read."""
    data = bytearray()
    async for chunk in request.content.iter_any():
        data += chunk
        if len(data) > most:
            raise Problem(413, f"The body of your request is too large: send {most:,} bytes at most.")
    try:
        if data.count(b"[") + data.count(b"{") > MOST_BRACKETS:
            raise ValueError
        body: Json = json.loads(data)
    except (ValueError, RecursionError):
        message = "We could not parse the JSON body of your request: it is not valid JSON."
        raise bad_request(message) from None
    if is_deep(body):
        raise bad_request(f"The JSON body of your request is nested too deeply: {DEEPEST} levels are read.")
    return body


def is_deep(body: Json) -> bool:
    """Whether more lists and objects lie within one another than are read."""
    level: list[Json] = [[body]]
    for _ in range(DEEPEST + 1):
        held = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, list | dict))
        level = [inner for some in held for inner in some if isinstance(inner, list | dict)]
    return bool(level)
