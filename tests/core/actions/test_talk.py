"""Actions of talk and time: whom, when and how much."""

import pytest
from pydantic import ValidationError

from bot.core.actions import (
    Sleep,
    WakeAgent,
)
from bot.core.answer_items import as_action
from bot.core.errors import Rejected


@pytest.mark.parametrize("id", [True, 0, -3, 2**63, "x", 1.5, None, "9" * 5_000])
def test_an_id_is_a_small_positive_number(id: object) -> None:
    with pytest.raises(ValidationError):
        WakeAgent.model_validate({"agent_id": id})


def test_a_time_is_read_with_any_offset_and_kept_in_utc() -> None:
    assert Sleep.model_validate({"until": "2026-11-20T12:00:00+02:00"}).until.isoformat() == "2026-11-20T10:00:00+00:00"
    assert Sleep.model_validate({"until": "2026-11-20T12:00:00"}).until.isoformat() == "2026-11-20T12:00:00+00:00"
    with pytest.raises(ValidationError):
        Sleep.model_validate({"until": "0001-01-01T00:00:00+14:00"})


def test_a_file_has_200_kb_at_most_in_whatever_script() -> None:
    assert as_action({"type": "attach", "filename": "a.txt", "content": "ü" * 100_000})
    with pytest.raises(Rejected, match="give at most 200 kB"):
        as_action({"type": "attach", "name": "a.txt", "text": "ü" * 100_001})
