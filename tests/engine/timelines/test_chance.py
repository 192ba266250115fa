"""Chance of a world apart follows from its tree, node and beat, and from nothing else."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.engine.timelines.chance import NodeRandom, OpenCipher, VirtualClock, settle
from tests.fakes import START

SEEDS = st.tuples(st.text(max_size=9), st.text(max_size=9), st.integers(0, 99))


@given(SEEDS)
def test_the_same_seeds_give_the_same_chance_and_tokens(seeds: tuple[str, str, int]) -> None:
    one, two = NodeRandom(*seeds), NodeRandom(*seeds)
    assert [one.uniform(0, 1) for _ in range(5)] == [two.uniform(0, 1) for _ in range(5)]
    assert one.token(12) == two.token(12)


def test_another_node_has_another_chance() -> None:
    assert NodeRandom("tree", "a", 1).token(12) != NodeRandom("tree", "b", 1).token(12)


def test_keys_of_a_world_apart_open_there_and_those_left_out_of_it_open_nothing() -> None:
    cipher = OpenCipher()
    assert cipher.decrypt(cipher.encrypt("k-1", "row"), "row") == "k-1"
    assert cipher.digest("k-1") in cipher.digests("k-1")
    assert cipher.decrypt(b"", "row") == ""


async def test_sleepers_wake_in_the_order_of_their_times() -> None:
    clock, woken = VirtualClock(START), list[int]()

    async def sleeper(seconds: int) -> None:
        await clock.sleep(seconds)
        woken.append(seconds)

    tasks = [asyncio.create_task(sleeper(seconds)) for seconds in (3, 1, 2)]
    await settle()
    assert clock.sleeping == 3
    await clock.advance(2)
    assert woken == [1, 2]
    await clock.advance(1)
    await asyncio.gather(*tasks)
    assert woken == [1, 2, 3]


async def test_a_timeout_is_up_only_once_the_time_has_passed() -> None:
    clock = VirtualClock(START)

    async def late() -> None:
        async with clock.timeout(5):
            await asyncio.Event().wait()

    task = asyncio.create_task(late())
    await clock.advance(4)
    assert not task.done()
    await clock.advance(1)
    with pytest.raises(TimeoutError):
        await task
