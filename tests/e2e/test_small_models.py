"""A server that takes neither a temperature nor a schema is asked in words, and its agents live all the same."""

from pathlib import Path

import pytest

from tests.adapters.llama import form_of, llama
from tests.e2e.conftest import living, quick_settings
from tests.e2e.sharing import shared_home
from tests.e2e.visitor import visiting
from tests.minds.council import MEMBERS, held

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio]

SAID = 'Sure! ```json\n{"agents": [{"agent_id": 1, "responses": [{"room_id": 1, "message": "In words, then."}]}]}\n```'


async def test_what_a_server_does_not_take_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with llama(rung="json", refuses=True, cool=False, tells=False, says=lambda _: SAID) as mind:
        address = {"SELFROOM_OPENAI_BASE_URL": mind.url, "SELFROOM_OPENAI_API": "chat"}
        settings = quick_settings(tmp_path, monkeypatch, **address, SELFROOM_MODEL="tiny")
        async with living(settings) as home, visiting(home.url) as you:
            answer = await you.answer_after(await you.say(await you.channel("wren"), "Wren, are you there?"))
            assert answer["content"] == "In words, then."
    with_heat, *others = mind.calls
    assert "temperature" in with_heat
    assert others
    assert not any("temperature" in one for one in others)
    assert {form_of(one) for one in mind.calls} == {"json_object"}
    assert '{"message"' in others[-1]["messages"][0]["content"]  # nobody knows the model: its agents are shown little


async def test_a_server_that_ignores_the_schema_and_speaks_in_words_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = iter(["Wren: It is called Kestrel."])
    async with llama(rung="words", has_chat=False, says=lambda _: next(said, "Yes, still Kestrel.")) as mind:
        settings = quick_settings(tmp_path, monkeypatch, SELFROOM_OPENAI_BASE_URL=mind.url, SELFROOM_MODEL="tiny")
        async with living(settings) as home, visiting(home.url) as you:
            room = await you.channel("wren")
            answer = await you.answer_after(await you.say(room, "Wren, what is my boat called?"))
            assert answer["content"] == "It is called Kestrel."
            answer = await you.answer_after(await you.say(room, "Wren, really?"))
            assert answer["content"] == "Yes, still Kestrel."
    assert mind.trials == ["json_schema", "json_object"]
    assert " says to you in message " in mind.calls[0]["input"].splitlines()[-1]


@pytest.mark.long
async def test_three_of_a_model_hold_a_council_to_its_end_and_it_is_told_what_they_did(tmp_path: Path) -> None:
    (minds := tmp_path / "minds").mkdir()
    (house := tmp_path / "house").mkdir()
    async with shared_home(minds) as cast:
        outcome, *did, _ = await held(f"{cast.home.url}/v1", "gpt-4o-mini", house)
    assert "The council is closed" in outcome
    assert [one.partition(":")[0] for one in did] == [*MEMBERS]
    assert "1 × " in did[0]
