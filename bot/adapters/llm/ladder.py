"""How far each model of a server can be held to a form, found out by what it refuses or ignores."""

import time
from typing import Final

ASKED_ANEW_SECONDS: Final = 6 * 3_600.0  # servers are updated: then the first rung is tried again


class Ladder:
    """Keeps a model's way down: the strict schema, JSON with an example in words, then plain words."""

    def __init__(self) -> None:
        self._schema: dict[str, float] = {}  # model -> since when it is known to do without
        self._json: dict[str, float] = {}

    def takes_schema(self, model: str) -> bool:
        """Tell whether the model can be held to a schema, as far as is known."""
        return _is_open(self._schema, model)

    def takes_json(self, model: str) -> bool:
        """Tell whether a model that takes no schema is to be asked in JSON mode."""
        return not self.takes_schema(model) and _is_open(self._json, model)

    def without_schema(self, model: str) -> None:
        """Keep that a schema is refused or ignored."""
        self._schema[model] = time.monotonic()
        self._json.pop(model, None)

    def without_json(self, model: str) -> None:
        """Keep that JSON mode is refused or ignored."""
        self._json[model] = time.monotonic()


def is_words(text: str) -> bool:
    """Tell whether an answer cannot come from a model that was held to JSON."""
    return bool(text.strip()) and text.strip()[0] not in "{["


def _is_open(lessons: dict[str, float], model: str) -> bool:
    since = lessons.get(model)
    if since is not None and time.monotonic() - since > ASKED_ANEW_SECONDS:
        del lessons[model]
        since = None
    return since is None
