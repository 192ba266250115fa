"""What people write into forms is held to its bounds with a plain sentence."""

import pytest

from bot.core.errors import Rejected
from cogs.ui.forms import aliases_of, models_of


def test_an_agent_listens_to_ten_short_words_at_most() -> None:
    assert aliases_of(" boss, , the gardener ") == ("boss", "the gardener")
    for text in (",".join(f"a{number}" for number in range(11)), "x" * 51):
        with pytest.raises(Rejected, match="at most 10 other names"):
            aliases_of(text)


def test_models_are_named_in_an_order_and_no_more_than_there_may_be() -> None:
    assert models_of(" gpt-4o ,, local/llama3", most=2) == ("gpt-4o", "local/llama3")
    for text in ("a, b, c", "x" * 201):
        with pytest.raises(Rejected, match="at most 2 models, each of at most 200 characters"):
            models_of(text, most=2)
