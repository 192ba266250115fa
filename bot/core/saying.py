"""Plain words in place of an answer: what of them is the agent's own message, and what is never posted."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from bot.core.actions import BY_NAME
from bot.core.blotting import speaks_of_keys
from bot.core.records import AgentId

MOST_CHARACTERS: Final = 8_000
RUN: Final = 8  # words: so many in a row are a copy, not a coincidence
MOST_COPIED: Final = 0.5  # of an answer: more of what it was shown is no message of its own

_THINKING: Final = re.compile(r"\s*<(think(?:ing)?)>.*?(?:</\1>|\Z)", re.DOTALL)
_DATA: Final = re.compile(
    r'\A\s*(?:\{|\[\s*(?:[\[{"]|\d+\s*[,\]]))|'
    r'"(?:agents|agent_id|responses|actions|room_id|message_id|thoughts)"|'
    r"^\s*(?:agents|responses|actions|thoughts|agent_id|room_id)\s*(?:\[\d*\]|\{|:)",
    re.MULTILINE,
)
_FRAME: Final = re.compile(
    r"={20,}|-{20,}|>>>[^\n]{1,80}<<<|--- Room: |-- \d{4}-\d\d-\d\d --|AGENT \d+: [^\n]*\(ID: |"
    r"\d+/\d+ tokens \(|attention_pct|time_since_last|memory_used|word_budget|all but rooms: |<\||</?tool_call|<tools?>"
)
_LOGGED: Final = re.compile(r"\s*(?:\[\d+ \d\d:\d\d\]|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\])")
_SPEAKER: Final = re.compile(
    r"\s*\**(?:@[\w.-]{1,40}|The Architect(?: \(@[\w.-]+\))?|System|User|Human|Assistant)\**\s?:(?:\s|\Z)"
)
_CALL: Final = re.compile(r"\s*[-*]?\s*(\w+)\(.*\)\s*\Z")
_WORD: Final = re.compile(r"\w+")
_LOOP: Final = re.compile(r"(?=\S{0,20}\w)(\S.{11,300}?)(?:\s*\1){3}", re.DOTALL)  # the same, four times in a row
_SENTENCE_END: Final = re.compile(r"[.!?…。！？](?=[\"')*_\]]*(?:\s|\Z))[\"')*_\]]*|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sole:
    """The one agent of a call, for whom plain words can be taken.

    `room_id` is the room of what it beats for; `is_asked`: somebody there waits for its words, else they are thoughts.
    `rules` is the constant part of what the model was given, `others` what is not its own in the rest.
    """

    agent_id: AgentId
    name: str
    room_id: AgentId | None
    is_asked: bool
    is_whole: bool = True  # the answer was not cut off at its longest
    rules: str = ""
    others: str = ""


def without_thinking(text: str) -> str:
    """Give an answer without what a model thought aloud before it."""
    return _THINKING.sub("", text, count=1) if text.lstrip()[:6].lower() == "<think" else text


def spoken(text: str, sole: Sole) -> str:
    """Give the message in plain words; empty where nothing of them can be posted."""
    text = text[:MOST_CHARACTERS].strip()
    if _DATA.search(text) or speaks_of_keys(text):
        return ""  # what may hold a key is said only where it can be read what is meant
    own = _own_name(sole)
    kept: list[str] = []
    for line in own.sub("", text, count=1).split("\n"):
        said = own.sub("", line, count=1)
        if _FRAME.search(said) or _LOGGED.match(said) or _SPEAKER.match(said):
            break  # from here on it writes the log, others' lines or its instructions
        if (call := _CALL.match(said)) is None or call[1] not in BY_NAME:
            kept.append(said)
    said = without_loop(_unquoted("\n".join(kept).strip()))
    said = said if sole.is_whole or len(kept) < text.count("\n") + 1 else in_whole_sentences(said)
    return said if _says_something(said) and not _is_copied(said, sole) else ""


def without_loop(text: str) -> str:
    """Give words up to where they begin to go round in circles, in whole sentences."""
    found = _LOOP.search(text[:MOST_CHARACTERS])
    return in_whole_sentences(text[: found.end(1)]) if found else text


def in_whole_sentences(text: str) -> str:
    """Give words up to the last end of a sentence; as they are where there is none."""
    ends = [end.end() for end in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]].rstrip() if ends else text.strip()


def _own_name(sole: Sole) -> re.Pattern[str]:
    """Give what models put before their words, as the log they read does: `Wren:`, `[12 10:31] 5:`."""
    name = re.escape(sole.name)
    return re.compile(
        rf"\A\s*(?:\[\d+ \d\d:\d\d\]\s*(?=\**@?(?:{name}|{sole.agent_id})\b))?"
        rf"\**@?(?:{name}|Assistant|{sole.agent_id}(?=:))(?: \(ID: \d+\))?\**\s?:\**\s*",
        re.IGNORECASE,
    )


def _unquoted(text: str) -> str:
    """Give words without the quotes around all of them."""
    whole = len(text) > 2 and text[0] == text[-1] == '"' and '"' not in text[1:-1]
    return text[1:-1].strip() if whole else text


def _says_something(text: str) -> bool:
    return any(unicodedata.category(mark)[0] in "LN" or unicodedata.category(mark) == "So" for mark in text)


def _is_copied(text: str, sole: Sole) -> bool:
    """Tell whether words are those of the instructions, or mostly what others wrote."""
    words = _WORD.findall(text.lower())
    runs = [" ".join(words[start : start + RUN]) for start in range(len(words) - RUN + 1)]
    if not runs:
        return False
    rules, others = (f" {' '.join(_WORD.findall(given.lower()))} " for given in (sole.rules, sole.others))
    if any(f" {run} " in rules for run in runs):
        return True
    copied: set[int] = set()
    for start, run in enumerate(runs):
        if f" {run} " in others:
            copied.update(range(start, start + RUN))
    return len(copied) > MOST_COPIED * len(words)
