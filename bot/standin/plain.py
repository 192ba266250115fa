"""Answers to questions that bring no HUD: summaries of a talk, and anything else somebody may ask."""

import json
import re
from collections.abc import Iterator
from itertools import chain, repeat

from bot.core.records import Json
from bot.standin.question import Question
from bot.standin.schema import Fitter, Schema, by_kind, kind_of
from bot.standin.smalltalk import ANNOUNCEMENT

LINE = re.compile(r"^\[\d+[^\]]*\] (.{1,60}?): (.+)$")
LONGEST = 160
SHOWN_LINES = 6
MAX_DEPTH = 12


def plain_answer(question: Question, fitter: Fitter | None) -> str:
    """Words for a question without a schema, and a value full of the text's own lines for one with."""
    points = points_of(question.text)
    if fitter is not None:
        filler = chain(points, repeat("nothing more"))
        value = sample(fitter, fitter.schema, filler)
        return json.dumps(fitter.fitted(value), ensure_ascii=False)
    words = summary(points) if re.search(r"summar|checkpoint", question.text, re.IGNORECASE) else echo(points)
    return json.dumps({"answer": words}, ensure_ascii=False) if question.json_wanted else words


def points_of(text: str) -> list[str]:
    """The lines of the talk when there is one, else the last lines that hold words."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    talk = [f"{found[1]}: {found[2]}" for line in lines if (found := LINE.match(line))]
    return [point[:LONGEST] for point in (talk or lines)[-SHOWN_LINES:]]


def summary(points: list[str]) -> str:
    return "Said lately: " + " / ".join(points) if points else "Nothing was said."


def echo(points: list[str]) -> str:
    return f"{ANNOUNCEMENT} You wrote: {points[-1]}" if points else ANNOUNCEMENT


def sample(fitter: Fitter, part: Schema, filler: Iterator[str], depth: int = 0) -> Json:
    """A value of the part's kind, its texts taken from the filler."""
    part = fitter.resolve(part)
    options = part.get("anyOf") or by_kind(part)
    part = next((option for option in map(fitter.resolve, options) if kind_of(option) != "null"), part)
    if depth > MAX_DEPTH or "enum" in part or "const" in part:
        return fitter.blank(part)
    match kind_of(part):
        case "object":
            properties = part.get("properties", {}).items()
            return {name: sample(fitter, sub, filler, depth + 1) for name, sub in properties}
        case "array":
            return [sample(fitter, part.get("items", {}), filler, depth + 1)]
        case "string":
            return next(filler)
        case _:
            return fitter.blank(part)
