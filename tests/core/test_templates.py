"""Agents to start from fit whoever takes them."""

import pytest

from bot.core.actions import CreateAgent
from bot.core.config import CommunityConfig
from bot.core.hud.escape import one_line
from bot.core.templates import FIRST_RESIDENTS, TEMPLATES
from bot.tokens import o200k


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_is_an_agent_that_anybody_may_make(name: str) -> None:
    one = TEMPLATES[name]
    made = CreateAgent(name=one.name, background_prompt=one.prompt, agent_type=one.type)
    assert (made.name, made.agent_type) == (name, one.type)
    assert o200k().count(one.prompt) <= CommunityConfig().token_budget // 10  # the share that a prompt may take
    assert one_line(one.about) == one.about and len(one.about) <= 60


def test_the_first_residents_are_among_them() -> None:
    assert TEMPLATES.keys() >= set(FIRST_RESIDENTS)
