"""What is written of a run is read as the very same run."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from bot.core.errors import BadSetting
from bot.core.runs.reading import read_given, read_run
from bot.core.runs.spec import RunSpec
from bot.core.runs.writing import as_toml
from tests.core.runs.test_reading import GOOD, read

TEXTS = some.text(some.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(str.strip)
VALUES = some.recursive(
    some.booleans() | some.integers() | some.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def again(run: RunSpec) -> RunSpec:
    return read_run(as_toml(run).encode(), "run.toml")


def test_a_file_that_was_read_and_written_is_the_same_run_to_the_last_byte() -> None:
    run = read(GOOD, budget="1.50", minutes=None)
    assert again(run).model_dump_json() == run.model_dump_json()
    text = as_toml(run)
    assert text.startswith('title = "Tea"\nturns = 12\nseed = 7\nbudget = "1.50"\n')
    assert "[[agents]]" in text and "[scene]" in text and 'tea = "green"' in text


@settings(deadline=None)
@given(TEXTS, TEXTS, some.dictionaries(TEXTS, VALUES, max_size=4), some.integers(0, 2**63 - 1))
def test_whatever_is_said_of_agents_comes_back(prompt: str, said: str, knows: dict[str, object], seed: int) -> None:
    agents = [{"name": "Ada", "prompt": prompt, "knows": knows}, {"template": "Wren", "temperature": 0.1}]
    run = read_given({"agents": agents, "events": [{"text": said}], "seed": seed, "budget": "0.10"})
    assert again(run).model_dump_json() == run.model_dump_json()


def test_what_a_file_cannot_say_is_told() -> None:
    agents = [{"name": "Ada", "prompt": "You are Ada.", "knows": {"home": {"street": None}}}]
    with pytest.raises(BadSetting, match="`street`: a file has no way to say null"):
        as_toml(read_given({"agents": agents, "events": [{"text": "Hello."}]}))
