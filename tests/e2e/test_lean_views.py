"""An agent that is shown little lives like the others; and what is looked up for a person is answered at once."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.e2e.sharing import Cast, shared_home

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]
FEWEST = 1_700  # tokens of a lean call at most: what is constant, and its own


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    folder: Path = tmp_path_factory.mktemp("lean")
    async with shared_home(folder) as one:
        assert "Wren is changed." in await one.manager.told("hud format", agent="Wren", detail="lean")
        yield one


async def test_an_agent_that_is_shown_little_answers_and_remembers(cast: Cast) -> None:
    await cast.answered("Wren, remember that my boat is called Kestrel")
    assert "Kestrel" in (await cast.answered("Wren, what is my boat called?"))["content"]
    call = (await cast.you.model_calls())[-1]
    assert call["input"].rstrip().splitlines()[-1].startswith("why: The Architect (@you) says to you in message ")
    assert "DIRECTORY\n1 " not in call["input"] and ">>> BUDGET" not in call["input"]
    assert call["usage"]["input_tokens"] < FEWEST + 800  # with the schema
    assert json.loads(call["answer"]).keys() == {"message", "actions"}
    shown = await cast.manager.run("hud show", agent="Wren")
    assert "os section" in shown["content"]
    assert "detail lean" in json.dumps(await cast.manager.run("agent show", agent="Wren"))


async def test_what_is_looked_up_for_a_person_is_answered_in_one_beat(cast: Cast) -> None:
    looks = {"message": "", "actions": [{"type": "recall", "query": "lantern"}]}
    found = {"message": "It hangs behind the door.", "actions": []}
    await cast.home.script(
        {"match": r">>> LOOKUPS <<<\n- recall lantern: ", "answer": found},
        {"match": r"where does the lantern hang\?", "answer": looks},
    )
    before = len(await cast.you.model_calls())
    answer = await cast.answered("Wren, where does the lantern hang?")
    assert answer["content"] == "It hangs behind the door."
    first, second = [call["input"] for call in (await cast.you.model_calls())[before:]]
    assert second.startswith(first) and "where does the lantern hang?" in second.removeprefix(first)
    wren = (await cast.home.agents())["Wren"]["id"]
    beat = json.loads(await cast.home.face(f"/agents/{wren}/beat"))
    assert beat["outcome"][0] == "Looked up within the beat: recall."
