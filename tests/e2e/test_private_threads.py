"""What is said in a private thread is answered there, and shown to nobody who may not read it now."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from tests.e2e.commanding import Commander
from tests.e2e.proving import proves
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.visitor import Json, Visitor, bot_of, until, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]
SECRET = "the lamp is under the oak"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("threads")) as one:
        yield one


@asynccontextmanager
async def aside(cast: Cast, name: str) -> AsyncIterator[tuple[Visitor, str, Json]]:
    """Somebody opens a private thread in Wren's room, brings the bot in, tells a secret and is answered there."""
    hall = cast.manager.channel_id
    async with visiting(cast.home.url, name) as mira:
        thread = await mira.ask("POST", f"/channels/{hall}/threads", {"name": "Plans", "type": 12})
        await mira.ask("PUT", f"/channels/{thread['id']}/thread-members/{await bot_of(cast.you)}")
        said = await mira.say(thread["id"], f"Wren, keep this: {SECRET}")
        answer = await mira.answer_after(said)
        assert answer["channel_id"] == thread["id"]
        yield mira, thread["id"], said


async def test_only_who_may_read_a_private_thread_finds_what_was_said_there(cast: Cast) -> None:
    hall = cast.manager.channel_id
    async with aside(cast, "mira") as (mira, thread_id, said):
        insider = Commander(mira, thread_id)
        found = await insider.told("search", words="oak")
        assert SECRET in found
        assert f"Wren, private thread Plans: Wren, keep this: {SECRET}" in found
        assert SECRET in await insider.told("history")
        assert "a person" in words_of(await insider.menu("Who said this?", said))

        assert "Nothing was found." in await cast.guest.told("search", words="oak")
        assert "oak" not in await cast.guest.told("history")
        assert not [one for one in await cast.you.messages(hall) if "oak" in one["content"]]
        async with visiting(cast.home.url, "mina", manager=True) as mina:
            rights = mina.ask("GET", f"/channels/{thread_id}/messages")
            with pytest.raises(AssertionError, match="50001"):
                await rights
            manager = Commander(mina, hall)
            assert "Nothing was found." in await manager.told("search", words="oak")
            assert "a private thread that you may not read" in await manager.told("setup export")
            shown = await manager.run("hud show", agent="Wren")
            for number in range(len(shown["attachments"])):
                assert "oak" not in await manager.text_of(shown, number)
            owner = Commander(cast.owner, hall)  # who may read every thread
            hers = await owner.told("hud history", agent="Wren")
            theirs = await manager.told("hud history", agent="Wren")
            assert "not beaten" in theirs or len(hers.splitlines()) > len(theirs.splitlines())
            newest = int(hers.split("`")[1])
            assert f"There is no beat {newest}" in await manager.told("hud history", agent="Wren", beat=newest)
            assert "oak" in await owner.text_of(await owner.run("hud history", agent="Wren", beat=newest))

        await mira.ask("DELETE", f"/channels/{thread_id}/thread-members/@me")

        async def unseen() -> bool:
            return "Nothing was found." in await Commander(mira, hall).told("search", words="oak")

        await until(unseen, "search without what one may not read any more")


async def test_a_secret_of_a_private_thread_is_not_known_in_the_open(cast: Cast) -> None:
    async with aside(cast, "nora"):
        before = len(await cast.you.model_calls())
        await cast.answered("Wren, what do you know of the lamp, and of any oak tree?")
        calls = [call for call in (await cast.you.model_calls())[before:] if "any oak tree" in call["input"]]
        assert calls
        assert not [call for call in calls if SECRET in call["input"]]
        face = cast.home.house.face
        assert face is not None
        wren = (await cast.home.agents())["Wren"]["id"]
        async with cast.home.session.get(f"{face.url}/agents/{wren}/beat") as response:
            assert SECRET not in await response.text()


async def test_a_thread_of_the_house_is_answered_in_that_thread(cast: Cast) -> None:
    hall = cast.manager.channel_id
    made = await cast.you.ask("POST", f"/channels/{hall}/threads", {"name": "Roses", "type": 11})
    said = await cast.you.say(made["id"], "Wren, what is two and three?")
    assert (await cast.you.answer_after(said))["channel_id"] == made["id"]
    assert [call for call in await cast.you.model_calls() if "(in thread Roses)" in call["input"]]


CHANGING: dict[str, dict[str, object]] = {
    "room clear": {"messages": 3},
    "room hush": {"minutes": 5},
    "room topic": {"topic": "Plans"},
    "room wpm": {"words": 90},
    "room rpm": {"messages": 90},
    "room summarise": {},
    "room summaries": {},
    "room scheduled": {},
    "key create": {},
}


async def test_what_is_done_in_a_private_thread_is_not_done_to_the_room(cast: Cast) -> None:
    hall = cast.manager.channel_id
    async with aside(cast, "olga") as (_, thread_id, _said):
        owner = Commander(cast.owner, thread_id)
        before = await cast.you.messages(hall)
        for command, options in CHANGING.items():
            assert "A private thread is a place of its own" in await owner.told(command, **options), command
        assert "No topic yet" in words_of(await owner.run("room info"))
        assert "Silent until" not in words_of(await owner.run("room info"))
        assert [one["id"] for one in await cast.you.messages(hall)] == [one["id"] for one in before]
        assert "80 words a minute" in await owner.told("room wpm", words=80, room="Wren")


@proves(member="talk agent", manager="talk agent")
async def test_who_talks_with_an_agent_alone_is_answered_there_without_its_name(
    cast: Cast,
) -> None:
    hall = cast.manager.channel_id
    async with visiting(cast.home.url, "pia") as pia:
        told = await Commander(pia, hall).told("talk agent", agent="Wren")
        thread_id = re.findall(r"<#(\d+)>", told)[0]
        greeting = (await pia.messages(thread_id))[-1]
        assert "you and Wren are by yourselves" in greeting["content"]
        said = await pia.say(thread_id, "My cat is called Pepper. How was your day?")
        answer = await pia.answer_after(said)
        assert (answer["channel_id"], answer["author"]["username"]) == (thread_id, "Wren")
        said = await pia.say(thread_id, "What is my cat called?")
        assert (await pia.answer_after(said))["channel_id"] == thread_id
        assert thread_id in await Commander(pia, hall).told("talk agent", agent="Wren")
        assert "Nothing was found." in await cast.guest.told("search", words="Pepper")
        with pytest.raises(AssertionError, match="50001"):
            await cast.guest.visitor.ask("GET", f"/channels/{thread_id}/messages")
        for other in (cast.guest, cast.manager):
            told = await other.told("talk agent", agent="Wren")
            assert thread_id not in told and "Talk with Wren here" in told


async def test_who_asks_twice_at_once_is_given_one_thread(cast: Cast) -> None:
    async with visiting(cast.home.url, "rex") as rex:
        commander = Commander(rex, cast.manager.channel_id)
        await asyncio.gather(*(commander.told("talk agent", agent="Wren") for _ in range(2)))
        active = await rex.ask("GET", f"/guilds/{rex.about['guild_id']}/threads/active")
        assert [one["name"] for one in active["threads"] if "rex" in one["name"]] == ["Wren and rex"]


async def test_without_the_right_no_talk_is_promised(cast: Cast) -> None:
    hall, guild = cast.manager.channel_id, cast.owner.about["guild_id"]
    everyone = {"type": 0, "deny": str(1 << 36)}
    await cast.owner.ask("PUT", f"/channels/{hall}/permissions/{guild}", everyone)
    try:
        async with visiting(cast.home.url, "quin") as quin:
            assert "You may not open private threads" in await Commander(quin, hall).told("talk agent", agent="Wren")
    finally:
        await cast.owner.ask("DELETE", f"/channels/{hall}/permissions/{guild}")


async def test_a_public_thread_belongs_to_its_room_but_is_not_its_channel(cast: Cast) -> None:
    made = await cast.you.ask("POST", f"/channels/{cast.manager.channel_id}/threads", {"name": "Tulips", "type": 11})
    manager = Commander(cast.manager.visitor, made["id"])
    assert "not about its threads" in await manager.told("room clear", messages=3)
    assert "80 words a minute" in await manager.told("room wpm", words=80)
