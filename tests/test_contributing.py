"""The examples of CONTRIBUTING.md, put into a copy of the house: what they add works, and no list misses it."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("contributing")  # one copy for all

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^In (?:a new file )?`([\w/]+\.py)`:\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COPIED = ("bot", "cogs", "storage", "tests", "docs", "deploy", "pyproject.toml", "alembic.ini")
COPIED_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile")
SEEN = """
import asyncio, json
from bot.core.actions import BY_NAME, actions_table, hud_actions
from bot.core.hud.formats import FORMATS
from bot.core.options import OPTIONS
from bot.core.schema import answer_schema
from bot.engine.performer import HANDLERS
from tests.cogs.trees import commands_sent, paths

print(BY_NAME["remind"].model in HANDLERS)
print("remind(room_id, about): every member reads it" in hud_actions(privileged=False)["social"])
print('"remind"' in json.dumps(answer_schema()), "`remind(room_id, about)`" in actions_table())
print("literal" in FORMATS, "literal" in OPTIONS["input_format"])
print("room remind" in paths(asyncio.run(commands_sent())))
"""


def examples() -> list[tuple[str, str]]:
    """Give each example: the file it belongs into, and the code."""
    return BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text())


def put_in(file: Path, code: str) -> None:
    """Put an example into its file: imports to the others, the rest of a class to that class, all else at the end."""
    text = file.read_text() if file.exists() else ""
    if not text:
        file.write_text(code)
        return
    for part, node in parts(code):
        if isinstance(node, ast.Import | ast.ImportFrom):
            text = text.replace("\n\n", f"\n\n{part}\n", 1)
        elif isinstance(node, ast.ClassDef) and "..." in part.splitlines()[1]:
            text = continued(text, node.name, part.partition("    ...\n")[2])
        else:
            text += f"\n\n{part}\n"
    file.write_text(text)


def parts(code: str) -> Iterator[tuple[str, ast.stmt]]:
    """Give the statements of an example, with their decorators."""
    lines = code.splitlines()
    for node in ast.parse(code).body:
        marks = [mark.lineno for mark in getattr(node, "decorator_list", ())]
        yield "\n".join(lines[min([node.lineno, *marks]) - 1 : node.end_lineno]), node


def continued(text: str, name: str, more: str) -> str:
    """Give a module with more at the end of one of its classes."""
    node = next(one for one in ast.parse(text).body if isinstance(one, ast.ClassDef) and one.name == name)
    lines = text.splitlines()
    lines[node.end_lineno : node.end_lineno] = more.splitlines()
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the house with every example in its place, and what `make pages` writes written anew."""
    copy = tmp_path_factory.mktemp("house")
    half = shutil.ignore_patterns("*.pyc.*")  # others are writing
    for name in COPIED:
        whole = ROOT / name  # with what Python has compiled of it
        (shutil.copytree(whole, copy / name, ignore=half) if whole.is_dir() else shutil.copy2(whole, copy / name))
    for name in COPIED_PAGES:
        shutil.copy(ROOT / name, copy / name)
    for path, code in examples():
        put_in(copy / path, code)
    for page in ("tests.cogs.pages", "tests.core.hud.golden"):
        run(copy, "-m", page)
    return copy


def run(house: Path, *arguments: str) -> str:
    """Run Python in the copy; gives what it printed, and fails with it when Python does."""
    known = {"HYPOTHESIS_STORAGE_DIRECTORY": str(ROOT / ".hypothesis"), "FUZZ_EXAMPLES": "3"}  # chance had its turn
    environment = os.environ | {"PYTHONPATH": str(house)} | known
    done = subprocess.run([sys.executable, *arguments], cwd=house, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    return done.stdout


def test_there_is_an_example_of_an_action_a_format_and_a_command() -> None:
    paths = [path for path, _ in examples()]
    assert len(paths) == 7
    for folder in ("bot/core/actions/", "bot/engine/performer/", "bot/core/hud/formats/", "cogs/", "tests/"):
        assert any(path.startswith(folder) for path in paths), folder


@pytest.mark.slow
def test_what_the_examples_add_is_offered_performed_and_registered(house: Path) -> None:
    assert set(run(house, "-c", SEEN).split()) == {"True"}
    run(house, "-m", "pytest", "-q", "tests/engine/performer/test_talk.py", "-k", "reminds")


@pytest.mark.e2e
def test_no_other_list_misses_what_the_examples_add(house: Path) -> None:
    """All that names every action, format or command, as the house's own tests know it."""
    core = ("permissions", "answers", "options", "cards", "key_redaction", "schema")
    hud = ("constant", "fitting", "prompts", "text")
    cogs = ("buttons", "tree", "tree_described")  # the others there are about single forms, boards and drawings
    files = [*(f"tests/core/test_{name}.py" for name in core), *(f"tests/core/hud/test_{name}.py" for name in hud)]
    files += [
        *(f"tests/cogs/test_{name}.py" for name in cogs),
        "tests/core/actions",
        "tests/core/hud/formats",
        "tests/engine/performer/test_registry.py",
        "tests/standin/test_hud.py",
        "tests/e2e/test_commands_proven.py",
        "tests/test_house.py",
    ]
    beside = "of_at_most_2900_tokens or functions_are_short"  # there is room for what we have, and many functions
    run(house, "-m", "pytest", "-q", "-x", *files, "-k", f"not ({beside})")


@pytest.mark.e2e
def test_the_command_works_on_discord(house: Path) -> None:
    run(house, "-m", "pytest", "-q", "tests/e2e/test_commands_rooms.py", "-k", "reminds")
