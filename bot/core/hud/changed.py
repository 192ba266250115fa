"""What is new in a HUD since the one before it: by pieces, in time that grows as the texts do and no faster."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LONG_LINE = 300  # characters: longer lines, as of formats that have only one, are looked at piece by piece
BETWEEN = re.compile(r'(?<=[,\[{])(?=["\[{])')


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A HUD in stretches, each with whether it is new (together they are all of it), and what of the last one went."""

    stretches: Sequence[tuple[str, bool]]
    gone: Sequence[str]


def changed(before: str, now: str) -> Changed:
    """Compare two HUDs; what only moved is not new."""
    left = Counter(pieces(before))
    stretches: list[tuple[list[str], bool]] = []
    for piece in pieces(now):
        is_new = left[piece] == 0
        left[piece] -= not is_new
        if not stretches or stretches[-1][1] != is_new:
            stretches.append(([], is_new))
        stretches[-1][0].append(piece)
    gone = []
    for piece in pieces(before):
        if left[piece] > 0 and piece.strip():
            left[piece] -= 1
            gone.append(piece)
    return Changed(stretches=[("".join(some), is_new) for some, is_new in stretches], gone=gone)


def pieces(text: str) -> Iterator[str]:
    """Cut a HUD into its lines, and long lines where another value begins; joined they are the text."""
    for line in text.splitlines(keepends=True):
        if len(line) <= LONG_LINE:
            yield line
        else:
            yield from BETWEEN.split(line)
