"""Emoji that mean the same count as the same."""

import pytest

from bot.core.emoji import SHOWN, emotion_of, is_hush, reaction_name
from bot.core.kinds import Emotion


@pytest.mark.parametrize("emoji", ["👍", "👍🏽", "👍🏿", ":+1:", ":ThumbsUp:"])
def test_every_thumb_up_is_a_thumb_up(emoji: str) -> None:
    assert emotion_of(emoji) is Emotion.THUMBS_UP


@pytest.mark.parametrize("emoji", ["❤️", "❤", "♥️", "💙", "🖤", "💖", "🫶🏻"])
def test_every_heart_is_a_heart(emoji: str) -> None:
    assert emotion_of(emoji) is Emotion.HEART


@pytest.mark.parametrize("emoji", ["🎉", "💔", ":party:", "", "👌"])
def test_other_emoji_mean_nothing_here_and_are_shown_as_they_are(emoji: str) -> None:
    assert emotion_of(emoji) is None
    assert reaction_name(emoji) == emoji


@pytest.mark.parametrize("emotion", list(Emotion))
def test_what_is_shown_for_an_emotion_is_read_back_as_it(emotion: Emotion) -> None:
    assert emotion_of(SHOWN[emotion]) is emotion
    assert reaction_name(SHOWN[emotion]) == emotion.value


def test_only_the_stop_sign_asks_for_silence() -> None:
    assert is_hush("🛑")
    assert not is_hush("👍")
