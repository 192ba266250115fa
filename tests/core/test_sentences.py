"""A sentence is its English to everybody, and keeps its parts for who translates it."""

import copy
import json
import pickle

from bot.core.errors import Rejected
from bot.core.people import named
from bot.core.sentences import Sentence, stacked
from bot.core.wording import counted
from bot.languages import spoken


def test_a_sentence_is_a_text_like_any_other() -> None:
    told = Sentence("{name} goes on.", name="Wren")
    assert told == "Wren goes on."
    assert json.dumps({"told": told}) == '{"told": "Wren goes on."}'
    assert (told.english, told.values) == ("{name} goes on.", {"name": "Wren"})


def test_braces_of_a_value_and_of_a_sentence_without_values_stay() -> None:
    assert Sentence("It says {text}.", text="{name}") == "It says {name}."
    assert Sentence('Give JSON such as {"a": 1}.') == 'Give JSON such as {"a": 1}.'


def test_an_error_keeps_the_sentence_that_it_was_raised_with() -> None:
    no = Rejected(Sentence("{name} is paused already.", name="Wren"))
    assert isinstance(no.sentence, Sentence)
    assert str(no) == no.sentence == "Wren is paused already."
    assert Rejected("No.").sentence == "No."


def test_sentences_that_are_put_together_stay_sentences() -> None:
    both = Sentence("{name} is back.", name="Wren") + " " + Sentence("Talk there.")
    assert both == "Wren is back. Talk there."
    assert [getattr(one, "parts", ()) != () for one in both.parts] == [True, False]
    assert stacked("a", Sentence("b"), "c") == "a\nb\nc"
    assert "-# " + Sentence("small") == "-# small"


def test_a_number_of_things_knows_its_plural() -> None:
    assert (counted(1, "agent"), counted(1_200, "token"), counted(2, "memory", "memories")) == (
        "1 agent",
        "1,200 tokens",
        "2 memories",
    )
    assert (counted(2, "agent").english, counted(2, "agent").many) == ("{number} agent", "{number} agents")


def test_it_goes_through_other_processes_whole() -> None:
    told = Sentence("{name} has {count}.", name="Wren", count=counted(2, "key"))
    for again in (pickle.loads(pickle.dumps(told)), copy.deepcopy(told)):  # noqa: S301 - our own
        count = again.values["count"]
        assert isinstance(count, Sentence)
        assert (again, again.english, count.many) == (told, told.english, "{number} keys")


def test_names_come_into_it_without_its_words() -> None:
    told = Sentence("Agents ignore {who}.", who="<@7>") + " " + counted(2, "key") + " of <@7>"
    shown = named(told, {7: "greta"})
    assert shown == "Agents ignore @greta. 2 keys of @greta"
    assert spoken(shown, "de") == "Agenten ignorieren @greta. 2 Schlüssel of @greta"
