"""What people write into forms is held to its bounds with a plain sentence."""

from dataclasses import replace

import pytest

from bot.core.actions.fields import LONGEST_LINE
from bot.core.errors import Rejected
from bot.core.kinds import AgentType
from bot.core.names import LONGEST_ALIAS, MOST_ALIASES
from bot.core.records import LONGEST_MODEL, MOST_SPARES
from cogs.ui.forms import FORM_CHARACTERS, AgentForm, Draft, aliases_of, models_of


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


async def test_the_form_of_an_agent_holds_the_longest_models_and_names_that_it_may_have() -> None:
    spares = tuple(f"{number}".ljust(LONGEST_MODEL, "s") for number in range(MOST_SPARES))
    aliases = tuple(f"{number}".ljust(LONGEST_ALIAS, "a") for number in range(MOST_ALIASES))
    who = Draft(name="Wren", prompt="You keep a lighthouse.", type=AgentType.PERSONA, model="m" * LONGEST_LINE)

    async def filled(interaction: object, written: Draft) -> None:
        raise AssertionError("nobody sends the form")

    form = AgentForm(replace(who, spare_models=spares, aliases=aliases), filled)
    for line in (form.model, form.aliases):
        assert line.default and line.max_length and len(line.default) <= line.max_length <= FORM_CHARACTERS
    assert aliases_of(form.aliases.default or "") == aliases
