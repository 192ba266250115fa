"""Werewolf in the playground: a person plays it to its end with agents, by buttons alone."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
import pytest_asyncio

from tests.e2e.commanding import Commander
from tests.e2e.proving import proves
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.test_scenes import agent_value, board, thread_of
from tests.e2e.visitor import Changed, Json, Visitor, until

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.asyncio(loop_scope="module")]

BETWEEN_SECONDS = 0.5  # looks, each of which costs what is looked at some of its time
LONGEST_SECONDS = 720
MASKED = {"sits in a scene: how it beats is told once that is over"}
SEEN_LATE = 6  # looks, until the board says that it is over
LETS_GO_ON = ("silence", "second", "vote: yes", "yield")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("werewolf")) as one:
        yield one


async def the_thread(you: Visitor, hall: str) -> str:
    return await thread_of(you, hall, "Werewolf")


async def in_the_lobby(cast: Cast) -> Commander:
    """Open a lobby with one press, and let four agents and oneself sit down."""
    names = ["Wren", "Ledger", "Fern", "Moss"]
    for name in names[2:]:
        await cast.agent(name)
    asked = await cast.manager.run("scene start")
    told = await cast.manager.choose(asked, "What shall be played?", "werewolf:classic")
    assert "The lobby of Werewolf" in words_of(told)
    thread_id = await the_thread(cast.you, cast.manager.channel_id)
    inside = Commander(cast.you, thread_id)
    there = await board(cast.you, thread_id, "It needs 5 seats taken")
    for name in names:
        await inside.choose(there, "Let an agent sit", agent_value(there, name))
    assert "in seat" in words_of(await inside.press(there, "Join"))
    there = await board(cast.you, thread_id, "It can begin")
    assert "It begins" in words_of(await inside.press(there, "Begin"))
    return inside


async def paces_of(inside: Commander) -> set[str]:
    """Give what `/heartbeat status` tells of those at the table, without their names."""
    rows = re.findall(r"^\*\*(?:Wren|Ledger|Fern|Moss)\*\* (.+)$", await inside.told("heartbeat status"), re.MULTILINE)
    assert len(rows) == 4
    return set(rows)


def offered(seat: Json) -> list[Json]:
    """Give what may be pressed on one's own seat."""
    return [part for row in seat["components"] for part in row["components"]]


async def plays(inside: Commander, seat: Json) -> None:
    """Press what comes first: a name in a list, else what lets it go on, else the last button."""
    parts = offered(seat)
    if (select := next((one for one in parts if one["type"] == 3), None)) is not None:
        await inside.choose(seat, select["placeholder"], select["options"][-1]["value"])
        return
    labels = [one["label"] for one in parts if not one["label"].endswith("…")]
    if labels:
        chosen = next((one for one in LETS_GO_ON if one in labels), labels[-1])
        await inside.press(seat, chosen)


@proves(manager="scene start")
async def test_a_person_plays_werewolf_to_its_end_by_buttons_alone(cast: Cast) -> None:
    inside = await in_the_lobby(cast)
    roles, pictures, canaries = set[str](), set[str](), list[str]()
    paces = list[set[str]]()

    async def over() -> str | None:
        await asyncio.sleep(BETWEEN_SECONDS)
        posts = [one for one in await cast.you.messages(inside.channel_id) if one["content"].startswith("🎭")]
        there = posts[0]
        if "**Over**" in there["content"]:
            return str(there["content"])
        if "My seat" not in str(there["components"]):
            return None
        canaries.append(str(there))
        paces.append(await paces_of(inside))
        try:
            seat = await inside.press(there, "My seat")
        except Changed:  # it was drawn anew just then
            return None
        roles.update(line for line in words_of(seat).splitlines() if line.startswith("**You are**"))
        pictures.update(one["filename"] for one in seat["attachments"])
        with suppress(Changed):
            await plays(inside, seat)
        return None

    told = await until(over, "the end", seconds=LONGEST_SECONDS)
    assert "Who was what:" in told
    assert len({one.split(",")[0] for one in roles}) == 1  # one role from the beginning to the end
    told_openly = [one != MASKED for one in paces]  # who moved, and when, is a secret until it is over
    assert told_openly == sorted(told_openly)
    assert paces[0] == MASKED
    assert sum(told_openly) <= SEEN_LATE
    assert pictures == {"werewolf.dark.png"}
    assert not [one for one in canaries if "Who was what" in one or "You are" in one or "saw" in one]
    assert "every digest is as it was" in await inside.told("scene replay")
