"""A run's file is read whole, or refused in one sentence with its line."""

import re
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from bot.core.errors import BadSetting
from bot.core.runs.reading import LARGEST_FILE, line_of, read_given, read_run
from bot.core.runs.spec import RunSpec

GOOD = """\
title = "Tea"
turns = 12
seed = 7

[[agents]]
name = "Ada"
prompt = '''
turns = "a line in a prompt is no key"
'''

[[agents]]
name = "Bo"
prompt = "You are Bo."
temperature = 0.5

[agents.knows]
tea = "green"

[scene]
kind = "council"
preset = "meeting"

[scene.options]
topic = "tea"

[[events]]
turn = 3
text = "It rains."

[settings]
language = "German"
"""


def read(text: str, **over: object) -> RunSpec:
    return read_run(text.encode(), "tea.toml", over)


def refused(text: str, **over: object) -> str:
    with pytest.raises(BadSetting) as found:
        read(text, **over)
    return str(found.value)


def test_a_file_says_who_lives_there_and_what_is_played() -> None:
    run = read(GOOD)
    assert [one.name for one in run.agents] == ["Ada", "Bo"]
    assert run.agents[1].knows == {"tea": "green"}
    assert run.scene is not None
    assert run.scene.chosen == {"host": False, "turns": 40, "topic": "tea"}
    assert (run.events[0].turn, run.settings, run.is_scripted) == (3, {"language": "German"}, True)


def test_what_the_command_line_says_goes_before_the_file() -> None:
    run = read(GOOD, turns=40, seed=9, model="gpt-4o-mini")
    assert (run.turns, run.seed, run.is_scripted, run.models) == (40, 9, False, ("gpt-4o-mini",))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("turns = 12", "turn = 12", "tea.toml, line 2: there is no `turn` in a run: did you mean `turns`?"),
        ("turns = 12", "turns = 0", "tea.toml, line 2: `turns` should be greater than or equal to 1."),
        ("turns = 12", "turns = true", "tea.toml, line 2: `turns` should be a valid integer."),
        ("temperature = 0.5", "temprature = 1", "line 14: there is no `agents 2 temprature` in a run: did you mean"),
        ('name = "Bo"', "", "line 11: an agent with a `prompt` needs a `name`"),
        ('prompt = "You are Bo."', 'template = "Wrenn"', "line 11: there is no template 'Wrenn': choose one of Wren,"),
        ('kind = "council"', 'kind = "counsel"', "line 19: there is no scene 'counsel': choose one of chat, council,"),
        ('preset = "meeting"', 'preset = "x"', "line 19: there is no preset 'x' of council: choose one of meeting,"),
        (
            'topic = "tea"',
            'topics = "tea"',
            "line 24: there is no `scene options topics` in a run: did you mean `topic`",
        ),
        ('topic = "tea"', "turns = 1000", "line 24: `scene options turns` should be less than or equal to 400."),
        (
            'preset = "meeting"',
            'ordering = "free"',
            "line 19: council is not ordered by free: choose one of sequential",
        ),
        (
            'language = "German"',
            'langage = "x"',
            "line 31: there is no `settings langage` in a run: did you mean `lang",
        ),
        ('language = "German"', "usd_per_day = 2", "line 31: `settings usd_per_day` is not set in a run: its `model`"),
        ('text = "It rains."', "", "line 26: `events 1 text` is missing: add it."),
        ('title = "Tea"', 'title = "Tea', "tea.toml is no TOML: illegal character '\\n' (at line 1, column 13)."),
    ],
)
def test_a_fault_is_one_sentence_with_its_line_and_what_to_do(before: str, after: str, said: str) -> None:
    assert before in GOOD
    assert said in refused(GOOD.replace(before, after, 1))


def test_what_cannot_be_played_is_refused_before_anything_begins() -> None:
    alone = 'agents = [{template = "Wren"}]\n'
    assert "nothing ever happens: add a [scene], or [[events]]" in refused(alone)
    assert "council is played by 2 to 16, and the file has 1 agent." in refused(f'{alone}[scene]\nkind = "council"\n')
    assert "give `turns` or `minutes`, not both" in refused(f"minutes = 3\n{GOOD}")
    chosen = '[scene]\nkind = "chat"\nordering = "controlled"\n'
    two = 'agents = [{template = "Wren"}, {template = "Sage"}]\n'
    assert "nobody is there to choose who is next: order chat by one of sequential, random" in refused(two + chosen)
    model = 'agents = [{template = "Wren", model = "gpt-4o"}, {template = "Sage"}]\n[scene]\nkind = "chat"\n'
    assert "an agent has a `model`, and the run has none" in refused(model)


def test_files_are_bounded_and_text() -> None:
    assert "larger than 256,000 bytes" in refused("#" * (LARGEST_FILE + 1))
    for data in (b"\xff\xfe", b"a = " + b"9" * 5_000, b"a = " + b"[" * 50_000):
        with pytest.raises(BadSetting, match=r"tea\.toml "):
            read_run(data, "tea.toml")


def test_lines_are_found_of_keys_of_tables_and_of_nothing() -> None:
    assert line_of(GOOD, ("turns",)) == 2
    assert line_of(GOOD, ("agents", 1, "knows", "tea")) == 17
    assert line_of(GOOD, ("agents", 1, "model")) == 11
    assert line_of(GOOD, ("budget",)) is None


WORDS = some.sampled_from(
    [
        *RunSpec.model_fields,
        "name",
        "prompt",
        "template",
        "kind",
        "options",
        "turn",
        "text",
        "by",
        "chat",
        "Wren",
        "x.y",
    ]
)
VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=20) | WORDS,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{name}" = {toml(one)}' for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool) or value is None:
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(mark):08x}" for mark in value if not 0xD800 <= ord(mark) < 0xE000) + '"'
    return str(value)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(some.dictionaries(WORDS, VALUES, max_size=6), some.dictionaries(WORDS, VALUES, max_size=3))
def test_any_file_is_a_run_or_one_sentence(whole: dict[str, object], agent: dict[str, object]) -> None:
    written = whole | {"agents": [agent, {"template": "Wren"}]}
    text = "".join(f'"{name}" = {toml(value)}\n' for name, value in written.items())
    tomllib.loads(text)
    try:
        run = read(text)
    except BadSetting as error:
        assert re.match(r"tea\.toml(, line \d+)?(:| )", error.sentence)
        assert "\n" not in error.sentence
        return
    assert read_run(text.encode(), "tea.toml") == run
    assert RunSpec.model_validate_json(run.model_dump_json()) == run


@settings(max_examples=300, deadline=None)
@given(some.binary(max_size=200) | some.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_a_run_or_one_sentence(data: bytes) -> None:
    with pytest.raises(BadSetting):  # nothing so short has agents in it
        read_run(data, "tea.toml")


@pytest.mark.parametrize(
    "given",
    [
        {"a" * 290_000: 1},
        {"settings": {"a" * 290_000: 1}},
        {"scene": {"kind": "chat", "options": {"a" * 290_000: 1}}},
        {"agents": [{"a" * 290_000: 1}]},
        {"model": "m" * 290_000},
        {"agents": [{"name": "Ada", "prompt": "You are Ada.", "model": "m" * 290_000}]},
    ],
)
def test_however_long_a_name_is_its_fault_is_one_short_sentence(given: dict[str, object]) -> None:
    """It was compared with others for a twentieth of a second, on the loop, and the sentence was as long."""
    with pytest.raises(BadSetting) as caught:
        read_given(tomllib.loads(GOOD) | given)
    assert len(caught.value.sentence) < 300
