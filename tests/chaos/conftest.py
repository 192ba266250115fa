"""What trials have in common when they are tests."""

import pytest

from tests.chaos import processes


@pytest.fixture(autouse=True)
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every start forked: that takes a tenth of the time, and what is killed is the same."""
    monkeypatch.setattr(processes, "ANEW", False)
