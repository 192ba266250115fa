"""The real openai client against the scripted model's endpoint: answers, usage, money, and every fault in our words."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from purgatory.domain.model import Context
from structlog.testing import capture_logs

from bot.adapters.llm.breakers import Breakers
from bot.adapters.llm.communities import Providers
from bot.adapters.llm.prices import SAFE_CONTEXT_TOKENS, Price, Prices
from bot.adapters.llm.provider import Pace, Provider, ProviderOptions
from bot.core.errors import ModelBusy, ModelRefused, ModelUnreachable
from bot.core.ports import ModelCall
from bot.core.records import Json
from bot.engine.timelines.chance import settle
from bot.standin import add_to

SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"agents": {"type": "array", "items": {"type": "string"}}},
    "required": ["agents"],
    "additionalProperties": False,
}


@pytest.fixture
async def server() -> AsyncIterator[TestServer]:
    app = web.Application()
    add_to(app)
    running = TestServer(app)
    await running.start_server()
    yield running
    await running.close()


@pytest.fixture(params=["responses", "chat"])
async def providers(request: pytest.FixtureRequest, server: TestServer) -> AsyncIterator[Providers]:
    async with made(server, api=request.param) as one:
        yield one


@asynccontextmanager
async def made(server: TestServer, *, retries: int = 0, **options: Any) -> AsyncIterator[Providers]:  # noqa: ANN401
    base: dict[str, Any] = {"name": "", "base_url": str(server.make_url("/v1")), "api_key": "test", "near": True}
    pace = Pace(silence_seconds=30, total_seconds=30, calls_at_once=2, retries=retries)
    one = ProviderOptions(**(base | options))
    providers = Providers({one.name: Provider(one, pace)}, Prices())
    yield providers
    await providers.close()
    await settle()  # closed connections let go of their sockets in the loop's next turns


def call(**fields: Any) -> ModelCall:  # noqa: ANN401
    base: dict[str, Any] = {
        "model": "gpt-4o-mini",
        "instructions": "You are here.",
        "input": "What now?",
        "temperature": 0.5,
        "answer_tokens": 500,
        "schema": SCHEMA,
        "cache_key": "os",
    }
    return ModelCall(**(base | fields))


async def prepare(server: TestServer, **step: Any) -> None:  # noqa: ANN401
    async with aiohttp.ClientSession() as session:
        await session.post(server.make_url("/playground/model/script"), json=[{"times": None} | step])


async def test_an_answer_comes_with_its_usage_and_its_price(server: TestServer, providers: Providers) -> None:
    await prepare(server, answer={"agents": ["yes"]})
    answer = await providers.answer(call())
    assert answer.text == '{"agents": ["yes"]}' or answer.text == '{"agents":["yes"]}'
    assert answer.complete
    assert answer.response_id
    assert answer.usage.input_tokens > 0
    assert answer.usage.cost_usd > Decimal(0)
    assert answer.usage.latency_seconds > 0


async def test_a_cut_off_answer_is_given_as_far_as_it_goes(server: TestServer, providers: Providers) -> None:
    await prepare(server, answer={"agents": ["one", "two", "three"]}, fault="cut_off")
    answer = await providers.answer(call())
    assert not answer.complete
    assert answer.text.startswith('{"agents"')


async def test_what_came_before_the_line_broke_counts(server: TestServer, providers: Providers) -> None:
    await prepare(server, answer={"agents": ["one, two, three, four, five, six, seven, eight"] * 4}, fault="disconnect")
    answer = await providers.answer(call())
    assert not answer.complete
    assert answer.text.startswith('{"agents"')


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("server_error", ModelUnreachable),
        ("timeout", ModelUnreachable),
        ("rate_limit", ModelBusy),
        ("no_credit", ModelRefused),
        ("refusal", ModelRefused),
    ],
)
async def test_every_fault_is_one_of_our_errors(
    server: TestServer, providers: Providers, fault: str, error: type[Exception]
) -> None:
    await prepare(server, fault=fault, retry_after_seconds=0.01, timeout_seconds=0.05)
    with pytest.raises(error) as caught:
        await providers.answer(call())
    assert str(caught.value).endswith((".", "help with that."))


async def test_a_rate_limit_says_when_to_come_back(server: TestServer) -> None:
    await prepare(server, fault="rate_limit", retry_after_seconds=0.02)
    async with made(server) as providers:
        with pytest.raises(ModelBusy) as caught:
            await providers.answer(call())
        assert caught.value.retry_after_seconds == 0.02


async def test_a_wrong_key_is_said_so(server: TestServer) -> None:
    async with made(server, api_key="wrong") as providers:
        with pytest.raises(ModelRefused, match="check OPENAI_API_KEY"):
            await providers.answer(call())


async def test_an_unknown_model_is_said_so(server: TestServer) -> None:
    async with made(server) as providers:
        with pytest.raises(ModelRefused, match="no model 'missing-model'"):
            await providers.answer(call(model="missing-model"))


async def test_nobody_listening_is_said_with_the_address() -> None:
    options = ProviderOptions(name="", base_url="http://127.0.0.1:9/v1", api_key="x")
    providers = Providers({"": Provider(options, Pace(retries=0))}, Prices())
    with pytest.raises(ModelUnreachable, match=r"127\.0\.0\.1:9"):
        await providers.answer(call())
    await providers.close()


async def test_after_five_failures_the_provider_rests(server: TestServer) -> None:
    await prepare(server, fault="server_error")
    async with made(server) as providers:
        for _ in range(5):
            with pytest.raises(ModelUnreachable):
                await providers.answer(call())
        with pytest.raises(ModelUnreachable, match="rests for a moment") as caught:
            await providers.answer(call())
        assert caught.value.retry_after_seconds


async def test_a_prefix_names_the_provider(server: TestServer) -> None:
    await prepare(server, answer={"agents": []})
    async with made(server, name="local", api="chat") as providers:
        assert (await providers.answer(call(model="local/llama3"))).complete
        with pytest.raises(ModelRefused, match="No provider serves"):
            await providers.answer(call(model="gpt-4o-mini"))


def test_reasoning_models_take_no_temperature() -> None:
    providers = Providers({}, Prices())
    assert providers.takes_temperature("gpt-4o-mini")
    assert not providers.takes_temperature("o3-mini")
    assert not providers.takes_temperature("azure/gpt-5-mini")


def test_prices_and_limits_come_from_the_library_and_can_be_overridden() -> None:
    prices = Prices({"mine": 9_000})
    assert prices.context_tokens("gpt-4o-mini") == 128_000
    assert prices.context_tokens("mine") == 9_000
    assert prices.context_tokens("nobody-knows-it") == SAFE_CONTEXT_TOKENS
    providers = Providers({}, prices)
    assert providers.list_price("gpt-4o-mini", input_tokens=1_000_000, output_tokens=0) == Decimal("0.15")
    assert providers.list_price("nobody-knows-it", input_tokens=1_000, output_tokens=1_000) == 0


async def test_metrics_never_have_a_name_that_only_a_community_chose() -> None:
    ours = Provider(ProviderOptions(name="", base_url="http://127.0.0.1:9/v1", api_key="x"))
    theirs = Provider(ProviderOptions(name="den", base_url="https://den.example", api_key="x", own=True))
    prices = Prices(own={"tiny": Price(input=Decimal(1), output=Decimal(1))}, named=("qwen3",))
    providers = Providers({"": ours, "den": theirs}, prices)
    named = ["gpt-4o-mini", "tiny", "local/tiny", "qwen3", "den/ann-is-a-thief", "gpt-4o-ann-is-a-thief", "ann-is"]
    counted = [providers.counted_as(name) for name in named]
    assert counted[:4] == ["gpt-4o-mini", "tiny", "tiny", "qwen3"]
    assert not [name for name in counted if "ann" in name]
    assert counted[4] == "own"
    assert counted[6] == "others"
    await providers.close()


def test_of_models_without_a_price_few_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.adapters.llm.prices.MOST_TOLD", 3)
    with capture_logs() as told:
        prices = Prices()
        assert not any(prices.knows(f"made-up-{number}") for number in (1, 1, 2, 3, 4, 5))
    assert [one["model"] for one in told] == ["made-up-1", "made-up-2", "made-up-3"]


async def test_of_models_that_there_are_not_few_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.adapters.llm.breakers.MOST_FAILING", 3)
    kept = Breakers()
    for name in ("a", "b", "c"):
        await kept.register(Context(name, 5, 15))
    assert await kept.get("a") is not None
    await kept.register(Context("d", 5, 15))
    assert [await kept.get(name) is not None for name in ("a", "b", "c", "d")] == [True, False, True, True]
