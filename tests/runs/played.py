"""Runs as tests have them: small files, and the command line in a folder of its own."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.__main__ import cli

RUNNER = CliRunner()
TALK = """\
title = "Tea"
turns = 6
every = 2
seed = 3

[[agents]]
name = "Ada"
prompt = "You are Ada, who likes tea."

[[agents]]
name = "Bo"
prompt = "You are Bo, who likes coffee."

[scene]
kind = "chat"
[scene.options]
topic = "tea"
"""
FILES = ["answers.jsonl", "knowledge.json", "outcome.json", "pictures", "transcript.jsonl", "transcript.txt"]


def alone(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Be in a folder of one's own, with no setting of whoever runs the tests."""
    for name in os.environ:
        if name.startswith(("SELFROOM_", "DISCORD_", "OPENAI_", "ANTHROPIC_", "GEMINI_")):
            patch.delenv(name)
    patch.chdir(folder)
    (folder / "tea.toml").write_text(TALK)


def selfroom(*words: str, code: int = 0) -> Result:
    """Run a command, which ends so."""
    result = RUNNER.invoke(cli, words)
    assert result.exit_code == code, result.output
    return result


def refused(*words: str) -> str:
    """Give the one sentence with which a command ends."""
    result = selfroom(*words, code=1)
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.startswith("Selfroom cannot go on: ")
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr.removeprefix("Selfroom cannot go on: ").strip()


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Give all that is written in a folder."""
    for one in sorted(folder.rglob("*")):
        if one.is_file():
            yield str(one.relative_to(folder)), one.read_bytes()
