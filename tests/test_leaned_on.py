"""Names that libraries keep to themselves or do not document: each in one file of ours, and there in theirs."""

import ast
import inspect
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import aiosqlite
import discord
import pytest
from alembic.script import ScriptDirectory
from discord import app_commands
from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from discord.http import HTTPClient, Route
from packaging.requirements import Requirement
from purgatory.domain.model import OpenedState

from bot.adapters.discord.inner import REST, parsers_of, rest
from bot.client import SelfroomClient

ROOT = Path(__file__).parent.parent
PRIVATE = {
    ("bot/adapters/discord/inner.py", "_connection"),
    ("cogs/ui/again.py", "_check_can_run"),
    ("cogs/ui/again.py", "_do_call"),
    ("cogs/ui/again.py", "_transform_arguments"),
    ("storage/inline.py", "_thread"),
    ("storage/inline.py", "_tx"),
    ("storage/migrations/path.py", "_upgrade_revs"),
}
"""What is private to somebody else, and the one file that reaches for it."""
UNDOCUMENTED = {
    "discord.gateway": {"bot/adapters/discord/inner.py"},
    "discord.http": {"bot/adapters/discord/inner.py"},
    "purgatory.domain": {"bot/adapters/llm/breakers.py"},
}
"""Modules that are not meant for others, and who imports them."""
CAPPED = ("discord.py", "aiosqlite", "alembic", "purgatory")


def sources() -> Iterator[tuple[str, ast.Module]]:
    for folder in ("bot", "cogs", "storage"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())


def private_names(tree: ast.Module) -> set[str]:
    """Give the names with an underscore that are reached for in something else, and are not this file's own."""
    nodes = list(ast.walk(tree))
    attributes = [node for node in nodes if isinstance(node, ast.Attribute) and re.match(r"_[^_]", node.attr)]
    own = {node.attr for node in attributes if isinstance(node.ctx, ast.Store) and _is_self(node)}
    own |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return {node.attr for node in attributes if not _is_self(node)} - own


def _is_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def imported(tree: ast.Module) -> set[str]:
    nodes = list(ast.walk(tree))
    whole = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return whole | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


@pytest.mark.slow
def test_what_is_private_to_others_is_reached_for_in_one_file_each() -> None:
    assert {(path, name) for path, tree in sources() for name in private_names(tree)} == PRIVATE


@pytest.mark.slow
@pytest.mark.parametrize("module", UNDOCUMENTED)
def test_what_is_undocumented_is_imported_in_one_file(module: str) -> None:
    users = {path for path, tree in sources() if any(f"{one}.".startswith(f"{module}.") for one in imported(tree))}
    assert users == UNDOCUMENTED[module]


@pytest.mark.slow
def test_of_discords_api_only_what_is_listed_is_asked() -> None:
    asked = set[str]()
    for path, tree in sources():
        if path.startswith("bot/adapters/discord/"):
            parents = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
            asked |= {node.attr for node in parents if ast.unparse(node.value) in ("rest(self._client)", "http")}
        assert path.endswith("inner.py") or not re.search(r"client\.http\b", ast.unparse(tree)), path
    assert asked == REST


def test_what_it_leans_on_inside_of_discord_py_is_still_there() -> None:
    client = SelfroomClient()
    assert [name for name in (*REST, "close", "connector") if not hasattr(rest(client), name)] == []
    assert isinstance(rest(client), HTTPClient)
    assert {"READY", "MESSAGE_CREATE", "INTERACTION_CREATE"} <= parsers_of(client).keys()
    assert callable(client.dispatch)
    assert issubclass(ReconnectWebSocket, Exception)
    opening = inspect.signature(DiscordWebSocket.from_client).parameters
    assert {"initial", "resume", "session", "sequence", "gateway"} <= opening.keys()
    assert {"session_id", "sequence", "gateway"} <= set(re.findall(r"\.(\w+)", inspect.getsource(DiscordWebSocket)))
    assert callable(DiscordWebSocket.poll_event)
    for held in (Route.BASE, str(DiscordWebSocket.DEFAULT_GATEWAY), discord.Asset.BASE):
        assert "://" in held
    assert (discord.VoiceClient.warn_nacl, discord.VoiceClient.warn_dave) == (False, False)


def test_what_reads_a_commands_parameters_is_still_there() -> None:
    assert list(inspect.signature(app_commands.Command._check_can_run).parameters) == ["self", "interaction"]
    assert list(inspect.signature(app_commands.Command._do_call).parameters) == ["self", "interaction", "params"]
    reading = inspect.signature(app_commands.Command._transform_arguments).parameters
    assert list(reading) == ["self", "interaction", "namespace"]
    assert list(inspect.signature(app_commands.Namespace).parameters) == ["interaction", "resolved", "options"]


def test_what_it_leans_on_inside_of_aiosqlite_is_still_there(tmp_path: Path) -> None:
    found = aiosqlite.connect(tmp_path / "none.db")
    leaned_on = ("_running", "_connection", "_connector", "_tx", "_thread", "_execute", "_connect", "stop")
    assert [name for name in leaned_on if not hasattr(found, name)] == []


def test_what_it_leans_on_inside_of_alembic_and_purgatory_is_still_there() -> None:
    steps = inspect.signature(ScriptDirectory._upgrade_revs).parameters
    assert list(steps) == ["self", "destination", "current_rev"]
    assert issubclass(OpenedState, Exception)


@pytest.mark.parametrize("name", CAPPED)
def test_what_is_leaned_on_inside_is_held_to_the_releases_that_were_looked_at(name: str) -> None:
    written = rf'^    "({re.escape(name)}[^"]+)", # (.+)$'
    (wanted, why), *_ = re.findall(written, (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    held = Requirement(wanted).specifier
    assert "leans on" in why
    major, minor = map(int, version(name).split(".")[:2])
    assert held.contains(version(name))
    assert not held.contains(f"{major}.{minor + 1}.0"), "look through the files named above, then raise it"
