"""Formats that are written whole: what is read back is what was written, and nothing else is taken for it."""

import json

import pytest

from bot.core.hud.agent_hud import OsSection
from bot.core.hud.formats.document import Document
from bot.core.hud.formats.written import os_document, os_json, read_after
from bot.core.hud.wording import FOUND, MEND

TOLD = OsSection(directives="Be kind.", instructions={"silence": "Stay."}, actions={"knowledge": ["set"]}, answer="x")


def read(text: str) -> Document | None:
    return read_after(text, json.loads, lambda constant, _: "system" in constant)


def test_the_constant_part_is_the_nested_value_in_json() -> None:
    assert json.loads(os_json(TOLD)) == os_document(TOLD)
    assert os_document(TOLD)["meta"] == {
        "instructions": {"silence": "Stay."},
        "available_actions": {"knowledge": ["set"]},
        "response_format": "x",
    }


@pytest.mark.parametrize("after", ["", f"\n{MEND}give it again", f"\n{FOUND}\n- a: b"])
def test_what_follows_the_constant_part_is_read_without_what_was_said_after_it(after: str) -> None:
    assert read(f'{os_json(TOLD)}{{"self": 1}}{after}') == {"self": 1}


@pytest.mark.parametrize(
    "text", ["", "why: x", "{", '{"a": 1}{"b": 2}', f"{os_json(TOLD)}no json", os_json(TOLD), "[1]"]
)
def test_what_is_written_otherwise_is_nothing(text: str) -> None:
    assert read(text) is None


def test_depth_without_end_is_nothing() -> None:
    assert read(f'{os_json(TOLD)}{{"a":{"[" * 100_000}') is None
