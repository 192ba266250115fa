"""What `make run` says while it fetches what Selfroom needs."""

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
ALONE = {
    name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
}  # no part of another


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Give a folder with the Makefile, a uv that tells how it was called, and a Selfroom that only greets."""
    shutil.copy(HOME / "Makefile", tmp_path)
    for name in ("pyproject.toml", "uv.lock"):
        (tmp_path / name).touch()
    bin_ = tmp_path / ".venv" / "bin"
    bin_.mkdir(parents=True)
    for name, does in (
        ("uv", 'echo "uv $* (compiling: $UV_COMPILE_BYTECODE)" >&2'),
        ("python", ":"),
        ("selfroom", "echo ready"),
    ):
        (bin_ / name).write_text(f"#!/bin/sh\n{does}\n")
        (bin_ / name).chmod(0o755)
    return tmp_path


def on_a_terminal(*command: str, within: Path) -> str:
    """Run a command with a terminal as its output, and give what stands there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=within, env=ALONE, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        told = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            told += piece
        assert running.wait() == 0
    os.close(ours)
    return told.decode()


def test_who_runs_it_for_the_first_time_sees_how_far_it_is(clone: Path) -> None:
    told = on_a_terminal("make", "run", within=clone)
    assert told.index("Fetching the libraries") < told.index("uv sync") < told.index("ready")
    assert "--quiet" not in told
    assert on_a_terminal("make", "run", within=clone) == "ready\r\n"


@pytest.mark.parametrize("pip, ways", [
    ("23.2.1", ["-m venv --without-pip .venv", "-m pip --python .venv/bin/python install"]),
    ("22.2", ["-m venv .venv"]),
    ("", ["-m venv .venv"]),
])  # fmt: skip
def test_a_python_that_has_a_pip_lends_it(clone: Path, pip: str, ways: list[str]) -> None:
    (clone / ".venv" / "bin" / "uv").unlink()
    python, modules = clone / "some-python", clone / "modules"
    modules.mkdir()
    (modules / "pip.py").write_text(f"__version__ = '{pip}'" if pip else "raise ImportError")
    python.write_text(
        f'#!/bin/sh\nif [ $1 = -c ]; then PYTHONPATH={modules} exec {sys.executable} "$@"; fi\necho "$*" >> asked\n'
    )
    python.chmod(0o755)
    subprocess.run(["make", ".venv/bin/uv", f"PYTHON={python}"], cwd=clone, env=ALONE, capture_output=True, check=True)
    asked = (clone / "asked").read_text().splitlines()
    assert len(asked) == len(ways)
    assert all(line.startswith(way) for line, way in zip(asked, ways, strict=True))


def test_the_first_start_compiles_no_more_than_it_loads_and_keeps_that(clone: Path) -> None:
    (clone / ".venv" / "bin" / "selfroom").write_text('#!/bin/sh\necho "unset: ${PYTHONDONTWRITEBYTECODE:-yes}"\n')
    done = subprocess.run(
        ["make", "run"],
        cwd=clone,
        env=ALONE | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--no-dev --quiet (compiling: 0)" in done.stderr
    assert "unset: yes" in done.stdout


def test_what_is_compiled_for_the_tests_is_kept(clone: Path) -> None:
    pytest_ = clone / ".venv" / "bin" / "pytest"
    pytest_.write_text('#!/bin/sh\necho "unset: ${PYTHONDONTWRITEBYTECODE:-yes}"\n')
    pytest_.chmod(0o755)
    told = subprocess.run(
        ["make", "fast"],
        cwd=clone,
        env=ALONE | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "unset: yes" in told


def test_what_is_written_to_a_file_has_no_progress_in_it(clone: Path) -> None:
    done = subprocess.run(["make", "run"], cwd=clone, env=ALONE, capture_output=True, text=True, check=True)
    assert "Fetching the libraries" in done.stdout
    assert "--quiet" in done.stderr


def test_who_installs_it_for_a_service_has_it_compiled_and_starts_nothing(clone: Path) -> None:
    told = on_a_terminal("make", "install", within=clone)
    assert "uv sync --frozen --inexact --no-dev (compiling: 1)" in told.replace("\r", "")
    assert "ready" not in told
