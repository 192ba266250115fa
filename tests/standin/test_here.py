"""The scripted mind answers in this process as its endpoint does."""

import json

from bot.core.models import ModelCall
from bot.core.records import Json
from bot.standin.here import Here

CALL = ModelCall(
    model="gpt-4o-mini",
    instructions="Be brief. " * 600,
    input="[1 10:00] @mira: hello",
    temperature=None,
    answer_tokens=600,
    schema=None,
    cache_key="a",
)


def test_the_same_calls_in_the_same_order_come_to_the_same() -> None:
    one, other = Here(), Here()
    first = [one.answer(CALL), one.answer(CALL)]
    assert first == [other.answer(CALL), other.answer(CALL)]
    assert first[0].usage.cached_tokens == 0 < first[1].usage.cached_tokens <= first[1].usage.input_tokens
    assert first[0].text


def test_an_answer_fits_its_schema_and_its_length() -> None:
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
        "additionalProperties": False,
    }
    given = ModelCall(
        **{name: getattr(CALL, name) for name in ("model", "instructions", "input", "temperature")},
        answer_tokens=600,
        schema=schema,
        cache_key="",
    )
    assert set(json.loads(Here().answer(given).text)) == {"word"}
    short = ModelCall(
        **{name: getattr(CALL, name) for name in ("model", "instructions", "input", "temperature")},
        answer_tokens=2,
        schema=None,
        cache_key="",
    )
    cut = Here().answer(short)
    assert (cut.complete, cut.usage.output_tokens <= 2) == (False, True)
