"""No command without a test: each is used and its answer asserted, as a manager and as a plain member."""

import importlib
from collections.abc import Iterator, Set
from pathlib import Path

import pytest

from tests.cogs.trees import commands_sent, for_everyone, paths
from tests.e2e.plain import blemishes
from tests.e2e.proving import Role, Use, proven


def promised() -> Iterator[Use]:
    """Give every use that some end-to-end test here is said to prove, and held to."""
    for path in Path(__file__).parent.glob("test_*.py"):
        module = importlib.import_module(f"tests.e2e.{path.stem}")
        for name, one in vars(module).items():
            if name.startswith("test_"):
                yield from proven(getattr(one, "pytestmark", []))


def unproven(role: Role, needed: Set[str]) -> set[str]:
    return set(needed) - {use.path for use in promised() if use.role == role}


async def test_every_command_is_proven_as_a_manager() -> None:
    assert unproven("manager", paths(await commands_sent())) == set()


async def test_what_is_for_everyone_is_proven_as_a_plain_member() -> None:
    """All else is refused to them, as the matrix tries, command by command."""
    assert unproven("member", await for_everyone()) == set()


async def test_nothing_is_proven_that_is_not_there() -> None:
    there = paths(await commands_sent())
    assert {use.path for use in promised()} - there == set()


@pytest.mark.parametrize(
    "said",
    [
        "**1 agents**",
        "❌ 1 more channels lack something.",
        "1 wait at the door",
        "1 landlord 1 cards; 2 farmer 12 cards",
        "Walks: Wren walked 1 tiles.",
        "Agents are silent here for 1 minutes.",
        'There is no "@@bob" here.',
        "background_prompt is not right: should have at most 8000 characters.",
        "Your focus is updated.",
        "The room is knock to agents.",
        "Beat 3, because of *addressed* by <@5>, with gpt",
        "- send_message: Said in room 1.",
        "The provider is None.",
    ],
)
def test_an_answer_that_is_not_plain_would_be_seen(said: str) -> None:
    assert len(list(blemishes(said))) >= 1


def test_a_plain_answer_is_none_to_complain_of() -> None:
    plain = "**21 agents**, 1 agent, 1.1 seconds, `usd_per_day`, Wren's focus, https://example.com/a_b, <#5>, @ada_l in"
    assert list(blemishes(plain)) == []


def test_a_command_without_a_test_would_be_seen() -> None:
    assert unproven("manager", {"agent fly", "agent show"}) == {"agent fly"}
