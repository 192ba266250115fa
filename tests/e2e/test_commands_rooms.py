"""`/room`, `/key`, `/access` and `/attention`, as a manager and as a plain member."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.commanding import Commander
from tests.e2e.proving import proves
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.visitor import Json, until, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("rooms")) as one:
        yield one


async def channel_of(cast: Cast, name: str) -> Json:
    return (await cast.you.channels())[name]


@proves(manager="room info | room members", member="room info | room members")
async def test_a_room_is_shown_to_everyone_who_sees_it(cast: Cast) -> None:
    for who in (cast.manager, cast.guest):
        told = await who.told("room info")
        assert "Wren's room" in told
        assert "80 words" in told
        assert "its own room" in await who.told("room members")


@proves(manager="room topic")
async def test_a_topic_is_set_and_shown_on_the_channel(cast: Cast) -> None:
    assert "The topic is set." in await cast.manager.told("room topic", topic="Fog and tea")

    async def shown() -> bool:
        return "Fog and tea" in ((await channel_of(cast, "wren"))["topic"] or "")

    await until(shown, "the topic")
    assert "Fog and tea" in await cast.guest.told("room info")
    form = await cast.manager.run("room topic")  # and nothing more: what it is stands in the form
    assert "Fog and tea" in str(form["components"])
    assert "The topic is gone." in words_of(await cast.manager.fill(form, Topic=""))


@proves(manager="room billboard")
async def test_a_billboard_is_written_in_a_form_and_pinned(cast: Cast) -> None:
    assert "The billboard is up." in await cast.manager.told("room billboard", text="Boats leave at five")
    form = await cast.manager.run("room billboard")
    assert "Boats leave at five" in str(form["components"])
    assert "The billboard is up." in words_of(await cast.manager.fill(form, Billboard="Boats leave at six"))
    hall = await cast.you.channel("wren")

    async def pinned() -> bool:
        found = await cast.you.ask("GET", f"/channels/{hall}/pins")
        return any("Boats leave at six" in str(one) for one in found)

    await until(pinned, "the pinned billboard")
    form = await cast.manager.run("room billboard")
    assert "The billboard is down." in words_of(await cast.manager.fill(form, Billboard=""))


@proves(manager="room wpm | room rpm | room access")
async def test_the_pace_of_a_room_is_set(cast: Cast) -> None:
    assert "120 words a minute" in await cast.manager.told("room wpm", words=120)
    assert "50 messages a minute" in await cast.manager.told("room rpm", messages=50, room="Ledger")
    assert "Every agent may come in from now on." in await cast.manager.told("room access", access="open")
    assert "120 words, 200 messages" in await cast.guest.told("room info")


@proves(manager="room invite | room remove")
async def test_an_agent_is_invited_and_removed(cast: Cast) -> None:
    assert "Ledger is in Wren's room now." in await cast.manager.told("room invite", agent="Ledger")
    assert "Ledger" in await cast.guest.told("room members")
    assert "is in that room already" in await cast.manager.told("room invite", agent="Ledger")
    assert "Ledger is out of the room." in await cast.manager.told("room remove", agent="Ledger")
    assert "own room" in await cast.manager.told("room remove", agent="Wren")


@proves(manager="room hush", member="room hush")
async def test_everyone_may_hush_a_room_for_a_while(cast: Cast) -> None:
    assert "silent here for 10 minutes" in await cast.guest.told("room hush")
    assert "Silent until" in await cast.guest.told("room info")
    assert "Agents may speak here again." in await cast.guest.told("room hush", minutes=0)
    assert "silent here for 5 minutes" in await cast.manager.told("room hush", minutes=5)
    assert "Agents may speak here again." in await cast.manager.told("room hush", minutes=0)


@proves(manager="room clear")
async def test_messages_are_cleared_after_a_question(cast: Cast) -> None:
    hall = await cast.you.channel("ledger")
    said = [await cast.you.say(hall, f"Ben, {words}") for words in ("one to be cleared", "another", "a third")]
    await cast.manager.known(said[-1])
    asked = await cast.manager.run("room clear", messages=50, room="Ledger")  # answers may have come between them
    assert "cannot be undone" in asked["content"]
    told = await cast.manager.changed_to(await cast.manager.press(asked, "Delete 50"), "Deleted: ")
    assert int(re.findall(r"Deleted: (\d+) messages", told)[0]) >= len(said)

    async def gone() -> bool:
        return not {one["id"] for one in said} & {one["id"] for one in await cast.you.messages(hall)}

    await until(gone, "the end of what was said")


@proves(manager="attention set | attention show | attention reset")
async def test_attention_is_a_picture_with_numbers(cast: Cast) -> None:
    assert "Wren's attention for <#" in await cast.manager.told("attention set", agent="Wren", value="40")
    assert "at most 100%" in await await_invited(cast)
    shown = await cast.manager.run("attention show", agent="Wren")
    assert "Wren's room (ID 1): 40%" in words_of(shown)
    assert "40 %" in shown["attachments"][0]["description"]
    assert (await cast.manager.bytes_of(shown)).startswith(b"\x89PNG")
    assert "equal shares" in await cast.manager.told("attention reset", agent="Wren")
    assert "an equal share of what is left" in words_of(await cast.manager.run("attention show", agent="Wren"))


async def await_invited(cast: Cast) -> str:
    """Let Wren into another room and ask for more attention than there is."""
    await cast.manager.told("room invite", agent="Wren", room="Ledger")
    return await cast.manager.told("attention set", agent="Wren", value="70", room="Ledger")


@proves(manager="room visibility | access pending | access revoke", member="access request")
async def test_a_person_knocks_with_a_key_and_is_let_in(cast: Cast) -> None:
    id = str(await cast.agent("Vault"))
    await cast.manager.told("agent pause", agent=id)  # or its owner may decide first
    channel = await cast.you.channel("vault")
    made = await cast.manager.told("key create", room=id, label="spare")
    secret = re.search(r"\|\|`(.+?)`\|\|", made)
    assert secret is not None
    assert "The room is private now." in await cast.manager.close_room(id)

    async def hidden() -> bool:
        return "vault" not in await cast.guest.visitor.channels()

    await until(hidden, "a hidden channel")
    assert "That key does not open that room." in await cast.guest.told("access request", room=id, key="wrong")
    assert "You knocked" in await cast.guest.told("access request", room=id, key=secret[1])
    pending = await cast.manager.run("access pending")
    assert f"@guest (now <@{cast.guest.visitor.user['id']}>) at **Vault**'s room" in pending["content"]
    number = re.search(r"\*\*(\d+)\*\*", pending["content"])
    assert number is not None
    assert "let in" in words_of(await cast.manager.press(pending, f"Grant {number[1]}"))
    late = words_of(await cast.manager.press(pending, f"Deny {number[1]}"))
    assert (
        f"Request {number[1]} waits no longer: The Architect (@{cast.you.user['username']}) was first (granted)."
        in late
    )

    async def let_in() -> bool:
        return (await cast.guest.visitor.channels()).get("vault", {}).get("id") == channel

    await until(let_in, "the channel")
    asked = await cast.manager.told("access revoke", room=id, member=cast.guest.visitor.user["id"])
    assert "does not see the room any more" in asked
    await until(hidden, "a hidden channel again")


@proves(manager="access deny | access request")
async def test_only_managers_may_grant(cast: Cast) -> None:
    id = str(await cast.agent("Cellar"))
    await cast.manager.told("agent pause", agent=id)  # or its owner may decide first
    await cast.manager.told("key create", room=id, label="one", key="open sesame")
    assert "private" in await cast.manager.close_room(id)
    async with visiting(cast.home.url, "cora") as cora:
        caller = Commander(cora, cast.manager.channel_id)
        assert "You knocked" in await caller.told("access request", room=id, key="open sesame")
        number = re.search(r"\*\*(\d+)\*\*: @cora", await cast.manager.told("access pending"))
        assert number is not None
        assert "Only people who may manage" in await cast.guest.told("access grant", request=number[1])
        assert "turned away" in await cast.manager.told("access deny", request=number[1])
        assert "was first (denied)." in await cast.manager.told("access grant", request=number[1])
    assert "sees that room already" in await cast.manager.told("access request", room="Wren", key="any key")


@proves(manager="key create | key list | key give | key revoke")
async def test_keys_are_listed_given_and_withdrawn(cast: Cast) -> None:
    made = await cast.manager.told("key create", room="Ledger", label="gift", key="under the mat", hours=5, uses=3)
    assert "under the mat" in made
    listed = await cast.manager.told("key list", room="Ledger")
    assert "||`under the mat`||" in listed
    assert "3 uses left" in listed
    assert await cast.manager.suggested("key give", "label", "gi", room="Ledger") == ["gift"]
    assert not await cast.offered("key")
    given = await cast.manager.told("key give", label="gift", agent="Wren", room="Ledger")
    assert 'Wren holds the key "gift" now.' in given
    assert "opens the room no longer" in await cast.manager.told("key revoke", label="gift", room="Ledger")
    assert "no such key" in await cast.manager.told("key revoke", label="gift", room="Ledger")


async def test_a_key_is_handed_to_a_person_in_private(cast: Cast) -> None:
    await cast.manager.told("key create", room="Ledger", label="letter", key="behind the clock")
    person = cast.guest.visitor.user["id"]
    told = await cast.manager.told("key give", label="letter", person=person, room="Ledger")
    assert "private message" in told or "behind the clock" in told
    assert "Name an agent or a person" in await cast.manager.told("key give", label="letter", room="Ledger")


async def test_a_command_used_where_no_agent_lives_offers_rooms_that_one_may_read(cast: Cast) -> None:
    welcome = await cast.you.channel("welcome")
    outside, guest = Commander(cast.you, welcome), Commander(cast.guest.visitor, welcome)
    asked = await outside.run("scene start", kind="chat", title="Tea")
    assert "choose which one you mean" in words_of(asked)
    assert "Chat 1 opens in a thread of <#" in words_of(await outside.choose(asked, "In whose room?", "1"))
    await outside.told("scene stop", scene="1")
    await cast.you.say(cast.manager.channel_id, "Fog tonight.")
    await cast.manager.comes_to_tell("history", "Fog tonight.")
    asked = await guest.run("history")
    assert "Wren's room, newest first" in words_of(await guest.choose(asked, "In whose room?", "1"))
    await cast.manager.close_room(str(hidden := await cast.agent("Hideout")))
    offered = str((await guest.run("history"))["components"])
    assert f"'{hidden}'" not in offered and "Ledger" in offered
