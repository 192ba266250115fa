"""The scripted model as the real openai client meets it."""

import json
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer
from openai import (
    APIConnectionError,
    AsyncOpenAI,
    AuthenticationError,
    BadRequestError,
    NotFoundError,
)
from pydantic import BaseModel

from tests.standin.serving import client_for, serving


class Capital(BaseModel):
    city: str
    inhabitants: int | None


@pytest.fixture
async def server() -> AsyncIterator[TestServer]:
    async with serving() as running:
        yield running


@pytest.fixture
async def client(server: TestServer) -> AsyncIterator[AsyncOpenAI]:
    async with client_for(server) as made:
        yield made


@pytest.fixture
async def set_up(server: TestServer) -> AsyncIterator[ClientSession]:
    async with ClientSession(str(server.make_url("/playground/model/"))) as session:
        yield session


async def test_a_response_carries_text_ids_and_usage(client: AsyncOpenAI) -> None:
    response = await client.responses.create(model="gpt-4o-mini", input="hello there", store=False)
    assert response.id.startswith("resp_")
    assert response.status == "completed"
    assert "scripted" in response.output_text
    assert response.usage is not None
    assert response.usage.total_tokens == response.usage.input_tokens + response.usage.output_tokens > 0
    assert response._request_id is not None and response._request_id.startswith("req_")


async def test_a_chat_completion_carries_text_ids_and_usage(client: AsyncOpenAI) -> None:
    messages = [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hello"}]
    completion = await client.chat.completions.create(model="gpt-4o-mini", messages=messages)  # type: ignore[arg-type]
    assert completion.id.startswith("chatcmpl-")
    assert completion.choices[0].finish_reason == "stop"
    assert "scripted" in (completion.choices[0].message.content or "")
    assert completion.usage is not None and completion.usage.prompt_tokens > 0


async def test_a_response_is_parsed_into_a_model(client: AsyncOpenAI, set_up: ClientSession) -> None:
    await set_up.post("script", json={"answer": {"city": "Oslo"}})
    response = await client.responses.parse(model="gpt-4o-mini", input="capital?", text_format=Capital)
    assert response.output_parsed == Capital(city="Oslo", inhabitants=None)


async def test_a_completion_is_parsed_into_a_model(client: AsyncOpenAI, set_up: ClientSession) -> None:
    await set_up.post("script", json={"answer": {"city": "Oslo", "inhabitants": 700_000}})
    completion = await client.chat.completions.parse(
        model="gpt-4o-mini", messages=[{"role": "user", "content": "capital?"}], response_format=Capital
    )
    assert completion.choices[0].message.parsed == Capital(city="Oslo", inhabitants=700_000)


async def test_without_a_script_a_schema_is_answered_all_the_same(client: AsyncOpenAI) -> None:
    response = await client.responses.parse(model="gpt-4o-mini", input="capital?", text_format=Capital)
    assert response.output_parsed is not None


async def test_a_streamed_response_brings_the_same_text_in_order(client: AsyncOpenAI) -> None:
    seen: list[str] = []
    async with client.responses.stream(model="gpt-4o-mini", input="hello") as stream:
        numbers = []
        async for event in stream:
            numbers.append(event.sequence_number)
            if event.type == "response.output_text.delta":
                seen.append(event.delta)
        final = await stream.get_final_response()
    assert numbers == sorted(set(numbers))
    assert "".join(seen) == final.output_text != ""
    assert final.usage is not None and final.usage.output_tokens > 0


async def test_a_streamed_response_is_parsed_into_a_model(client: AsyncOpenAI, set_up: ClientSession) -> None:
    await set_up.post("script", json={"answer": {"city": "Oslo"}})
    async with client.responses.stream(model="gpt-4o-mini", input="capital?", text_format=Capital) as stream:
        final = await stream.get_final_response()
    assert final.output_parsed == Capital(city="Oslo", inhabitants=None)


async def test_raw_response_events_open_and_close_everything(client: AsyncOpenAI) -> None:
    stream = await client.responses.create(model="gpt-4o-mini", input="hello", stream=True)
    kinds = [event.type async for event in stream]
    assert kinds[:4] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
    ]
    assert kinds[-4:] == [
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]


async def test_a_streamed_completion_ends_with_its_usage(client: AsyncOpenAI) -> None:
    stream = await client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "user", "content": "hello"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = [chunk async for chunk in stream]
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert "scripted" in text
    assert [chunk.usage is not None for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    assert chunks[-2].choices[0].finish_reason == "stop"


async def test_a_streamed_completion_is_parsed_into_a_model(client: AsyncOpenAI, set_up: ClientSession) -> None:
    await set_up.post("script", json={"answer": {"city": "Oslo"}})
    async with client.chat.completions.stream(
        model="gpt-4o-mini", messages=[{"role": "user", "content": "?"}], response_format=Capital
    ) as stream:
        final = await stream.get_final_completion()
    assert final.choices[0].message.parsed == Capital(city="Oslo", inhabitants=None)


async def test_a_json_object_is_asked_for_in_words_too(client: AsyncOpenAI) -> None:
    form = {"format": {"type": "json_object"}}
    response = await client.responses.create(model="m", input="answer in JSON", text=form)  # type: ignore[call-overload]
    assert "answer" in json.loads(response.output_text)
    with pytest.raises(BadRequestError, match="must contain the word 'json'"):
        await client.responses.create(model="m", input="answer", text=form)  # type: ignore[call-overload]


async def test_too_few_output_tokens_end_the_answer_early(client: AsyncOpenAI) -> None:
    response = await client.responses.create(model="m", input="hello", max_output_tokens=16)
    assert response.status == "incomplete"
    assert response.incomplete_details is not None
    assert response.incomplete_details.reason == "max_output_tokens"
    assert response.usage is not None and response.usage.output_tokens <= 16
    completion = await client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "hello"}], max_completion_tokens=5
    )
    assert completion.choices[0].finish_reason == "length"


async def test_a_repeated_beginning_is_counted_as_cached(client: AsyncOpenAI) -> None:
    beginning = "".join(f"[{n} 10:31] @mira: line number {n}\n" for n in range(400))

    async def cached(text: str, key: str) -> tuple[int, int]:
        answer = await client.responses.create(model="m", input=text, prompt_cache_key=key)
        assert answer.usage is not None
        return answer.usage.input_tokens_details.cached_tokens, answer.usage.input_tokens

    assert (await cached(beginning + "one", "a"))[0] == 0
    again, total = await cached(beginning + "two", "a")
    assert again >= 1024 and again % 128 == 0 and total - again < 256
    assert (await cached(beginning, "b"))[0] == 0
    assert (await cached("x" + beginning, "a"))[0] == 0
    assert (await cached("short", "a"))[0] == (await cached("short", "a"))[0] == 0


async def test_a_chat_without_a_cache_key_shares_with_all(client: AsyncOpenAI) -> None:
    text = "many words " * 800
    await client.responses.create(model="m", input=text, prompt_cache_key="a")
    completion = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
    assert completion.usage is not None and completion.usage.prompt_tokens_details is not None
    assert (completion.usage.prompt_tokens_details.cached_tokens or 0) >= 1024


async def test_models_are_listed_and_a_missing_one_is_not_found(client: AsyncOpenAI) -> None:
    listed = [model.id async for model in client.models.list()]
    assert "gpt-4o-mini" in listed
    with pytest.raises(NotFoundError) as chat:
        await client.chat.completions.create(model="missing-model", messages=[{"role": "user", "content": "hello"}])
    assert chat.value.code == "model_not_found"
    with pytest.raises(BadRequestError) as responses:
        await client.responses.create(model="missing-model", input="hello")
    assert responses.value.code == "model_not_found"
    with pytest.raises(NotFoundError):
        await client.models.retrieve("missing-model")


async def test_a_wrong_key_is_refused(server: TestServer) -> None:
    async with client_for(server, key="wrong") as client:
        with pytest.raises(AuthenticationError) as refused:
            await client.responses.create(model="m", input="hello")
    assert refused.value.code == "invalid_api_key"


async def test_no_key_is_refused(server: TestServer) -> None:
    async with ClientSession() as session:
        answer = await session.post(server.make_url("/v1/responses"), json={"model": "m", "input": "x"})
        assert answer.status == 401
        assert "API key" in (await answer.json())["error"]["message"]


async def test_bad_requests_say_what_is_wrong(client: AsyncOpenAI) -> None:
    with pytest.raises(BadRequestError, match="expected a number from 0 to 2"):
        await client.responses.create(model="m", input="x", temperature=3)
    with pytest.raises(BadRequestError, match="not supported with this model"):
        await client.responses.create(model="o3-mini", input="x", temperature=0.5)
    with pytest.raises(BadRequestError, match=">= 16"):
        await client.responses.create(model="m", input="x", max_output_tokens=3)
    with pytest.raises(BadRequestError, match="Missing required parameter: 'messages'"):
        await client.chat.completions.create(model="m", messages=[])


@pytest.mark.parametrize("path", ["/v1/responses", "/v1/chat/completions"])
async def test_a_body_without_a_bottom_is_a_bad_request(server: TestServer, path: str) -> None:
    headers = {"Authorization": "Bearer any", "Content-Type": "application/json"}
    async with ClientSession(headers=headers) as session, session.post(server.make_url(path), data="[" * 100_000) as no:
        assert no.status == 400
        assert "not valid JSON" in (await no.json())["error"]["message"]


async def test_a_strict_schema_must_name_all_its_properties(client: AsyncOpenAI) -> None:
    loose = {"type": "object", "properties": {"a": {"type": "string"}}, "required": [], "additionalProperties": False}
    form = {"format": {"type": "json_schema", "name": "loose", "strict": True, "schema": loose}}
    with pytest.raises(BadRequestError, match="Missing 'a'") as refused:
        await client.responses.create(model="m", input="x", text=form)  # type: ignore[call-overload]
    assert refused.value.code == "invalid_json_schema"


async def test_an_unknown_address_is_an_openai_error(server: TestServer, client: AsyncOpenAI) -> None:
    with pytest.raises(NotFoundError) as lost:
        await client.embeddings.create(model="m", input="x")
    assert lost.value.code == "unknown_url"


async def test_a_server_that_is_gone_is_a_connection_error(server: TestServer) -> None:
    async with client_for(server) as client:
        await server.close()
        with pytest.raises(APIConnectionError):
            await client.responses.create(model="m", input="hello")
