"""What a community's rows name in another server, where the bot is too, is left alone: to it that is not there."""

import ast
import inspect
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import discord
import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.discord import territory
from bot.core.changes import AddLetter, Change, MessageColumns, SetOverride, UpdateMessage, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.errors import ChannelGone
from bot.core.kinds import LetterKind
from bot.core.letters import NoticePayload, PermissionPayload, ReactPayload, RemovalPayload
from bot.core.ports import Post
from bot.core.publishing import Publisher
from bot.core.records import AgentId, Snowflake
from tests.adapters.discord.stage import Bot, Guest, Json, Stage, staged, until

ADAPTER = Path(__file__).parents[3] / "bot/adapters/discord"
FINDS = {"get_channel", "fetch_channel", "get_channel_or_thread", "get_thread", "get_partial_messageable"}
OF_SERVERS = {"start_private_message", "create_channel", "get_all_guild_channels"}  # of HTTP: they take no channel
GIVEN: Mapping[str, Any] = {
    "after": None,
    "before": Snowflake(2),
    "message_id": Snowflake(1),
    "post_id": Snowflake(1),
    "thread_id": None,
    "emoji": "👍",
    "text": "hello there",
    "person_id": None,
    "agent_id": AgentId(1),
    "name": "ada",
    "allowed": False,
}
QUIETLY = {"remove", "remove_channel"}  # what is not there needs not be removed


@dataclass
class Annex:
    """The other server, and what its people made there."""

    guild_id: Snowflake
    channel_id: Snowflake
    message_id: Snowflake
    stage: Stage

    async def looks(self) -> Json:
        """Give all that can be seen of it."""
        owner, path = self.stage.owner, f"/channels/{self.channel_id}"
        return {
            "channels": await owner.call("GET", f"/guilds/{self.guild_id}/channels"),
            "said": await owner.read(self.channel_id),
            "pins": await owner.call("GET", f"{path}/messages/pins"),
            "webhooks": await owner.call("GET", f"{path}/webhooks"),
        }


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    async with staged(CommunityConfig(fate_seconds=0.5)) as stage:
        yield stage


@pytest.fixture
async def annex(stage: Stage) -> Annex:
    """Another server of the same owner's, with the bot in it, and a message in its channel."""
    form = {"name": "The Annex", "owner_id": str(stage.owner.id)}
    async with stage.session.post(f"{stage.playground.url}/playground/guilds", json=form) as answer:
        guild_id = Snowflake(int((await answer.json())["id"]))
    url = f"{stage.playground.url}/playground/guilds/{guild_id}/members/{stage.bot_id}"
    async with stage.session.put(url, json={}) as answer:
        assert answer.status < 300
    [channel] = await stage.owner.call("GET", f"/guilds/{guild_id}/channels")
    channel_id = Snowflake(int(channel["id"]))
    return Annex(guild_id, channel_id, Snowflake(await stage.owner.say(channel_id, "ours alone")), stage)


async def write(stage: Stage, *changes: Change) -> None:
    async with stage.store.writing(stage.community_id) as writing:
        await writing.apply(stage.community_id, list(changes))


def letter(room_id: AgentId, kind: LetterKind, payload: Mapping[str, Any]) -> AddLetter:
    return AddLetter(kind=kind, room_id=room_id, payload=payload, not_before=SystemClock().now())


async def test_nothing_that_is_published_reaches_a_channel_of_another_server(stage: Stage, annex: Annex) -> None:
    before = await annex.looks()
    async with stage.bot() as bot:
        for name, method in inspect.getmembers(Publisher, inspect.isfunction):
            parameters = inspect.signature(method).parameters
            if "channel_id" not in parameters:
                continue
            given = {key: GIVEN[key] for key, one in parameters.items() if key in GIVEN and one.default is one.empty}
            asked = getattr(bot.publisher, name)(stage.guild_id, annex.channel_id, **given)
            if name in QUIETLY:
                await asked
                continue
            with pytest.raises(ChannelGone):
                await asked
        post = Post(guild_id=stage.guild_id, channel_id=annex.channel_id, name="Ada", avatar_url=None, content="hello")
        with pytest.raises(ChannelGone):
            await bot.publisher.post(post)
        with pytest.raises(ChannelGone):
            await bot.publisher.dress(stage.guild_id, annex.channel_id, b"")
    assert await annex.looks() == before


async def test_who_wakes_up_in_another_servers_channel_is_retired_and_nothing_is_lost(
    stage: Stage, annex: Annex
) -> None:
    office = Snowflake(int((await stage.owner.call("GET", f"/guilds/{stage.guild_id}/channels"))[0]["id"]))
    async with stage.bot() as bot:
        ada, _ = await stage.settle_in(bot)
        await stage.owner.say((await stage.room(ada)).channel_id or 0, "what was said")
        await until(heard(stage, ada, "what was said"))
    await write(
        stage,
        SetOverride(name="managers_channel_id", value=str(office)),
        UpdateRoom(room_id=ada, fields={"channel_id": annex.channel_id}),
    )
    before = await annex.looks()
    async with stage.bot():
        await until(no_channel(stage, ada))
        await until(told(stage.owner, office, "Ada is retired"))
    assert await annex.looks() == before
    assert await stage.contents(ada) == ["what was said"]


async def test_letters_that_name_another_servers_places_leave_them_as_they_are(stage: Stage, annex: Annex) -> None:
    before = await annex.looks()
    async with stage.bot() as bot:
        ada, home = await stage.settle_in(bot)
        said = await stage.say(bot, ada, "at home")
        await until(told(stage.owner, home, "at home"))
        left = PermissionPayload(left_channel_id=annex.channel_id, allowed=False, note="gone")
        removed = PermissionPayload(left_channel_id=annex.channel_id, allowed=False, removed=True)
        await write(
            stage,
            SetOverride(name="managers_channel_id", value=str(annex.channel_id)),
            UpdateMessage(message_id=said, fields={"thread_id": annex.channel_id, "discord_id": annex.message_id}),
            letter(ada, LetterKind.PERMISSION, left.stored()),
            letter(ada, LetterKind.PERMISSION, removed.stored()),
            letter(ada, LetterKind.REACT, ReactPayload(message_id=said, emoji="👍").stored()),
            letter(
                ada,
                LetterKind.REMOVAL,
                RemovalPayload(post_ids=(annex.message_id,), thread_id=annex.channel_id).stored(),
            ),
            letter(ada, LetterKind.NOTICE, NoticePayload(text="a fault").stored()),
        )
        bot.delivery.wake()
        await until(all_closed(stage))
        await stage.say(bot, ada, "an answer", reply_to=said)  # its thread is not there: then in the channel
        await until(told(stage.owner, home, "an answer"))
    assert await annex.looks() == before
    assert (await stage.room(ada)).channel_id == home


async def test_what_is_said_in_another_server_is_not_said_in_the_room_that_names_its_channel(
    stage: Stage, annex: Annex
) -> None:
    async with stage.bot() as bot:
        ada, home = await stage.settle_in(bot)
        grace, _ = await stage.settle_in(bot, "Grace")
        await write(stage, UpdateRoom(room_id=ada, fields={"channel_id": annex.channel_id}))
        await stage.owner.say(annex.channel_id, "not for Ada")
        await passed(bot, stage, annex)
        assert await stage.contents(ada) == []
        assert home != annex.channel_id
        async with stage.store.reading() as read:
            other = await read.communities.of_guild(annex.guild_id)
        assert other is not None
        async with stage.store.reading() as read:
            assert await read.rooms.of_channel(other.id, annex.channel_id) is None
        assert await stage.contents(grace) == []


async def passed(bot: Bot, stage: Stage, annex: Annex) -> None:
    """Wait until what happened so far in both servers is taken in."""
    mark = Snowflake(await stage.owner.say(annex.channel_id, "mark"))

    async def seen() -> bool:
        channel = await bot.publisher.territory.place(annex.guild_id, annex.channel_id)
        return (channel.last_message_id or 0) >= mark

    await until(seen)
    await bot.client._inbox.passed([stage.guild_id, annex.guild_id])


async def test_a_thread_of_another_server_keeps_no_room_from_being_read(stage: Stage, annex: Annex) -> None:
    thread = await stage.owner.call("POST", f"/channels/{annex.channel_id}/threads", {"name": "theirs", "type": 11})
    async with stage.bot() as bot:
        ada, home = await stage.settle_in(bot)
        said = await stage.say(bot, ada, "in a thread, it says")
        await until(told(stage.owner, home, "in a thread"))
    in_it = MessageColumns(thread_id=Snowflake(int(thread["id"])), thread_name="x")
    await write(stage, UpdateMessage(message_id=said, fields=in_it))
    async with stage.store.writing(stage.community_id) as writing:
        now = SystemClock().now()
        await writing.rooms.add_thread(stage.community_id, ada, Snowflake(int(thread["id"])), name="theirs", at=now)
    await stage.owner.say(home, "while you slept")
    async with stage.bot():
        await until(heard(stage, ada, "in a thread, it says", "while you slept"))
    assert (await stage.room(ada)).channel_id == home


def heard(stage: Stage, room_id: AgentId, *contents: str) -> Callable[[], Any]:
    async def asked() -> bool:
        return await stage.contents(room_id) == list(contents)

    return asked


def no_channel(stage: Stage, room_id: AgentId) -> Callable[[], Any]:
    async def asked() -> bool:
        return (await stage.room(room_id)).channel_id is None

    return asked


def told(reader: Guest, channel_id: Snowflake, words: str) -> Callable[[], Any]:
    async def asked() -> bool:
        return any(words in one["content"] for one in await reader.read(channel_id))

    return asked


def all_closed(stage: Stage) -> Callable[[], Any]:
    async def asked() -> bool:
        async with stage.store.reading() as read:
            return await read.letters.next_due_at() is None

    return asked


def test_no_other_part_of_the_adapter_makes_a_channel_of_an_id() -> None:
    for path in sorted(ADAPTER.glob("*.py")):
        if path.name == "territory.py":
            continue
        for call in (one for one in ast.walk(ast.parse(path.read_text())) if isinstance(one, ast.Call)):
            if not isinstance(call.func, ast.Attribute):
                continue
            asks_http = ast.unparse(call.func.value) in ("rest(self._client)", "http")
            where = f"{path.name}:{call.lineno}: {ast.unparse(call)}"
            assert asks_http or call.func.attr not in FINDS, where
            if asks_http and call.func.attr not in OF_SERVERS:
                assert ast.unparse(call.args[0]) in {"place.id", "thread.id"}, where


def test_every_way_to_publish_in_a_channel_is_told_whose_it_is() -> None:
    for name, method in inspect.getmembers(Publisher, inspect.isfunction):
        parameters = inspect.signature(method).parameters
        assert "channel_id" not in parameters or "guild_id" in parameters, name


class Shut:
    """A server that answers each request for a thread with one fault."""

    def __init__(self, fault: type[discord.HTTPException]) -> None:
        self.requests: list[int] = []
        self._fault = fault

    def get_guild(self, _: int) -> "Shut":
        return self

    def get_channel_or_thread(self, _: int) -> None:
        return None

    async def fetch_channel(self, channel_id: int) -> None:
        self.requests.append(channel_id)
        raise self._fault(Mock(status=403), "no")


@pytest.mark.parametrize("fault", [discord.Forbidden, discord.NotFound])
async def test_a_thread_that_discord_refused_is_asked_for_again_when_we_are_let_in(
    fault: type[discord.HTTPException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(territory, "MOST_REMEMBERED", 3)
    shut = Shut(fault)
    known = territory.Territory(cast(discord.Client, shut))
    for _ in range(3):
        assert await known.thread(9, 77) is None
    assert shut.requests == [77]
    known.let_in(9, 77)
    assert await known.thread(9, 77) is None
    assert shut.requests == [77, 77]
    known.look_anew(8)
    assert await known.thread(9, 77) is None
    assert shut.requests == [77, 77]
    known.look_anew(9)  # our rights there are others
    assert await known.thread(9, 77) is None
    assert shut.requests == [77, 77, 77]
    for id in (78, 79, 80, 77):  # of many only the newest are remembered
        await known.thread(9, id)
    assert shut.requests == [77, 77, 77, 78, 79, 80, 77]


class Open(Shut):
    """A server of threads that the cache does not know."""

    async def fetch_channel(self, channel_id: int) -> Any:  # noqa: ANN401
        self.requests.append(channel_id)
        return Mock(spec=discord.Thread)


async def test_of_many_threads_that_were_looked_at_only_the_newest_are_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Anybody can open any number of them, and each is as large as a channel with all that is in it."""
    monkeypatch.setattr(territory, "MOST_REMEMBERED", 3)
    there = Open(discord.NotFound)
    known = territory.Territory(cast(discord.Client, there))
    for id in (77, 78, 79, 80, 80, 77):
        await known.channel(9, id)
    assert there.requests == [77, 78, 79, 80, 77]


async def test_what_discord_did_not_tell_is_asked_again() -> None:
    shut = Shut(discord.HTTPException)
    known = territory.Territory(cast(discord.Client, shut))
    for _ in range(2):
        with pytest.raises(discord.HTTPException):
            await known.thread(9, 77)
    assert shut.requests == [77, 77]
