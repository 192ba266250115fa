"""The constant part: small, whole, and in a community's own words where it wants."""

import pytest
from pydantic import ValidationError

from bot.core.config import CommunityConfig
from bot.core.errors import BadSetting
from bot.core.hud.constant import constant_part
from bot.core.hud.prompts import MOST_CHARACTERS, PARTS, check_prompts, prompts_of, read_prompts
from bot.core.kinds import InputFormat, OutputFormat


def os_section(
    hud_format: InputFormat = InputFormat.TEXT,
    output: OutputFormat = OutputFormat.JSON,
    *,
    structured: bool = False,
    alone: bool = False,
    emotions: bool = False,
) -> str:
    told = prompts_of({})
    return constant_part(told, hud_format, output, structured=structured, alone=alone, emotions=emotions)


def test_a_community_can_put_its_own_words_in_place_of_a_part() -> None:
    parts = prompts_of({"silence": "Be\nquiet."})
    text = constant_part(parts, InputFormat.TEXT, OutputFormat.JSON, structured=True)
    assert "silence: Be quiet.\n" in text
    assert PARTS["memory"] in text


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        ({"mood": "x"}, "There is no prompt part 'mood': choose directives, identity"),
        ({"time": " "}, "The prompt part 'time' is empty: write something or remove it."),
        ({"time": "x" * (MOST_CHARACTERS + 1)}, "shorten it to 900 at most"),
        (dict.fromkeys(PARTS, "x" * 800), "The prompts have 9600 characters together"),
    ],
)
def test_prompts_that_cannot_be_used_are_refused_in_one_sentence(overrides: dict[str, str], sentence: str) -> None:
    with pytest.raises(BadSetting, match=sentence.replace("(", r"\(")):
        check_prompts(overrides)


def test_a_file_of_parts_is_read_by_its_headings() -> None:
    assert read_prompts("# silence\nBe quiet.\n\n## Time\nIt is always tea time.\n") == {
        "silence": "Be quiet.",
        "time": "It is always tea time.",
    }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("hello\n# time\nx", "must begin with a heading"), ("# mood\nx", "There is no prompt part 'mood'")],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadSetting, match=sentence):
        read_prompts(text)


def test_settings_with_bad_prompts_are_refused_and_stored_ones_do_not_stop_a_beat() -> None:
    with pytest.raises(ValidationError, match="There is no prompt part 'mood'"):
        CommunityConfig(prompts={"mood": "x"})
    assert prompts_of({"mood": "x"}) == PARTS


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("persona", "never speak as an AI"),
        ("persona", "sincerely asks whether you are an AI, do not deny it"),
        ("persona", "think over what you lived through"),
        ("own_room", "A topic says what a room is for"),
        ("memory", "prune and merge before it is full"),
        ("memory", "people.Ann, facts.harbour, goals.now, notes.today"),
    ],
)
def test_agents_are_told_what_they_need_to_live_here(part: str, words: str) -> None:
    assert words in PARTS[part]
    assert all(words in os_section(hud_format) for hud_format in InputFormat)
