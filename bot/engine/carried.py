"""What agents carry into their beats: read for as many as memory allows, let go when their calls are written."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from bot.core.gate import Ready
from bot.core.portions import portions
from bot.core.ports import Store
from bot.core.records import MindId
from bot.core.view import View

MOST_AT_ONCE = 500_000  # characters: as records they take some 40 times as much at worst


async def by_size(store: Store, view: View, ready: Sequence[Ready]) -> AsyncIterator[tuple[View, Sequence[Ready]]]:
    """Give agents in their order, so many at a time, each time with a view that holds what these carry."""
    if len(ready) == 1:
        is_there = ready[0].minds <= (view.looked_into or frozenset())
        yield view if is_there else await with_minds(store, view, ready), ready
        return
    async with store.reading() as read:
        sizes = await read.views.mind_sizes(view.community.id, _minds_of(ready))
    for some in portions(ready, lambda one: sum(sizes.get(mind, 0) for mind in one.minds), most=MOST_AT_ONCE):
        yield await with_minds(store, view, some), some


async def with_minds(store: Store, view: View, ready: Sequence[Ready]) -> View:
    """Give a view with what these agents carry into their beats."""
    async with store.reading() as read:
        carried = await read.views.minds(view.community.id, _minds_of(ready))
    return replace(view, minds=carried.minds, looked_into=carried.looked_into)


def without_minds(view: View) -> View:
    """Give a view that holds nothing heavy while calls run."""
    return replace(view, minds={}, looked_into=frozenset())


def _minds_of(ready: Sequence[Ready]) -> frozenset[MindId]:
    return frozenset(mind for one in ready for mind in one.minds)
