"""What tests can prepare, and each fault as the real openai client sees it."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer
from openai import (
    APIConnectionError,
    APITimeoutError,
    AsyncOpenAI,
    InternalServerError,
    LengthFinishReasonError,
    RateLimitError,
)
from pydantic import BaseModel, ValidationError

from tests.standin.serving import client_for, serving

Json = dict[str, Any]
Ask = Callable[[AsyncOpenAI, str], Awaitable[str]]


class Said(BaseModel):
    words: str


async def ask_responses(client: AsyncOpenAI, text: str = "hello") -> str:
    return (await client.responses.create(model="m", input=text)).output_text


async def ask_chat(client: AsyncOpenAI, text: str = "hello") -> str:
    completion = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
    return completion.choices[0].message.content or ""


async def ask_streamed(client: AsyncOpenAI, text: str = "hello") -> str:
    stream = await client.responses.create(model="m", input=text, stream=True)
    return "".join([event.delta async for event in stream if event.type == "response.output_text.delta"])


BOTH = pytest.mark.parametrize("ask", [ask_responses, ask_chat])
ALL = pytest.mark.parametrize("ask", [ask_responses, ask_chat, ask_streamed])


class Bench:
    """A running model, a client for it and its set-up routes."""

    def __init__(self, server: TestServer, client: AsyncOpenAI, session: ClientSession) -> None:
        self.server, self.client, self.session = server, client, session

    async def prepare(self, *steps: Json) -> None:
        answer = await self.session.post("script", json=list(steps))
        assert answer.status == 200, await answer.text()

    async def calls(self) -> list[Json]:
        shown: list[Json] = await (await self.session.get("calls")).json()
        return shown


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    async with (
        serving() as server,
        client_for(server) as client,
        ClientSession(str(server.make_url("/playground/model/"))) as session,
    ):
        yield Bench(server, client, session)


@ALL
async def test_a_prepared_text_is_answered_once_as_it_stands(bench: Bench, ask: Ask) -> None:
    await bench.prepare({"answer": "first"}, {"answer": "second", "times": 2})
    said = [await ask(bench.client, "hello") for _ in range(4)]
    assert said[:3] == ["first", "second", "second"]
    assert said[3] not in ("first", "second")


async def test_a_step_waits_for_the_text_it_matches(bench: Bench) -> None:
    await bench.prepare({"match": "storm", "answer": "wind"}, {"match": r"AGENT \d+: Bob", "answer": "Bob here"})
    assert await ask_chat(bench.client, "AGENT 1: Bob") == "Bob here"
    assert await ask_chat(bench.client, "a storm") == "wind"


@ALL
async def test_a_rate_limit_says_when_to_come_back(bench: Bench, ask: Ask) -> None:
    await bench.prepare({"fault": "rate_limit", "retry_after_seconds": 7})
    with pytest.raises(RateLimitError) as limited:
        await ask(bench.client, "hello")
    assert limited.value.response.headers["retry-after"] == "7"
    assert limited.value.code == "rate_limit_exceeded"


async def test_no_credit_is_told_from_a_rate_limit_by_its_code(bench: Bench) -> None:
    await bench.prepare({"fault": "no_credit"})
    with pytest.raises(RateLimitError) as broke:
        await ask_responses(bench.client)
    assert broke.value.code == "insufficient_quota"


@ALL
async def test_a_server_error_is_one(bench: Bench, ask: Ask) -> None:
    await bench.prepare({"fault": "server_error"})
    with pytest.raises(InternalServerError):
        await ask(bench.client, "hello")


@ALL
async def test_a_timeout_outlasts_the_client(bench: Bench, ask: Ask) -> None:
    await bench.prepare({"fault": "timeout"})
    async with client_for(bench.server, timeout=0.2) as hasty:
        with pytest.raises(APITimeoutError):
            await ask(hasty, "hello")


async def test_a_short_timeout_ends_in_a_dropped_connection(bench: Bench) -> None:
    await bench.prepare({"fault": "timeout", "timeout_seconds": 0.05})
    with pytest.raises(APIConnectionError) as dropped:
        await ask_responses(bench.client)
    assert not isinstance(dropped.value, APITimeoutError)


async def test_a_waiting_answer_does_not_hold_up_a_shutdown(bench: Bench) -> None:
    await bench.prepare({"fault": "timeout"})
    waiting = asyncio.ensure_future(ask_responses(bench.client))
    while not await bench.calls():
        continue
    started = time.monotonic()
    await bench.server.close()
    assert time.monotonic() - started < 2 * 3  # on a machine three times busier
    with pytest.raises(APIConnectionError):
        await waiting


@ALL
async def test_a_disconnect_is_a_connection_error(bench: Bench, ask: Ask) -> None:
    await bench.prepare({"fault": "disconnect"})
    with pytest.raises(APIConnectionError):
        await ask(bench.client, "hello")


@BOTH
async def test_a_cut_off_answer_stops_in_the_middle(bench: Bench, ask: Ask) -> None:
    await bench.prepare({"answer": {"words": "a long and winding sentence"}, "fault": "cut_off"})
    said = await ask(bench.client, "hello")
    assert said.startswith('{"words": "a long') and not said.endswith("}")


async def test_a_cut_off_answer_is_marked_incomplete_unless_told_otherwise(bench: Bench) -> None:
    step = {"answer": {"words": "a long and winding sentence"}, "fault": "cut_off"}
    await bench.prepare(step, step | {"incomplete": False}, step, step | {"incomplete": False})
    states = [(await bench.client.responses.create(model="m", input="x")).status for _ in range(2)]
    assert states == ["incomplete", "completed"]
    with pytest.raises(LengthFinishReasonError):
        await parsed_chat(bench.client)
    with pytest.raises(ValidationError):
        await parsed_chat(bench.client)


async def parsed_chat(client: AsyncOpenAI) -> object:
    return await client.chat.completions.parse(
        model="m", messages=[{"role": "user", "content": "x"}], response_format=Said
    )


async def test_a_refusal_is_a_refusal_in_both_endpoints(bench: Bench) -> None:
    await bench.prepare({"fault": "refusal", "times": 4})
    response = await bench.client.responses.parse(model="m", input="x", text_format=Said)
    assert response.output_parsed is None
    assert response.output[0].type == "message" and response.output[0].content[0].type == "refusal"
    completion = await bench.client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
    assert completion.choices[0].message.content is None
    assert "can't help" in (completion.choices[0].message.refusal or "")
    stream = await bench.client.responses.create(model="m", input="x", stream=True)
    kinds = [event.type async for event in stream]
    assert "response.refusal.done" in kinds and "response.output_text.delta" not in kinds
    async with bench.client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "x"}]) as chunks:
        final = await chunks.get_final_completion()
    assert "can't help" in (final.choices[0].message.refusal or "")


@ALL
async def test_garbage_and_emptiness_arrive_as_they_are(bench: Bench, ask: Ask) -> None:
    await bench.prepare({"fault": "garbage"}, {"fault": "empty"})
    assert "lorem" in await ask(bench.client, "hello")
    assert await ask(bench.client, "hello") == ""


async def test_the_wrong_agent_answers_in_another_ones_place(bench: Bench) -> None:
    answer = {"agents": [{"agent_id": 3, "responses": [], "actions": []}]}
    await bench.prepare({"answer": answer, "fault": "wrong_agent"}, {"fault": "wrong_agent"})
    assert '"agent_id": 10003' in await ask_chat(bench.client)
    assert '"agent_id": 10000' in await ask_chat(bench.client)


async def test_a_delayed_answer_comes_later(bench: Bench) -> None:
    await bench.prepare({"answer": "late", "delay_seconds": 0.15})
    started = time.monotonic()
    assert await ask_chat(bench.client) == "late"
    assert time.monotonic() - started >= 0.15


async def test_faults_by_chance_follow_their_seed_and_count(bench: Bench) -> None:
    async def run() -> list[bool]:
        await bench.session.delete("faults")
        rule = {"kind": "server_error", "probability": 0.5, "seed": 1, "count": 3}
        await bench.session.post("faults", json=rule)
        return [await fails(bench.client) for _ in range(12)]

    first = await run()
    assert first == await run()
    assert sum(first) == 3 and first[:3] != [True] * 3
    await bench.session.delete("faults")
    assert not await fails(bench.client)


async def fails(client: AsyncOpenAI) -> bool:
    try:
        await ask_chat(client)
    except InternalServerError:
        return True
    return False


async def test_a_model_can_be_made_slow(bench: Bench) -> None:
    answer = await bench.session.post("faults", json={"delay_seconds": 0.1, "count": 1})
    assert answer.status == 200
    started = time.monotonic()
    await ask_chat(bench.client)
    assert time.monotonic() - started >= 0.1


async def test_calls_are_recorded_and_forgotten(bench: Bench) -> None:
    await bench.prepare({"answer": {"words": "hi"}}, {"fault": "server_error"})
    await bench.client.responses.parse(
        model="gpt-4o-mini", instructions="be kind", input="hello", text_format=Said, prompt_cache_key="k"
    )
    assert await fails(bench.client)
    first, second = await bench.calls()
    assert first["input"] == "be kind\nhello" and first["model"] == "gpt-4o-mini" and first["schema"] == "Said"
    assert first["usage"]["input_tokens"] > 0 and first["prompt_cache_key"] == "k"
    assert first["answer"] == '{"words": "hi"}' and first["when"].startswith("20")
    assert second["fault"] == "server_error" and second["usage"] is None
    assert len(await (await bench.session.get("calls?last=1")).json()) == 1
    await bench.session.delete("calls")
    assert await bench.calls() == []


async def test_dropped_steps_are_not_answered(bench: Bench) -> None:
    await bench.prepare({"answer": "prepared", "times": None})
    await bench.session.delete("script")
    assert await ask_chat(bench.client) != "prepared"


@pytest.mark.parametrize(
    ("where", "body", "says"),
    [
        ("script", {"reply": "x"}, "A step has no 'reply'"),
        ("script", {"fault": "explosion"}, "'explosion' is no fault"),
        ("script", {"times": 0}, "'times' must be a number from 1"),
        ("script", [3], "A step is a JSON object"),
        ("faults", {"kind": "explosion"}, "'explosion' is no fault"),
        ("faults", {"probability": 2, "kind": "empty"}, "'probability' must be a number from 0 to 1"),
        ("faults", {}, "'kind' must be one of"),
    ],
)
async def test_a_wrong_preparation_says_what_to_do(bench: Bench, where: str, body: object, says: str) -> None:
    answer = await bench.session.post(where, json=body)
    assert answer.status == 400
    assert says in (await answer.json())["error"]["message"]
