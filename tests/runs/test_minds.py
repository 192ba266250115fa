"""Who answers in a run: the scripted mind here, or a server by the bot's own settings."""

import json
import os
import tracemalloc
from functools import partial
from pathlib import Path

import pytest

from bot.core.errors import BadSetting
from bot.core.models import ModelAnswer
from bot.core.records import Usage
from bot.core.timelines.records import Answer
from bot.engine.runs.paying import Replayed
from bot.runs.minds import ScriptedModel, opened_model, own_purse
from bot.runs.simulating import Wanted, home_of, simulate
from bot.runs.sources import read_source
from bot.runs.writing import ANSWER, read_answers
from bot.settings import load_settings
from tests.runs.played import alone, contents
from tests.standin.serving import serving

KEY = "canary-of-a-key"


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone(tmp_path, monkeypatch)


@pytest.mark.slow
async def test_a_real_model_is_asked_by_the_settings_of_the_bot_and_its_key_goes_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving() as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("SELFROOM_OPENAI_BASE_URL", str(server.make_url("/v1")))
        monkeypatch.setenv("SELFROOM_COMMUNITY__USD_PER_DAY", "0")  # a ceiling of a day is nothing to a run
        spec, folder = await read_source("tea.toml", {"model": "gpt-4o-mini", "turns": 2})
        settings = load_settings(os.environ)
        wanted = Wanted(purse=partial(own_purse, settings, None), out=Path("out"))
        done = await simulate(home_of(settings), spec, folder, wanted)
    assert (done.played.ending, done.played.turns, done.exit_code) == ("played", 2, 0)
    told = [json.loads(line) for _, content in contents(Path("out")) for line in lines(content)]
    assert any((one.get("answer") or {}).get("response_id") for one in told)
    assert not [name for at in ("out", "data/runs") for name, content in contents(Path(at)) if KEY.encode() in content]


def lines(content: bytes) -> list[bytes]:
    return [line for line in content.splitlines() if line.startswith(b'{"call"')]


async def test_a_model_of_unknown_price_is_refused_for_no_budget_would_hold_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("SELFROOM_OPENAI_BASE_URL", "https://models.example/v1")
    with pytest.raises(BadSetting, match="What never-heard-of costs is not known"):
        async with opened_model(load_settings(os.environ), ["never-heard-of"]):
            pass


def test_the_scripted_mind_costs_at_list_price_what_its_model_would() -> None:
    model = ScriptedModel()
    assert model.list_price("gpt-4o-mini", input_tokens=1_000_000, output_tokens=0) > 0
    assert model.source.imaginary


def test_a_record_of_answers_is_read_one_by_one_and_takes_little_memory() -> None:
    """All of it at once took as much as the file and more: 500 MB for one of 100."""
    answer = ModelAnswer(text="tea " * 2_500, usage=Usage())
    made = [ANSWER.dump_json(Answer(call=n, request=f"{n:064}", answer=answer)) for n in range(100)]
    Path("answers.jsonl").write_bytes(b"\n".join(made * 20))
    tracemalloc.start()
    record = Replayed.of(read_answers(Path("answers.jsonl")))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < Path("answers.jsonl").stat().st_size / 5
    assert {len(one) for one in record.unused.values()} == {20}
    assert record.unused[f"{7:064}"][3]() == Answer(call=7, request=f"{7:064}", answer=answer)


@pytest.mark.parametrize("name", ["LONGEST_ANSWER", "MOST_ANSWERS"])
def test_a_record_of_more_than_any_run_answers_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(f"bot.runs.writing.{name}", 1)
    line = ANSWER.dump_json(Answer(call=1, request="x", answer=None))
    Path("answers.jsonl").write_bytes(b"\n".join([line, line]))
    with pytest.raises(BadSetting, match="more than any run answers"):
        list(read_answers(Path("answers.jsonl")))
