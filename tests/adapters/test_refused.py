"""What a server refuses or loses: sent once, laid to whom it belongs, and quoted without a key."""

import json

import pytest

from bot.core.errors import ModelRefused, ModelUnreachable
from bot.core.key_redaction import KeyRedactor
from tests.adapters.test_providers import call
from tests.adapters.test_wire import completion, line, problem, response


@pytest.mark.parametrize("status", [408, 409, 425, 502, 504, 520, 524])
@pytest.mark.parametrize("says", [{}, {"x-should-retry": "true"}], ids=["silent", "asking for more"])
async def test_what_may_have_been_paid_for_is_sent_once(status: int, says: dict[str, str]) -> None:
    async with line(problem(status, "lost", headers=says), response(), retries=2) as (providers, there):
        with pytest.raises(ModelUnreachable):
            await providers.answer(call())
    assert len(there.bodies) == 1


@pytest.mark.parametrize("status", [400, 405, 413, 415, 418, 422, 451])
async def test_what_a_server_refuses_for_what_it_holds_closes_it_to_nobody_else(status: int) -> None:
    async with line(*(problem(status, "too much of it") for _ in range(6)), response()) as (providers, _):
        for _ in range(6):
            with pytest.raises(ModelRefused, match=r"does not take the request for 'gpt-4o-mini': .*too much of it"):
                await providers.answer(call())
        assert (await providers.answer(call())).text == "ok"


async def test_models_without_schemas_close_their_server_to_nobody_else() -> None:
    async with line(*(problem(400, "json_schema unknown") for _ in range(6)), response()) as (providers, _):
        for number in range(6):
            with pytest.raises(ModelUnreachable, match="asked again in words"):
                await providers.answer(call(model=f"tiny{number}"))
        assert (await providers.answer(call())).text == "ok"


KEY, ROOM_KEY = "sk-aaaaaaaabbbbbbbbccccccccdddddddd", 'zebra "crossing" at noon'


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("before", range(168, 304, 17))
async def test_no_part_of_a_key_is_quoted_wherever_the_quotation_is_cut(before: int, *, own: bool) -> None:
    said = "y" * before + KEY + json.dumps(ROOM_KEY) + "z" * 400
    refusal = {"type": "refusal", "refusal": said}
    declined = response(
        output=[{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [refusal]}]
    )
    for answer, api in (
        (problem(400, said), "responses"),
        (declined, "responses"),
        (completion("", refusal=said), "chat"),
    ):
        async with line(answer, api=api, api_key=KEY, own=own) as (providers, _):
            with pytest.raises(ModelRefused) as caught:
                await providers.answer(call(redactor=KeyRedactor([ROOM_KEY])))
        for secret in (KEY, ROOM_KEY):
            assert not any(secret[at : at + 6] in caught.value.sentence for at in range(len(secret) - 5))


async def test_an_answer_that_nobody_should_read_may_have_been_paid_for() -> None:
    async with line(response("x" * 1_100_000)) as (providers, _):
        with pytest.raises(ModelRefused, match="longer than any") as caught:
            await providers.answer(call())
    assert caught.value.usage is None
