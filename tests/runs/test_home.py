"""The folder in which runs are kept."""

from pathlib import Path

import pytest

from bot.core.errors import BadSetting, NotFound, StoreError
from bot.core.runs.spec import RunSpec
from bot.runs.home import SPEC, RunHome

SPECIMEN = RunSpec.model_validate({"agents": [{"template": "Wren"}], "events": [{"text": "It rains."}]})


@pytest.fixture
def home(tmp_path: Path) -> RunHome:
    return RunHome(tmp_path / "runs")


def test_runs_are_numbered_and_a_number_is_not_taken_twice(home: RunHome) -> None:
    assert home.numbers() == []
    assert [home.take(SPECIMEN), home.take(SPECIMEN)] == [1, 2]
    (home.folder / "3").mkdir()  # somebody else begins one just now
    assert home.take(SPECIMEN) == 4
    assert home.numbers() == [1, 2, 4]
    assert home.spec(1) == SPECIMEN


def test_a_run_that_is_being_played_is_neither_copied_nor_deleted(home: RunHome) -> None:
    home.take(SPECIMEN)
    with home.held(1):
        for change in (home.copy, home.delete):
            with pytest.raises(BadSetting, match="Run 1 is being played"):
                change(1)
    home.delete(1)
    assert home.numbers() == []


def test_what_is_not_there_or_damaged_is_told(home: RunHome) -> None:
    with pytest.raises(NotFound, match="There is no run 7"):
        home.delete(7)
    home.take(SPECIMEN)
    (home.of(1) / SPEC).write_text("{")
    with pytest.raises(StoreError, match="cannot be read: delete it"):
        home.spec(1)
