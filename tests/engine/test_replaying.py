"""The same chat twice gives the same beats, calls and rows."""

import hashlib
import random
from collections.abc import Awaitable, Callable
from itertools import islice
from typing import Any

import pytest
from sqlalchemy import text

from bot.core.changes import UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.kinds import Visibility
from bot.core.ports import ModelCall
from bot.core.records import AgentId
from storage.tables import METADATA
from tests.bench.listening import TRACE, trace
from tests.engine.hearts import Hearts, answer, asked, hearts

PEOPLE = (("mira", 501), ("rob", 502), ("kim", 503))
LINES = (
    "hello",
    "Agent2, what now?",
    "how was your day?",
    "@Agent3 and Agent1, look",
    "nothing much",
    "ok",
    "and you?",
)
TABLES = tuple(table.name for table in METADATA.sorted_tables)


def moody(call: ModelCall) -> str:
    """Answer in a way that depends on nothing but the call."""
    mood = hashlib.sha256(call.input.encode()).digest()
    said: dict[int, list[tuple[int, str]]] = {}
    acts: dict[int, list[dict[str, Any]]] = {}
    for id, chance in zip(asked(call), mood, strict=False):
        said[id] = [(1, f"I think {chance}, Agent{chance % 4 + 1}.")] if chance < 120 else []
        acts[id] = [{"type": "set", "path": "mood", "value": chance}] if chance % 3 == 0 else []
        if chance % 5 == 0:
            acts[id].append({"type": "create_key", "label": f"k{chance}"})
    return answer(said, acts)


async def _live(home: Hearts) -> None:
    chance = random.Random(7)  # noqa: S311 - the chat is the same in both runs
    for _ in range(15):
        who, id = chance.choice(PEOPLE)
        await home.hear(chance.choice(LINES), who=who, id=id, room_id=chance.choice((1, 1, 1, 2)))
        await home.run(chance.choice((0.3, 2, 20, 90)))
    await home.run(150)


async def _rows(home: Hearts) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {}
    async with home.store.database.reading() as connection:
        for table in TABLES:
            found = await connection.execute(text(f"SELECT * FROM {table}"))  # noqa: S608 - our own names
            rows[table] = sorted((repr(tuple(row)) for row in found), key=str)
    return rows


Life = Callable[[Hearts], Awaitable[None]]


async def _once(live: Life) -> tuple[list[ModelCall], dict[str, list[Any]]]:
    async with hearts(5, config=CommunityConfig(usd_per_day=None)) as home:
        home.model.script.extend([moody] * 99_999)
        await live(home)
        return list(home.model.calls), await _rows(home)


async def _twice(live: Life) -> dict[str, list[Any]]:
    """Live it twice and hold both lives to the same calls and rows, of every table; gives the rows."""
    calls, rows = await _once(live)
    again, rows_again = await _once(live)
    assert len(calls) > 10
    assert calls == again
    for table in TABLES:
        assert rows[table] == rows_again[table], table
    return rows


@pytest.mark.long
async def test_a_chat_replayed_gives_the_same_calls_and_rows() -> None:
    rows = await _twice(_live)
    assert {table for table in TABLES if not rows[table]}.isdisjoint({"beats", "letters", "reservations", "usage"})


@pytest.mark.long
@pytest.mark.skipif(not TRACE.exists(), reason="the recorded conversations are not there")
async def test_a_recorded_chat_replayed_gives_the_same_calls_and_rows() -> None:
    async def live(home: Hearts) -> None:
        at = 0.0
        for line in islice(trace(), 40):
            await home.run(line.seconds - at)
            at = line.seconds
            await home.hear(line.text, who=line.who, id=line.id)
        await home.run(300)

    rows = await _twice(live)
    assert len(rows["messages"]) > 40


async def test_what_is_said_in_a_private_room_is_shown_nowhere_else() -> None:
    async with hearts(2) as home:
        await home.apply(UpdateRoom(room_id=AgentId(2), fields={"visibility": Visibility.PRIVATE}))
        await home.hear("Agent2, the secret is 4711", room_id=2)
        await home.hear("Agent2, what do you know?")
        await home.run(60)
        shown = [("4711" in call.input, "what do you know" in call.input) for call in home.model.calls]
        assert (True, False) in shown
        assert (False, True) in shown
        assert (True, True) not in shown
