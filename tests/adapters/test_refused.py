"""What a server refuses or loses: sent once, laid to whom it belongs, and quoted without a key."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from bot.adapters.llm.faults import Told, untaken
from bot.adapters.llm.listening import LONGEST_ID
from bot.core.errors import ModelRefused, ModelUnreachable
from bot.core.key_redaction import KeyRedactor
from tests.adapters.test_providers import call
from tests.adapters.test_wire import completion, line, problem, response

Json = dict[str, Any]


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


async def test_a_model_that_fails_stops_no_other_of_its_server() -> None:
    async with line(*(problem(500, "down") for _ in range(5)), response()) as (providers, there):
        for _ in range(5):
            with pytest.raises(ModelUnreachable, match="has a fault"):
                await providers.answer(call(model="slow"))
        with pytest.raises(ModelUnreachable, match=r"'slow' at .* rests for a moment"):
            await providers.answer(call(model="slow"))
        assert (await providers.answer(call())).text == "ok"
    assert len(there.bodies) == 6


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


async def test_what_is_quoted_of_a_server_can_be_kept_by_every_store() -> None:
    async with line(problem(400, "no \ud83d\ude00 \x00 \ud83d")) as (providers, _):
        with pytest.raises(ModelRefused) as caught:
            await providers.answer(call())
    assert caught.value.sentence.endswith(": no 😀 \ufffd")


async def test_an_answer_that_nobody_should_read_may_have_been_paid_for() -> None:
    async with line(response("x" * 1_100_000)) as (providers, _):
        with pytest.raises(ModelRefused, match="longer than any") as caught:
            await providers.answer(call())
    assert caught.value.usage is None


ECHO = "they talk of a json_schema, a stream and the temperature"


@pytest.mark.parametrize(
    "no",
    [
        {"message": f"Invalid prompt: {ECHO}"},
        {"message": f"Invalid prompt: {ECHO}", "param": None, "code": 400},
        {"message": "The response_format is fine, this is not.", "param": "input[0].content"},
    ],
)
async def test_what_somebody_said_changes_no_form_when_a_server_repeats_it(no: Json) -> None:
    async with line(problem(400, **no), response()) as (providers, there):
        with pytest.raises(ModelRefused):
            await providers.answer(call(model="tiny", input=ECHO, temperature=0.5))
        assert providers.takes_schema("tiny")
        assert (await providers.answer(call(model="tiny", temperature=0.5))).text == "ok"
    assert [("temperature" in one, one["stream"]) for one in there.bodies] == [(True, True)] * 2


@pytest.mark.parametrize("word", ["json_schema", "stream", "temperature"])
def test_a_pictures_address_changes_no_form_when_a_server_repeats_it(word: str) -> None:
    picture = f"https://cdn.discordapp.com/attachments/1/2/{word}.png"
    no = Told(400, f"Error while downloading {picture}.")
    assert untaken(no, call()) is not None
    assert untaken(no, call(images=(picture,))) is None


async def test_what_somebody_has_a_model_decline_leaves_it_to_no_spare_one_elsewhere() -> None:
    declined = completion("", refusal="I would rather not.")
    async with line(declined, problem(401, "no"), api="chat") as (providers, _):
        with pytest.raises(ModelRefused, match="declined"):
            await providers.answer(call())
        assert not providers.is_failing("gpt-4o-mini")
        with pytest.raises(ModelRefused, match="does not take the key"):
            await providers.answer(call())
        assert providers.is_failing("gpt-4o-mini")


@pytest.mark.parametrize("api", ["responses", "chat"])
async def test_nobody_knows_what_a_declined_answer_used_whose_server_does_not_say(api: str) -> None:
    part = {"type": "refusal", "refusal": "I would rather not."}
    said = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
    answers = {"responses": response(output=[said]), "chat": completion("", refusal="I would rather not.")}
    async with line(answers[api], api=api) as (providers, _):
        with pytest.raises(ModelRefused, match="declined") as caught:
            await providers.answer(call())
    assert caught.value.usage is None


async def test_what_a_server_names_itself_counts_whatever_was_said() -> None:
    no = problem(400, "Invalid schema.", param="text.format.schema", code="invalid_json_schema")
    async with line(no, response()) as (providers, _):
        with pytest.raises(ModelUnreachable, match="asked again in words"):
            await providers.answer(call(model="tiny", input=ECHO))
        assert not providers.takes_schema("tiny")


@pytest.mark.parametrize("said", [7, {"a": [1]}, "x" * 900_000], ids=["number", "object", "long"])
@pytest.mark.parametrize(("api", "answer"), [("responses", response), ("chat", completion)])
async def test_an_answers_id_is_a_short_text_whatever_it_was(api: str, answer: Callable[..., Json], said: Json) -> None:
    async with line(answer() | {"id": said}, api=api) as (providers, _):
        given = await providers.answer(call())
    assert given.text == "ok"
    assert isinstance(given.response_id, str)
    assert len(given.response_id) <= LONGEST_ID
