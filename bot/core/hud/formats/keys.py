"""The short keys of `compact_json`, and the way between long and short."""

from typing import Final

from bot.core.records import Json

KEYS: Final = "keys"  # the name of the table in the OS section
SHORT: Final = {
    "id": "i", "timestamp": "t", "sender": "s", "content": "c", "type": "y", "reply_to": "r", "reactions": "x",
    "edited": "e", "messages": "m", "members": "mb", "name": "n", "topic": "tp", "billboard": "b", "summary": "su",
    "older": "o", "attention": "a", "attention_pct": "ap", "time_since_last": "tl", "word_budget": "wb",
    "is_self_room": "sr", "you": "u", "first_message": "fm", "access": "ac", "directory": "d", "identity": "id",
    "knowledge": "k", "recent_actions": "ra", "parameters": "p", "time": "ti", "result": "re", "rejected": "rj",
}  # fmt: skip
LONG: Final = {short: name for name, short in SHORT.items()}
ESCAPE: Final = "~"  # before a key of somebody's own that looks like a short one


def shortened(value: Json) -> Json:
    """Give a value with short keys, at any depth."""
    if isinstance(value, dict):
        return {_short(key): shortened(one) for key, one in value.items()}
    return [shortened(one) for one in value] if isinstance(value, list) else value


def lengthened(value: Json) -> Json:
    """Give a value with its keys as they were."""
    if isinstance(value, dict):
        return {_long(key): lengthened(one) for key, one in value.items()}
    return [lengthened(one) for one in value] if isinstance(value, list) else value


def _short(key: str) -> str:
    if key in SHORT:
        return SHORT[key]
    return f"{ESCAPE}{key}" if key in LONG or key.startswith(ESCAPE) else key


def _long(key: str) -> str:
    return key.removeprefix(ESCAPE) if key.startswith(ESCAPE) else LONG.get(key, key)
