"""Whose turn it is at a server: as many as it does at once, the awaited first, each where it was read before."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from bot.adapters.llm.queue import MOST_PASSED, Overlaps, Place, Queue
from bot.engine.timelines.chance import settle
from tests.adapters.test_providers import call


class Desk:
    """Calls that hold their turns until they are told to end."""

    def __init__(self, at_once: int) -> None:
        self.queue = Queue(at_once)
        self.places: dict[str, Place] = {}
        self.asked: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(self, name: str, **fields: Any) -> None:  # noqa: ANN401
        self.ends[name] = asyncio.Event()

        async def run() -> None:
            async with self.queue.turn(call(**({"cache_key": ""} | fields)), seconds=60) as place:
                self.places[name] = place
                self.asked.append(name)
                await self.ends[name].wait()

        self.tasks[name] = asyncio.create_task(run())
        await settle()

    async def end(self, *names: str) -> None:
        for name in names:
            self.ends[name].set()
            await settle()

    async def close(self) -> None:
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)


@pytest.fixture
def stack() -> AsyncExitStack:
    return AsyncExitStack()


async def desk(stack: AsyncExitStack, at_once: int) -> Desk:
    made = Desk(at_once)
    stack.push_async_callback(made.close)
    return made


async def test_the_awaited_go_first_then_those_that_begin_as_the_last_did(stack: AsyncExitStack) -> None:
    async with stack:
        here = await desk(stack, 1)
        await here.ask("first", cache_key="a")
        await here.ask("other", cache_key="b")
        await here.ask("like the first", cache_key="a")
        await here.ask("awaited", cache_key="c", is_awaited=True)
        await here.end("first", "awaited", "other", "like the first")
        assert here.asked == ["first", "awaited", "other", "like the first"]
        await here.ask("again", cache_key="a")
        await here.ask("another", cache_key="b")
        await here.ask("near", cache_key="a")
        await here.end("again", "near", "another")
        assert here.asked[-3:] == ["again", "near", "another"]


async def test_nobody_is_passed_for_ever(stack: AsyncExitStack) -> None:
    async with stack:
        here = await desk(stack, 1)
        await here.ask("0", is_awaited=True)
        await here.ask("ambient")
        for number in range(1, MOST_PASSED + 3):
            await here.ask(str(number), is_awaited=True)
            await here.end(str(number - 1))
        assert here.asked[MOST_PASSED + 1] == "ambient"


@pytest.mark.parametrize("at_once", [1, 2])
async def test_a_community_that_asks_much_holds_up_no_other(stack: AsyncExitStack, at_once: int) -> None:
    async with stack:
        here = await desk(stack, at_once)
        for number in range(12):
            await here.ask(f"much {number}", whose=f"1 {number}", is_awaited=True)
        await here.ask("little", whose="2 5", is_awaited=True)
        await here.end("much 0")
        assert here.asked[at_once] == "little"
        await here.end("little", *(f"much {number}" for number in range(1, 12)))
        assert here.asked[at_once + 1 :] == [f"much {number}" for number in range(at_once, 12)]


async def test_who_had_a_place_gets_it_again(stack: AsyncExitStack) -> None:
    async with stack:
        here = await desk(stack, 2)
        await here.ask("wren", whose="wren")
        await here.ask("bolt", whose="bolt")
        await here.end("wren", "bolt")
        await here.ask("bolt again", whose="bolt")
        await here.ask("wren again", whose="wren")
        assert here.places["bolt again"] is here.places["bolt"]
        assert here.places["wren again"] is here.places["wren"]


async def test_who_lets_go_while_waiting_holds_up_nobody(stack: AsyncExitStack) -> None:
    async with stack:
        here = await desk(stack, 1)
        await here.ask("first")
        await here.ask("gone")
        await here.ask("last")
        here.tasks["gone"].cancel()
        await settle()
        await here.end("first")
        assert here.asked == ["first", "last"]


async def test_a_turn_is_waited_for_no_longer_than_it_may_take(stack: AsyncExitStack) -> None:
    async with stack:
        here = await desk(stack, 1)
        await here.ask("first")
        with pytest.raises(TimeoutError):
            async with here.queue.turn(call(), seconds=0.01):
                raise AssertionError
        await here.end("first")
        await here.ask("next")
        assert here.asked == ["first", "next"]


async def test_a_server_can_turn_out_narrower_or_wider_while_calls_run(stack: AsyncExitStack) -> None:
    async with stack:
        here = await desk(stack, 2)
        await here.ask("a")
        await here.ask("b")
        here.queue.resize(1)
        await here.ask("c")
        await here.end("a")
        assert here.asked == ["a", "b"]
        await here.end("b")
        assert here.asked == ["a", "b", "c"]
        await here.ask("d")
        here.queue.resize(3)
        await settle()
        assert here.asked == ["a", "b", "c", "d"]
        assert len({here.places[name].number for name in "cd"}) == 2


def test_a_server_that_answers_one_call_after_another_is_found_out() -> None:
    seen = Overlaps()
    for start in (0.0, 100.0):
        first = seen.sent(start)
        seen.spoke(first, start + 2)
        second = seen.sent(start + 3)
        seen.ended(first, start + 20)
        assert not seen.is_narrow
        seen.spoke(second, start + 22)
        seen.ended(second, start + 40)
    assert seen.is_narrow


@pytest.mark.parametrize(("ends", "speaks"), [(20, 6), (4, 9)], ids=["two at once", "too short to tell"])
def test_a_server_that_answers_two_at_once_is_not_narrow(ends: float, speaks: float) -> None:
    seen = Overlaps()
    for start in (0.0, 100.0, 200.0):
        first = seen.sent(start)
        seen.spoke(first, start + 2)
        second = seen.sent(start + 3)
        for at, what, run in sorted([(ends, 0, first), (speaks, 1, second)]):
            (seen.spoke if what else seen.ended)(run, start + at)
        for run in (first, second):
            if run.ended_at is None:
                seen.ended(run, start + 50)
    assert not seen.is_narrow


@pytest.mark.parametrize("at_once", [2, 8])
async def test_calls_of_one_community_that_hang_leave_others_a_place(stack: AsyncExitStack, at_once: int) -> None:
    async with stack:
        here = await desk(stack, at_once)
        await here.ask("before", whose="2 7")
        await here.end("before")
        for number in range(at_once + 2):
            await here.ask(f"hangs {number}", whose="1 7", is_awaited=True)
        await here.ask("ours", whose="2 8")
        assert here.asked == ["before", *(f"hangs {number}" for number in range(at_once - 1)), "ours"]
        await here.end("hangs 0")
        assert here.asked[-1] == f"hangs {at_once - 1}"


async def test_who_is_alone_has_every_place(stack: AsyncExitStack) -> None:
    async with stack:
        here = await desk(stack, 3)
        for number in range(3):
            await here.ask(f"mine {number}", whose="1 7")
        assert len(here.asked) == 3


async def test_a_community_whose_pictures_hang_has_one_place_for_them_whether_others_asked_before_or_not(
    stack: AsyncExitStack,
) -> None:
    async with stack:
        here = await desk(stack, 3)
        here.queue = Queue(3, of_each=1)
        for number in range(3):
            await here.ask(f"hangs {number}", whose="1 7")
        await here.ask("ours", whose="2 8")
        await here.ask("theirs", whose="3 9")
        assert here.asked == ["hangs 0", "ours", "theirs"]
        await here.end("hangs 0")
        assert here.asked[-1] == "hangs 1"
