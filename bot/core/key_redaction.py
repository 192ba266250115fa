"""Keys of rooms are blotted out of all that is kept of an answer, in whatever way it gave them. Pure."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache

from bot.core import spellings
from bot.core.actions import ALSO_CALLED, BY_NAME, Action, CreateKey
from bot.core.answer_items import action_called
from bot.core.finder import Finder
from bot.core.hud.escape import one_line
from bot.core.records import Json

BLOT = "•••"
KEY = "key"  # the one parameter of actions that is secret
SHORTEST_KEY = 4
LONGEST_GIVEN = 2_000  # of a key parameter
LONGEST_KEPT = 20_000  # of an answer
LONGEST_SCANNED = 50_000  # of what is no data: no more of it is mended (core.answer_text)
LONGEST_NAME = 64
MOST_GIVEN = 200  # keys in one answer, each at most LONGEST_GIVEN: of one that gives more nothing is kept
MOST_SOUGHT = 250_000  # characters of keys in all their forms: some 40 ms and 15 MB at worst, once
ESCAPED_LEVELS = 3  # JSON in JSON in JSON
NOT_KEPT = "(not kept: it speaks of keys in a way that cannot be read)"
CUT = "… (cut here)"

KEY_ACTIONS = frozenset(name for name, definition in BY_NAME.items() if KEY in definition.parameters)
_SPELLED = tuple(name for name, meant in ALSO_CALLED.items() if meant in KEY_ACTIONS)
_NAMES = tuple(name for name in spellings.PARAMETERS[KEY] if name != "label")
_OPEN = frozenset(  # what stands beside a key in its action and is no secret
    {"label", "key_label", "note", *spellings.ACTION_TYPE}
    | {
        name
        for known in ("room_id", "agent_id", "expires", "uses", "request_id")
        for name in spellings.PARAMETERS[known]
    }
)
_CALLS = "|".join(name.replace("_", r"[\W_]{0,2}") for name in sorted({*KEY_ACTIONS, *_SPELLED}, key=len, reverse=True))
_CALLING = frozenset({*spellings.AGENT_FIELDS["actions"], *spellings.ACTION_TYPE})
_CALLED = re.compile(rf"(?:{_CALLS})(?![^\W_])([^\n]{{0,{LONGEST_GIVEN}}})", re.IGNORECASE)
_GIVEN = re.compile(
    rf"""(?<![^\W_])(?:{"|".join(_NAMES)})["'`*]{{0,3}}\s{{0,9}}(?:[:=]|\bis\b)\s{{0,9}}"""
    r"""(?:"([^"\n]{0,2000})|'([^'\n]{0,2000})|`([^`\n]{0,2000})|([^\n,;{}\[\]()"'`]{1,2000}))""",
    re.IGNORECASE,
)
_WORDS = re.compile(r"""[^\s,;:=(){}\[\]"'`|]+""")
_SPEAKS_OF_KEYS = re.compile(rf"key|secret|password|knock|access|{_CALLS}", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class KeyRedactor:
    """Finds some secrets in texts and puts a blot in their place; where they are too many, nothing is kept.

    `known` finds others besides: those that stay the same from one answer to the next.
    """

    def __init__(self, secrets: Iterable[str] = (), known: "KeyRedactor | None" = None) -> None:
        self._known = known
        self._own = frozenset(one for one in secrets if len(one) >= SHORTEST_KEY)
        self._too_many: bool = known is not None and known._too_many

    @property
    def secrets(self) -> frozenset[str]:
        """All that is hidden."""
        return self._own if self._known is None else self._own | self._known.secrets

    @property
    def size(self) -> int:
        """How many characters are sought: so much memory it takes, times some."""
        return sum(map(len, self._forms))

    @cached_property
    def _forms(self) -> tuple[str, ...]:
        if sum(map(len, self._own)) > MOST_SOUGHT:
            return ()
        forms = {form for one in self._own for form in _forms(one) if form}
        return tuple(forms) if sum(map(len, forms)) <= MOST_SOUGHT else ()

    @cached_property
    def _finder(self) -> Finder:
        return Finder(self._forms)

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._forms), default=0)

    @property
    def _finders(self) -> tuple["KeyRedactor", ...]:
        return tuple(one for one in (self._known, self) if one is not None and one._own)

    def __or__(self, given: Collection[str]) -> "KeyRedactor":
        """Give blots for what an answer gave as well, as far as that can be found without holding others up."""
        too_many = len(given) > MOST_GIVEN or any(len(one) > LONGEST_GIVEN for one in given)
        known = self if self._known is None else self._known
        before = frozenset[str]() if self._known is None else self._own
        joined = KeyRedactor((before if too_many else before.union(given)) - known.secrets, known)
        joined._too_many = self._too_many or too_many
        return joined

    def text(self, text: str) -> str:
        """Give a text without the secrets, however we may have escaped them."""
        if self._too_many or any(not one._forms for one in self._finders):
            return NOT_KEPT
        kept, end = [], 0
        for start, stop in sorted(self._places(text)):
            if start >= end:
                kept += [text[end:start], BLOT]
            end = max(end, stop)
        return "".join([*kept, text[end:]])

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        return ((start, stop) for one in self._finders for _, start, stop in one._finder.found(text))

    def beginning(self, text: str, most: int) -> str:
        """Give at most so many characters of a text without the secrets, and without half of one at the end."""
        longest = max((one._longest for one in self._finders), default=0)
        kept = self.text(text[: most + longest])
        whole = len(text) <= most + longest or kept == NOT_KEPT
        return kept[:most] if whole else kept[: max(0, min(most, len(kept) - longest))]

    def value(self, value: Json) -> Json:
        """Give a value in whose texts, at any depth, no secret stands."""
        match value:
            case str():
                return self.text(value)
            case list():
                return [self.value(one) for one in value]
            case dict():
                return {self.text(name): self.value(one) for name, one in value.items()}
            case int() | float() if not isinstance(value, bool) and any(
                str(value) in one._own for one in self._finders
            ):
                return BLOT
            case _:
                return value

    def answer(self, text: str, *, was_read: bool) -> str:
        """Give what may be kept of a model's own words, cut to a length; what could not be read may hide a key."""
        if not was_read and speaks_of_keys(text[: LONGEST_KEPT + LONGEST_GIVEN]):
            return NOT_KEPT
        kept = self.beginning(text, LONGEST_KEPT)
        if kept != NOT_KEPT and any(True for level in _levels(kept) for _ in self._places(level)):
            return NOT_KEPT  # escaped in a way of its own
        return kept if len(text) <= LONGEST_KEPT or kept == NOT_KEPT else f"{kept}{CUT}"


def _forms(secret: str) -> Iterator[str]:
    """Give the ways in which texts of ours, or JSON in them, show a secret."""
    for shown in {secret, one_line(secret)}:
        yield shown
        for ascii_only in (True, False):
            once = json.dumps(shown, ensure_ascii=ascii_only)[1:-1]
            yield from (once, json.dumps(once, ensure_ascii=ascii_only)[1:-1])


def _levels(text: str) -> Iterator[str]:
    """Give a text as it is, and with its escapes undone as often as somebody may have escaped it."""
    yield text
    for _ in range(ESCAPED_LEVELS):
        if "\\" not in text:
            return
        text = _ESCAPE.sub(_unescaped, text)
        if not text.isascii():  # JSON writes some characters as two halves
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        yield text


def _unescaped(found: re.Match[str]) -> str:
    mark = found[1]
    return chr(int(mark[1:], 16)) if len(mark) > 1 else _PLAIN.get(mark, mark)


def given_in(actions: Iterable[Action], labels: Iterable[str] = ()) -> frozenset[str]:
    """Give the keys that actions name; a label stands for a key and is none, except where one is made of it."""
    actions = tuple(actions)
    made = [action for action in actions if isinstance(action, CreateKey)]
    known = {label.casefold() for label in (*labels, *(action.label or "" for action in made))}
    given = {key for action in actions if (key := getattr(action, KEY, None)) and key.casefold() not in known}
    return frozenset({*given, *(action.key for action in made if action.key)})


def keys_in(data: Json) -> frozenset[str]:
    """Give what an answer's data holds under the names of keys, and all that stands in items that make or use one."""
    found: set[str] = set()
    todo: list[Json] = [data]
    while todo:
        one = todo.pop()
        if isinstance(one, list):
            todo += one
            found.update(*(keys_written(item) for item in one if isinstance(item, str) and _CALLED.match(item)))
        elif isinstance(one, dict):
            found.update(*(_values(value) for value in _secret_values(one)))
            todo += one.values()
    return frozenset(found)


def _secret_values(item: dict[str, Json]) -> Iterator[Json]:
    lower = {name.lower(): value for name, value in item.items()}
    named = next((lower[name] for name in spellings.ACTION_TYPE if name in lower), None)
    action = _action(named) if isinstance(named, str) else ""
    uses_key = action in KEY_ACTIONS or (not action and isinstance(named, str) and "key" in named.lower())
    for name, value in lower.items():
        names_one = name in _NAMES and (uses_key or not action)
        if names_one or (uses_key and name not in _OPEN) or _action(name) in KEY_ACTIONS:
            yield value
        elif name in _CALLING and isinstance(value, str) and not _action(value) and _CALLED.match(value):
            yield [*keys_written(value)]


def _values(value: Json) -> Iterator[str]:
    """Give the texts in a value, also in one that is JSON itself."""
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            todo += [child for name, child in one.items() if name.lower() not in _OPEN]
        elif isinstance(one, list):
            todo += one
        elif one is not None and not isinstance(one, bool):
            yield str(one).strip()
            if isinstance(one, str) and one.lstrip()[:1] in ("{", "["):
                todo += _read(one)
                yield from keys_written(one)


def _read(text: str) -> list[Json]:
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        return []


@lru_cache(maxsize=1_024)
def _action(name: str) -> str:
    return action_called(name) if len(name) <= LONGEST_NAME else ""


def speaks_of_keys(text: str) -> bool:
    """Tell whether words may hold a key, however they put it."""
    return any(_SPEAKS_OF_KEYS.search(level) for level in _levels(text))


def keys_written(text: str) -> frozenset[str]:
    """Give what looks like a key in words that are no data: cut off, broken, or plain."""
    found: set[str] = set()
    for level in _levels(text[:LONGEST_SCANNED]):
        for match in _GIVEN.finditer(level):
            given = next(part for part in match.groups() if part is not None).strip()
            found.update((given, *_WORDS.findall(given)[:1]))
        for match in _CALLED.finditer(level):
            found.update(word for word in _WORDS.findall(match[1]) if not _is_ours(word.lower()))
    return frozenset(found)


def _is_ours(word: str) -> bool:
    return word in _OPEN or word in _NAMES or word in spellings.ACTION_PARAMETERS or bool(_action(word))
