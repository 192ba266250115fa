"""Logs that were played and written down by an older Selfroom fold here as they did there, digest by digest."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.scenes.kind import Over, SceneKind
from bot.core.scenes.play import Entry, Play, replayed
from bot.core.scenes.registry import KINDS, KINDS_BEFORE

LOGS = sorted((Path(__file__).parent / "logs").glob("*.json"))
EVERY = {(one.kind, one.version): one for one in (*KINDS.values(), *KINDS_BEFORE.values())}
every_log = pytest.mark.parametrize("path", LOGS, ids=[one.stem for one in LOGS])


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


def test_there_is_a_log_of_every_version_before() -> None:
    assert {tuple(one.stem.split("_")[:2]) for one in LOGS} >= {(kind, str(version)) for kind, version in KINDS_BEFORE}


@every_log
def test_a_log_of_an_older_selfroom_folds_to_its_digests_and_its_outcome(path: Path) -> None:
    play, seats, log, first, outcome = recorded(path)
    end, differs = replayed(play, seats, log, first)
    assert differs is None
    assert isinstance(end.awaits, Over)
    assert end.awaits.outcome == outcome


@every_log
def test_by_the_rules_of_another_version_it_comes_out_otherwise(path: Path) -> None:
    play, seats, log, first, _ = recorded(path)
    for version in EVERY:
        if version[0] == play.kind.kind and version[1] != play.kind.version:
            kind = EVERY[version]
            options = kind.options.model_validate(play.options.model_dump(mode="json"))
            other = replace(play, kind=kind, options=options)
            assert replayed(other, seats, log, first)[1] is not None
