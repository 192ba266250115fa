"""A failing test tells what was said."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

FAILING = """
from tests.e2e.conftest import pytest_runtest_makereport  # the hook that is tried
from tests.e2e.transcript import note


def test_fails():
    note("GUILD_CREATE", {"channels": [{"id": "5", "name": "attic"}]})
    said = {"id": "7", "channel_id": "5", "author": {"username": "ann"}, "content": "Is anybody here?"}
    note("MESSAGE_CREATE", said)
    note("MESSAGE_CREATE", said)
    assert False


def test_fails_in_silence():
    assert False
"""


def test_a_failing_test_shows_the_transcript_of_its_own_talk(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.e2e.conftest import pytest_runtest_makereport\n")
    (tmp_path / "test_one.py").write_text(FAILING)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert told.count("#attic ann: Is anybody here?") == 1, told
