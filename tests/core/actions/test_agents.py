"""Actions on agents."""

import pytest
from pydantic import ValidationError

from bot.core.actions import (
    AlterAgent,
)


def test_an_agent_listens_to_few_and_short_other_names() -> None:
    most = tuple("x" * 49 + str(number) for number in range(10))
    assert AlterAgent(agent_id=1, aliases=most).aliases == most
    for aliases in ((*most, "y"), ("x" * 51,), (" ",)):
        with pytest.raises(ValidationError):
            AlterAgent(agent_id=1, aliases=aliases)
