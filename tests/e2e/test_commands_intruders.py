"""People who try for more than they may: other people's buttons, rights they have lost, guessed numbers."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from tests.e2e.commanding import Commander, inside
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.visitor import Json, until, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]

REFUSED = "Only people who may manage the server can do that."
CONFIRMED = {"agent delete": "Delete Wren", "room clear": "Delete 5"}
FORMS: dict[str, dict[str, str]] = {
    "agent create": {"name": "Cuckoo", "who": "You are a cuckoo."},
    "agent edit": {"name": "Cuckoo"},
    "room billboard": {"billboard": "Eggs here"},
    "focus set": {"notes": "Cuckoos are kind"},
    "focus defaults": {"notes": "Cuckoos are kind"},
    "plan set": {"goals": "Lay eggs"},
}
OPTIONS: dict[str, Json] = {
    "agent delete": {"agent": "Wren"},
    "agent edit": {"agent": "Wren"},
    "room clear": {"messages": 5},
    "focus set": {"agent": "Wren", "section": "notes"},
    "plan set": {"agent": "Wren", "part": "goals"},
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("intruders")) as one:
        yield one


class Officer(Commander):
    """A manager who can lose the right."""

    async def retire(self, you: Cast) -> None:
        """Take the right away."""
        guild = self.visitor.about["guild_id"]
        roles = await you.owner.ask("GET", f"/guilds/{guild}/roles")
        role = next(one["id"] for one in roles if one["name"] == "Managers")
        await you.owner.ask("DELETE", f"/guilds/{guild}/members/{self.visitor.user['id']}/roles/{role}")


@asynccontextmanager
async def officer(cast: Cast, name: str) -> AsyncIterator[Officer]:
    async with visiting(cast.home.url, name, manager=True) as visitor:
        yield Officer(visitor, cast.manager.channel_id)


async def private_room(cast: Cast, name: str) -> str:
    """Make an agent whose room the guest cannot see; gives its id."""
    id = str(await cast.agent(name))
    await cast.manager.told("agent pause", agent=id)  # or its owner may decide who comes in
    await cast.manager.told("key create", room=id, label=f"{name} one", key="open sesame")
    await cast.manager.close_room(id)

    async def hidden() -> bool:
        return name.lower() not in await cast.guest.visitor.channels()

    await until(hidden, "a hidden channel")
    return id


async def state_of(cast: Cast) -> str:
    """Give what a manager sees of Wren, its room and its messages."""
    told = [await cast.manager.told(path) for path in ("room info", "agent list")]
    told += [await cast.manager.told(path, agent="Wren") for path in ("focus show", "plan show")]
    return "\n".join([*told, *(one["content"] for one in await cast.you.messages(cast.manager.channel_id))])


async def test_buttons_that_somebody_else_was_shown_cannot_be_pressed(cast: Cast) -> None:
    asked = await cast.manager.run("agent delete", agent="Wren")
    with pytest.raises(AssertionError, match="404"):
        await cast.guest.press(asked, "Delete Wren")
    form = await cast.manager.run("agent create")
    with pytest.raises(AssertionError, match="404"):
        await cast.guest.fill(form, name="Cuckoo", who="You are a cuckoo.")
    assert "Cuckoo" not in await cast.manager.told("agent list")


@pytest.mark.parametrize("path", CONFIRMED)
async def test_who_lost_the_right_after_the_question_cannot_say_yes(cast: Cast, path: str) -> None:
    before = await state_of(cast)
    async with officer(cast, f"olga {path}") as olga:
        asked = await olga.run(path, **OPTIONS[path])
        await olga.retire(cast)
        assert REFUSED in words_of(await olga.press(asked, CONFIRMED[path]))
    assert await state_of(cast) == before


@pytest.mark.parametrize("path", FORMS)
async def test_who_lost_the_right_after_the_form_was_opened_cannot_send_it(cast: Cast, path: str) -> None:
    before = await state_of(cast)
    async with officer(cast, f"omar {path}") as omar:
        form = await omar.run(path, **OPTIONS.get(path, {}))
        await omar.retire(cast)
        assert REFUSED in words_of(await omar.fill(form, **FORMS[path]))
    assert await state_of(cast) == before


async def test_who_lost_the_right_can_use_no_entry_of_a_menu_that_is_open(cast: Cast) -> None:
    answer = await cast.answered("Hello Wren, who are you?")
    async with officer(cast, "otto") as otto:
        deleting = await otto.menu("Delete and forget", answer)
        reacting = await otto.menu("React as The Architect", answer)
        await otto.retire(cast)
        assert REFUSED in words_of(await otto.press(deleting, "Delete"))
        assert REFUSED in words_of(await otto.press(reacting, "👍"))
    assert answer["id"] in [one["id"] for one in await cast.you.messages(answer["channel_id"])]


async def test_who_lost_the_right_can_take_no_step_of_the_setup(cast: Cast) -> None:
    welcome = await cast.you.channel("welcome")
    async with officer(cast, "odile") as odile:
        steps = await odile.run("setup start")
        await odile.retire(cast)
        assert REFUSED in words_of(await odile.press(steps, "Try the model"))
        assert REFUSED in words_of(await odile.choose(steps, "Where managers are told things", welcome))
        with pytest.raises(AssertionError, match="403"):
            await odile.run("setup start")
    assert f"told things in <#{welcome}>" not in await cast.manager.told("setup start")


async def test_who_lost_the_right_can_turn_no_page(cast: Cast) -> None:
    for number in range(30):
        label, secret = f"key {number:02} {'x' * 50}", f"secret {number:02} {'y' * 50}"
        await cast.manager.told("key create", room="Ledger", label=label, key=secret)
    async with officer(cast, "oona") as oona:
        listed = await oona.run("key list", room="Ledger")
        on = next(part["label"] for part in listed["components"][0]["components"] if part["label"].startswith("On"))
        await oona.retire(cast)
        assert words_of(await oona.press(listed, on)) == REFUSED


async def test_who_lost_the_right_can_use_no_button_of_a_card(cast: Cast) -> None:
    labels = {"HUD", "Knowledge", "Beats", "Wake", "Pause"}
    async with officer(cast, "oscar") as oscar:
        card = await oscar.run("agent show", agent="Ledger")
        await oscar.retire(cast)
        assert labels <= {part.get("label") for part in inside(card["components"])}
        for label in labels:
            assert words_of(await oscar.press(card, label)) == REFUSED, label
    shown = await cast.guest.run("agent show", agent="Ledger")
    assert not labels & {part.get("label") for part in inside(shown["components"])}


async def test_who_lost_the_right_can_let_nobody_in(cast: Cast) -> None:
    id = await private_room(cast, "Crypt")
    async with officer(cast, "ophelia") as ophelia:
        assert "You knocked" in await cast.guest.told("access request", room=id, key="open sesame")
        pending = await ophelia.run("access pending")
        label = next(part["label"] for row in pending["components"] for part in row["components"])
        await ophelia.retire(cast)
        assert REFUSED in words_of(await ophelia.press(pending, label))
    told = await cast.manager.told("access pending")
    assert "@guest (now <@" in told
    assert "at **Crypt**" in told
    assert "crypt" not in await cast.guest.visitor.channels()


async def test_who_manages_the_server_reads_every_room_of_it(cast: Cast) -> None:
    id = await private_room(cast, "Vault")
    hall = await cast.owner.channel("vault")
    said = await cast.owner.say(hall, "The ledger is in the chimney")
    await Commander(cast.owner, hall).known(said)
    async with officer(cast, "oscar") as oscar:
        assert "vault" not in await oscar.visitor.channels()
        assert "ledger is in the chimney" in await oscar.told("search", words="chimney")
        assert "ledger is in the chimney" in await oscar.told("history", room=id)


async def test_a_private_room_tells_a_plain_member_nothing_however_it_is_named(cast: Cast) -> None:
    id = await private_room(cast, "Tomb")
    await cast.manager.told("room topic", room=id, topic="The amulet is under the stone")
    hall = await cast.owner.channel("tomb")
    said = await cast.owner.say(hall, "The amulet is under the stone")
    await Commander(cast.owner, hall).known(said)
    for named in (id, "Tomb", "#tomb", f" {id} "):
        answers = [
            await cast.guest.told(f"room {path}", room=named) for path in ("info", "members", "hush", "summaries")
        ]
        assert all("no such room, or it is private" in told for told in answers), answers
        assert "You cannot read that room" in await cast.guest.told("history", room=named)
        assert "Nothing was found." in await cast.guest.told("search", words="amulet", room=named)
    with pytest.raises(AssertionError, match="403"):
        await Commander(cast.guest.visitor, hall).told("history")
    for path in ("agent show", "heartbeat status"):
        assert "amulet" not in json.dumps(await cast.guest.run(path, agent=id))


@pytest.mark.parametrize("guess", ["0", "-1", "1; drop table agents", "１", "9" * 15, "1e3", "NULL", "\u202e1"])
async def test_guessed_numbers_open_nothing(cast: Cast, guess: str) -> None:
    nobody = "0 is The Architect" if guess == "0" else "There is no agent"
    assert nobody in await cast.guest.told("agent show", agent=guess)
    for who, words in ((cast.guest, [REFUSED]), (cast.manager, ["waits no longer"])):
        told = await who.told("access grant", request=guess)
        assert any(one in told for one in [*words, "Give the number of a request"]), told
