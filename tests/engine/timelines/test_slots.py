"""No community's nodes keep those of all others waiting."""

import asyncio

from bot.core.records import CommunityId
from bot.engine.timelines.slots import Slots

HERE, THERE, ELSEWHERE = CommunityId(1), CommunityId(2), CommunityId(3)


class Busy:
    """Nodes that run until they are let go."""

    def __init__(self, most: int) -> None:
        self.slots = Slots(most)
        self.running: list[CommunityId] = []
        self.tasks: list[tuple[asyncio.Task[None], asyncio.Event]] = []

    async def run(self, community_id: CommunityId, ended: asyncio.Event) -> None:
        async with self.slots.taken(community_id):
            self.running.append(community_id)
            await ended.wait()
            self.running.remove(community_id)

    async def begin(self, *communities: CommunityId) -> list[CommunityId]:
        for one in communities:
            ended = asyncio.Event()
            self.tasks.append((asyncio.create_task(self.run(one, ended)), ended))
        return await self.settled()

    async def settled(self) -> list[CommunityId]:
        for _ in range(20):
            await asyncio.sleep(0)
        return sorted(self.running)

    async def end(self, number: int) -> list[CommunityId]:
        self.tasks[number][1].set()
        return await self.settled()

    async def stop(self) -> None:
        for task, _ in self.tasks:
            task.cancel()
        await asyncio.gather(*(task for task, _ in self.tasks), return_exceptions=True)


async def test_one_communitys_many_nodes_leave_a_slot_to_others() -> None:
    busy = Busy(4)
    assert await busy.begin(*[HERE] * 8) == [HERE] * 3
    assert await busy.begin(THERE) == [HERE] * 3 + [THERE]
    assert await busy.begin(ELSEWHERE) == [HERE] * 3 + [THERE]
    assert await busy.end(0) == [HERE, HERE, THERE, ELSEWHERE]
    assert await busy.end(1) == [HERE, THERE, ELSEWHERE]  # the last one is for who has none
    assert await busy.end(8) == [HERE, HERE, ELSEWHERE]
    await busy.stop()


async def test_who_is_cancelled_gives_its_slot_back() -> None:
    busy = Busy(2)
    assert await busy.begin(HERE, HERE) == [HERE]
    busy.tasks[0][0].cancel()
    await busy.settled()
    busy.running.clear()  # whoever is cancelled does not say so
    assert await busy.begin(THERE) == [THERE]
    await busy.stop()
