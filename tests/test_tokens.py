"""Tokenizers: the real vocabulary without a network, and a careful guess for other models."""

import pytest

from bot import tokens
from bot.core.errors import BadSetting
from bot.tokens import O200kTokenizer, by_bytes, o200k, tokenizer_for


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("Could you look at this?", 6), ("\n", 1), ("<|endoftext|>", 7), ("123456", 2)],
)
def test_the_vocabulary_counts_as_openai_does(text: str, tokens: int) -> None:
    assert o200k().count(text) == tokens


def test_halves_of_characters_are_counted_too() -> None:
    assert o200k().count("a\ud800b") > 0
    assert by_bytes().count("a\ud800b") > 0


def test_all_short_numbers_are_one_token() -> None:
    assert all(o200k().count(str(number)) == 1 for number in range(1_000))


@pytest.mark.parametrize("model", ["gpt-4o-mini", "gpt-4.1", "gpt-5", "o3-mini", "openai/gpt-4o", "chatgpt-4o-latest"])
def test_openais_models_have_their_own_vocabulary(model: str) -> None:
    assert tokenizer_for(model) is o200k()


@pytest.mark.parametrize(
    "model", ["local/llama3", "mistral-large", "gpt-3.5-turbo", "gpt-4", "ollama/gpt-4o", "claude-x"]
)
def test_other_models_are_guessed_by_bytes(model: str) -> None:
    assert tokenizer_for(model) is by_bytes()


def test_a_guess_is_bytes_by_three_and_a_half_rounded_up() -> None:
    assert by_bytes().count("") == 0
    assert by_bytes().count("abcd") == 2
    assert by_bytes().count("é" * 36) == 20


def test_a_vocabulary_that_is_not_the_one_it_should_be_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_SHA256", "0" * 64)
    with pytest.raises(BadSetting, match="vocabulary is damaged"):
        O200kTokenizer()
