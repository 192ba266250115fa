"""Parts of nested values, by the shape they have."""

from bot.core.records import Json


def fields(value: Json) -> dict[str, Json]:
    """Give an object's fields; none for anything else."""
    return value if isinstance(value, dict) else {}


def entries(value: Json) -> list[dict[str, Json]]:
    """Give a list's objects; none for anything else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
