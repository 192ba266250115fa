"""Knowledge: a free JSON object, read and written by dot paths (docs/memory.md#knowledge)."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.core.errors import Rejected
from bot.core.records import Json
from bot.core.sentences import Sentence
from bot.core.wording import counted

DEEPEST = 12
LONGEST_KEY = 100
LONGEST_LEAF = 10_000  # characters of a value with its path
MOST_KNOWN, LARGEST_KNOWN = 10_000, 200_000  # values, and characters with their paths, of a whole mind
MOST_CHANGED = 100_000  # characters of values with their paths that one answer may change
TOO_LONG = f"That would be too long: a value has at most {LONGEST_LEAF:,} characters with its path."
CHANGED_ENOUGH = "You have changed much of your knowledge at once: change the rest in your next beat."
_SEGMENT = re.compile(r'"((?:[^"\\]|\\.)*)"|([^.\[\]"]+)')
_INDEX = re.compile(r"\[(\d{1,6})\]")

Step = str | int
MISSING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What one change makes of the whole: `before` and `after` are the values at the path (None: not there)."""

    whole: dict[str, Json]
    before: Json
    after: Json

    @property
    def changed(self) -> bool:
        """Whether anything is different now."""
        return self.before != self.after or type(self.before) is not type(self.after)


def parse_path(path: str) -> tuple[Step, ...]:
    """Split `people."Ann Lee".scores[0]` into its steps; raises Rejected with what is wrong."""
    steps: list[Step] = []
    at = 0
    while at < len(path):
        at = _take_step(path, at, steps)
    if not steps or isinstance(steps[0], int):
        raise Rejected(Sentence("A path begins with a key, such as people.Bob.trust."))
    if len(steps) > DEEPEST:
        raise Rejected(
            Sentence("That path is {steps} deep: at most {deepest} levels are kept.", steps=len(steps), deepest=DEEPEST)
        )
    return tuple(steps)


def read(whole: Mapping[str, Json], path: str) -> Json | object:
    """Give what is at a path, or MISSING."""
    found: Json | object = dict(whole)
    for step in parse_path(path):
        found = _child(found, step)
    return found


def assigned(whole: Mapping[str, Json], path: str, value: Json, weight: float | None = None) -> Edit:
    """Set a value (with its weight); missing objects are made, lists never."""
    after: Json = value if weight is None else {"v": value, "w": weight}
    return _edited(whole, path, lambda _: after)


def appended(whole: Mapping[str, Json], path: str, value: Json) -> Edit:
    """Append to a list, which is made if it is missing, and of a scalar."""
    return _edited(whole, path, lambda there: _longer(there, value))


def deleted(whole: Mapping[str, Json], path: str) -> Edit:
    """Remove what is at a path; nothing there is fine."""
    steps = parse_path(path)
    there = read(whole, path)
    if there is MISSING:
        return Edit(whole=dict(whole), before=None, after=None)
    return Edit(whole=_without(dict(whole), steps), before=as_json(there), after=None)


def check_size(leaves: int, characters: int, *, grows: bool) -> None:
    """Raise Rejected when knowledge would be more than any mind may hold, whatever its allocation, and still grow."""
    if grows and (leaves > MOST_KNOWN or characters > LARGEST_KNOWN):
        raise Rejected(
            Sentence(
                "Knowledge holds at most {most_known:,} values and {largest_known:,} characters "
                "with their paths: delete some first.",
                most_known=MOST_KNOWN,
                largest_known=LARGEST_KNOWN,
            )
        )


def check_room(before_tokens: int, after_tokens: int, cap_tokens: int) -> None:
    """Raise Rejected when knowledge would be over its allocation and not smaller than it was."""
    if after_tokens > cap_tokens and after_tokens >= before_tokens:
        free = counted(after_tokens - cap_tokens, "token")
        raise Rejected(Sentence("Knowledge is full: free {free} first (delete, or set something shorter).", free=free))


def depth_of(value: Json) -> int:
    """Give how many levels of objects and lists a value has, without recursion."""
    deepest, todo = 0, [(value, 0)]
    while todo:
        one, depth = todo.pop()
        if isinstance(one, dict | list):
            deepest = max(deepest, depth + 1)
            todo += [(child, depth + 1) for child in (one.values() if isinstance(one, dict) else one)]
    return deepest


def values_in(value: Json) -> int:
    """Count the values in a value, itself and those of all levels, without recursion."""
    count, todo = 0, [value]
    while todo:
        one = todo.pop()
        count += 1
        todo += list(one.values()) if isinstance(one, dict) else one if isinstance(one, list) else []
    return count


def check_shape(value: Json, depth: int = 0) -> None:
    """Raise Rejected when a value, so deep within knowledge, cannot be kept for its depth or one of its keys."""
    if depth + depth_of(value) > DEEPEST:
        raise Rejected(
            Sentence(
                "That is {depth} levels deep: at most {deepest} are kept.",
                depth=depth + depth_of(value),
                deepest=DEEPEST,
            )
        )
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            for key in one:
                _key(key)
        todo += list(one.values()) if isinstance(one, dict) else one if isinstance(one, list) else []


def _take_step(path: str, at: int, steps: list[Step]) -> int:
    if index := _INDEX.match(path, at):
        steps.append(int(index[1]))
        return _after_step(path, index.end())
    segment = _SEGMENT.match(path, at)
    if segment is None or (steps and path[at - 1] not in "."):
        raise Rejected(
            Sentence(
                'The path cannot be read at {path!r}: write it like people."Ann Lee".scores[0].',
                path=path[at : at + 20],
            )
        )
    quoted = segment[1] is not None
    steps.append(_key(re.sub(r"\\(.)", r"\1", segment[1]) if quoted else segment[2].strip()))
    return _after_step(path, segment.end())


def _after_step(path: str, at: int) -> int:
    if at >= len(path) or path[at] == "[":
        return at
    if path[at] != "." or at + 1 == len(path):
        raise Rejected(
            Sentence("The path cannot be read at {path!r}: put a dot between keys.", path=path[at : at + 20])
        )
    return at + 1


def _key(key: str) -> str:
    if not 1 <= len(key) <= LONGEST_KEY:
        raise Rejected(Sentence("A key has 1 to {longest_key} characters.", longest_key=LONGEST_KEY))
    return key


def _child(value: object, step: Step) -> Json | object:
    found: object = MISSING
    if isinstance(value, dict) and isinstance(step, str):
        found = value.get(step, MISSING)
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        found = value[step]
    return found


def _edited(whole: Mapping[str, Json], path: str, change: Callable[[Json | object], Json]) -> Edit:
    steps = parse_path(path)
    there = read(whole, path)
    after = change(there)
    check_shape(after, len(steps))
    made = _with(dict(whole), steps, after, path)
    assert isinstance(made, dict)  # noqa: S101 - the first step is a key
    return Edit(whole=made, before=None if there is MISSING else as_json(there), after=after)


def _with(value: Json | object, steps: Sequence[Step], leaf: Json, path: str) -> Json:
    """Copy the containers along the path and put the leaf at its end."""
    if not steps:
        return leaf
    step, rest = steps[0], steps[1:]
    if isinstance(step, int):
        if not isinstance(value, list):
            raise Rejected(Sentence("There is no list for [{step}] in {path}: append makes one.", step=step, path=path))
        if step >= len(value):
            raise Rejected(
                Sentence("The list in {path} has {value} items: append adds one.", path=path, value=len(value))
            )
        return [*value[:step], _with(value[step], rest, leaf, path), *value[step + 1 :]]
    if value is not MISSING and not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else "a plain value"
        raise Rejected(
            Sentence(
                '{path} leads through {kind} at "{step}": delete that first, or choose another path.',
                path=path,
                kind=kind,
                step=step,
            )
        )
    there: dict[str, Json] = value if isinstance(value, dict) else {}
    return {**there, step: _with(there.get(step, MISSING), rest, leaf, path)}


def _without(value: dict[str, Json], steps: Sequence[Step]) -> dict[str, Json]:
    made = _cut(value, steps)
    assert isinstance(made, dict)  # noqa: S101 - the first step is a key
    return made


def _cut(value: Json, steps: Sequence[Step]) -> Json:
    step, rest = steps[0], steps[1:]
    if isinstance(value, list) and isinstance(step, int):
        return [*value[:step], *([_cut(value[step], rest)] if rest else []), *value[step + 1 :]]
    there = value if isinstance(value, dict) else {}
    kept = {key: child for key, child in there.items() if key != step}
    return {**there, str(step): _cut(there[str(step)], rest)} if rest else kept


def _longer(there: Json | object, value: Json) -> Json:
    match there:
        case list():
            return [*there, value]
        case {"v": list(items), "w": weight, **rest} if not rest:
            return {"v": [*items, value], "w": weight}
        case dict():
            raise Rejected(Sentence("There is an object at that path: append adds to a list."))
        case _ if there is MISSING:
            return [value]
        case _:
            return [as_json(there), value]


def as_json(value: Json | object) -> Json:
    """Give a value that was found, told apart from MISSING before."""
    return value  # type: ignore[return-value]
