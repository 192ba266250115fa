"""The house's own rules: sizes, names, and that nothing is half there."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import pytest
from discord.app_commands import Command, Group

from bot.core.actions import CATALOGUE, Definition, hud_actions
from bot.core.kinds import InputFormat
from bot.core.ports.store import Reading, Writing
from bot.engine.performer import HANDLERS
from cogs import COGS
from tests.bench.__main__ import PARTS

pytestmark = pytest.mark.together  # the whole house is parsed once
ROOT = Path(__file__).parent.parent
PRODUCT = ("bot", "cogs", "storage")
LONGEST_FUNCTION = 50
LONGEST_FILE = 500
LONGEST_COG = 200
LONGEST_COMMAND = 12
WITHOUT_A_TEST_FILE = 6  # modules that do something of core and engine; this only ever becomes less
ANY_LINES = 120  # of the product that say `Any`
COMMAND_DECORATORS = {"command", "context_menu"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(*folders: str) -> list[Path]:
    return [
        path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")) if "versions" not in path.parts
    ]


def lines_of(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def body_lines(node: Function) -> int:
    """Count the lines of a function's body, its docstring left out."""
    body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def functions(*folders: str) -> Iterator[tuple[Path, Function]]:
    for path in sources(*folders):
        for node in ast.walk(parsed(path)):
            if isinstance(node, Function):
                yield path, node


def is_command(node: Function) -> bool:
    """Tell a slash command's or menu command's body by its decorator."""
    calls = (mark.func for mark in node.decorator_list if isinstance(mark, ast.Call))
    return any(isinstance(call, ast.Attribute) and call.attr in COMMAND_DECORATORS for call in calls)


@pytest.mark.parametrize("folders", [PRODUCT, ("tests",)])
def test_functions_are_short(folders: tuple[str, ...]) -> None:
    found = list(functions(*folders))
    sizes = [lines_of(node) for _, node in found]
    too_long = [f"{path}:{node.name} {lines_of(node)}" for path, node in found if lines_of(node) > LONGEST_FUNCTION]
    assert not too_long
    assert median(sizes) <= 10
    assert quantiles(sizes, n=10)[-1] <= 30


@pytest.mark.parametrize("folders", [PRODUCT, ("tests",)])
def test_files_are_short(folders: tuple[str, ...]) -> None:
    sizes = {path: len(path.read_text().splitlines()) for path in sources(*folders)}
    assert {path: size for path, size in sizes.items() if size > LONGEST_FILE} == {}
    assert median(sizes.values()) <= 150


def test_files_of_the_pages_are_short() -> None:
    pages = (ROOT / "bot/playground/page", ROOT / "bot/console/page")
    sizes = {
        path: len(path.read_text().splitlines())
        for page in pages
        for path in page.rglob("*.*")
        if path.suffix in {".js", ".css", ".html"}
    }
    assert {path: size for path, size in sizes.items() if size > LONGEST_FILE} == {}


def test_cogs_are_thin() -> None:
    classes = [
        (path, node) for path in sources("cogs") for node in ast.walk(parsed(path)) if isinstance(node, ast.ClassDef)
    ]
    assert [(path, node.name) for path, node in classes if lines_of(node) > LONGEST_COG] == []
    commands = [(path, node) for path, node in functions("cogs") if is_command(node)]
    assert [(path, node.name) for path, node in commands if body_lines(node) > LONGEST_COMMAND] == []


def test_nothing_is_called_by_a_name_that_says_nothing() -> None:
    empty = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
    assert [path for path in sources(*PRODUCT, "tests") if path.stem in empty] == []


def is_any_of_the_code(line: str) -> bool:
    """Tell whether a line has the type `Any`, as no import and no words of a text have it."""
    code = line.split("#")[0]
    return bool(re.search(r"\bAny\b", code)) and not re.search(r"import .*Any|^    Any,$|[\"'][^\"']*\bAny\b", code)


def test_what_may_be_any_is_rare_and_has_its_reason_beside_it_or_above() -> None:
    texts = {path: path.read_text().splitlines() for path in sources(*PRODUCT)}
    assert sum(bool(re.search(r"\bAny\b", line)) for lines in texts.values() for line in lines) < ANY_LINES
    lacking = [
        f"{path}:{number + 1}"
        for path, lines in texts.items()
        for number, line in enumerate(lines)
        if is_any_of_the_code(line) and not lines[number - 1].strip().startswith("#")
        if not re.search(r"[A-Za-z]{2}", re.sub(r"noqa: \w+|type: ignore\S*", "", "#".join(line.split("#")[1:])))
    ]
    assert lacking == []


def does_something(path: Path) -> bool:
    """Tell whether anything in a module does more than to say what there is: its records and protocols need no test."""
    nodes = [node for node in ast.walk(parsed(path)) if isinstance(node, Function)]
    return any(node.body[1:] if ast.get_docstring(node) else node.body for node in nodes)


def test_ever_more_modules_of_core_and_engine_have_a_test_file_in_their_place() -> None:
    modules = [path for path in sources("bot/core", "bot/engine") if path.stem != "__init__"]
    places = [path.relative_to(ROOT / "bot") for path in modules if path.parent.name != "ports"]  # these only ask
    formats = {Path("core/hud/formats") / f"{name}.py" for name in InputFormat}  # test_formats.py tries each of them
    wanted = [one for one in places if one not in formats and does_something(ROOT / "bot" / one)]
    lacking = [one.as_posix() for one in wanted if not (ROOT / "tests" / one.parent / f"test_{one.name}").exists()]
    assert len(lacking) <= WITHOUT_A_TEST_FILE, lacking


def parts_used(node: Function, argument: ast.arg) -> set[str]:
    """Give which parts of what a function is given it uses; the name itself where it hands all of it on."""
    parents = {id(child): one for one in ast.walk(node) for child in ast.iter_child_nodes(one)}
    names = [one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id == argument.arg]
    above = [parents[id(one)] for one in names]
    return {one.attr if isinstance(one, ast.Attribute) else argument.arg for one in above}


def test_who_uses_one_part_of_the_store_asks_for_that_part() -> None:
    whole = [
        (f"{path}:{node.name}", parts_used(node, one))
        for path, node in functions("bot", "cogs")
        for one in (*node.args.args, *node.args.kwonlyargs)
        if one.annotation is not None and ast.unparse(one.annotation) in {"Reading", "Writing"}
    ]
    parts = set(Writing.__annotations__) | set(Reading.__annotations__)
    assert len(whole) > 20
    assert [where for where, used in whole if len(used) == 1 and used <= parts] == []


def command_names() -> list[str]:
    """Every slash command in full, and every menu command."""
    names = []
    for cog in COGS:
        group = cog.__cog_group_name__ if cog.__cog_is_app_commands_group__ else ""
        for each in cog.__cog_app_commands__:
            names += [f"{group} {one.qualified_name}".strip() for one in leaves(each)]
    calls = (node for path in sources("cogs") for node in ast.walk(parsed(path)))
    menus = (node for node in calls if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("ContextMenu"))
    return names + [ast.literal_eval(word.value) for menu in menus for word in menu.keywords if word.arg == "name"]


def leaves(command: Command[Any, ..., Any] | Group) -> Iterator[Command[Any, ..., Any] | Group]:
    if isinstance(command, Group):
        for each in command.commands:
            yield from leaves(each)
    else:
        yield command


def test_no_two_commands_have_one_name() -> None:
    names = Counter(command_names())
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("action", CATALOGUE, ids=lambda action: action.name)
def test_every_action_has_a_handler_a_test_and_a_line_in_the_hud(action: Definition) -> None:
    assert action.model in HANDLERS
    tests = "".join(path.read_text() for path in sources("tests/engine", "tests/e2e"))
    assert re.search(rf"\b{action.model.__name__}\(|[\"' ]{action.name}[\"' ]", tests), "no test uses it"
    lines = [
        line
        for of in (False, True)
        for group in hud_actions(privileged=of, emotions=action.felt).values()
        for line in group
    ]
    assert (action.hud_line in lines) == action.listed


def test_every_part_that_can_be_measured_is_there_and_measures() -> None:
    assert {"playground", "storage", "hud", "actions", "heartbeat", "delivery"} <= set(PARTS)
    assert [part for part in PARTS if not callable(import_module(f"tests.bench.{part}").run)] == []
    named = set(re.findall(r"ONLY=([a-z]+)", (ROOT / "Makefile").read_text() + (ROOT / "CONTRIBUTING.md").read_text()))
    assert named - {"thread"} <= set(PARTS)  # ONLY=thread chooses among the journeys of the second opinion
