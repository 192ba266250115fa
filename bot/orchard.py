"""What the command line does with trees of timelines: lists, shows and grows them, and writes a branch into a file."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from bot.adapters.clock import BeatRandom, SystemClock
from bot.app import open_orchard
from bot.core.errors import NotFound
from bot.core.ports import Reading
from bot.core.records import CommunityId, Json, Person
from bot.core.timelines.growth import Growth
from bot.core.timelines.records import Node, NodeId, Timeline, TreeId, TreeKey
from bot.doctor import check_data_folder
from bot.engine.front_desk import Office
from bot.engine.front_desk.timelines import Timelines
from bot.engine.performer import Performer
from bot.engine.timelines.looking import transcript
from bot.house import DiscordSite
from bot.providers import make_models
from bot.settings import Settings
from bot.tokens import tokenizer_for
from bot.vault import Say, check_lived_in, chosen, cipher_of, opened, spare_our_own
from storage.private import whole_file
from storage.store import SqlStore
from storage.timelines.trees import SqlTrees

NO_TREE = "There is no tree {}: selfroom timeline list shows those that are."


async def listed(settings: Settings, *, guild_id: int | None) -> list[dict[str, Json]]:
    """Give the trees of a community, the oldest first."""
    async with opened_trees(settings) as trees, opened(settings) as store, store.reading() as read:
        community_id = chosen(await read.communities.all(), guild_id).id
        found = [one for one in await read.timelines.all(community_id) if not one.gone]
        return [await _tree(trees, one) for one in found]


async def shown(settings: Settings, tree: int, *, guild_id: int | None) -> list[dict[str, Json]]:
    """Give the nodes of a tree, by id; raises NotFound."""
    async with opened_trees(settings) as trees, opened(settings) as store, store.reading() as read:
        timeline = await _timeline(read, tree, guild_id)
        return [_node(one) for one in await trees.nodes(timeline.key)]


async def advanced(settings: Settings, tree: int, node: int, *, turns: int, guild_id: int | None) -> dict[str, Json]:
    """Let a node go on, and give the child as it ended; raises BadSetting while Selfroom runs on this database."""
    async with AsyncExitStack() as stack:
        desk, store = await _opened_desk(stack, settings)
        async with store.reading() as read:
            timeline = await _timeline(read, tree, guild_id)
            maker = await read.people.find(timeline.community_id, timeline.made_by)
        who = Person(id=timeline.made_by, username=maker.username if maker else "manager", is_architect=True)
        changed = asyncio.Event()
        desk.on_changed(lambda _: changed.set())
        (made,) = await desk.grow(timeline, who, Growth(what="advance", by=who, nodes=(NodeId(node),), turns=turns))
        while not made.status.is_over:
            await changed.wait()
            changed.clear()
            made = next(one for one in (await desk.shown(timeline)).nodes if one.id == made.id)
        return _node(made)


async def exported(
    settings: Settings,
    tree: int,
    node: int,
    path: Path,
    *,
    as_transcript: bool,
    force: bool,
    guild_id: int | None,
    say: Say,
) -> None:
    """Write a node's world into an archive that `selfroom import` takes, or what was said there into a text."""
    async with opened_trees(settings) as trees, opened(settings) as store:
        spare_our_own(settings, store, path)
        async with store.reading() as read:
            key = (await _timeline(read, tree, guild_id)).key
        if as_transcript:
            await asyncio.to_thread(_written, path, await transcript(trees, key, NodeId(node)), force)
            say(f"What was said in node {node} since the fork is in {path}.")
            return
        async with trees.look(key, NodeId(node)) as world:
            if not isinstance(world.store, SqlStore):
                raise TypeError("a world of a file is a store of ours")
            moved = await world.store.export(key.community_id, path, replace=force, cipher=cipher_of(settings))
    say(f"Node {node} is in {path}: {sum(moved.counts.values()):,} rows. `selfroom import --guild` gives it a server.")


@asynccontextmanager
async def opened_trees(settings: Settings) -> AsyncIterator[SqlTrees]:
    """Open the files of trees to read in."""
    check_lived_in(settings)
    check_data_folder(settings.data_dir)
    trees = SqlTrees(settings.timelines, settings.defaults)
    try:
        yield trees
    finally:
        await trees.close()


async def _opened_desk(stack: AsyncExitStack, settings: Settings) -> tuple[Timelines, SqlStore]:
    """Open all that trees are grown with: nobody else may run on the database meanwhile."""
    check_data_folder(settings.data_dir)
    where, defaults = settings.timelines, settings.defaults
    store = await SqlStore.open(settings.database, config=defaults, post="run", timelines=where)
    stack.push_async_callback(store.close)
    site = DiscordSite(token="", model_url=f"http://127.0.0.1:{settings.playground_port}/v1")
    cipher, clock = cipher_of(settings), SystemClock()
    models = make_models(settings, site, cipher, store)
    stack.push_async_callback(models.close)
    orchard = open_orchard(stack, settings, store, models, clock)
    performer = Performer(cipher=cipher, tokenizer=tokenizer_for(defaults.model))
    office = Office(store, performer, clock, BeatRandom("command line"), lambda: None)
    return Timelines(office, orchard, defaults), store


async def _timeline(read: Reading, tree: int, guild_id: int | None) -> Timeline:
    community_id: CommunityId = chosen(await read.communities.all(), guild_id).id
    found = await read.timelines.find(community_id, TreeId(tree))
    if found is None or found.gone:
        raise NotFound(found.gone if found is not None else NO_TREE.format(tree))
    return found


async def _tree(trees: SqlTrees, one: Timeline) -> dict[str, Json]:
    key: TreeKey = one.key
    nodes = await trees.nodes(key)
    return {
        "tree": one.id,
        "title": one.title,
        "nodes": len(nodes),
        "usd": str(sum(node.usd for node in nodes)),
        "bytes": (await trees.find(key)).bytes,
        "until": one.expires_at.isoformat(),
    }


def _node(one: Node) -> dict[str, Json]:
    return {
        "node": one.id,
        "parent": one.parent,
        "edge": str(one.edge),
        "status": str(one.status),
        "turns": one.turns,
        "usd": str(one.usd),
        "outcome": one.outcome,
        "note": one.note,
    }


def _written(path: Path, lines: Sequence[str], force: bool) -> None:
    with whole_file(path, replace=force) as partial:
        partial.write_text("".join(f"{line}\n" for line in lines), "utf-8", "replace")
