"""The catalogues say everything that the program says, with the same values in it, and nothing else."""

import asyncio
import re
from functools import cache

import pytest
from babel.messages.catalog import Catalog

from bot.languages import COMMAND, LANGUAGES, fingerprint, translation
from tests.cogs.trees import commands_sent, paths
from tests.languages.catalogues import FILES, Message, brought_up, messages, read

VALUE = re.compile(r"\{[^{}]*\}")
catalogue_at = cache(read)  # no test changes one
pytestmark = pytest.mark.together  # by what is said, and by the catalogues: both take seconds to read


def forms(text: object) -> tuple[str, ...]:
    """Give the one text, or the one and the many."""
    return text if isinstance(text, tuple) else (str(text),)


@pytest.fixture(scope="module")
def said() -> list[Message]:
    return asyncio.run(messages())


@pytest.fixture(scope="module")
def command_path() -> re.Pattern[str]:
    known = sorted(paths(asyncio.run(commands_sent())), key=len, reverse=True)
    return re.compile(rf"/({'|'.join(known)})\b")


@pytest.mark.parametrize("language", FILES)
def test_a_catalogue_has_what_is_said_in_every_language(language: str, said: list[Message]) -> None:
    catalogue = catalogue_at(FILES[language])
    assert FILES[language].read_bytes() == brought_up(catalogue, said), "run python -m tests.languages.catalogues"
    assert [one.id for one in catalogue if one.id and not all(forms(one.string))] == []


@pytest.mark.parametrize("language", FILES)
def test_a_translation_names_the_same_values(language: str) -> None:
    said = [(forms(one.id)[0], form) for one in catalogue_at(FILES[language]) for form in forms(one.string) if one.id]
    values = [one for one in said if sorted(VALUE.findall(one[0])) != sorted(VALUE.findall(one[1]))]
    assert values == []


@pytest.mark.parametrize("language", FILES)
def test_a_command_that_a_sentence_names_is_named_as_it_reads_there(
    language: str, command_path: re.Pattern[str]
) -> None:
    locale = next(locale for locale, one in LANGUAGES.items() if one == language)

    def local(found: re.Match[str]) -> str:
        return "/" + " ".join(translation(locale, word, COMMAND) or word for word in found[1].split())

    wrong = [
        (str(one.id), name)
        for one in catalogue_at(FILES[language])
        for name in map(local, command_path.finditer(str(one.id)))
        if name not in str(one.string)
    ]
    assert wrong == []


def test_what_a_catalogue_does_not_have_is_not_translated() -> None:
    assert translation("de", "No such sentence.") is None
    assert translation("fi", "agent", COMMAND) is None
    assert translation("de", "agent", "no such context") is None


def test_bringing_up_keeps_what_was_translated_and_drops_what_is_not_said() -> None:
    old = Catalog(locale="de", header_comment="# Deutsch")
    old.add("Yes.", "Ja.")
    old.add("Gone.", "Weg.")
    text = brought_up(old, [("", "Yes.", ""), ("option", "room", ""), ("", "{n} day", "{n} days")]).decode()
    assert text.startswith("# Deutsch\n") and 'msgid "Yes."\nmsgstr "Ja."' in text
    assert 'msgctxt "option"\nmsgid "room"\nmsgstr ""' in text and "Weg" not in text
    assert 'msgid "{n} day"\nmsgid_plural "{n} days"\nmsgstr[0] ""\nmsgstr[1] ""' in text


def test_the_fingerprint_is_of_all_catalogues() -> None:
    assert re.fullmatch("[0-9a-f]{64}", fingerprint())
