"""Journeys through what agents keep: knowledge, focus, history, usage, and what people may have of it."""

import json

import pytest

from tests.e2e.commanding import Commander, words_of
from tests.e2e.visitor import Json
from tests.second.town import Town, eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_what_an_agent_is_told_to_know_is_shown_and_undone(town: Town) -> None:
    await town.agent("Sophy")
    for value in ("green", "black"):
        await town.manager.told("knowledge set", agent="Sophy", path="tea.kind", value=value)
    assert "black" in await town.manager.told("knowledge show", agent="Sophy")
    assert "tea.kind is as it was" in await town.manager.told("knowledge undo", agent="Sophy")
    assert "green" in await town.manager.told("knowledge show", agent="Sophy")


async def test_focus_is_written_in_a_form_line_by_line(town: Town) -> None:
    await town.agent("Fokke")
    form = await town.manager.run("focus set", agent="Fokke", section="notes")
    assert "updated" in words_of(await town.manager.fill(form, notes="Fog on Mondays\nTea at five"))
    shown = await town.manager.told("focus show", agent="Fokke")
    assert "- Fog on Mondays" in shown
    assert "- Tea at five" in shown


async def test_what_was_said_is_found_and_read_back(town: Town) -> None:
    archie = await town.agent("Archie")
    said = await town.guest.visitor.say(archie.channel_id, "Archie, the umbrella is behind the door")
    await town.answered(said)
    await town.sees("search", "umbrella", words="umbrella")
    assert said["id"] in await town.seen("search", words="umbrella")
    assert "the umbrella is behind the door" in await town.seen("history", room="Archie")


async def test_what_a_day_costs_is_a_picture_with_numbers(town: Town) -> None:
    penny = await town.agent("Penny")
    await town.asked(town.you, penny, "Hello Penny")
    assert "of 1.00 USD" in words_of(await town.manager.run("usage today"))
    by_agent = await town.manager.run("usage by", what="agent")
    assert "Penny" in words_of(by_agent)
    assert (await town.manager.bytes_of(by_agent)).startswith(b"\x89PNG")


async def test_a_person_takes_home_what_is_kept_of_them_and_is_forgotten(town: Town) -> None:
    mnemo = await town.agent("Mnemo")
    async with town.world.people("dora") as dora:
        caller = Commander(dora, town.guest.channel_id)
        said = await dora.say(mnemo.channel_id, "Mnemo, my parrot is called Rupert")
        await town.answered(said)

        async def kept() -> bool:
            data = json.loads(await caller.text_of(await caller.run("privacy export")))
            return "Rupert" in json.dumps(data["messages"])

        await eventually(kept, "message in the export", every=31)
        await town.manager.told("knowledge set", agent="Mnemo", path="people.@dora.parrot", value="Rupert")
        asked = await caller.run("privacy forget-me")
        assert "Nothing is deleted on Discord itself" in asked["content"]
        assert "It is done" in words_of(await caller.press(asked, "Forget me"))
        assert said["id"] not in await town.seen("search", words="parrot")  # an agent may have said that word, too
        assert "Rupert" not in await town.manager.told("knowledge show", agent="Mnemo")
        assert "Rupert" in str(await dora.messages(mnemo.channel_id))


async def test_everyone_may_ask_who_said_it(town: Town) -> None:
    otto = await town.agent("Otto")
    answer = await town.asked(town.guest.visitor, otto, "Hello Otto")
    there = Commander(town.guest.visitor, otto.channel_id)
    assert "**Otto** " in words_of(await there.menu("Who said this?", answer))
    offered = {one["name"] for one in await town.guest.visitor.offered(otto.channel_id)}
    assert "Who said this?" in offered
    assert "Show the HUD behind this" not in offered
    shown = await Commander(town.you, otto.channel_id).menu("Show the HUD behind this", answer)
    assert "Hello Otto" in await town.manager.text_of(shown)


async def test_a_message_that_a_manager_deletes_is_gone_everywhere(town: Town) -> None:
    orla = await town.agent("Orla")
    await town.does(orla, says="A slip of the tongue.")
    slip = await town.wait_for(orla.channel_id, "A slip of the tongue.")
    asked = await Commander(town.you, orla.channel_id).menu("Delete and forget", slip)
    assert "deleted, here and from every memory" in words_of(await town.manager.press(asked, "Delete"))
    assert slip["id"] not in [one["id"] for one in await town.owner.messages(orla.channel_id)]
    assert "slip of the tongue" not in await town.seen("history", room="Orla")


async def test_what_moderation_holds_back_waits_for_a_manager(town: Town) -> None:
    prude = await town.agent("Prude")
    office = town.manager.channel_id
    await town.manager.told("setup places", managers_channel=office)
    await town.manager.told("setup moderation", words="turnips")
    await town.does(prude, says="I adore turnips.")

    async def notice() -> Json | None:
        found = await town.you.messages(office)
        return next((one for one in found if "turnips" in one["content"] and one.get("components")), None)

    held = await eventually(notice, "notice")
    assert not await town.posts(prude.channel_id)
    assert "posted" in words_of(await town.manager.press(held, "Approve"))
    await town.wait_for(prude.channel_id, "I adore turnips.", town.guest.visitor)
    await town.manager.told("setup options", setting="held_words", value="default")
