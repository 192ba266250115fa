"""What a node of a timeline costs to store and to open: with a synthetic turn, then with the engine."""

import asyncio
import random
import statistics
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from bot.core.changes import RecordAction, SetFocus, SetKnowledge, UpdateAgent, UpdateMembership
from bot.core.ports.trees import World
from bot.core.records import PUBLIC_SIDE, ActionRecord, AgentId, CommunityId, Focus, MessageId, Snowflake
from bot.core.timelines.records import (
    NOW,
    ROOT,
    Cut,
    Edge,
    Finished,
    Image,
    NodeId,
    Planned,
    Status,
    Tree,
    TreeId,
    TreeKey,
)
from storage.store import SqlStore
from storage.timelines.trees import SqlTrees
from tests.bench import Figure, timelines_grown, timelines_held
from tests.bench.storage import line, settle
from tests.fakes import START

MESSAGES = 10_000
CHAIN = 120
ROOM = AgentId(1)
HERE = CommunityId(1)
MEMBERS = tuple(AgentId(id_) for id_ in (1, 47, 48, 49, 50))  # as tests.bench.storage settles them


async def frozen() -> tuple[Image, float]:
    """Freeze a room of a community with so many messages; gives how many seconds it took."""
    chance = random.Random(1)  # noqa: S311
    async with await SqlStore.open("sqlite://") as store:
        community_id = await settle(store)
        for first in range(0, MESSAGES, 1_000):
            lines = [line(chance, number, ROOM) for number in range(first, first + 1_000)]
            async with store.writing(community_id) as write:
                await write.talk.add(community_id, lines)
        begun = time.perf_counter()
        image = await store.image(community_id, Cut(rooms=(ROOM,)), now=START + timedelta(days=1))
        return image, time.perf_counter() - begun


async def turn(world: World, number: int) -> None:
    """Write what one beat of one agent writes: its message, what it did, what it keeps, and when it is next."""
    agent_id, at = MEMBERS[number % len(MEMBERS)], START + timedelta(days=1, seconds=number)
    async with world.store.writing(HERE) as write:
        said = line(random.Random(number), MESSAGES + number, ROOM)  # noqa: S311
        await write.talk.add(HERE, [said])
        action = ActionRecord(type="hud_note", at=at, parameters={"text": f"note {number}"}, result="Noted.")
        await write.apply(
            HERE,
            [
                UpdateAgent(agent_id=agent_id, fields={"last_beat_at": at, "last_beat_silent": False}),
                UpdateMembership(agent_id=agent_id, room_id=ROOM, fields={"seen_until": MessageId(MESSAGES + number)}),
                RecordAction(agent_id=agent_id, side=PUBLIC_SIDE, record=action),
                SetFocus(agent_id=agent_id, side=PUBLIC_SIDE, focus=Focus(notes=(f"note {number}",), updated_at=at)),
                SetKnowledge(
                    agent_id=agent_id,
                    side=PUBLIC_SIDE,
                    knowledge={"people": {"mira": {"trust": number}}, "facts": [f"fact {at}" for at in range(300)]},
                    path="people.mira.trust",
                    before=number - 1,
                    after=number,
                    by="itself",
                    at=at,
                ),
            ],
        )


async def grow(trees: SqlTrees, key: TreeKey, parent: NodeId, number: int) -> tuple[NodeId, float, float]:
    """Grow a node of one turn; gives the seconds, and those of work, that storage took: all but the turn itself."""
    planned = Planned(parent=parent, edge=Edge.CHAIN, seed="s", turns_wanted=1, made_by=Snowflake(1))
    begun = time.perf_counter(), time.process_time()
    (node,) = await trees.add(key, [planned], at=START)
    async with trees.open(key, node.id) as world:
        before = time.perf_counter(), time.process_time()
        await turn(world, number)
        turned = time.perf_counter() - before[0], time.process_time() - before[1]
        await trees.keep(world, Finished(status=Status.DONE, at=START, turns=1))
    took, worked = time.perf_counter() - begun[0] - turned[0], time.process_time() - begun[1] - turned[1]
    return node.id, took, worked


def size_of(folder: Path) -> int:
    """Give the bytes of all trees in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*.db"))


async def measured() -> list[Figure]:
    image, seconds = await frozen()
    key = TreeKey(HERE, TreeId(1))
    with tempfile.TemporaryDirectory() as folder:
        trees = SqlTrees(Path(folder))
        tree = Tree(
            key=key,
            title="bench",
            rooms=(ROOM,),
            point=NOW,
            made_by=Snowflake(1),
            made_at=START,
            at=START,
            seed="seed",
            revision="",
            program="bench",
        )
        base = (await trees.begin(tree, image)).bytes
        parent, times, work = ROOT, [], []
        for number in range(1, CHAIN + 1):
            parent, took, worked = await grow(trees, key, parent, number)
            times.append(took)
            work.append(worked)
        await trees.close()
        whole = size_of(Path(folder))
        begun = time.perf_counter()
        async with trees.look(key, parent):
            cold = time.perf_counter() - begun
        await trees.close()
    early, late = statistics.median(work[5:25]), statistics.median(work[-20:])
    return [
        Figure(name="timelines.fork_at_10000_messages_storage_alone", value=seconds, unit="s", target=3.0),
        Figure(name="timelines.base_in_the_file", value=base / 1e6, unit="MB", target=4.0),
        Figure(
            name="timelines.what_a_chain_of_120_one-turn_nodes_adds", value=(whole - base) / 1e6, unit="MB", target=1.0
        ),
        Figure(name="timelines.one-turn_node_in_the_file", value=(whole - base) / CHAIN / 1e3, unit="kB", target=8.0),
        Figure(
            name="timelines.own_time_of_storage_for_a_node",
            value=statistics.median(times) * 1e3,
            unit="ms",
            target=60.0,
        ),
        Figure(name="timelines.node_120_beside_node_10", value=late / early, unit="times", target=1.2),
        Figure(name="timelines.opening_node_120_with_nothing_at_hand", value=cold * 1e3, unit="ms"),
    ]


def run() -> list[Figure]:
    """Measure storage alone, worlds with the engine in them, and what life notices; answers of models cost nothing."""
    return [
        figure
        for part in (measured, timelines_grown.measured, timelines_held.measured)
        for figure in asyncio.run(part())
    ]
