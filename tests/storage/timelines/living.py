"""A live community with a tree, and what is deleted there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from bot.core.records import AgentId, CommunityId, Snowflake
from bot.core.timelines.records import (
    Cut,
    Status,
    Timeline,
    TreeId,
)
from storage.store import SqlStore
from storage.timelines.tree_file import tree_path
from storage.timelines.trees import SqlTrees
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import said
from tests.storage.timelines.orchard import GUESTS, MADE_BY, Orchard, a_tree, all_rows

SECRET = "xylophone"
NORA = 880_000_000_000_000_777


@dataclass
class Living:
    """A live community with a tree."""

    store: SqlStore
    community_id: CommunityId
    trees: Orchard

    async def is_anywhere(self, word: str) -> bool:
        """Tell whether a word stands in any world, event or answer of the tree."""
        for node in await self.trees.trees.nodes(self.trees.key):
            if node.status is Status.DONE and word in repr(await self.trees.rows(node.id, all_rows)):
                return True
        for event in await self.trees.trees.events(self.trees.key):
            if word in repr(event):
                return True
        for node in await self.trees.trees.nodes(self.trees.key):
            if word in repr(await self.trees.trees.recorded(self.trees.key, node.id)):
                return True
        return False

    async def forget(self, person_id: int) -> None:
        """Forget a person, to the end."""
        who = Snowflake(person_id)
        async with self.store.writing(self.community_id) as write:
            await write.personal.begin_forgetting(self.community_id, who, START + timedelta(hours=2))
        done = None
        while done is None:
            async with self.store.writing(self.community_id) as write:
                done = await write.personal.forget_on(self.community_id, who)
        assert await self.store.gone_for_good()


@asynccontextmanager
async def living(folder: Path) -> AsyncIterator[Living]:
    timelines = folder / "timelines"
    async with await SqlStore.open(f"sqlite:///{folder}/selfroom.db", timelines=timelines) as store:
        community_id = await founded(store, guests=GUESTS)
        async with store.writing(community_id) as write:
            await write.talk.add(community_id, [said("tea at five", 1), said(f"{SECRET} is the word", 2)])
            await write.talk.add(community_id, [said("good night", 3)])
        await keep(store, community_id)
        image = await store.image(community_id, Cut(rooms=(AgentId(1),)), now=START + timedelta(hours=1))
        trees = SqlTrees(timelines)
        tree = await trees.begin(a_tree(community_id), image)
        yield Living(store, community_id, Orchard(trees, tree.key, image, timelines))
        await trees.close()


async def keep(store: SqlStore, community_id: CommunityId) -> None:
    one = Timeline(
        community_id=community_id,
        id=TreeId(1),
        room_id=AgentId(1),
        title="what if",
        made_by=MADE_BY,
        usd_cap=Decimal("0.5"),
        created_at=START,
        expires_at=START + timedelta(days=14),
    )
    async with store.writing(community_id) as write:
        assert write.ids.take("timeline") == 1
        await write.timelines.keep(one)


async def another(live: Living) -> Living:
    """Found another community beside it, in which the same was said, with a tree of its own."""
    other = await founded(live.store, guild_id=10)
    async with live.store.writing(other) as write:
        await write.talk.add(other, [said(f"{SECRET} is the word", 12)])
    await keep(live.store, other)
    image = await live.store.image(other, Cut(rooms=(AgentId(1),)), now=START + timedelta(hours=1))
    tree = await live.trees.trees.begin(a_tree(other), image)
    return Living(live.store, other, Orchard(live.trees.trees, tree.key, image, live.trees.folder))


def files(live: Living) -> bytes:
    file = tree_path(live.trees.folder, 1, 1)
    beside = (file, *file.parent.glob(f"{file.name}-*"))
    return b"".join(one.read_bytes() for one in beside if one.exists())


async def deleted(live: Living, number: int = 2) -> None:
    async with live.store.writing(live.community_id) as write:
        await write.talk.delete(live.community_id, [Snowflake(1000 + number)], START + timedelta(hours=2))
    assert await live.store.gone_for_good()
