"""A room is summed up because an agent wished it, and the agent finds the summary in what it sees next."""

import json
from typing import Any

import pytest

from tests.e2e.conftest import Living
from tests.e2e.visitor import Visitor, until

pytestmark = pytest.mark.e2e

SUMMARY = "Goal: a night garden by the sea\nOpen: mira asks who waters it"
WISH = {"agent_id": 1, "responses": [], "actions": [{"type": "compact", "room_id": 1}]}


async def last_beat(home: Living) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(await home.face("/agents/1/beat"))
    return found


async def test_a_room_is_summed_up_when_an_agent_asks_for_it(home: Living, you: Visitor) -> None:
    channel = await you.channel("wren")
    await you.answer_after(await you.say(channel, "Hello Wren, I plan a night garden"))
    await home.script(
        {"match": "please sum this up", "answer": json.dumps({"agents": [WISH]})},
        {"match": "You keep the memory of a chat room", "answer": SUMMARY},
    )
    await you.say(channel, "Wren, please sum this up")

    async def written() -> bool:
        assert home.house.face is not None
        async with home.session.get(f"{home.house.face.url}/metrics") as response:
            return "selfroom_summaries_written_total 1.0" in await response.text()

    await until(written, "summary")
    (asked,) = [one for one in await home.calls() if "You keep the memory" in one["input"]]
    assert "I plan a night garden" in asked["input"]
    assert asked["schema"] is None
    await you.answer_after(await you.say(channel, "Thank you, Wren. What is open?"))
    beat = await last_beat(home)
    assert "a night garden by the sea" in beat["hud"].split("--- Room: Wren")[1]
    assert "compactedContext" in beat["hud"]
    assert "are summed up" in beat["hud"]
    assert {"rooms", "messages", "focus"} <= {one["name"] for one in beat["sections"]}
