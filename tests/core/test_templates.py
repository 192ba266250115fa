"""Ready-made agents."""

import pytest

from bot.core.addressing import named_in
from bot.core.names import name_problem
from bot.core.templates import BY_PURPOSE, FIRST_RESIDENTS, TEMPLATES, Purpose, Template
from tests import factories


def test_there_are_twelve_at_least_and_some_for_every_purpose() -> None:
    assert len(TEMPLATES) >= 12
    assert set(BY_PURPOSE) == set(Purpose)
    assert all(len(group) >= 3 for group in BY_PURPOSE.values())
    assert sum(len(group) for group in BY_PURPOSE.values()) == len(TEMPLATES) <= 25  # Discord shows no more choices


def test_the_first_residents_stand_first() -> None:
    assert tuple(TEMPLATES)[: len(FIRST_RESIDENTS)] == FIRST_RESIDENTS


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_each_can_live_as_it_is(template: Template) -> None:
    others = [name for name in TEMPLATES if name != template.name]
    assert name_problem(template.name, others) == ""
    assert len(template.name) + len(template.about) + 2 <= 100  # as Discord shows a choice
    assert 100 < len(template.prompt) < 600  # a tenth of the smallest budget holds it
    resident = factories.agent(1, name=template.name)
    assert named_in(template.first_words, (resident,)) == {1}
