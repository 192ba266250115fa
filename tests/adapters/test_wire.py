"""What goes over the line to a model server, and what is made of whatever comes back."""

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from hypothesis import given as drawn
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.adapters.llm.communities import Providers
from bot.adapters.llm.ladder import ASKED_ANEW_SECONDS, Ladder
from bot.adapters.llm.pictures import as_taken, smaller
from bot.adapters.llm.prices import SAFE_CONTEXT_TOKENS, Price, Prices
from bot.adapters.llm.provider import Pace, Provider, ProviderOptions
from bot.adapters.llm.usage import MOST_TOKENS, usage_of
from bot.core.errors import ModelError, ModelRefused, ModelUnreachable
from bot.core.models import Api
from bot.core.records import Usage
from bot.core.schema import answer_schema
from bot.engine.timelines.chance import settle
from tests.adapters.test_providers import SCHEMA, call

Json = dict[str, Any]
USED = {"input_tokens": 2_000, "output_tokens": 100, "total_tokens": 2_100}
CACHED = {"cached_tokens": 1_024, "cache_write_tokens": 512}


def response(text: str = "ok", usage: Json | None = None, **more: Any) -> Json:  # noqa: ANN401
    part = {"type": "output_text", "text": text, "annotations": []}
    said = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
    whole = {"id": "r", "object": "response", "status": "completed", "output": [said], "usage": usage}
    return whole | {"model": "any", "created_at": 1, "parallel_tool_calls": True, "tools": []} | more


def completion(text: str = "ok", usage: Json | None = None, **more: Any) -> Json:  # noqa: ANN401
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text} | more}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "any", "choices": [choice], "usage": usage}


def problem(status: int, message: str, headers: dict[str, str] | None = None, **more: Any) -> web.Response:  # noqa: ANN401
    return web.json_response({"error": {"message": message} | more}, status=status, headers=headers)


@dataclass
class Line:
    """A server that answers from a list, the last one for ever, and keeps what it was sent."""

    answers: list[Any]
    bodies: list[Json] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    gate: asyncio.Event | None = None  # nobody is answered before it is set

    async def take(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        self.at.append(time.monotonic())
        if self.gate is not None:
            await self.gate.wait()
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer == "drop":
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        if isinstance(answer, str):
            return web.Response(text=answer, content_type="application/json")
        return answer if isinstance(answer, web.StreamResponse) else web.json_response(answer)


@asynccontextmanager
async def line(
    *answers: Any,  # noqa: ANN401
    api: str = "responses",
    retries: int = 0,
    prices: Prices | None = None,
    **options: Any,  # noqa: ANN401
) -> AsyncIterator[tuple[Providers, Line]]:
    there = Line(list(answers))
    app = web.Application()
    app.router.add_post("/v1/{rest:.*}", there.take)
    server = TestServer(app)
    async with server:
        base: Json = {"name": "", "base_url": str(server.make_url("/v1")), "api_key": "k", "api": api, "near": True}
        pace = Pace(silence_seconds=30, total_seconds=30, retries=retries)
        one = ProviderOptions(**(base | options))
        providers = Providers({one.name: Provider(one, pace)}, prices or Prices())
        yield providers, there
        await providers.close()
        await settle()


async def test_responses_are_asked_without_memory_and_held_to_the_schema() -> None:
    async with line(response()) as (providers, there):
        await providers.answer(call())
        (sent,) = there.bodies
    assert (sent["instructions"], sent["input"], sent["temperature"]) == ("You are here.", "What now?", 0.5)
    form = sent["text"]["format"]
    assert (form["type"], form["strict"], form["schema"]) == ("json_schema", True, SCHEMA)
    assert (sent["max_output_tokens"], sent["prompt_cache_key"], sent["store"]) == (500, "os", False)
    assert "previous_response_id" not in sent


async def test_chat_is_asked_with_the_constant_part_first_and_held_to_the_schema() -> None:
    async with line(completion(), api="chat") as (providers, there):
        await providers.answer(call())
        (sent,) = there.bodies
    assert [one["role"] for one in sent["messages"]] == ["system", "user"]
    assert [one["content"] for one in sent["messages"]] == ["You are here.", "What now?"]
    form = sent["response_format"]["json_schema"]
    assert (form["strict"], form["schema"]) == (True, SCHEMA)
    assert [sent[name] for name in ("temperature", "max_completion_tokens", "max_tokens")] == [0.5, 500, 500]


@pytest.mark.parametrize(("api", "answer"), [("responses", response), ("chat", completion)])
async def test_what_a_call_does_not_have_is_not_sent(api: str, answer: Callable[[], Json]) -> None:
    async with line(answer(), api=api) as (providers, there):
        await providers.answer(call(schema=None, temperature=None, cache_key=""))
        (sent,) = there.bodies
    assert not {"text", "response_format", "temperature", "prompt_cache_key"} & set(sent)


@pytest.mark.parametrize(("api", "answer"), [("responses", response), ("chat", completion)])
async def test_a_model_on_this_network_is_sent_the_pictures_themselves(api: str, answer: Callable[[], Json]) -> None:
    async def picture(request: web.Request) -> web.Response:
        kind = "image/png" if request.path == "/cat.png" else "text/html"
        return web.Response(body=b"a cat", content_type=kind)

    app = web.Application()
    app.router.add_get("/{name}.{kind}", picture)
    shelf = TestServer(app)
    async with shelf, line(answer(), api=api) as (providers, there):
        names = ("cat.png", "page.html", "gone/cat.png")
        await providers.answer(call(images=tuple(str(shelf.make_url(f"/{name}")) for name in names)))
        (sent,) = there.bodies
    content = sent["input"][0]["content"] if api == "responses" else sent["messages"][1]["content"]
    words, *pictures = content
    assert words["text"] == "What now?"
    urls = [one["image_url"] if api == "responses" else one["image_url"]["url"] for one in pictures]
    assert urls == ["data:image/png;base64,YSBjYXQ="]


async def test_a_model_elsewhere_fetches_pictures_by_their_address() -> None:
    address = "https://cdn.example/cat.png"
    assert await as_taken([address], server="https://api.openai.com/v1") == (address,)


async def test_a_picture_that_comes_drop_by_drop_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.adapters.llm.pictures.PATIENCE_SECONDS", 0.3)

    async def picture(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "image/png"})
        await response.prepare(request)
        for _ in range(100):
            await response.write(b".")
            await asyncio.sleep(0.05)
        return response

    app = web.Application()
    app.router.add_get("/cat.png", picture)
    shelf = TestServer(app)
    async with shelf:
        assert await as_taken([str(shelf.make_url("/cat.png"))], server="http://localhost:1") == ()
    await settle()


async def test_a_picture_that_is_too_large_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.adapters.llm.pictures.LARGEST_BYTES", 10)

    async def picture(_: web.Request) -> web.Response:
        return web.Response(body=b"a very large cat", content_type="image/png")

    app = web.Application()
    app.router.add_get("/cat.png", picture)
    shelf = TestServer(app)
    async with shelf:
        assert await as_taken([str(shelf.make_url("/cat.png"))], server="http://localhost:1") == ()
    await settle()


async def test_the_pictures_of_a_call_take_so_much_together_and_one_call_at_a_time_has_them() -> None:
    at_once, most = 0, 0

    async def picture(request: web.Request) -> web.Response:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.02)
        at_once -= 1
        return web.Response(body=b"x" * int(request.match_info["size"]), content_type="image/png")

    app = web.Application()
    app.router.add_get("/{size}.png", picture)
    shelf = TestServer(app)
    async with shelf, line(completion(), api="chat") as (providers, there):
        large, small = (str(shelf.make_url(f"/{size}.png")) for size in (990_000, 1_000))
        assert len(await as_taken([large] * 6, server="http://localhost:1")) == 4
        await asyncio.gather(*(providers.answer(call(images=(small,))) for _ in range(4)))
        assert len(there.bodies) == 4
    await settle()
    assert most == 1


def test_discord_is_asked_for_pictures_as_small_as_models_look_at_them() -> None:
    cat = "https://cdn.discordapp.com/attachments/1/2/cat.png?ex=1&hm=2"
    assert smaller(cat) == "https://media.discordapp.net/attachments/1/2/cat.png?ex=1&hm=2&width=512"
    assert smaller("http://localhost/cat.png") == "http://localhost/cat.png"


@pytest.mark.parametrize(
    ("api", "answer", "usage"),
    [
        ("responses", response, USED | {"input_tokens_details": CACHED, "output_tokens_details": None}),
        (
            "chat",
            completion,
            {"prompt_tokens": 2_000, "completion_tokens": 100, "total_tokens": 2_100, "prompt_tokens_details": CACHED},
        ),
    ],
)
async def test_what_was_used_is_counted_and_priced(api: str, answer: Callable[[str, Json], Json], usage: Json) -> None:
    async with line(answer("ok", usage), api=api) as (providers, _):
        used = (await providers.answer(call())).usage
        full = providers.list_price("gpt-4o-mini", input_tokens=2_000, output_tokens=100)
    assert (used.input_tokens, used.cached_tokens, used.cache_write_tokens, used.output_tokens) == (
        2_000,
        1_024,
        512,
        100,
    )
    assert Decimal(0) < used.cost_usd < full


@pytest.mark.parametrize(("api", "answer"), [("responses", response), ("chat", completion)])
@pytest.mark.parametrize(
    "usage",
    [
        None,
        {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 99}, "output_tokens": 5},
        {"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 99}, "completion_tokens": 5},
        {"input_tokens": -1, "prompt_tokens": "many", "output_tokens": 1e30, "completion_tokens": None},
    ],
)
async def test_counts_that_cannot_be_break_nothing(api: str, answer: Callable[..., Json], usage: Json | None) -> None:
    async with line(answer("ok", usage), api=api) as (providers, _):
        given = await providers.answer(call())
    assert given.text == "ok"
    assert given.usage.cached_tokens <= given.usage.input_tokens <= 10
    assert given.usage.output_tokens <= 5


@pytest.mark.slow
@drawn(*[st.one_of(st.integers(), st.floats(), st.text(), st.booleans(), st.none(), st.lists(st.integers()))] * 4)
def test_counts_stay_within_bounds_whatever_is_said(read: object, wrote: object, cached: object, kept: object) -> None:
    used = usage_of(input_count=read, output=wrote, cached=cached, written=kept)
    assert 0 <= used.cached_tokens + used.cache_write_tokens <= used.input_tokens <= MOST_TOKENS
    assert 0 <= used.output_tokens <= MOST_TOKENS


def test_counts_fit_together_whatever_is_said() -> None:
    assert usage_of(input_count=10, output=2, cached=99, written=99) == Usage(
        input_tokens=10, cached_tokens=10, output_tokens=2
    )
    assert usage_of(input_count=10, output=True, cached=4, written=99) == Usage(
        input_tokens=10, cached_tokens=4, cache_write_tokens=6
    )


@pytest.mark.parametrize("api", ["responses", "chat"])
async def test_a_declined_answer_tells_what_it_used(api: str) -> None:
    part = {"type": "refusal", "refusal": "I would rather not."}
    said = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
    tokens = {"prompt_tokens": 2_000, "completion_tokens": 100, "total_tokens": 2_100}
    answers = {
        "responses": response(output=[said], usage=USED),
        "chat": completion("", tokens, refusal="I would rather not."),
    }
    async with line(answers[api], api=api) as (providers, _):
        with pytest.raises(ModelRefused, match="I would rather not") as caught:
            await providers.answer(call())
    assert caught.value.usage is not None
    assert caught.value.usage.input_tokens == 2_000
    assert caught.value.usage.cost_usd > 0


@pytest.mark.parametrize("api", ["responses", "chat"])
@pytest.mark.parametrize(
    "answer", ["<html>hello</html>", '"a word"', "[]", "{}", '{"choices": [], "output": null}', "null"]
)
async def test_what_is_no_model_is_said_to_be_none(api: str, answer: str) -> None:
    async with line(answer, api=api) as (providers, _):
        with pytest.raises(ModelUnreachable, match="is no model: check the address"):
            await providers.answer(call())


async def test_a_temperature_that_is_refused_is_left_out_at_once_and_from_then_on() -> None:
    refused = problem(400, "Unsupported value: 'temperature'.", param="temperature", code="unsupported_value")
    async with line(refused, response()) as (providers, there):
        assert providers.takes_temperature("gpt-99")
        assert (await providers.answer(call(model="gpt-99"))).text == "ok"
        assert not providers.takes_temperature("gpt-99")
        assert providers.takes_temperature("gpt-98")
    assert ["temperature" in one for one in there.bodies] == [True, False]


@pytest.mark.parametrize(
    "words", ["'response_format' is not supported", "json_schema unknown", "Invalid parameter: text.format"]
)
async def test_a_schema_that_is_refused_is_said_in_words_the_next_time(words: str) -> None:
    async with line(problem(400, words), response()) as (providers, there):
        assert providers.takes_schema("tiny")
        with pytest.raises(ModelUnreachable, match="asked again in words"):
            await providers.answer(call(model="tiny"))
        assert not providers.takes_schema("tiny")
        assert providers.takes_schema("other")
        assert (await providers.answer(call(model="tiny", schema=None))).text == "ok"
    assert ["text" in one for one in there.bodies] == [True, False]


async def forms(*answers: Any, api: Api) -> list[str]:  # noqa: ANN401
    """Ask so often as there are answers, as the engine would, and give the forms that were sent."""
    async with line(*answers, api=api) as (providers, there):
        for _ in answers:
            schema = SCHEMA if providers.takes_schema("tiny") else None
            with suppress(ModelUnreachable):
                await providers.answer(call(model="tiny", schema=schema, wants_json=True))
    sent = [one.get("response_format") or one.get("text", {}).get("format") or {} for one in there.bodies]
    return [form.get("type", "none") for form in sent]


@pytest.mark.parametrize(("api", "said"), [("responses", response), ("chat", completion)])
async def test_a_server_that_ignores_a_form_is_asked_with_the_next_one(api: Api, said: Callable[[str], Json]) -> None:
    words, data = said("Hello!"), said('{"responses": []}')
    assert await forms(words, data, data, api=api) == ["json_schema", "json_object", "json_object"]
    assert await forms(words, words, words, api=api) == ["json_schema", "json_object", "none"]
    assert await forms(data, data, api=api) == ["json_schema", "json_schema"]


@pytest.mark.parametrize(("api", "said"), [("responses", response), ("chat", completion)])
async def test_a_server_that_refuses_every_form_is_asked_without(api: Api, said: Callable[[str], Json]) -> None:
    no = problem(400, "This server has no response_format.")
    again = problem(400, "This server has no response_format.")
    assert await forms(no, again, said("Hello!"), api=api) == ["json_schema", "json_object", "none", "none"]


def test_what_was_learned_of_a_model_is_tried_anew_after_some_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    ladder, now = Ladder(), 1_000.0
    monkeypatch.setattr("bot.adapters.llm.ladder.time.time", lambda: now)
    ladder.stands("tiny", "words")
    assert not ladder.takes_schema("tiny")
    now += ASKED_ANEW_SECONDS + 1
    assert ladder.takes_schema("tiny")
    assert ladder.takes_schema("other")


async def test_a_server_without_schemas_is_never_sent_one() -> None:
    async with line(response(), structured=False) as (providers, _):
        assert not providers.takes_schema("any")


@pytest.mark.parametrize(
    "fault",
    [
        problem(500, "out of order"),
        problem(503, "overloaded"),
        problem(429, "slowly", headers={"Retry-After": "0.2"}),
    ],
)
async def test_what_may_pass_is_tried_again(fault: object) -> None:
    async with line(fault, response(), retries=1) as (providers, there):
        assert (await providers.answer(call())).text == "ok"
    assert len(there.bodies) == 2
    assert there.bodies[0] == there.bodies[1]
    assert there.at[1] - there.at[0] >= 0.2


async def test_what_may_have_been_taken_is_asked_once_and_nobody_knows_what_it_cost() -> None:
    async with line("drop", response(), retries=2) as (providers, there):
        with pytest.raises(ModelUnreachable) as caught:
            await providers.answer(call())
    assert caught.value.usage is None
    assert len(there.bodies) == 1


async def test_retries_are_spread_so_that_not_all_come_back_together() -> None:
    gaps = []
    for _ in range(3):
        async with line(problem(500, "out of order"), response(), retries=1) as (providers, there):
            await providers.answer(call())
            gaps.append(there.at[1] - there.at[0])
    assert all(0.3 < gap < 2 for gap in gaps)
    assert len({round(gap, 3) for gap in gaps}) > 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_what_will_not_pass_is_asked_once(status: int) -> None:
    async with line(problem(status, "no"), retries=2) as (providers, there):
        with pytest.raises(ModelError):
            await providers.answer(call())
    assert len(there.bodies) == 1


@pytest.mark.parametrize("api", ["responses", "chat"])
@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize(
    "body",
    [
        '{"id":"r","output":[' + "{}," * 100_000 + "{}]}",
        '{"choices":[' + "{}," * 100_000 + "{}]}",
        '{"output":' + "[" * 300_000,
        '{"output":' + "[" * 900 + "]" * 900 + ',"choices":' + "[" * 900 + "]" * 900 + "}",
        '{"error":{"message":"' + "no " * 900_000 + '"}}',
        '{"output":[{"type":"message","content":[' + '{"type":"output_text","text":"a"},' * 20_000 + "{}]}]}",
    ],
    ids=["wide", "wide choices", "unclosed", "nested", "long", "many parts"],
)
async def test_a_monster_of_a_provider_is_no_answer_and_holds_nobody_up(api: str, status: int, body: str) -> None:
    async with line(web.Response(status=status, text=body, content_type="application/json"), api=api) as (providers, _):
        used = time.thread_time()
        with pytest.raises(ModelError):
            await providers.answer(call())
        assert time.thread_time() - used < 1


async def test_an_answer_may_repeat_the_schema_it_was_held_to() -> None:
    form = {"type": "json_schema", "name": "a", "strict": True, "schema": answer_schema()}
    async with line(response("yes") | {"text": {"format": form}}) as (providers, _):
        assert (await providers.answer(call())).text == "yes"


async def test_an_answer_that_was_packed_unasked_is_not_unpacked() -> None:
    packed = web.Response(body=gzip.compress(b"0" * 50_000_000), headers={"Content-Encoding": "gzip"})
    async with line(packed) as (providers, _):
        with pytest.raises(ModelRefused, match="packed"):
            await providers.answer(call())


async def test_a_server_that_complains_at_length_is_quoted_briefly() -> None:
    async with line(problem(400, "No,\n\n" + "no " * 10_000)) as (providers, _):
        with pytest.raises(ModelRefused, match="No, no no no") as caught:
            await providers.answer(call())
    assert len(caught.value.sentence) < 500


async def test_a_models_own_price_and_limit_stand_above_the_lists() -> None:
    own = {
        "mine": Price(input=Decimal(2), output=Decimal(10), cached=Decimal(1)),
        "gpt-4o-mini": Price(input=Decimal(0), output=Decimal(0)),
    }
    prices = Prices({"mine": 9_000, "gpt-4o-mini": 64_000}, own)
    async with line(response("ok", USED | {"input_tokens_details": CACHED}), prices=prices) as (providers, _):
        used = (await providers.answer(call(model="mine"))).usage
        assert used.cost_usd == Decimal("0.003976")  # 976 × 2 + 1,024 × 1 + 100 × 10, by the million
        assert providers.list_price("local/mine", input_tokens=1_000_000, output_tokens=0) == 2
        assert providers.list_price("gpt-4o-mini", input_tokens=1_000, output_tokens=1_000) == 0
        assert [providers.context_tokens(name) for name in ("mine", "local/mine", "gpt-4o-mini")] == [
            9_000,
            9_000,
            64_000,
        ]


def test_an_unknown_model_has_a_safe_limit_and_is_warned_of_once() -> None:
    prices = Prices()
    with capture_logs() as logged:
        assert prices.context_tokens("nobody-knows-it") == SAFE_CONTEXT_TOKENS
        assert prices.cost("nobody-knows-it", Usage(input_tokens=1)) == 0
    assert [(one["log_level"], one["model"]) for one in logged] == [("warning", "nobody-knows-it")]
    assert "SELFROOM_PRICES" in json.dumps(logged)


@pytest.mark.parametrize("charset", ["punycode", "zlib", "nonsense"])
async def test_no_server_chooses_how_its_words_are_decoded(charset: str) -> None:
    said = web.Response(status=400, body=b"a" * 200_000 + b"-" + b"a" * 200_000)
    said.headers["Content-Type"] = f"text/plain; charset={charset}"
    async with line(said) as (providers, _):
        used = time.thread_time()
        with pytest.raises(ModelError):
            await providers.answer(call())
        assert time.thread_time() - used < 1


@pytest.mark.parametrize(("asked", "waited"), [("inf", None), ("nan", None), ("-5", None), ("1e300", 3_600.0)])
async def test_no_server_makes_anybody_wait_for_ever(asked: str, waited: float | None) -> None:
    async with line(problem(429, "slowly", headers={"Retry-After": asked}), retries=0) as (providers, _):
        with pytest.raises(ModelError) as told:
            await providers.answer(call())
        assert told.value.retry_after_seconds == waited
