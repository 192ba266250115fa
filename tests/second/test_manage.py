"""Journeys at the commands, by people who are neither owner nor administrator."""

import json
import re

import pytest

from tests.e2e.commanding import Commander, words_of
from tests.e2e.visitor import Json
from tests.second.town import Home, Town, eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")

SEND_MESSAGES = 1 << 11


async def test_setup_finds_every_permission_and_no_more_was_given(town: Town) -> None:
    told = await town.manager.told("setup start")
    assert "Every permission is there, in every channel." in told
    assert "Agents are AI" in told


async def test_a_plain_member_may_create_nobody_and_is_not_shown_setup(town: Town) -> None:
    told = await town.guest.told("agent create", name="Mine", prompt="You are mine.")
    assert "Only people who may manage the server can do that." in told
    path = f"/channels/{town.guest.channel_id}/application-command-index"
    offered = (await town.guest.visitor.ask("GET", path))["application_commands"]
    assert "setup" not in {one["name"] for one in offered}
    assert "agent" in {one["name"] for one in offered}


async def test_names_are_suggested_while_they_are_typed(town: Town) -> None:
    home = await town.agent("Quillon")
    assert await town.guest.suggested("agent show", "agent", "quil") == [f"Quillon (ID {home.id})"]


async def test_a_form_makes_an_agent(town: Town) -> None:
    form = await town.manager.run("agent create", template="Sage")
    assert "Sage Formed is created" in words_of(await town.manager.fill(form, name="Sage Formed"))
    channel = await town.you.channel("sage-formed")
    answer = await town.answered(await town.you.say(channel, "Who are you?"))
    assert answer["author"]["username"] == "Sage Formed"


async def test_a_clone_knows_what_the_first_one_knows(town: Town) -> None:
    await town.agent("Maple")
    await town.manager.told("knowledge set", agent="Maple", path="tea", value="green")
    told = await town.manager.told("agent clone", agent="Maple", name="Maplet", with_knowledge=True)
    assert "Maplet is created" in told
    assert await town.guest.visitor.channel("maplet")
    assert "green" in await town.manager.told("knowledge show", agent="Maplet")


async def test_a_retired_agents_room_can_only_be_read_until_it_is_back(town: Town) -> None:
    alder = await town.agent("Alder")
    assert "Alder is retired." in await town.manager.told("agent retire", agent="Alder")

    async def closed() -> bool:
        return not await may_speak(town, alder)

    await eventually(closed, "read-only channel")
    assert "Alder is back." in await town.manager.told("agent restore", agent="Alder")

    async def open_again() -> bool:
        return await may_speak(town, alder)

    await eventually(open_again, "channel that can be written in again")


async def may_speak(town: Town, home: Home) -> bool:
    """Try to say something in a room."""
    try:
        await town.guest.visitor.say(home.channel_id, "hello?")
    except AssertionError as refused:
        assert "403" in str(refused)
        return False
    return True


async def test_a_deleted_agent_leaves_a_note_and_a_room_that_can_be_read(town: Town) -> None:
    birch = await town.agent("Birch")
    await town.asked(town.you, birch, "Hello Birch")
    assert "Birch is deleted for good." in await town.confirmed("agent delete", "Delete Birch", agent="Birch")
    await town.wait_for(birch.channel_id, "Birch is gone for good", town.guest.visitor)
    assert "There is no agent" in await town.guest.told("agent show", agent="Birch")


async def test_a_deleted_agents_channel_goes_too_when_that_is_asked_for(town: Town) -> None:
    await town.agent("Reed")
    await town.confirmed("agent delete", "Delete Reed", agent="Reed", channel="remove")

    async def gone() -> bool:
        return "reed" not in await town.owner.channels()

    await eventually(gone, "channel that is gone")


async def test_a_guest_knocks_with_a_key_and_is_let_in(town: Town) -> None:
    vault = await private(town, "Vault")
    guest = town.guest.visitor
    made = await town.manager.told("key create", room="Vault", label="spare")
    secret = re.search(r"\|\|`(.+?)`\|\|", made)
    assert secret is not None
    assert "That key does not open that room." in await town.guest.told(
        "access request", room=str(vault.id), key="wrong"
    )
    assert "You knocked" in await town.guest.told("access request", room=str(vault.id), key=secret[1])
    pending = await town.manager.run("access pending")
    number = re.search(rf"\*\*(\d+)\*\*: @gus \(now <@{guest.user['id']}>\) at \*\*Vault", words_of(pending))
    assert number is not None, words_of(pending)
    assert "@gus is let in." in words_of(await town.manager.press(pending, f"Grant {number[1]}"))

    async def let_in() -> bool:
        return (await guest.channels()).get("vault", {}).get("id") == vault.channel_id

    await eventually(let_in, "channel for the guest")
    await guest.say(vault.channel_id, "thank you")
    told = await town.manager.told("access revoke", room=str(vault.id), member=guest.user["id"])
    assert "does not see the room any more" in told

    async def hidden() -> bool:
        return "vault" not in await guest.channels()

    await eventually(hidden, "hidden channel again")


async def private(town: Town, name: str) -> Home:
    """Make a room that only those see who were let in; its agent leaves the door to people."""
    home = await town.agent(name)
    await town.manager.told("agent pause", agent=name)
    await town.close(home)
    return home


async def test_what_is_said_in_a_private_room_reaches_no_guest(town: Town) -> None:
    den = await private(town, "Den")
    guest = town.guest.visitor
    await town.owner.say(den.channel_id, "the cake is behind the clock")
    there = Commander(town.owner, town.manager.channel_id)
    assert "behind the clock" in await there.told("history", room=str(den.id))
    with pytest.raises(AssertionError, match="403"):
        await guest.ask("GET", f"/channels/{den.channel_id}/messages?limit=10")
    assert "You cannot read that room" in await town.seen("history", room=str(den.id))
    assert "behind the clock" not in await town.seen("search", words="clock")
    assert "behind the clock" not in json.dumps(guest.heard)


async def test_a_manager_whom_discord_shows_no_private_room_can_knock_and_let_themselves_in(town: Town) -> None:
    cave = await private(town, "Cave")
    await town.owner.say(cave.channel_id, "owners and administrators alone see this here")
    assert "cave" not in await town.you.channels()
    with pytest.raises(AssertionError, match="403"):
        await town.you.say(cave.channel_id, "hello?")
    await town.manager.told("key create", room="Cave", label="own", key="speak friend")
    assert "You knocked" in await town.manager.told("access request", room=str(cave.id), key="speak friend")
    pending = await town.manager.told("access pending")
    number = re.search(rf"\*\*(\d+)\*\*: @mira \(now <@{town.you.user['id']}>\) at \*\*Cave", pending)
    assert number is not None, pending
    assert "is let in" in await town.manager.told("access grant", request=number[1])

    async def let_in() -> bool:
        return "cave" in await town.you.channels()

    await eventually(let_in, "channel for the manager")
    await town.you.say(cave.channel_id, "hello from inside")


async def test_attention_is_a_picture_with_numbers(town: Town) -> None:
    iris = await town.agent("Iris")
    told = await town.manager.told("attention set", agent="Iris", value="40", room="Iris")
    assert "Iris's attention for <#" in told
    shown = await town.manager.run("attention show", agent="Iris")
    assert f"Iris's room (ID {iris.id}): 40%" in words_of(shown)
    assert (await town.manager.bytes_of(shown)).startswith(b"\x89PNG")


async def test_a_topic_stands_on_the_channel(town: Town) -> None:
    await town.agent("Topaz")
    await town.manager.told("room topic", topic="Fog and tea", room="Topaz")

    async def shown() -> bool:
        return "Fog and tea" in ((await town.guest.visitor.channels())["topaz"]["topic"] or "")

    await eventually(shown, "topic")
    assert "Fog and tea" in await town.guest.told("room info", room="Topaz")


async def test_a_billboard_is_one_pinned_message_that_is_edited_in_place(town: Town) -> None:
    bill = await town.agent("Bill")
    first = await billboard(town, bill, "Boats leave at six")
    second = await billboard(town, bill, "Boats leave at seven")
    assert first["id"] == second["id"]
    form = await town.manager.run("room billboard", room="Bill")
    assert "The billboard is down." in words_of(await town.manager.fill(form, Billboard=""))

    async def unpinned() -> bool:
        return not await pins(town, bill)

    await eventually(unpinned, "channel without pins")


async def billboard(town: Town, home: Home, words: str) -> Json:
    """Write a room's billboard and give the message that is pinned then."""
    form = await town.manager.run("room billboard", room=home.name)
    assert "The billboard is up." in words_of(await town.manager.fill(form, Billboard=words))

    async def pinned() -> Json | None:
        found = await pins(town, home)
        return found[0] if len(found) == 1 and words in json.dumps(found) else None

    return await eventually(pinned, "pinned billboard")


async def pins(town: Town, home: Home) -> list[Json]:
    """Give what is pinned in a room, as a guest's client shows it."""
    found = await town.guest.visitor.ask("GET", f"/channels/{home.channel_id}/messages/pins")
    return [one["message"] for one in found["items"]]


async def test_a_sleeping_agent_shows_it_and_wakes(town: Town) -> None:
    await town.agent("Hazel")
    assert "Asleep until" in await town.manager.told("agent sleep", agent="Hazel", minutes=30)
    assert "sleeping" in await town.guest.told("agent show", agent="Hazel")
    assert "Hazel is woken." in await town.manager.told("agent wake", agent="Hazel")
    assert "sleeping" not in await town.guest.told("agent show", agent="Hazel")


async def test_a_paused_agent_gives_a_cue_and_goes_on_when_resumed(town: Town) -> None:
    pax = await town.agent("Pax")
    assert "Pax is paused." in await town.manager.told("agent pause", agent="Pax", reason="holiday")
    said = await town.guest.visitor.say(pax.channel_id, "Pax, are you there?")

    async def cued() -> bool:
        shown = (await town.guest.visitor.messages(pax.channel_id))[-1]
        return shown["id"] == said["id"] and "⏸️" in {one["emoji"]["name"] for one in shown.get("reactions", ())}

    await eventually(cued, "cue")
    assert "holiday" in await town.guest.told("agent show", agent="Pax")
    assert "Pax goes on." in await town.manager.told("agent resume", agent="Pax")
    answer = await town.asked(town.guest.visitor, pax, "Pax, and now?")
    assert answer["author"]["username"] == "Pax"


async def test_an_agent_that_may_makes_another_in_a_room_of_its_own(town: Town) -> None:
    gaia = await town.agent("Gaia")
    await town.manager.told("agent permit", agent="Gaia")
    child = {"type": "create_agent", "name": "Newt", "background_prompt": "You are Newt.", "in_room_id": gaia.id}
    await town.does(gaia, child, says="Here is Newt.")
    newt = await town.guest.visitor.channel("newt")
    answer = await town.answered(await town.guest.visitor.say(newt, "Who are you?"))
    assert answer["author"]["username"] == "Newt"
    assert "Newt" in await town.guest.told("room members", room="Gaia")
