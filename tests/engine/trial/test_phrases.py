"""Phrases are said in every language, and differently in each."""

from bot.engine.trial.phrases import LANGUAGES, PHRASES, said


def test_each_phrase_is_said_otherwise_in_each_language() -> None:
    for phrase, texts in PHRASES.items():
        assert [said(phrase, language) for language in LANGUAGES] == [*texts]
        assert len(set(texts)) == len(LANGUAGES), phrase


def test_a_phrase_is_in_the_language_that_was_asked_for() -> None:
    assert said("and rain", "German") == "Und Regen?"
    assert said("and rain", "Spanish") == "¿Y la lluvia?"
