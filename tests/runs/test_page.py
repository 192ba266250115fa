"""What docs/runs.md shows works as it stands there."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.runs.played import alone, selfroom

pytestmark = pytest.mark.long
PAGE = (Path(__file__).parents[2] / "docs/runs.md").read_text()


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def commands(block: str) -> list[list[str]]:
    return [shlex.split(line, comments=True)[1:] for line in block.splitlines()]


def test_the_worked_file_is_played_and_the_commands_are_as_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(tmp_path, monkeypatch)
    (file,) = blocks("toml")
    Path("garden.toml").write_text(file)
    told = json.loads(selfroom("sim", "garden.toml", "--out", "garden", "--json").stdout)
    assert (told["ending"], told["turns"]) == ("played", 12)
    assert "@mira: Ada, are you here in August?" in Path("garden/transcript.txt").read_text()
    knows = json.loads(Path("garden/knowledge.json").read_text())["Ada"]["public"]["knowledge"]
    assert knows["garden"] == {"beds": 6, "thirsty": "tomatoes"}
    _, runs = map(commands, blocks("sh"))
    for words in runs[:-1]:
        selfroom(*words)
    selfroom(*runs[-1], "--yes")


def test_every_file_that_is_named_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone(tmp_path, monkeypatch)
    selfroom("sim", "tea.toml", "--turns", "1", "--out", "out")
    table = PAGE.partition("| in the folder | is |")[2].partition("\n\n")[0]
    named = {
        name.rstrip("/")
        for row in table.splitlines()
        for name in re.findall(r"`([\w./]+)`", row.split("|")[1] if row else "")
    }
    assert named == {one.name for one in Path("out").iterdir()}
