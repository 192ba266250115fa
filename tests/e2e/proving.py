"""Which test proves which command: said on the test, and held to what it really used."""

from typing import Literal, NamedTuple

import pytest

Role = Literal["manager", "member"]
MARK = "proves"


class Use(NamedTuple):
    """One use of a command, or of an entry in a message's menu, by somebody."""

    role: Role
    path: str


USED: set[Use] = set()
"""What the running test has used so far."""


def proves(*, manager: str = "", member: str = "") -> pytest.MarkDecorator:
    """Mark a test that tries commands and menu entries as these people and asserts the answers; `|` stands between."""
    return pytest.mark.proves({*_uses("manager", manager), *_uses("member", member)})


def _uses(role: Role, paths: str) -> set[Use]:
    return {Use(role, path.strip()) for path in paths.split("|") if path.strip()}


def proven(marks: object) -> set[Use]:
    """Give what a test's marks promise."""
    found = [mark for mark in marks if mark.name == MARK] if isinstance(marks, list) else []
    return {use for mark in found for use in mark.args[0]}
