"""How soon somebody who calls an agent has its model asked: the whole way through the playground."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from tests.bench import Figure
from tests.e2e.sharing import Cast, shared_home
from tests.e2e.visitor import Visitor, until, visiting

AGENTS = 20
TALKERS = 3
CALLS_EACH = 18  # below the limit of calls that are answered at once to one person
AS_SET = {"SELFROOM_COMMUNITY__SETTLE_SECONDS": "0.8", "SELFROOM_COMMUNITY__USD_PER_DAY": "100"}


def calling_figures() -> list[Figure]:
    """Measure it."""
    return asyncio.run(_called())


async def _called() -> list[Figure]:
    """Twenty agents sit in one room; people call one after the other by name, over REST as a client would."""
    with TemporaryDirectory() as folder:
        async with shared_home(Path(folder), **AS_SET) as cast, _talkers(cast) as people:
            names = await _everyone_in_one_room(cast)
            hall = await cast.you.channel("wren")
            waits = []
            for turn in range(TALKERS * CALLS_EACH):
                who, name = people[turn % TALKERS], names[turn % len(names)]
                id = (await cast.home.agents())[name]["id"]
                waits.append(await _asked_after(who, hall, f"{name}, are you there? ({turn})", id))
    p95 = quantiles(waits, n=20)[-1]
    return [
        Figure(name="heartbeat.addressed_p95", value=p95, unit="s", target=1.5),
        Figure(name="heartbeat.addressed_median", value=quantiles(waits, n=2)[0], unit="s"),
    ]


@asynccontextmanager
async def _talkers(cast: Cast) -> AsyncIterator[list[Visitor]]:
    async with (
        visiting(cast.home.url, "ann") as ann,
        visiting(cast.home.url, "ben") as ben,
        visiting(cast.home.url, "cleo") as cleo,
    ):
        yield [ann, ben, cleo][:TALKERS]


async def _everyone_in_one_room(cast: Cast) -> list[str]:
    """Make agents until there are twenty, each with a room of its own and all of them in Wren's; gives their names."""
    for number in range(len(await cast.home.agents()), AGENTS):
        await cast.agent(f"Resident{number}")
    await until(cast.home.has_rooms, "rooms for all", seconds=60)
    names = list(await cast.home.agents())
    for name in names:
        if name != "Wren":
            await cast.manager.told("room invite", agent=name, room="Wren")
    return names


async def _asked_after(who: Visitor, channel_id: str, words: str, agent_id: int) -> float:
    """Say something and give the seconds until that agent's model was asked about it, after the answer has come."""
    began = datetime.now(UTC)
    said = await who.say(channel_id, words)

    async def asked() -> datetime | None:
        calls = await who.model_calls()
        of_agent = [call["when"] for call in calls if words in call["input"] and f"(ID: {agent_id}, " in call["input"]]
        return datetime.fromisoformat(min(of_agent)) if of_agent else None

    at = await until(asked, f"question about {words!r}")
    await who.answer_after(said)
    return (at - began).total_seconds()
