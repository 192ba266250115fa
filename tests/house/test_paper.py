"""The pages keep up with the code: whatever they name is there."""

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path

import pytest

from bot.__main__ import cli
from bot.core import kinds, records
from bot.core.actions import CATALOGUE
from bot.core.actions.docs import actions_table
from bot.core.config import CommunityConfig
from bot.core.scenes.registry import KINDS
from bot.playground import faults
from bot.settings import Settings
from tests.cogs.trees import commands_sent, paths

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *sorted(f"docs/{one.name}" for one in ROOT.glob("docs/*.md"))]
PRODUCT = ("bot", "cogs", "storage")
FLOORS = "core|engine|adapters|standin|playground|client|app|house|vault|doctor|settings|storage|cogs"
NAME = re.compile(rf"(?:bot\.)?(?:{FLOORS})(?:\.\w+)+|bot(?:\.\w+)+")
WORDS_OF_HUDS = {"word_budget"}
FILES = (".py", ".md", ".db")
ADDRESSES = {"healthz", "readyz", "metrics", "data", "gateway", "cdn"}  # pages of servers, which look like commands


@cache
def text_of(page: str) -> str:
    return (ROOT / page).read_text()


def marked(page: str) -> set[str]:
    """What stands between backticks, outside of fenced blocks."""
    return set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)))


def drawn(page: str) -> str:
    """What stands in drawings."""
    return "\n".join(re.findall(r"```text\n(.*?)```", text_of(page), flags=re.DOTALL))


def anchors(page: str) -> set[str]:
    """The places within a page to which links can lead, as GitHub names them."""
    heads = re.findall(r"^#+ (.+)$", text_of(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def is_there(target: str, base: Path) -> bool:
    name, _, anchor = target.partition("#")
    path = (base / name).resolve()
    if not path.exists():
        return False
    return not anchor or anchor in anchors(str(path.relative_to(ROOT)))


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    here = (ROOT / page).parent
    links = [link if not link.startswith("#") else Path(page).name + link for link in links_of(page)]
    assert [link for link in links if not is_there(link, here)] == []


def links_of(page: str) -> list[str]:
    return re.findall(r"\]\((?!http)([^)]+)\)", text_of(page))


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_names_are_there(page: str) -> None:
    named = {one for one in marked(page) if re.fullmatch(r"(bot|cogs|storage|tests|deploy|docs)/[\w./-]*", one)}
    made = set(re.findall(r"In a new file `(.*?)`", text_of(page)))
    assert [one for one in named - made if not (ROOT / one).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_modules_and_functions_that_a_page_names_are_there(page: str) -> None:
    named = {one for one in marked(page) if NAME.fullmatch(one)} | {one[0] for one in NAME.finditer(drawn(page))}
    named = {one for one in named if not one.endswith(FILES)}
    assert [one for one in sorted(named) if not exists(one)] == []


def test_the_pages_name_the_code_at_all() -> None:
    named = [one for page in PAGES for one in marked(page) if NAME.fullmatch(one)]
    assert len(named) > 100
    assert not exists("core.gate.reason_for")
    assert not exists("core.records.Agent.nome")


def exists(name: str) -> bool:
    """Tell whether a dotted name (without `bot.`, which begins most) is a module, or something in one."""
    parts = name.split(".")
    if parts[0] not in PRODUCT:
        parts.insert(0, "bot")
    for end in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        return all((found := member(found, part)) is not None for part in parts[end:])
    return False


def member(owner: object, name: str) -> object | None:
    fields = {one.name: one for one in dataclasses.fields(owner)} if dataclasses.is_dataclass(owner) else {}
    return fields.get(name) or getattr(owner, name, None)


@pytest.mark.parametrize("page", PAGES)
async def test_commands_that_a_page_names_are_there(page: str) -> None:
    there = paths(await commands_sent())
    groups = {path.partition(" ")[0] for path in there}
    named = [one.removeprefix("/").split() for one in marked(page) if re.match(r"/[a-z]+( |$)", one)]
    unknown = [words for words in named if not ({words[0], " ".join(words[:2])} & there)]
    assert [words for words in unknown if words[1:] or words[0] not in groups | ADDRESSES] == []


@pytest.mark.parametrize("page", PAGES)
def test_settings_that_a_page_names_are_there(page: str) -> None:
    named = {one.lower() for one in re.findall(r"SELFROOM_([A-Z_]+)", text_of(page))}
    assert {one for one in named if not one.startswith("community__")} <= set(Settings.model_fields)
    assert {one.removeprefix("community__") for one in named if one.startswith("community__")} - {""} <= set(
        CommunityConfig.model_fields
    )


@pytest.mark.parametrize("page", PAGES)
def test_words_of_the_program_that_a_page_names_are_there(page: str) -> None:
    if page == "CONTRIBUTING.md":
        return  # it tells how code reads, by examples
    named = {one for one in marked(page) if re.fullmatch(r"[a-z]+(_[a-z]+)+", one)}
    assert sorted(named - known_words()) == []


@cache
def known_words() -> frozenset[str]:
    """Settings, actions with their parameters, fields of records, values of closed sets, and what is measured."""
    parameters = {name for action in CATALOGUE for name in action.parameters}
    closed = {each.value for _, kind in inspect.getmembers(kinds, inspect.isclass) for each in members(kind)}
    every = [one for _, one in inspect.getmembers(records, inspect.isclass) if dataclasses.is_dataclass(one)]
    fields = {field.name for record in (*every, faults.Fault) for field in dataclasses.fields(record)}
    actions = {action.name for action in CATALOGUE}
    options = {name for kind in KINDS.values() for name in kind.options.model_fields}
    moves = {move.name for kind in KINDS.values() for move in kind.moves}
    told = {
        *options,
        *moves,
        *measured(),
        *WORDS_OF_HUDS,
        *faults.REST_KINDS,
        *faults.EVENT_KINDS,
        *faults.GATEWAY_KINDS,
    }
    return frozenset({*CommunityConfig.model_fields, *actions, *parameters, *closed, *fields, *told})


def members(kind: type) -> Iterator[StrEnum]:
    yield from kind if issubclass(kind, StrEnum) else ()


def measured() -> set[str]:
    code = "".join(path.read_text() for folder in PRODUCT for path in (ROOT / folder).rglob("*.py"))
    shown = re.findall(r"Gauge\(\"selfroom_(\w+)\"", code)
    return {*shown, *re.findall(r"\.(?:count|observe|watch)\(\s*\"(\w+)\"", code)}


def test_the_command_line_is_told_as_it_is() -> None:
    there = {one.name or one.callback.__name__ for one in cli.registered_commands if one.callback}
    there |= {one.name for one in cli.registered_groups if one.name}
    named = {name for page in PAGES for name in re.findall(r"\bselfroom ([a-z][a-z-]*)\b(?=[^`\n]*`)", text_of(page))}
    assert named <= there
    assert {"run", "replay", "hud", "doctor"} <= named


def test_make_has_every_target_that_the_pages_name() -> None:
    named = {name for page in PAGES for name in re.findall(r"(?:^|`|&& )make ([a-z-]+)", text_of(page), re.MULTILINE)}
    assert {"run", "test", "fast"} <= named
    assert [name for name in named if not re.search(rf"^{name}:", text_of("Makefile"), re.MULTILINE)] == []


def test_the_page_of_actions_keeps_up() -> None:
    assert actions_table() in text_of("docs/actions.md"), "`make pages` writes its tables anew"


def test_the_code_leads_to_pages_that_are_there() -> None:
    cited = {
        (str(path.relative_to(ROOT)), target)
        for folder in (*PRODUCT, "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for target in re.findall(r"docs/[\w-]+\.md(?:#[\w-]+)?", path.read_text())
        if path != Path(__file__)
    }
    assert len(cited) > 20
    assert [one for one in sorted(cited) if not is_there(one[1], ROOT)] == []
