"""What is reported is taken in, in order, whatever the store does."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import pytest

from bot.adapters.discord import inbox as module
from bot.adapters.discord.inbox import Inbox
from bot.core.errors import StoreError
from bot.core.events import Event, GuildSeen, MessageSeen
from bot.core.records import Snowflake


class Store:
    """Takes events, after failing as often as it is told to."""

    def __init__(self, failures: int = 0) -> None:
        self.names: list[str] = []
        self.failures = failures

    async def take(self, event: Event) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreError("The disk is full: make room.")
        assert isinstance(event, GuildSeen)
        self.names.append(event.name)

    async def take_read_on(self, events: Sequence[MessageSeen]) -> None:
        raise AssertionError("nothing is read on here")


async def seen(name: str, *, delay: float = 0.0) -> GuildSeen | None:
    await asyncio.sleep(delay)
    if name == "broken":
        raise ValueError(name)
    return GuildSeen(guild_id=Snowflake(1), name=name) if name else None


async def taken(store: Store, names: Sequence[str]) -> list[str]:
    inbox = Inbox(store)
    for number, name in enumerate(names):
        inbox.put(partial(seen, name, delay=0.01 if number == 0 else 0.0))
    running = asyncio.create_task(inbox.run())
    for _ in range(500):
        if not inbox.size and len(store.names) == sum(name not in ("", "broken") for name in names):
            break
        await asyncio.sleep(0.005)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return store.names


async def test_nothing_overtakes_what_takes_longer_to_read() -> None:
    assert await taken(Store(), ["slow", "two", "", "three"]) == ["slow", "two", "three"]


async def test_a_report_that_cannot_be_read_is_left_and_the_next_is_taken() -> None:
    assert await taken(Store(), ["one", "broken", "three"]) == ["one", "three"]


async def test_a_store_that_fails_holds_the_line_until_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STORE_REST_SECONDS", 0.01)
    assert await taken(Store(failures=3), ["one", "two"]) == ["one", "two"]


async def test_a_report_whose_reading_needs_the_store_waits_for_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STORE_REST_SECONDS", 0.01)
    store, tries = Store(), 0

    async def needy() -> GuildSeen | None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise StoreError("The connection to the database was lost.")
        return await seen("one", delay=0.0)

    inbox = Inbox(store)
    inbox.put(needy)
    inbox.put(partial(seen, "two", delay=0.0))
    running = asyncio.create_task(inbox.run())
    for _ in range(500):
        if len(store.names) == 2:
            break
        await asyncio.sleep(0.005)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert store.names == ["one", "two"]


async def test_what_is_slow_in_one_server_holds_up_no_other() -> None:
    store, stuck = Store(), asyncio.Event()

    async def waiting() -> GuildSeen | None:
        await stuck.wait()
        return await seen("one")

    inbox = Inbox(store)
    inbox.put(waiting, 1)
    inbox.put(partial(seen, "one, later"), 1)
    inbox.put(partial(seen, "two"), 2)
    running = asyncio.create_task(inbox.run())
    await inbox.passed([2])
    assert store.names == ["two"]
    stuck.set()
    await inbox.passed([1])
    assert store.names == ["two", "one", "one, later"]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_what_a_session_begins_with_comes_after_what_was_reported_before_and_ahead_of_the_rest() -> None:
    store = Store()
    inbox = Inbox(store)
    inbox.put(partial(seen, "before"), 1)
    inbox.begin(lambda guild_id: partial(seen, f"settled in {guild_id}"))
    inbox.put(partial(seen, "after"), 1)
    inbox.put(partial(seen, "new"), 2)
    running = asyncio.create_task(inbox.run())
    await inbox.passed([1, 2])
    assert [name for name in store.names if name != "settled in 2" and name != "new"] == [
        "before",
        "settled in 1",
        "after",
    ]
    assert store.names.index("settled in 2") < store.names.index("new")
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_server_that_reports_without_end_is_read_on_later_and_takes_no_more_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 5)
    store = Store()
    inbox = Inbox(store)
    begun = 0

    def first(_: int) -> Callable[[], Awaitable[GuildSeen | None]]:
        nonlocal begun
        begun += 1
        return partial(seen, f"read on {begun}")

    inbox.begin(first)
    for number in range(100):
        inbox.put(partial(seen, f"flood {number}"), 9)
    inbox.put(partial(seen, "another's"), 8)
    assert inbox.size == 6 + 2
    running = asyncio.create_task(inbox.run())
    await inbox.passed([8, 9])
    inbox.put(partial(seen, "afterwards"), 9)
    await inbox.passed([9])
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert [one for one in store.names if one not in ("read on 3", "another's")] == [
        "read on 1",
        *(f"flood {number}" for number in range(4)),
        "read on 2",
        "afterwards",
    ]
