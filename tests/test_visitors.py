"""What is remembered of who looks at the bot's own face."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest

from bot import visitors
from bot.client import SelfroomClient
from bot.core.records import AgentId, Room, Snowflake
from bot.core.sight import Sight


async def nobodys(*_: object) -> Sight:
    return Sight()


async def test_a_token_is_remembered_no_longer_than_what_it_may_see(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors, "SIGHT_SECONDS", 0.0)
    desk = SimpleNamespace(community=SimpleNamespace(sight=nobodys))
    client = cast(SelfroomClient, SimpleNamespace(desk=desk, get_guild=lambda _: None))
    those = visitors.Visitors(client, lambda token, guild_id: None)
    for number in range(100):
        await those.sight(f"token {number}", Snowflake(1))
    assert len(those._sights) <= 2


class Stopping:
    """A client whose session is closed, as aiohttp refuses it then."""

    desk = SimpleNamespace(community=SimpleNamespace(sight=nobodys))

    def __init__(self, *, closed: bool) -> None:
        self._closed = closed

    def is_closed(self) -> bool:
        return self._closed

    def get_guild(self, guild_id: int) -> "Stopping":
        return self

    async def fetch_member(self, user_id: int) -> object:
        raise RuntimeError("Session is closed")


async def test_a_page_that_looks_while_selfroom_stops_is_no_error() -> None:
    those = visitors.Visitors(cast(SelfroomClient, Stopping(closed=True)), lambda token, guild_id: 1)
    assert await those.sight("token", Snowflake(1)) == Sight()
    still_open = visitors.Visitors(cast(SelfroomClient, Stopping(closed=False)), lambda token, guild_id: 1)
    with pytest.raises(RuntimeError):
        await still_open.sight("token", Snowflake(1))


@pytest.mark.parametrize(("hidden", "is_shown"), [((), True), ((7,), False)])
async def test_a_scene_in_a_room_that_somebody_does_not_see_is_not_shown_to_them(
    hidden: tuple[int, ...], is_shown: bool
) -> None:
    told = SimpleNamespace(scene=SimpleNamespace(room_id=AgentId(7)))

    async def in_thread(guild_id: Snowflake, thread_id: Snowflake) -> object:
        return told if thread_id == 70 else None

    async def sight(*_: object) -> Sight:
        return Sight(hidden_rooms=frozenset(map(AgentId, hidden)))

    desk = SimpleNamespace(community=SimpleNamespace(sight=sight), scenes=SimpleNamespace(in_thread=in_thread))
    client = cast(SelfroomClient, SimpleNamespace(desk=desk, get_guild=lambda _: None))
    those = visitors.Visitors(client, lambda token, guild_id: None)
    assert (await those.scene("token", Snowflake(1), Snowflake(70)) is not None) == is_shown
    assert await those.scene("token", Snowflake(1), Snowflake(71)) is None


async def test_many_pages_that_look_at_once_and_all_the_time_ask_discord_for_each_member_once() -> None:
    asked: list[int] = []

    async def fetched(user_id: int) -> object:
        asked.append(user_id)
        await asyncio.sleep(0)
        return SimpleNamespace(id=user_id)

    async def all_trees(*_: object) -> list[object]:
        return []

    desk = SimpleNamespace(community=SimpleNamespace(sight=nobodys), timelines=SimpleNamespace(all=all_trees))
    client = SimpleNamespace(
        desk=desk,
        get_guild=lambda _: SimpleNamespace(fetch_member=fetched),
        person=lambda member: SimpleNamespace(id=member.id, is_architect=True),
    )
    those = visitors.Visitors(cast(SelfroomClient, client), lambda token, guild_id: int(token))
    await asyncio.gather(*(those.sight(token, Snowflake(1)) for token in "123" * 5))
    for token in "123" * 5:
        assert await those.trees(token, Snowflake(1)) == []
    assert sorted(asked) == [1, 2, 3]


async def test_no_server_waits_for_what_discord_is_asked_of_another() -> None:
    never = asyncio.Event()

    async def fetched(guild_id: int, user_id: int) -> object:
        if guild_id == 1:
            await never.wait()
        return SimpleNamespace(id=user_id)

    def guild(guild_id: int) -> object:
        return SimpleNamespace(fetch_member=lambda user_id: fetched(guild_id, user_id))

    members = visitors.Members(cast(SelfroomClient, SimpleNamespace(get_guild=guild)))
    slow = asyncio.create_task(members.now(1, Snowflake(1)))
    await asyncio.sleep(0)
    async with asyncio.timeout(10):
        assert await members.now(1, Snowflake(2)) is not None
    slow.cancel()


async def test_who_is_no_member_any_more_has_discord_asked_no_oftener_than_who_is() -> None:
    asked: list[int] = []

    async def fetched(user_id: int) -> object:
        asked.append(user_id)
        raise discord.NotFound(cast(Any, SimpleNamespace(status=404, reason="gone")), "Unknown Member")

    client = SimpleNamespace(get_guild=lambda _: SimpleNamespace(fetch_member=fetched))
    members = visitors.Members(cast(SelfroomClient, client))
    for _ in range(20):
        assert await members.now(5, Snowflake(1)) is None
    assert asked == [5]


async def test_many_private_threads_are_asked_about_one_after_the_other_and_seldom() -> None:
    under_way = most = asked = 0

    async def members_thread(member: object, thread_id: int) -> object | None:
        nonlocal under_way, most, asked
        under_way, asked = under_way + 1, asked + 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return member if thread_id % 2 else None

    async def fetched(user_id: int) -> object:
        return SimpleNamespace(id=user_id)

    client = SimpleNamespace(get_guild=lambda _: SimpleNamespace(fetch_member=fetched), members_thread=members_thread)
    people = visitors.ConsolePeople(cast(SelfroomClient, client), visitors.Members(cast(SelfroomClient, client)))
    threads = [cast(Room, SimpleNamespace(channel_id=number)) for number in range(20)]
    may_read = people.reader(Snowflake(1), Snowflake(5))
    for _ in range(3):
        assert await asyncio.gather(*map(may_read, threads)) == [bool(number % 2) for number in range(20)]
    assert (most, asked) == (1, 20)


async def test_a_request_is_judged_by_what_discord_says_after_it_and_many_at_once_ask_together() -> None:
    asked: list[int] = []
    roles = ["manager"]

    async def fetched(user_id: int) -> object:
        asked.append(user_id)
        await asyncio.sleep(0)
        return SimpleNamespace(id=user_id, roles=list(roles))

    client = SimpleNamespace(get_guild=lambda _: SimpleNamespace(fetch_member=fetched))
    members = visitors.Members(cast(SelfroomClient, client))
    await members.now(5, Snowflake(1), anew=True)
    roles.clear()
    assert cast(Any, await members.now(5, Snowflake(1))).roles == ["manager"]  # what goes on and on may know it later
    told = await asyncio.gather(*(members.now(5, Snowflake(1), anew=True) for _ in range(20)))
    assert [cast(Any, one).roles for one in told] == [[]] * 20
    assert len(asked) == 3  # one that had begun, and one for all who came meanwhile
