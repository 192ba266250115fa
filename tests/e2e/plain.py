"""What people read is plain: counts agree, no name from inside stands there, and it is said to whom it is about."""

import re
from collections.abc import Iterator

ANSWERS: list[str] = []
"""What the running test was answered so far."""

THINGS = (
    "agents|answers|beats|calls|channels|characters|days|files|hours|keys|lines|members|messages|minutes|models|notes"
    "|parts|people|reactions|requests|rooms|seconds|servers|summaries|tokens|uses|weeks|words"
)
IN_CODE = re.compile(r"```.*?```|`[^`]*`|\*\*\w+\*\* = |\|\|.*?\|\||https?://\S+|There is no action \"\w+\"", re.DOTALL)
FAULTS = {
    "one of many": re.compile(rf"(?<![\d.,:/-])1 (?:{THINGS})\b"),
    "two signs": re.compile(r"@@|(?<!\w)@<@"),
    "a name from inside": re.compile(r"(?<![\w/#.<@-])[a-z]+(?:_[a-z]+)+(?![\w/])"),
    "an object": re.compile(r"\bNone\b|\bTrue\b|\bFalse\b|<\w+(?:\.\w+)+|\w+Id\("),
    "an agent's words": re.compile(r"\b[Yy]our (?:focus|knowledge|lookups|own room)\b|\bask[s]? you again\b"),
    "not a sentence": re.compile(
        r"\bis (?:knock|open|closed) to agents|because of \*?(?:addressed|ambient|access)\b|is not right"
    ),
}


def blemishes(text: str) -> Iterator[str]:
    """Give what is not plain in an answer; code, spoilers, addresses and what a model made up may say anything."""
    words = IN_CODE.sub("`…`", text)
    for name, fault in FAULTS.items():
        for found in fault.finditer(words):
            yield f"{name}: {found[0]!r} in {words[max(0, found.start() - 60) : found.end() + 60]!r}"
