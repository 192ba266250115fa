"""`selfroom sim` and `selfroom runs`, as whoever types them sees them."""

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.runs.played import FILES, TALK, alone, contents, refused, selfroom

pytestmark = pytest.mark.long
PRESETS = ("chat", "council", "landlord", "talk", "village", "werewolf")
SECRET = "canary-of-a-token"
VILLAGE = 'seed = 5\nevery = 5\nagents = [{template = "Wren"}, {template = "Sage"}]\n[scene]\nkind = "village"\n'


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone(tmp_path, monkeypatch)


def in_another_process(hash_seed: int, *words: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    subprocess.run([sys.executable, "-m", "bot", *words], check=True, env=environment, capture_output=True)


def test_a_run_is_played_written_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", SECRET)
    told = json.loads(selfroom("sim", "tea.toml", "--out", "out", "--json").stdout)
    assert (told["run"], told["ending"], told["turns"], told["snapshot"]) == (1, "played", 6, 3)
    assert sorted(one.name for one in Path("out").iterdir()) == [*FILES, "usage.json"]
    lines = [json.loads(line) for line in Path("out/transcript.jsonl").read_text().splitlines()]
    assert {one["by"] for one in lines if one.get("kind") == "say"} <= {"Ada", "Bo"}
    (scene,) = json.loads(Path("out/outcome.json").read_text())["scenes"]
    assert [(one["agent"], one["turns"]) for one in scene["seats"]] == [("Ada", 3), ("Bo", 3)]
    assert len(Path("out/transcript.txt").read_text().splitlines()) == len(lines)
    assert json.loads(Path("out/usage.json").read_text())["agents"]["Ada"]["beats"] == 3
    for folder in (Path("out"), Path("data")):
        assert not any(SECRET.encode() in content for _, content in contents(folder))
    for one in (Path("data/runs"), *Path("data/runs").rglob("*")):
        assert stat.S_IMODE(one.stat().st_mode) == (0o700 if one.is_dir() else 0o600)


def test_the_same_seed_gives_the_same_bytes_in_any_process_and_from_its_answers() -> None:
    in_another_process(1, "sim", "tea.toml", "--out", "one")
    in_another_process(2, "sim", "tea.toml", "--out", "two")
    first = dict(contents(Path("one")))
    assert first == dict(contents(Path("two")))
    selfroom("sim", "tea.toml", "--answers", "one/answers.jsonl", "--out", "three")
    assert first == dict(contents(Path("three")))
    selfroom("sim", "tea.toml", "--seed", "4", "--out", "four")
    assert first["outcome.json"] != dict(contents(Path("four")))["outcome.json"]


def test_answers_of_another_run_are_told_from_its_own() -> None:
    selfroom("sim", "tea.toml", "--out", "out")
    Path("other.toml").write_text(TALK.replace("who likes tea", "who likes milk"))
    assert "These answers are of another run: call 1" in refused("sim", "other.toml", "--answers", "out/answers.jsonl")
    Path("broken.jsonl").write_text('{"call": 1}\n')
    said = refused("sim", "tea.toml", "--answers", "broken.jsonl")
    assert said == "broken.jsonl, line 1 is no recorded answer: take the file as a run has written it."
    assert "There is no file nowhere" in refused("sim", "tea.toml", "--answers", "nowhere")


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_is_played_to_its_end(name: str) -> None:
    told = json.loads(selfroom("sim", name, "--out", "out", "--json").stdout)
    assert told["ending"] == "quiet"
    outcome = json.loads(Path("out/outcome.json").read_text())
    assert [one["status"] for one in outcome["scenes"]] == ([] if name == "talk" else ["over"])
    assert outcome["turns"] == told["turns"] >= 8
    drawn = {one.name for one in Path("out/pictures").iterdir()}
    assert drawn == {"usage.png"} | (set() if name == "talk" else {"scene-1.png"})


def test_the_presets_are_listed_and_printed_to_begin_a_file_with() -> None:
    assert tuple(line.split()[0] for line in selfroom("sim", "--list").stdout.splitlines()) == PRESETS
    assert {json.loads(line)["preset"] for line in selfroom("sim", "--list", "--json").stdout.splitlines()} == {
        *PRESETS
    }
    Path("mine.toml").write_text(selfroom("sim", "chat", "--show").stdout)
    assert selfroom("sim", "mine.toml", "--turns", "2").exit_code == 0
    assert "There is no preset 'x': choose chat, council" in refused("sim", "x", "--show")


def test_a_folder_is_written_over_only_where_that_is_said() -> None:
    selfroom("sim", "tea.toml", "--turns", "2", "--out", "out")
    Path("out/notes.txt").write_text("mine")
    said = "There is something in the folder out already: name another, or write over it with --force."
    assert refused("sim", "tea.toml", "--out", "out") == said
    selfroom("sim", "tea.toml", "--turns", "4", "--out", "out", "--force")
    assert json.loads(Path("out/outcome.json").read_text())["turns"] == 4
    assert Path("out/notes.txt").read_text() == "mine"
    assert refused("runs", "export", "1", "out") == said


def test_the_budget_is_a_ceiling_and_what_was_played_until_then_stands() -> None:
    told = json.loads(selfroom("sim", "tea.toml", "--budget", "0.0008", "--out", "out", "--json", code=3).stdout)
    assert told["ending"] == "spent"
    assert 0 < told["turns"] < 6
    assert 0 < float(told["usd"]) <= 0.0008
    assert json.loads(Path("out/outcome.json").read_text())["turns"] == told["turns"]
    assert "the budget holds no further call" in selfroom("sim", "tea.toml", "--budget", "0.0001", code=3).stdout
    assert json.loads(selfroom("runs", "advance", "1", "--budget", "1", "--turns", "1", "--json").stdout)["turns"] == 1


def test_ctrl_c_ends_it_cleanly_and_leaves_what_was_played() -> None:
    Path("long.toml").write_text(VILLAGE)
    words = [sys.executable, "-m", "bot", "sim", "long.toml", "--out", "out", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as playing:
        until = time.monotonic() + 120
        while not has_snapshots(Path("data/runs/1/1/1.db")):
            assert playing.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        playing.send_signal(signal.SIGINT)
        out, err = playing.communicate(timeout=60)
    assert (playing.returncode, "Traceback" in err) == (130, False)
    told = json.loads(out)
    assert told["ending"] == "stopped"
    assert json.loads(Path("out/outcome.json").read_text())["turns"] == told["turns"] >= 5
    assert json.loads(selfroom("runs", "advance", "1", "--turns", "1", "--json").stdout)["turns"] == 1


def has_snapshots(file: Path) -> bool:
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as tree:
            (count,) = tree.execute("SELECT count(*) FROM nodes WHERE status = 'done'").fetchone()
    except sqlite3.Error:
        return False
    return int(count) >= 2


def test_runs_are_listed_shown_copied_exported_and_deleted() -> None:
    assert (empty := selfroom("runs", "list")).stdout == ""
    assert empty.stderr.startswith("No run is kept yet: `selfroom sim FILE` plays one")
    selfroom("sim", "tea.toml", "--out", "out")
    (listed,) = map(json.loads, selfroom("runs", "list", "--json").stdout.splitlines())
    assert (listed["run"], listed["title"], listed["scene"], listed["snapshots"]) == (1, "Tea", "chat", 4)
    assert "run 1, title Tea, scene chat, agents 2, model stand-in, seed 3" in selfroom("runs", "list").stdout
    shown = [json.loads(line) for line in selfroom("runs", "show", "1", "--json").stdout.splitlines()]
    assert [(one["snapshot"], one["turns"]) for one in shown] == [(0, 0), (1, 2), (2, 4), (3, 6)]
    assert "the copy is run 2" in selfroom("runs", "copy", "1").stdout
    selfroom("runs", "export", "2", "again")
    assert dict(contents(Path("out"))) == dict(contents(Path("again")))
    assert selfroom("runs", "delete", "1", "--yes").stdout == "Run 1 is deleted.\n"
    assert refused("runs", "show", "1") == "There is no run 1: `selfroom runs list` shows those that are."
    assert selfroom("runs", "delete", "2", code=1).exit_code == 1  # nobody said that they are sure
    assert Path("data/runs/2/run.json").is_file()


def test_going_back_to_a_snapshot_makes_a_branch() -> None:
    selfroom("sim", "tea.toml", "--out", "out")
    assert (
        "Snapshot 1 of run 1 is called before it." in selfroom("runs", "snapshot", "1", "before it", "--at", "1").stdout
    )
    said = "Another snapshot of run 1 is called 'before it': choose another name."
    assert refused("runs", "snapshot", "1", "before it", "--at", "2") == said
    assert "has letters in it" in refused("runs", "snapshot", "1", "12")
    told = json.loads(
        selfroom("runs", "advance", "1", "--at", "before it", "--turns", "3", "--out", "branch", "--json").stdout
    )
    shown = [json.loads(line) for line in selfroom("runs", "show", "1", "--json").stdout.splitlines()]
    assert [(one["snapshot"], one["after"], one["turns"]) for one in shown][4:] == [(4, 1, 4), (5, 4, 5)]
    assert (told["snapshot"], shown[1]["name"]) == (5, "before it")
    outcome = json.loads(Path("branch/outcome.json").read_text())
    assert outcome["turns"] == 5
    same = json.loads(selfroom("runs", "advance", "1", "--at", "1", "--turns", "2", "--json").stdout)
    assert same["snapshot"] == 6
    assert "There is no snapshot 'x'" in refused("runs", "advance", "1", "--at", "x")


def test_something_said_brings_a_quiet_run_on() -> None:
    selfroom("sim", "talk")
    assert refused("runs", "advance", "1").endswith("is quiet: nobody has a reason: give an event.")
    words = ("runs", "advance", "1", "--event", "Wren, what remains of the storm?", "--by", "mira", "--out", "out")
    selfroom(*words)
    assert "@mira: Wren, what remains of the storm?" in Path("out/transcript.txt").read_text()


def test_bad_files_are_one_sentence() -> None:
    assert "There is no file nowhere.toml, and no preset of that name: name a file, or chat," in refused(
        "sim", "nowhere.toml"
    )
    Path("bad.toml").write_text(TALK.replace('name = "Bo"', 'name = "Ada"'))
    assert refused("sim", "bad.toml").startswith("agents 2 (Ada): ")
    Path("bad.toml").write_text(TALK.replace("turns = 6", "turns = -6"))
    assert refused("sim", "bad.toml") == "bad.toml, line 2: `turns` should be greater than or equal to 1."
    Path("bad.toml").write_text(f'{TALK}\n[[events]]\ntext = "x"\nroom = "Cy"\n')
    assert refused("sim", "bad.toml").startswith("An event is in the room of 'Cy', and there is no such agent: name")
    assert not Path("data/runs").exists()


def test_a_real_model_needs_a_provider_and_the_stand_in_none() -> None:
    assert refused("sim", "tea.toml", "--model", "gpt-4o-mini").startswith("No model is set: set OPENAI_API_KEY")
    assert not Path("data/runs").exists()
