"""Two ends of a pipe ask one another, and an end that is gone is known."""

import asyncio
import socket
from typing import Any

import pytest

from bot.core.errors import Rejected
from bot.engine.timelines.pipe import Cut, Pipe


async def serve(what: str, given: tuple[Any, ...]) -> object:
    if what == "no":
        raise Rejected("Not that.")
    if what == "never":
        await asyncio.Event().wait()
    return (what, *given)


async def test_both_ends_answer_and_faults_come_as_they_were_and_an_end_that_is_gone_is_known() -> None:
    ours, theirs = socket.socketpair()
    one = Pipe(*(first := await asyncio.open_connection(sock=ours)), serve)
    two = Pipe(*(second := await asyncio.open_connection(sock=theirs)), serve)
    running = [asyncio.create_task(end.run()) for end in (one, two)]
    much = b"2" * 300_000
    assert await one.ask("a", 1) == ("a", 1)
    assert await two.ask("b", much) == ("b", much)
    with pytest.raises(Rejected, match="Not that"):
        await one.ask("no")
    waiting = asyncio.create_task(one.ask("never"))
    await two.ask("c")
    assert one.waits
    assert two.is_asked
    second[1].close()
    with pytest.raises(Cut):
        await waiting
    first[1].close()
    await asyncio.gather(*running)
