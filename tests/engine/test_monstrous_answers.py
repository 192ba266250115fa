"""Answers that would hold everybody up are read elsewhere, and given up when that takes too long."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from bot.core.answer_text import LONGEST_ANSWER
from bot.core.errors import TooMuch
from tests.engine.hearts import answer, hearts
from tests.fakes import OpenBench
from tests.monsters import ANSWERS

P = ParamSpec("P")
T = TypeVar("T")


class ClosedShop(OpenBench):
    """A workshop that gives everything up, and keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[object] = []

    async def done(self, lane: int, work: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> T:
        self.given.append(given[0])
        raise TooMuch


async def test_an_answer_that_cannot_be_read_in_time_is_as_good_as_none_and_the_next_counts() -> None:
    shop = ClosedShop()
    monster = ANSWERS["unclosed brackets"](LONGEST_ANSWER * 2)
    async with hearts(1, script=[monster, monster, answer({1: [(1, "Here I am.")]})], workshop=shop) as home:
        await home.hear("hi there")
        await home.slot(1)
        beat = await home.last_beat()
        assert beat is not None
        assert beat.failed == "The answer could not be read."
        assert [len(str(text)) for text in shop.given] == [LONGEST_ANSWER] * 2
        await home.hear("and now?")
        await home.run(20)
        assert ("1", "Here I am.") in await home.lines()


async def test_a_short_answer_in_its_format_needs_no_workshop() -> None:
    shop = ClosedShop()
    async with hearts(1, script=[answer({1: [(1, "Here I am.")]})], workshop=shop) as home:
        await home.hear("hi there")
        await home.run(20)
        assert ("1", "Here I am.") in await home.lines()
        assert shop.given == []


async def test_answers_are_compared_with_much_that_was_shown_in_a_workshop() -> None:
    shop = ClosedShop()
    async with hearts(1, workshop=shop, token_budget=200_000, llm="gpt-4.1") as home:
        for number in range(40):
            await home.hear(f"{number} " + "tea and cake " * 300, who=f"p{number}", id=700 + number)
        home.model.script.append("I like what you say about tea, all of you, and will think of it.")
        await home.hear("Agent1, what do you say?")
        await home.slot(5)
        assert [str(text)[:6] for text in shop.given] == ["I like", '{"agen']
