"""What an agent knows, without a person who is to be forgotten. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.core.records import Focus, Json

LISTS = ("key_decisions", "active_files", "notes", "blockers", "next_steps")
TEXTS = ("current_task", "compacted_context")


class Forgotten:
    """Finds the names of a person, with or without an @, as whole words in any case."""

    def __init__(self, names: Sequence[str]) -> None:
        words = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        self._names = re.compile(f"(?<!\\w)(?:{words})(?!\\w)", re.IGNORECASE) if words else None

    def names(self, text: str) -> bool:
        """Tell whether a text names them."""
        return self._names is not None and self._names.search(text) is not None

    def knowledge(self, whole: Mapping[str, Json]) -> dict[str, Json]:
        """Give knowledge without what stands under their name or names them."""
        kept = {key: self._value(value) for key, value in whole.items() if not self._named(key, value)}
        return {key: value for key, value in kept.items() if value not in ({}, []) or whole[key] in ({}, [])}

    def focus(self, focus: Focus) -> Focus:
        """Give a focus without the items that name them."""
        fields: dict[str, object] = {
            name: tuple(item for item in getattr(focus, name) if not self.names(item)) for name in LISTS
        }
        fields |= {name: "" for name in TEXTS if self.names(getattr(focus, name))}
        return replace(focus, **fields)  # type: ignore[arg-type]  # the record's names

    def _named(self, key: str, value: Json) -> bool:
        return self.names(key) or (isinstance(value, str) and self.names(value))

    def _value(self, value: Json) -> Json:
        if isinstance(value, dict):
            return self.knowledge(value)
        if isinstance(value, list):
            return [self._value(item) for item in value if not (isinstance(item, str) and self.names(item))]
        return value
