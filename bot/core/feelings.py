"""What agents feel, where their community lets them: Plutchik's primary emotions, their dyads, or neutral. Pure."""

from dataclasses import replace
from datetime import datetime
from typing import Final, Literal

from bot.core.focus import item_of
from bot.core.records import Feeling, Focus

Felt = Literal[
    "joy", "trust", "fear", "surprise", "sadness", "disgust", "anger", "anticipation",
    "love", "submission", "awe", "disapproval", "remorse", "contempt", "aggressiveness", "optimism",
    "neutral",
]  # fmt: skip
MOST_KEPT: Final = 20


def with_feeling(focus: Focus, emotion: Felt, why: str, now: datetime) -> Focus:
    """Note what an agent feels; the newest are kept."""
    feeling = Feeling(emotion=emotion, why=item_of(why) if why.strip() else "", at=now)
    return replace(focus, feelings=(*focus.feelings, feeling)[-MOST_KEPT:])
