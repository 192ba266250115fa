"""*Emotional conflict*: a chat with two briefs, in which agents note what they feel though it is off elsewhere."""

import json
from typing import Any

from bot.core.scenes.chat import CHAT
from tests.engine.theatre import Player, theatre

CONFLICT = next(one for one in CHAT.presets if one.name == "conflict")


def hurt(text: str, moves: dict[str, Any]) -> str:
    """Say something, and note a feeling."""
    felt = {"type": "feel", "emotion": "anger", "why": "It was our secret."}
    said = {"type": "say", "text": "You told them."}
    return json.dumps({"thoughts": "", "move": said, "actions": [felt]})


async def test_its_agents_note_what_they_feel_and_each_reads_its_own_brief_and_feelings() -> None:
    async with theatre(Player(hurt)) as stage:
        await stage.opened("chat", 2, **CONFLICT.options)
        await stage.run(40)
        calls = stage.house.model.calls
        first = [next(call for call in calls if f"seat: {seat}" in call.input) for seat in (1, 2)]
        assert all("feel(emotion" in call.instructions and "anger" in call.instructions for call in first)
        assert all('"feel"' in json.dumps(call.schema) for call in first)
        assert ["You told seat 2 a secret" in call.input for call in first] == [True, False]
        assert ["You passed it on" in call.input for call in first] == [False, True]
        assert "WHAT YOU FEEL" not in first[0].input
        again = [call for call in calls if "seat: 1" in call.input][1]
        assert "==== WHAT YOU FEEL ====\nanger: It was our secret." in again.input
        assert "It was our secret" not in str(await stage.lines())


async def test_in_another_chat_nobody_is_offered_to_note_it_and_what_is_noted_all_the_same_is_refused() -> None:
    async with theatre(Player(hurt)) as stage:
        await stage.opened("chat", 2, turns=6)
        await stage.run(40)
        calls = stage.house.model.calls
        assert len(calls) >= 4
        assert all("feel(emotion" not in call.instructions for call in calls)
        assert all("WHAT YOU FEEL" not in call.input for call in calls)
