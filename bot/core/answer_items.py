"""One item of an answer becomes one action, or one sentence that says why not."""

import json
import re
from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from bot.core import spellings
from bot.core.actions import ALSO_CALLED, BY_NAME, Action, Definition
from bot.core.emoji import reaction_name
from bot.core.errors import Rejected
from bot.core.knowledge import DEEPEST, depth_of, values_in
from bot.core.records import Json
from bot.core.sentences import Sentence
from bot.core.wording import as_words

AGENTS_OWN = frozenset(name for name, definition in BY_NAME.items() if definition.for_agents)
MOST_VALUES = 500
LONGEST_VALUE = 10_000  # as JSON
_FITTING = re.compile(r"^(?:string|value|list) (?=should )")
_QUOTABLE = re.compile(r"[A-Za-z_]{1,40}")  # a key may stand in anything else
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def as_action(item: Json) -> Action:
    """Read one action as an agent may write it; raises Rejected."""
    if isinstance(item, str):
        item = {"type": item}
    if not isinstance(item, dict):
        raise Rejected("An action is an object with a type.")
    name, given = _unwrapped(item)
    definition = BY_NAME.get(name) if name in AGENTS_OWN else None
    if definition is None:
        raise Rejected(_no_action(name))
    return _validated(definition, _parameters(definition, given))


def _no_action(name: str) -> str:
    if not name:
        return "An action needs a type."
    return (
        f'There is no action "{name}".' if _QUOTABLE.fullmatch(name) else "There is no such action: use a listed type."
    )


def first_of(item: Mapping[str, Json], names: Sequence[str]) -> Json:
    """Give the value under the first of several spellings, ignoring case; None when there is none."""
    for name in names:
        if name in item:
            return item[name]
    lower = {key.lower(): value for key, value in item.items()}
    return next((lower[name] for name in names if name in lower), None)


def problem_of(error: ValidationError) -> str:
    """Word the first thing that is wrong with some parameters."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = str(first["loc"][0]) if first["loc"] else "It"
    if first["type"] == "missing":
        return f"{where} is missing."
    return f"{where} is not right: {_what_fits(first['msg'])}."


def told_of(error: ValidationError) -> str:
    """Word for a person the first thing that is wrong with what they gave, without names from inside."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = f"The {as_words(str(first['loc'][0]))}" if first["loc"] else "That"
    if first["type"] == "missing":
        return f"{where} is missing: give it and try again."
    what = _what_fits(first["msg"])
    if first["type"] != "value_error":  # those are in our own words
        what = f"it {_FITTING.sub('', what)}"
    return f"{where} does not fit: {what}. Change it and try again."


def _what_fits(message: str) -> str:
    what = message.removeprefix("Value error, ").removeprefix("Input ")
    return f"{what[:1].lower()}{what[1:]}"


def _unwrapped(item: dict[str, Json]) -> tuple[str, dict[str, Json]]:
    """Give the action's name and its parameters, wherever the model put them."""
    spelled = {key.lower(): key for key in reversed(item)} | {key: key for key in item}
    for spelling in spellings.ACTION_TYPE:
        name = item.get(spelled.get(spelling, spelling))
        if isinstance(name, str) and (known := action_called(name)):
            rest = {key: value for key, value in item.items() if key != spelled[spelling]}
            return known, _implied(name) | _flattened(rest)
    if len(item) == 1:
        (name, inner), *_ = item.items()
        if isinstance(inner, dict) and (known := action_called(name)):
            return known, _implied(name) | _flattened(inner)
    named = first_of(item, spellings.ACTION_TYPE)
    return (named if isinstance(named, str) else ""), {}


def action_called(name: str) -> str:
    """Give the action that a name in some spelling means; empty when there is none."""
    snake = _snake(name)
    return snake if snake in AGENTS_OWN else ALSO_CALLED.get(snake, "")


def _implied(name: str) -> dict[str, Json]:
    return dict(spellings.IMPLIED.get(_snake(name), {}))


def _snake(name: str) -> str:
    return _WORD_START.sub("_", name.strip()).lower().replace("-", "_").replace(" ", "_").replace(".", "_")


def _flattened(given: dict[str, Json]) -> dict[str, Json]:
    for spelling in spellings.ACTION_PARAMETERS:
        inner = given.get(spelling)
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            inner = _json_text(inner)
        if isinstance(inner, dict):
            return {key: value for key, value in given.items() if key != spelling} | inner
    return given


def _parameters(definition: Definition, given: Mapping[str, Json]) -> dict[str, Json]:
    """Give the parameters under their right names; what the action does not know is left out."""
    lower = {key.lower(): value for key, value in given.items()}
    fields = definition.agent_parameters
    right: dict[str, Json] = {name: lower[name] for name in fields if name in lower}
    spare = {key: value for key, value in lower.items() if key not in right}
    for name in fields:
        for spelling in spellings.PARAMETERS.get(name, ()):
            if right.get(name) is None and spare.get(spelling) is not None:
                right[name] = spare.pop(spelling)
    return {name: value for name, value in right.items() if value is not None or fields[name].is_required()}


def _validated(definition: Definition, parameters: dict[str, Json]) -> Action:
    if "value" in parameters and "value" in definition.agent_parameters:
        parameters["value"] = _anything(parameters["value"])
    if isinstance(parameters.get("reaction"), str):
        parameters["reaction"] = reaction_name(str(parameters["reaction"]).strip().lower())
    try:
        return definition.model.model_validate({"type": definition.name, **parameters})
    except ValidationError as error:
        raise Rejected(problem_of(error)) from error


def _anything(value: Json) -> Json:
    """Read an object or a list that was written as JSON text: strict schemas know no free-form objects."""
    if isinstance(value, str) and value[:1] in "{[" and value[-1:] in "}]":
        value = _json_text(value)
    if depth_of(value) > DEEPEST:
        raise Rejected(Sentence("value is too deep: at most {deepest} levels are kept.", deepest=DEEPEST))
    if values_in(value) > MOST_VALUES or len(json.dumps(value, ensure_ascii=False)) > LONGEST_VALUE:
        raise Rejected(
            Sentence(
                "value is too large: at most {most_values} values or {longest_value:,} characters are kept.",
                most_values=MOST_VALUES,
                longest_value=LONGEST_VALUE,
            )
        )
    return value


def _json_text(text: str) -> Json:
    try:
        value: Json = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text
    return value
