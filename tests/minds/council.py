"""A council of three small minds, played through the playground to its end; and what they did in it."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from bot.core.scenes.records import SceneStatus
from tests.e2e.sharing import Cast, shared_home
from tests.e2e.test_scenes import lobby
from tests.e2e.visitor import until

LONGEST_SECONDS = 3_600.0
ENDS = [one.value.capitalize() for one in SceneStatus if not one.is_open]
MEMBERS = ("Wren", "Ledger", "Fern")
OPTIONS = "host=false; motions=1; turns=18; topic=Whether we have tea at four or at five"


async def held(address: str, mind: str, folder: Path) -> list[str]:
    """Hold it with a model of a server; gives what came of it, and who moved how, line by line."""
    asked = {
        "SELFROOM_OPENAI_BASE_URL": address,
        "SELFROOM_OPENAI_API": "chat",
        "SELFROOM_MODEL": mind,
        "SELFROOM_MODEL_TIMEOUT_SECONDS": "300",
    }
    async with shared_home(folder, **asked) as cast:
        number, outcome = await _played(cast)
    return [*_told(folder / "selfroom.db", int(number), outcome)]


async def _played(cast: Cast) -> tuple[str, str]:
    """Let three agents sit down, begin, and wait for the end."""
    await cast.agent(MEMBERS[2], seed="You like things to be decided.")
    async with lobby(cast, "council", "Tea", options=OPTIONS) as (inside, number):
        for name in MEMBERS:
            await inside.comes_to_tell("scene seat", "in seat", agent=name)
        await inside.told("scene begin")

        async def over() -> bool:
            told = await inside.told("scene show", scene=number)
            return any(f"**{one}**" in told for one in ENDS)

        await until(over, "the end", seconds=LONGEST_SECONDS)
        outcome = await inside.told("scene results", scene=number)
        assert "every digest is as it was" in await inside.told("scene replay", scene=number)
    return number, outcome


def _told(database: Path, number: int, outcome: str) -> Iterator[str]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as there:
        moves = Counter[tuple[int, str, str]](
            there.execute("SELECT seat, move, source FROM scene_moves WHERE scene_id = ?", (number,)).fetchall()
        )
        fared = there.execute(
            "SELECT seat, turns, refused, misses FROM scene_seats WHERE scene_id = ? ORDER BY seat", (number,)
        ).fetchall()
    yield outcome
    for seat, turns, refused, misses in fared:
        did = ", ".join(f"{count} × {move}" for (of, move, _), count in sorted(moves.items()) if of == seat)
        yield f"{MEMBERS[seat - 1]}: {turns} turns ({did or 'nothing'}), {refused} no move, {misses} missed"
    rules = [f"{count} × {move}" for (of, move, _), count in sorted(moves.items()) if not of]
    yield f"By the rules: {', '.join(rules) or 'nothing'}"
