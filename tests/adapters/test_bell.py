"""The bell on a real NATS: what is rung is heard, what is no hint is nothing, and without a server nothing breaks."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import nats
import pytest
from nats.aio.msg import Msg
from nats.errors import TimeoutError as NatsTimeout

from bot.adapters.bell import NatsBell, read_hint
from bot.core.hints import Hint, HintKind
from bot.core.records import AgentId, BeatId, CommunityId
from tests.e2e.visitor import until
from tests.fakes import CountedMetrics
from tests.nats import NatsServer, nats_server
from tests.playground.test_leaving import free_port

DATABASE = "postgresql://selfroom@127.0.0.1/town"
DUE = Hint(kind=HintKind.DUE, community_id=CommunityId(4), agent_id=AgentId(7))
BEGUN = Hint(kind=HintKind.BEGUN, community_id=CommunityId(4), agent_id=AgentId(7), token=BeatId(99))


class Process:
    """One process with a bell, and what it heard."""

    def __init__(self, url: str, ear: str) -> None:
        self.metrics = CountedMetrics()
        self.bell = NatsBell(url, DATABASE, "minds" if ear == "minds" else "gateway", self.metrics)
        self.heard: list[Hint] = []

    async def hear(self, hint: Hint) -> None:
        self.heard.append(hint)

    async def is_up(self) -> bool:
        return self.bell.is_up

    async def has_heard(self) -> bool:
        return bool(self.heard)


@asynccontextmanager
async def processes(url: str, *ears: str) -> AsyncIterator[list[Process]]:
    """Let processes listen, whether a server is there or not."""
    those = [Process(url, ear) for ear in ears]
    serving = [asyncio.create_task(one.bell.serve(one.hear)) for one in those]
    try:
        yield those
    finally:
        for task in serving:
            task.cancel()
        await asyncio.wait(serving)


@asynccontextmanager
async def town(folder: Path, *ears: str) -> AsyncIterator[tuple[NatsServer, list[Process]]]:
    async with nats_server(folder / "nats") as server, processes(server.url, *ears) as those:
        for one in those:
            await until(one.is_up, "a bell that rings")
        yield server, those


async def test_a_hint_is_heard_by_one_of_all_minds_and_what_minds_ring_for_by_the_gateway(tmp_path: Path) -> None:
    async with town(tmp_path, "gateway", "minds", "minds") as (_, (gateway, first, second)):
        for _ in range(6):
            gateway.bell.ring(DUE)
        first.bell.ring(BEGUN)
        await until(gateway.has_heard, "what the mind rang for")

        async def all_are_heard() -> bool:
            return len(first.heard) + len(second.heard) == 6

        await until(all_are_heard, "six hints")
        assert gateway.heard == [BEGUN]
        assert first.heard + second.heard == [DUE] * 6


async def test_what_goes_over_the_line_is_ids_and_a_claims_token_and_nothing_else(tmp_path: Path) -> None:
    async with town(tmp_path, "minds") as (server, (mind,)):
        line = await nats.connect(server.url)
        seen = await line.subscribe("*.gateway")
        await line.flush()

        async def rung() -> Msg | None:
            mind.bell.ring(BEGUN)  # again and again, for any hint may be lost
            with suppress(NatsTimeout):
                return await seen.next_msg(timeout=1)
            return None

        message = await until(rung, "a hint on the line")
        await line.close()
    told = json.loads(message.data)
    assert (told["args"], told["kwargs"]) == (["begun", 4, 7, 99], {})
    assert told.keys() == {"task_id", "task_name", "labels", "labels_types", "args", "kwargs"}
    assert told["labels"] == {"ear": "gateway"}


FORGED = (
    b"",
    b"no json",
    b"[" * 100_000,
    json.dumps({"task_id": "1", "task_name": "rm", "labels": {}, "args": [], "kwargs": {}}).encode(),
    *(
        json.dumps({"task_id": "1", "task_name": "hint", "labels": {}, "args": args, "kwargs": kwargs}).encode()
        for args, kwargs in (([], {}), (["due", "1", 2, 3], {}), (["due", -1, 2, 3], {}), (["due"], {"text": "x"}))
    ),
)


LABELLED = {"task_id": "1", "task_name": "hint", "labels": {"timeout": "x", "ack_type": "y"}, "kwargs": {}}


async def test_what_is_no_hint_is_not_heard_and_keeps_no_other_from_it(tmp_path: Path) -> None:
    async with town(tmp_path, "gateway", "minds") as (server, (gateway, mind)):
        line = await nats.connect(server.url)
        (stream,) = [one.config.name for one in await line.jetstream().streams_info()]
        for forged in (*FORGED, json.dumps(LABELLED | {"args": ["due", 1, 1, 1]}).encode()):
            await line.jetstream().publish(f"{stream}.minds", forged)
        await line.close()
        gateway.bell.ring(DUE)

        async def has_come() -> bool:
            return DUE in mind.heard

        await until(has_come, "the hint behind what was forged")
        nobody = Hint(kind=HintKind.DUE, community_id=CommunityId(1), agent_id=AgentId(1), token=BeatId(1))
        assert mind.heard == [nobody, DUE]  # the database knows who is there
        assert mind.metrics.counts["hints_unread"] >= 3


@pytest.mark.parametrize("wiped", [False, True])
async def test_a_server_that_was_killed_is_found_again_also_where_its_store_was_wiped(
    tmp_path: Path, wiped: bool
) -> None:
    async with town(tmp_path, "gateway", "minds") as (server, (gateway, mind)):
        await server.kill(wiped=wiped)

        async def both_are_away() -> bool:
            return not gateway.bell.is_up and not mind.bell.is_up

        await until(both_are_away, "the end of the line")
        gateway.bell.ring(DUE)
        assert gateway.metrics.counts["hints_dropped"] == 1
        await server.start()
        await until(gateway.is_up, "a bell that rings again")
        await until(mind.is_up, "a bell that rings again")
        gateway.bell.ring(DUE)
        await until(mind.has_heard, "a hint after the fall")


async def test_without_a_server_hints_are_dropped_and_nothing_else_happens() -> None:
    async with processes(f"nats://127.0.0.1:{free_port()}", "gateway") as (gateway,):
        gateway.bell.ring(DUE)
        assert gateway.metrics.counts == {"hints_dropped": 1}


@pytest.mark.parametrize("given", [(), ("due",), ("due", 1, 2, True), ("other", 1, 2, 3), ("due", 1, 2, 1 << 63)])
def test_what_is_not_as_a_hint_is_none(given: tuple[object, ...]) -> None:
    assert read_hint(given) is None
    assert read_hint(("begun", 4, 7, 99)) == BEGUN
