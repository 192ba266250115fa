"""Logs that were written down when these rules were played fold today as they did then, digest by digest."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.scenes.kind import Over, SceneKind
from bot.core.scenes.play import Entry, Play, replayed
from bot.core.scenes.registry import KINDS, KINDS_BEFORE
from tests.core.scenes import recording
from tests.core.scenes.plays import dice, play_out

LOGS = sorted(recording.LOGS.glob("*.json"))
EVERY = {(one.kind, one.version): one for one in (*KINDS.values(), *KINDS_BEFORE.values())}
every_log = pytest.mark.parametrize("path", LOGS, ids=[one.stem for one in LOGS])


def version_of(path: Path) -> tuple[str, int]:
    """Give of which kind and version a log is."""
    kind, version, _ = path.stem.split("_")
    return kind, int(version)


def recorded(path: Path) -> tuple[Play, tuple[int, ...], list[Entry], str, str]:
    """Read a log; gives its rules, its seats, its lines, the digest before the first, and what came of it."""
    kept = json.loads(path.read_text())
    kind: SceneKind = EVERY[kept["kind"], kept["version"]]
    log = [
        Entry(step=step, seat=seat, move=move, arguments=arguments, digest=digest)
        for step, (seat, move, arguments, digest) in enumerate(kept["moves"], 1)
    ]
    play = Play(kind=kind, options=kind.options.model_validate(kept["options"]), seed=kept["seed"])
    return play, tuple(range(1, kept["seats"] + 1)), log, kept["first_digest"], kept["outcome"]


def test_there_is_a_log_of_every_version_of_before_and_of_now() -> None:
    now = {(kind.kind, kind.version) for kind, _ in recording.RECORDED}
    assert {version_of(one) for one in LOGS} >= {*KINDS_BEFORE, *now}, recording.__doc__


def test_what_is_written_down_is_what_was_played(tmp_path: Path) -> None:
    *_, playing = play_out(KINDS["chat"], dice(3), illegal=False, digests=True)
    path = tmp_path / "log.json"
    path.write_text(recording.written(playing))
    assert recorded(path) == (playing.play, playing.seats, playing.log, playing.first, playing.outcome)


@every_log
def test_a_log_folds_to_its_digests_and_its_outcome(path: Path) -> None:
    play, seats, log, first, outcome = recorded(path)
    end, differs = replayed(play, seats, log, first)
    assert differs is None
    assert isinstance(end.awaits, Over)
    assert end.awaits.outcome == outcome


@pytest.mark.parametrize("path", [one for one in LOGS if version_of(one) in KINDS_BEFORE], ids=lambda one: one.stem)
def test_by_the_present_rules_a_log_of_before_comes_out_otherwise(path: Path) -> None:
    play, seats, log, first, _ = recorded(path)
    kind = KINDS[play.kind.kind]
    options = kind.options.model_validate(play.options.model_dump(mode="json"))
    assert replayed(replace(play, kind=kind, options=options), seats, log, first)[1] is not None
