"""What the processes of runs load."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
OF_OTHERS = ("discord", "openai", "anthropic", "google.genai", "PIL", "bot.house", "bot.doctor")


@pytest.mark.parametrize("process", ["bot.runs.apart", "bot.runs.shown"])
def test_what_plays_or_reads_a_run_begins_without_discord_and_the_libraries_of_providers(process: str) -> None:
    """They have no use for these, which take longer to load than all the rest."""
    told = f"import sys, {process}; print(*sorted(set(sys.modules) & {set(OF_OTHERS)}))"
    found = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
