"""From a model's raw text to plain data: lenient about wrapping, fences and cut-off ends, and never raising."""

import json
import re
from dataclasses import dataclass

import json_repair
import toon

from bot.core.kinds import OutputFormat
from bot.core.plain_words import SENTENCE_END, in_whole_sentences
from bot.core.records import Json
from bot.core.spellings import AGENT_FIELDS, RESPONSE_FIELDS
from bot.core.storable import cleaned

LONGEST_ANSWER = 400_000  # room for the largest file, with its line breaks and quotes escaped
LONGEST_PLAIN = 8_000
LONGEST_WORDS = 2_000  # without any bracket
LONGEST_SHOWN = 100_000
LONGEST_MENDED = 50_000  # mending can take the square of this
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[{\]}]', re.DOTALL)  # no text is looked through twice
_CLOSED = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_OF_MESSAGE = re.compile(rf'"(?:{"|".join(RESPONSE_FIELDS["message"])})"\s*:\s*\Z', re.IGNORECASE)
_BRACKETS = re.compile(r"[\[{\]}]")
DEEPEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """The data in an answer (None: there is none); `whole` is false when it had to be mended."""

    data: Json
    whole: bool


def is_plain(text: str, shown: int = 0) -> bool:
    """Tell whether an answer is short and needs no mending: to read it takes a moment, whatever stands in it.

    `shown`: characters with which its words are compared.
    """
    if shown > LONGEST_SHOWN:
        return False
    if len(text) <= LONGEST_WORDS and not _BRACKETS.search(text):
        return True
    return len(text) <= LONGEST_PLAIN and not _too_deep(text) and _as_json(text.strip()) is not None


def read_answer(text: str, output_format: OutputFormat) -> Read:
    """Find the data in what a model wrote."""
    text = text[:LONGEST_ANSWER].strip().lstrip("\ufeff")
    if not _too_deep(text) and (data := _as_json(text)) is not None:
        return Read(data=cleaned(data), whole=True)
    candidates = [each for each in _candidates(text) if not _too_deep(each)]
    readers = (_as_toon, _as_json) if output_format is OutputFormat.TOON else (_as_json, _as_toon)
    for reader in (*readers, _as_mended):
        for candidate in candidates:
            data = reader(candidate)
            if isinstance(data, dict | list):
                return Read(data=cleaned(data), whole=reader is not _as_mended)
    return Read(data=None, whole=False)


def _candidates(text: str) -> list[str]:
    fenced = [match[1].strip() for match in _FENCE.finditer(text) if match[1].strip()]
    start = text.find("{")
    inner = [text[start:]] if start > 0 else []
    return [text, *fenced[:3], *inner]


def _as_json(text: str) -> Json:
    if text[:1] not in ("{", "["):
        return None
    try:
        data: Json = json.loads(text)
    except ValueError:
        return None
    return data


def _as_toon(text: str) -> Json:
    if text[:1] in "{[" or ":" not in text:
        return None
    try:
        data: Json = toon.decode(text)
    except (ValueError, RecursionError, IndexError, TypeError, KeyError):
        return None
    return data


def _as_mended(text: str) -> Json:
    """Mend broken JSON; of a text that was cut off only what is complete counts."""
    start = text.find("{")
    text = _complete(text[start : start + LONGEST_MENDED]) if start >= 0 else ""
    if not text:
        return None
    try:
        data: Json = json_repair.loads(text, skip_json_loads=True)  # type: ignore[assignment]
    except (ValueError, RecursionError, IndexError, TypeError, KeyError):
        return None
    return data or None


def _complete(text: str) -> str:
    """Give the text up to the last object or list that was closed, when something is still open at its end.

    Of a message that was cut off its whole sentences count.
    """
    opened: list[str] = []
    last_closed, last, before = 0, None, None
    for last in _MARKS.finditer(text):
        if last[0] in "{[":
            opened.append(_name(text, before, last))
        elif last[0] in "}]":
            opened = opened[:-1]
            last_closed = last.end()
        before = last
    if not opened:
        return text
    is_said = any(key in AGENT_FIELDS["responses"] for key in opened)
    said = _whole_sentences(text, last) if last is not None and is_said else None
    return text[:last_closed] if said is None else said


def _name(text: str, before: re.Match[str] | None, bracket: re.Match[str]) -> str:
    """Give under which name an object or a list stands; empty in a list."""
    is_named = before is not None and text[before.end() : bracket.start()].strip() == ":"
    return before[0][1:-1].lower() if before is not None and is_named else ""


def _whole_sentences(text: str, last: re.Match[str]) -> str | None:
    """Give a text that breaks off in the middle of a message up to its last whole sentence; None when there is none."""
    is_open = last.end() == len(text) and not _CLOSED.fullmatch(last[0]) and _OF_MESSAGE.search(text[: last.start()])
    if not is_open:
        return None
    try:
        said: str = json.loads(f'{_HALF_ESCAPE.sub("", last[0])}"')
    except ValueError:
        return None
    sentences = in_whole_sentences(said)
    if not sentences or not SENTENCE_END.search(sentences):
        return None
    return f"{text[: last.start()]}{json.dumps(sentences)}"


def _too_deep(text: str) -> bool:
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > DEEPEST:
            return True
    return False
