"""Emoji as people use them, and the few that mean something here (docs/heartbeat.md#tempo)."""

import re
from collections.abc import Mapping

from bot.core.kinds import Emotion

SHOWN: Mapping[Emotion, str] = {
    Emotion.THUMBS_UP: "👍",
    Emotion.THUMBS_DOWN: "👎",
    Emotion.BRAIN: "🧠",
    Emotion.HEART: "❤️",
}
HUSH = "🛑"
FASTER, SLOWER = "⏩", "⏪"
ASLEEP, PAUSED, BROKE = "💤", "⏸️", "🪫"

_HEARTS = "❤♥🧡💛💚💙💜🤎🖤🤍🩷🩵🩶💕💖💗💓💞💘💝💟❣🫶"
_LOOK_ALIKES: Mapping[str, Emotion] = {
    **dict.fromkeys(_HEARTS, Emotion.HEART),
    "👍": Emotion.THUMBS_UP,
    "👎": Emotion.THUMBS_DOWN,
    "🧠": Emotion.BRAIN,
    ":+1:": Emotion.THUMBS_UP,
    ":thumbsup:": Emotion.THUMBS_UP,
    ":thumbs_up:": Emotion.THUMBS_UP,
    ":-1:": Emotion.THUMBS_DOWN,
    ":thumbsdown:": Emotion.THUMBS_DOWN,
    ":thumbs_down:": Emotion.THUMBS_DOWN,
    ":brain:": Emotion.BRAIN,
    ":heart:": Emotion.HEART,
}
_TONES_AND_VARIANTS = re.compile("[\U0001f3fb-\U0001f3ff\ufe0e\ufe0f]")


def plain(emoji: str) -> str:
    """Give the emoji without skin tone and presentation marks."""
    return _TONES_AND_VARIANTS.sub("", emoji)


def emotion_of(emoji: str) -> Emotion | None:
    """Give the one of the four that an emoji (a character or a custom `:name:`) stands for, if any."""
    bare = plain(emoji)
    return _LOOK_ALIKES.get(bare) or _LOOK_ALIKES.get(bare.lower())


def reaction_name(emoji: str) -> str:
    """Give the name under which a reaction is counted: one of the four, or the emoji itself."""
    emotion = emotion_of(emoji)
    return emotion.value if emotion else emoji


def shown_as(name: str) -> str:
    """Give the emoji of a reaction that is counted under this name."""
    return next((emoji for emotion, emoji in SHOWN.items() if emotion == name), name)


def is_hush(emoji: str) -> bool:
    """Tell whether the emoji asks for silence."""
    return plain(emoji) == HUSH
