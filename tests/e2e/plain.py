"""What people read is plain: counts agree, no name from inside stands there, and it is said to whom it is about."""

import re
from collections.abc import Iterator

ANSWERS: list[str] = []
"""What the running test was answered so far."""

THINGS = (
    "agents|answers|beats|bytes|calls|cards|channels|characters|days|entries|files|hours|items|keys|knocks|lines|members"
    "|messages|minutes|misses|models|motions|moves|nodes|notes|pages|parts|people|pictures|reactions|requests|rooms"
    "|scenes|seats|seconds|servers|settings|signs|situations|steps|summaries|threads|tiles|times|tokens|trees|turns"
    "|uses|values|votes|weeks|words"
)
IN_CODE = re.compile(
    r"```.*?```|`[^`]*`|\*\*\w+\*\* = |\|\|.*?\|\||- Room \d+, messages \d+ to \d+: |https?://\S+"
    r"|There is no action \"\w+\"",
    re.DOTALL,
)
FAULTS = {
    "one of many": re.compile(rf"(?<![\d.,:/-])1 (?:(?:more |new )?(?:{THINGS})|(?:\w+ )?(?:lack|wait))\b"),
    "two signs": re.compile(r"@@|(?<!\w)@<@"),
    "a name from inside": re.compile(r"(?<![\w/#.<@-])[a-z]+(?:_[a-z]+)+(?![\w/])"),
    "an object": re.compile(r"\bNone\b|\bTrue\b|\bFalse\b|<\w+(?:\.\w+)+|\w+Id\("),
    "an agent's words": re.compile(r"\b[Yy]our (?:focus|plan|knowledge|lookups|own room)\b|\bask[s]? you again\b"),
    "a sign for a share": re.compile(r"%\*"),
    "a number for a room": re.compile(r"(?<![#\w])[Rr]oom \d+\b(?!,\d{3}| tokens)"),
    "a reason's name": re.compile(r"[*(](?:addressed|ambient|access|woken|answer|timer|initiative)[*)]"),
    "not a sentence": re.compile(
        r"\bis (?:knock|open|closed) to agents|because of \*?(?:addressed|ambient|access)\b|is not right"
    ),
}


def blemishes(text: str) -> Iterator[str]:
    """Give what is not plain in an answer; code, addresses, agents' notes and what a model made up may say it."""
    words = IN_CODE.sub("`…`", text)
    for name, fault in FAULTS.items():
        for found in fault.finditer(words):
            yield f"{name}: {found[0]!r} in {words[max(0, found.start() - 60) : found.end() + 60]!r}"
