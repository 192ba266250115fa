"""Changes are the actions of real life, held to its limits, and read back as they were written."""

from typing import Any

import pytest
from pydantic import ValidationError

from bot.core.timelines.changes import CHANGES, MOST_CHANGES, Change

EACH: tuple[dict[str, Any], ...] = (
    {"kind": "agent_ctx", "agent_id": 3, "actions": [{"type": "set", "path": "tea", "value": 5}], "told": "Wake up."},
    {"kind": "agent_plan", "agent_id": 3, "actions": [{"type": "plan_goal", "text": "Brew tea."}]},
    {"kind": "agent_props", "agent_id": 3, "paused": True, "altered": {"type": "alter_agent", "agent_id": 3}},
    {"kind": "scene_state", "scene_id": 2, "edit": {"swap": [1, 2]}},
    {"kind": "public_event", "room_id": 1, "text": "The bell rings.", "visitor": "mira"},
    {"kind": "settings", "values": {"banter": 3}},
)


@pytest.mark.parametrize("given", EACH, ids=lambda given: str(given["kind"]))
def test_each_kind_is_read_back_as_it_was_written(given: dict[str, Any]) -> None:
    (change,) = CHANGES.validate_python([given])
    assert CHANGES.validate_json(CHANGES.dump_json((change,))) == (change,)


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "agent_ctx", "agent_id": 0, "told": "The Architect is no agent."},
        {"kind": "agent_ctx", "agent_id": 3, "actions": [{"type": "sleep", "until": "2026-11-20"}]},
        {"kind": "agent_plan", "agent_id": 3, "actions": []},
        {"kind": "public_event", "room_id": 1, "text": "x" * 2_001},
        {"kind": "settings", "values": {}},
        {"kind": "miracle"},
    ],
)
def test_what_real_life_does_not_allow_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CHANGES.validate_python([given])


def test_there_are_at_most_ten() -> None:
    bell: dict[str, Any] = {"kind": "public_event", "room_id": 1, "text": "The bell rings."}
    changes: tuple[Change, ...] = CHANGES.validate_python([bell] * MOST_CHANGES)
    assert len(changes) == MOST_CHANGES
    with pytest.raises(ValidationError):
        CHANGES.validate_python([bell] * (MOST_CHANGES + 1))
