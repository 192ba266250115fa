"""A new agent says hello in its room, once, when that is wished."""

from pathlib import Path

import pytest

from tests.e2e.commanding import Commander
from tests.e2e.conftest import living, quick_settings
from tests.e2e.visitor import until, visiting

pytestmark = pytest.mark.e2e


async def test_an_agent_that_a_person_makes_says_hello_in_its_room_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = quick_settings(tmp_path, monkeypatch, SELFROOM_COMMUNITY__GREETS="true")
    async with living(settings) as home, visiting(home.url, "you", manager=True) as you:
        manager = Commander(you, await you.channel("wren"))
        await manager.told("agent create", name="Moss", prompt="You are Moss, a gardener who loves rain.")
        room = await you.channel("moss")

        async def said() -> bool:
            return any(one["author"]["username"] == "Moss" for one in await you.messages(room))

        await until(said, "a greeting")
        (asked,) = [call for call in await home.calls() if "you are new here" in str(call)]
        assert "say hello there as Moss" in str(asked)
        await you.answer_after(await you.say(room, "Hello Moss, who are you?"))
        greetings = [one["content"] for one in await you.messages(room) if "new here" in one["content"]]
        assert len(greetings) == 1 and greetings[0].startswith("Hello! I am Moss")
        assert [one for one in await you.messages(await you.channel("wren")) if "Wren" in str(one["author"])] == []
