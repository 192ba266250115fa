"""How a community's own provider is asked is told in a sentence."""

import pytest

from bot.core.models import OwnProvider


@pytest.mark.parametrize(
    ("calls", "told"),
    [(None, "as many calls at once as it turns out to do."), (1, "1 call at a time.")],
)
def test_how_many_calls_at_once_a_provider_is_asked_is_told(calls: int | None, told: str) -> None:
    assert told in OwnProvider(base_url=None, api="chat", calls_at_once=calls).pace_told
