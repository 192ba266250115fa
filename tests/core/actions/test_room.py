"""Actions on rooms: attention in any spelling."""

import pytest
from pydantic import ValidationError

from bot.core.actions import (
    SetAttention,
)


@pytest.mark.parametrize(
    ("value", "attention"), [("40", 40), ("40%", 40), (40, 40), ("%*", None), ("*", None), ("0", 0)]
)
def test_attention_is_read_in_any_spelling(value: object, attention: int | None) -> None:
    assert SetAttention.model_validate({"room_id": 1, "value": value}).attention == attention


@pytest.mark.parametrize("value", ["101", "-1", "4.5", "", "lots", None, [], "9" * 5_000])
def test_attention_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        SetAttention.model_validate({"room_id": 1, "value": value})
