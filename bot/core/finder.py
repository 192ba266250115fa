"""Many words sought in a text in one pass: it takes as long as the text, however many and however alike they are."""

from collections.abc import Iterable

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from bot.core.hud.escape import whole


class Finder:
    """Finds words in texts, at each place the longest."""

    def __init__(self, words: Iterable[str]) -> None:
        known = [whole(word) for word in words]
        self._words = AhoCorasick(
            known,
            matchkind=MatchKind.LeftmostLongest,
            store_patterns=False,
            implementation=Implementation.ContiguousNFA,  # the others take longer, or much memory
        )

    def found(self, text: str) -> list[tuple[int, int, int]]:
        """Give which words stand in a text (the number of each), and from where to where; no two overlap."""
        return self._words.find_matches_as_indexes(whole(text))  # as long as the text itself
