"""From what was proposed to a move: parameters, texts set apart by their numbers, and whether it is legal now."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args, get_origin

from pydantic import ValidationError

from bot.core.errors import Rejected
from bot.core.records import Json
from bot.core.scenes.kind import NO_TEXT, Move, SceneKind, Seat, State, TextId, Words
from bot.core.sentences import Sentence
from bot.core.wording import counted

NOT_ASKED = "You are not asked now."


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a move: a `text` of so many words, `one` of the values there are, or `many` of them."""

    name: str
    what: Literal["text", "one", "many"]
    words: int = 0
    optional: bool = False


@cache
def parameters(move: type[Move]) -> tuple[Parameter, ...]:
    """Give the parameters of a move, in order."""
    found = []
    for name, info in move.model_fields.items():
        words = next((mark.most for mark in info.metadata if isinstance(mark, Words)), 0)
        kinds = {get_origin(info.annotation), *(get_origin(one) for one in get_args(info.annotation))}
        many = tuple in kinds and not isinstance(info.annotation, types.UnionType)
        what: Literal["text", "one", "many"] = "text" if words else "many" if many else "one"
        found.append(Parameter(name=name, what=what, words=words, optional=not info.is_required()))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A move that may be made, and its texts in the order of their numbers."""

    move: Move
    texts: tuple[str, ...] = ()


def proposed(
    kind: SceneKind, state: State, seat: Seat, name: str, arguments: Mapping[str, Json], *, texts: int
) -> Proposed:
    """Read what a seat proposes; raises Rejected with the rule's sentence. `texts`: how many there are already."""
    form = state.offered(seat, name)
    if form is None:
        raise Rejected(not_now(kind, state, seat, name))
    apart, said = _texts_apart(form.move, arguments, texts)
    if form.move.drops_unknown:
        apart = {name: _known(value, form.values.get(name)) for name, value in apart.items()}
    move = _read(form.move, apart)
    if sentence := refusal(state, seat, move):
        raise Rejected(sentence)
    return Proposed(move=move, texts=said)


def not_now(kind: SceneKind, state: State, seat: Seat, name: str) -> str:
    """Say why a move of that name is none now, and which ones are."""
    names = [one.move.name for one in state.offers(seat)]
    if not names:
        return NOT_ASKED
    known = kind.move_named(name) is not None
    return f"{name} {'cannot be done now' if known else 'is no move here'}: choose {' or '.join(names)}."


def refusal(state: State, seat: Seat, move: Move) -> str:
    """Say why a move is not legal now; empty when it is."""
    form = state.offered(seat, move.name)
    if form is None or form.move is not type(move):
        return NOT_ASKED
    for parameter in parameters(form.move):
        allowed = form.values.get(parameter.name)
        if parameter.what == "text" or allowed is None:
            continue
        value = getattr(move, parameter.name)
        if parameter.what == "one" and value in allowed:
            continue
        given: Sequence[object] = value if parameter.what == "many" else (value,)
        if wrong := [one for one in given if one not in allowed]:
            return f"{parameter.name} cannot be {wrong[0]}: choose from {', '.join(map(str, allowed))}."
    return state.check(seat, move)


def _texts_apart(
    move: type[Move], arguments: Mapping[str, Json], texts: int
) -> tuple[dict[str, Json], tuple[str, ...]]:
    """Put numbers in the place of texts: rules read none of them."""
    apart, said = dict(arguments), []
    for parameter in parameters(move):
        if parameter.what != "text":
            continue
        text = apart.get(parameter.name)
        if text is None or (isinstance(text, str) and not text.strip()):
            if not parameter.optional:
                raise Rejected(
                    Sentence("{move} needs its {parameter}: write it.", move=move.name, parameter=parameter.name)
                )
            apart[parameter.name] = NO_TEXT
            continue
        if not isinstance(text, str):
            raise Rejected(Sentence("{parameter} is a text: write it.", parameter=parameter.name))
        said.append(_held(text, parameter))
        apart[parameter.name] = TextId(texts + len(said))
    return apart, tuple(said)


def read_texts(move: type[Move], arguments: Mapping[str, Json]) -> tuple[str, ...]:
    """Give the texts of a move that has nothing else; raises Rejected."""
    apart, said = _texts_apart(move, arguments, 0)
    _read(move, apart)
    return said


def _known(value: Json, allowed: Sequence[int | str] | None) -> Json:
    return [one for one in value if one in allowed] if isinstance(value, list) and allowed is not None else value


def _held(text: str, parameter: Parameter) -> str:
    """Hold a text to its words; it is refused, never cut."""
    words = len(text.split())
    if words > parameter.words or len(text) > parameter.words * 30:
        most = counted(parameter.words, "word")
        raise Rejected(
            Sentence(
                "{parameter} has {words}, of {most} at most: say it shorter.",
                parameter=parameter.name,
                words=counted(words, "word"),
                most=most,
            )
        )
    return text.strip()


def _read(move: type[Move], arguments: Mapping[str, Json]) -> Move:
    known = move.model_fields
    if unknown := [name for name in arguments if name not in known]:
        raise Rejected(Sentence("{move} takes no {unknown}: leave it out.", move=move.name, unknown=min(unknown)))
    for one in parameters(move):
        if not one.optional and arguments.get(one.name) is None:
            raise Rejected(Sentence("{move} needs {parameter}: choose one.", move=move.name, parameter=one.name))
    try:
        return move.model_validate({name: value for name, value in arguments.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        where = first["loc"][0] if first["loc"] else move.name
        raise Rejected(Sentence("{field}: {fault}.", field=where, fault=first["msg"].lower())) from error
