"""A name is anybody's to choose: who did what, who is meant and who may is told by ids."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from tests.e2e.commanding import Commander, inside
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.visitor import Json, Visitor, bot_of, until, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("identity")) as one:
        yield one


@asynccontextmanager
async def called(cast: Cast, username: str, nickname: str = "") -> AsyncIterator[Commander]:
    """Give a plain member who calls herself as she likes."""
    async with visiting(cast.home.url, username) as visitor:
        if nickname:
            guild = visitor.about["guild_id"]
            await visitor.ask("PATCH", f"/guilds/{guild}/members/@me", {"nick": nickname})
        yield Commander(visitor, cast.manager.channel_id)


async def heard(cast: Cast, visitor: Visitor, words: str) -> None:
    """Say something, and wait until Selfroom knows it."""
    said = await visitor.say(cast.manager.channel_id, words)
    await cast.manager.known(said)


async def exported(caller: Commander) -> Json:
    given: Json = json.loads(await caller.text_of(await caller.run("privacy export")))
    return given


async def forgotten(caller: Commander) -> str:
    return words_of(await caller.press(await caller.run("privacy forget-me"), "Forget me"))


async def kept(cast: Cast, reader: Commander) -> Sequence[str]:
    """Give what there is of others to read or to destroy."""
    told = [await cast.manager.told(f"knowledge {path}", agent="Wren") for path in ("show", "history")]
    told.append(words_of(await cast.manager.run("room info", room="Wren")))
    told.append(await reader.told("history"))  # what agents do meanwhile is theirs
    marks = ("oil", "secret of the house", "Of the")
    return [line for text in told for line in text.splitlines() if any(mark in line for mark in marks)]


@pytest.mark.parametrize("borrowed", ["the manager's name", "a victim's name", "a common noun"])
async def test_a_borrowed_nickname_reads_nothing_and_destroys_nothing(cast: Cast, borrowed: str) -> None:
    manager = cast.you.user["username"]
    noun = f"lighthouse{len(borrowed)}"
    name = {"the manager's name": manager, "a victim's name": "guest"}.get(borrowed, noun)
    await heard(cast, cast.guest.visitor, f"the oil of @{name} is {borrowed}")
    await cast.manager.told("knowledge set", agent="Wren", path=f"people.{name}", value="a secret of the house")
    await cast.manager.told("room topic", room="Wren", topic=f"Of the {name}")
    before = await kept(cast, cast.manager)
    async with called(cast, f"eve{len(borrowed)}", name) as eve:
        data = await exported(eve)
        assert "a secret of the house" not in json.dumps(data)
        assert (data["changes_made"], data["knowledge_changed"], data["messages"]) == ([], [], [])
        told = await forgotten(eve)
        assert "0 messages and 0 reactions of yours are gone here" in told
        assert "ask a manager to look into `/audit`" in told
    assert await kept(cast, cast.guest) == before
    assert f"The Architect (@{manager}), Wren: people.{name} is set." in await cast.manager.told("audit")


async def test_a_forgotten_person_is_told_the_truth_and_managers_decide_about_the_rest(cast: Cast) -> None:
    office = await cast.you.channel("welcome")
    await cast.manager.told("setup places", managers_channel=office)
    await cast.agent("Ember")
    async with called(cast, "dora") as dora:
        await heard(cast, dora.visitor, "my parrot is Rupert")
        await heard(cast, cast.guest.visitor, "was it @dora with the parrot?")
        await cast.manager.told("knowledge set", agent="Ember", path="people.dora.parrot", value="Rupert")
        await cast.manager.told("room topic", room="Ember", topic="Where dora sat")
        await cast.manager.told("knowledge set", agent="Ember", path="rules.lighthouse", value="keep it lit")
        told = await forgotten(dora)
        guild = cast.you.about["guild_id"]  # whoever is forgotten can still choose a nickname
        await dora.visitor.ask("PATCH", f"/guilds/{guild}/members/@me", {"nick": "lighthouse"})
    assert "1 message and 0 reactions of yours are gone here" in told
    assert "Your @username was removed from" in told
    assert "2 places" in told
    assert "the managers were given the list to decide" in told
    assert "Backups that still hold you expire by" in told
    assert "@someone with the parrot" in await cast.manager.told("history")

    async def notice() -> Json | None:
        found = await cast.you.messages(office)
        return next((one for one in found if "asked to be forgotten" in one["content"]), None)

    listed = await until(notice, "the list for managers")
    assert "1. the topic of Ember's room\n2. what Ember knows" in listed["content"]
    assert [part["label"] for part in inside(listed["components"]) if "label" in part] == ["1", "2"]
    await check_places(cast, listed, office)


async def check_places(cast: Cast, listed: Json, office: str) -> None:
    """Press the buttons, as a plain member first."""
    guest, manager = Commander(cast.guest.visitor, office), Commander(cast.you, office)
    for label in ("1", "2"):
        assert "Only people who may manage the server" in words_of(await guest.press(listed, label))
    form = await manager.press(listed, "1")
    assert form["components"][0]["component"]["value"] == "Where someone sat"
    assert "The topic is set." in words_of(await manager.fill(form))
    assert "Removed from what Ember knows: whatever held dora" in words_of(await manager.press(listed, "2"))
    left = await cast.manager.told("knowledge show", agent="Ember")
    assert ("keep it lit" in left, "Rupert" in left) == (True, False)
    assert "look with `/knowledge show`" in words_of(await manager.press(listed, "2"))
    assert "Somebody's name is taken out of what Ember knows, in 1 memory." in await cast.manager.told("audit")


async def test_who_asks_to_be_forgotten_over_and_over_does_not_flood_managers(cast: Cast) -> None:
    async with called(cast, "fay") as fay:
        told = [words_of(await fay.run("privacy forget-me")) for _ in range(3)]
    assert ["That was quick" in one for one in told] == [False, False, True]


async def test_a_rename_after_the_question_does_not_redirect_the_answer(cast: Cast) -> None:
    doomed, heir = await cast.agent("Doomed"), await cast.agent("Heir")
    asked = await cast.manager.run("agent delete", agent="Doomed")
    for id, name in ((doomed, "Other"), (heir, "Doomed")):
        form = await cast.manager.run("agent edit", agent=str(id))
        await cast.manager.fill(form, name=name)
    assert "Other is deleted for good." in words_of(await cast.manager.press(asked, "Delete Doomed"))
    assert "Doomed" in words_of(await cast.manager.run("agent show", agent=str(heir)))


async def test_what_was_said_after_the_question_is_not_cleared(cast: Cast) -> None:
    hall = await cast.you.channel("ledger")
    await cast.manager.told("agent pause", agent="Ledger")
    old = await cast.you.say(hall, "an old line")
    asked = await cast.manager.run("room clear", messages=1, room="Ledger")
    new = await cast.you.say(hall, "a new line")
    await cast.manager.changed_to(await cast.manager.press(asked, "Delete 1"), "Deleted: 1 message.")
    left = [one["id"] for one in await cast.you.messages(hall)]
    assert (old["id"] in left, new["id"] in left) == (False, True)


async def test_who_was_muted_stays_muted_whatever_they_wish(cast: Cast) -> None:
    async with called(cast, "mo") as mo:
        await cast.manager.told("person mute", person=mo.visitor.user["id"])
        assert "until a manager lifts that" in await mo.told("privacy ignore-me", ignore=False)
        await mo.visitor.say(mo.channel_id, "I am not heard")
        await heard(cast, cast.guest.visitor, "but I am heard")
        assert "I am not heard" not in await cast.manager.told("history")


async def test_a_pause_names_whoever_did_it_as_they_are_called_now(cast: Cast) -> None:
    async with visiting(cast.home.url, "pam", manager=True) as pam:
        caller = Commander(pam, cast.manager.channel_id)
        await cast.agent("Idler")
        await caller.told("agent pause", agent="Idler")
        assert "paused by The Architect (@pam)" in words_of(await cast.manager.run("agent show", agent="Idler"))
        await forgotten(caller)
    assert "paused by The Architect (someone)" in words_of(await cast.manager.run("agent show", agent="Idler"))
    assert "@pam" not in await cast.manager.told("audit")


async def test_an_export_holds_nothing_of_where_one_may_not_read_any_more(cast: Cast) -> None:
    id, hall = str(await cast.agent("Nook")), await cast.you.channel("nook")
    guest = cast.guest.visitor
    for words in ("the honey is in the nook", "and the wax too"):
        said = await guest.say(hall, words)
        await cast.guest.known(said)
    assert "honey" in json.dumps((await exported(cast.guest))["messages"])
    await cast.manager.told("agent pause", agent=id)
    await cast.manager.close_room(id)

    async def hidden() -> bool:
        return "nook" not in await guest.channels()

    await until(hidden, "a hidden channel")
    data = await exported(cast.guest)
    assert "honey" not in json.dumps(data)
    assert data["where_you_may_not_read"] == {"messages": 2, "reactions": 0}


async def test_an_export_holds_threads_that_one_may_read(cast: Cast) -> None:
    async with called(cast, "tess") as tess:
        hall, visitor = tess.channel_id, tess.visitor
        open_one = await visitor.ask("POST", f"/channels/{hall}/threads", {"name": "open", "type": 11})
        closed = await cast.you.ask("POST", f"/channels/{hall}/threads", {"name": "closed", "type": 12})
        its = f"/channels/{closed['id']}/thread-members/{visitor.user['id']}"
        await cast.you.ask("PUT", its)
        await cast.you.ask("PUT", f"/channels/{closed['id']}/thread-members/{await bot_of(cast.you)}")
        for thread, words in ((open_one, "a line in the open"), (closed, "a line among few")):
            said = await visitor.say(thread["id"], words)
            await tess.known(said)
        assert "a line among few" in json.dumps((await exported(tess))["messages"])
        await cast.you.ask("DELETE", its)
        data = await exported(tess)
        assert "a line in the open" in json.dumps(data["messages"])
        assert "a line among few" not in json.dumps(data)
