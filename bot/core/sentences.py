"""Sentences for people, which keep their English and its values apart: so each is said in the reader's language."""

from collections.abc import Callable
from typing import Self


class Sentence(str):
    """A sentence in English, in which values stand as `{name}`: a text like any other, and more to who translates it.

    `values` stand in it; those that are sentences are translated too. With `many`, its plural, `number` decides. With
    `parts` it is nothing but these, one after the other.
    """

    __slots__ = ("english", "many", "number", "parts", "values")
    english: str
    values: dict[str, object]
    many: str
    number: float
    parts: tuple[str, ...]

    def __new__(cls, english: str, /, **values: object) -> Self:
        """Put values into the English."""
        return cls._made(english.format(**values) if values else english, english, values)

    @classmethod
    def _made(cls, text: str, english: str, values: dict[str, object]) -> Self:
        made = super().__new__(cls, text)
        made.english, made.values, made.many, made.number, made.parts = english, values, "", 1, ()
        return made

    @classmethod
    def counted(cls, count: float, one: str, many: str, /, **values: object) -> Self:
        """Give a sentence whose words depend on a number: English has one form for 1 and another for all else."""
        made = cls._made((one if count == 1 else many).format(**values), one, values)
        made.many, made.number = many, count
        return made

    @classmethod
    def joined(cls, *parts: str) -> Self:
        """Give several texts as one, of which the sentences stay sentences."""
        made = cls._made("".join(parts), "", {})
        made.parts = parts
        return made

    def mapped(self, change: Callable[[str], str]) -> "Sentence":
        """Give the same sentence with every text among its values and parts changed."""

        def changed(one: object) -> object:
            return one.mapped(change) if isinstance(one, Sentence) else change(one) if isinstance(one, str) else one

        if self.parts:
            return Sentence.joined(
                *(str(one) if not isinstance(one, Sentence) else one for one in map(changed, self.parts))
            )
        values = {name: changed(one) for name, one in self.values.items()}
        if self.many:
            return Sentence.counted(self.number, self.english, self.many, **values)
        return Sentence(self.english, **values)

    def __add__(self, other: str) -> "Sentence":
        """Go on with another text."""
        return Sentence.joined(self, other)

    def __radd__(self, other: str) -> "Sentence":
        """Stand after another text."""
        return Sentence.joined(other, self)


def stacked(*texts: str) -> Sentence:
    """Give texts one below the other."""
    return _between("\n", texts)


def listed(*texts: str) -> Sentence:
    """Give texts one after the other, with commas."""
    return _between(", ", texts)


def _between(sign: str, texts: tuple[str, ...]) -> Sentence:
    between = [part for text in texts for part in (sign, text)]
    return Sentence.joined(*between[1:])
