"""`/agent` and `/hud`, as a manager and as a plain member."""

import json
import re
from collections.abc import AsyncIterator
from io import BytesIO

import pytest
import pytest_asyncio
from PIL import Image

from tests.core.cards import V2, png_card
from tests.e2e.proving import proves
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.visitor import until

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("agents")) as one:
        yield one


@proves(manager="agent list | agent show", member="agent list | agent show")
async def test_everyone_can_see_who_lives_here(cast: Cast) -> None:
    for who in (cast.manager, cast.guest):
        told = await who.told("agent list")
        assert "Wren" in told
        assert "Ledger" in told
        card = await who.told("agent show", agent="Wren")
        assert "Heartbeat" in card
        assert "gpt-4o-mini" in card


async def test_an_agent_that_is_not_there_is_named_in_the_refusal(cast: Cast) -> None:
    assert "There is no agent 'Nobody' here" in await cast.manager.told("agent show", agent="Nobody")


async def test_names_are_suggested_while_they_are_typed(cast: Cast) -> None:
    assert await cast.guest.suggested("agent show", "agent", "wr") == ["Wren (ID 1)"]


@proves(manager="agent create")
async def test_a_form_makes_an_agent_from_a_template(cast: Cast) -> None:
    form = await cast.manager.run("agent create", template="Sage")
    assert form["title"] == "Make an agent"
    told = words_of(await cast.manager.fill(form, name="Sage the Second"))
    assert "Sage the Second is created" in told
    channel = await cast.you.channel("sage-the-second")
    assert f"Talk there: <#{channel}>." in told


async def test_the_form_begins_with_templates_and_has_models_to_choose_from(cast: Cast) -> None:
    form = await cast.manager.run("agent create")
    assert [row.get("label") for row in form["components"]] == [
        "Start from",
        "Name",
        "Who is it, or what does it do?",
        "Model",
        "Picture",
    ]
    assert [one["value"] for one in form["components"][0]["component"]["options"]][:2] == ["Wren", "Ledger"]
    assert "gpt-4o" in [one["value"] for one in form["components"][3]["component"]["options"]]
    told = await cast.manager.fill(form, name="Solon")
    assert "Choose who to start from, or say who it is." in words_of(told)
    again = await cast.manager.press(told, "Open the form again")
    told = await cast.manager.fill(again, **{"Start from": "Sage", "Model": "gpt-4o"})
    assert "Solon is created" in words_of(told)
    shown = await cast.manager.told("agent show", agent="Solon")
    assert "gpt-4o" in shown and "You are Sage, a patient teacher" in shown


@proves(manager="agent browse", member="agent browse")
async def test_ready_made_agents_are_looked_at_before_one_is_made(cast: Cast) -> None:
    shown = await cast.manager.run("agent browse")
    assert all(heading in words_of(shown) for heading in ("Companions", "Helpers", "Game masters", "Moderators"))
    fennel = await cast.manager.press(shown, "Fennel")
    assert "river boats" in words_of(fennel) and "half a leek" in words_of(fennel)
    form = await cast.manager.press(fennel, "Make Fennel")
    assert "Fennel is created" in words_of(await cast.manager.fill(form))
    assert "Helpers" in words_of(await cast.manager.press(fennel, "All of them"))
    seen = await cast.guest.run("agent browse", template="Warden")
    assert "calmly" in words_of(seen) and "Make Warden" not in str(seen["components"])


async def test_a_template_alone_makes_an_agent_of_its_name(cast: Cast) -> None:
    form = await cast.manager.run("agent create")
    told = words_of(await cast.manager.fill(form, **{"Start from": "Host"}))
    assert "Host is created" in told


async def test_an_agent_is_made_with_a_picture(cast: Cast) -> None:
    picture = BytesIO()
    Image.new("RGB", (64, 64), "#336699").save(picture, "PNG")
    told = await cast.manager.run(
        "agent create", name="Iris", prompt="You are Iris.", file=("iris.png", picture.getvalue())
    )
    assert "Iris is created" in words_of(told)
    face = (await cast.home.agents())["Iris"]["face"]
    assert "/avatars/" in face
    told = await cast.manager.run("agent create", name="Blot", prompt="You are Blot.", file=("blot.png", b"no picture"))
    assert "Blot is created" in words_of(told) and "That file is no picture" in words_of(told)


@proves(manager="agent edit")
async def test_a_form_shows_an_agent_as_it_is_and_changes_it(cast: Cast) -> None:
    id = await cast.agent("Fern")
    form = await cast.manager.run("agent edit", agent=str(id))
    shown = {row["label"]: row["component"].get("value") for row in form["components"]}
    assert shown["Name"] == "Fern"
    assert shown["Temperature (0.0 to 2.0)"] == "0.7"
    told = words_of(await cast.manager.fill(form, name="Fern Green", temperature="0.2", other="greeny, fernie"))
    assert "Fern Green is changed." in told
    again = await cast.manager.run("agent edit", agent=str(id))
    shown = {row["label"]: row["component"].get("value") for row in again["components"]}
    assert shown["Other names it listens to, with commas"] == "greeny, fernie"


async def test_a_persona_has_to_be_named_and_a_form_that_fails_a_rule_is_offered_again_as_it_was(cast: Cast) -> None:
    form = await cast.manager.run("agent create")
    told = await cast.manager.fill(form, name="", who="You are somebody.")
    assert "Choose who to start from, or give it a name." in words_of(told)
    form = await cast.manager.press(told, "Open the form again")
    seed = "A long story, written with care. " * 40
    told = await cast.manager.fill(form, name="Wren", who=seed)
    assert "Wren" in words_of(told)
    again = await cast.manager.press(told, "Open the form again")
    assert [row["component"].get("value", "") for row in again["components"][1:3]] == ["Wren", seed]
    told = await cast.manager.fill(again, name="Nettle")
    assert "Nettle is created" in words_of(told)


async def test_what_a_form_cannot_read_is_said(cast: Cast) -> None:
    form = await cast.manager.run("agent edit", agent="Wren")
    assert "The temperature is a number" in words_of(await cast.manager.fill(form, temperature="hot"))
    form = await cast.manager.run("agent edit", agent="Wren")
    assert "temperature" in words_of(await cast.manager.fill(form, temperature="7"))


async def test_options_change_an_agent_without_a_form(cast: Cast) -> None:
    id = await cast.agent("Rowan")
    assert "Rowan is changed." in await cast.manager.told("agent edit", agent=str(id), token_budget=20_000)
    file = ("prompt.txt", ("You are Rowan. " * 100).encode())
    assert "Rowan is changed." in words_of(await cast.manager.run("agent edit", agent=str(id), file=file))
    assert "20,000 tokens" in await cast.manager.told("agent show", agent=str(id))


async def test_a_spare_model_is_named_and_taken_away_again(cast: Cast) -> None:
    id = await cast.agent("Sorrel")
    assert "Sorrel is changed." in await cast.manager.told("agent edit", agent=str(id), spare_models="gpt-4o, gpt-5")
    assert "gpt-4o-mini, else gpt-4o, else gpt-5" in await cast.manager.told("agent show", agent=str(id))
    form = await cast.manager.run("agent edit", agent=str(id))
    assert "Sorrel is changed." in words_of(await cast.manager.fill(form, model="gpt-5, gpt-4o-mini"))
    assert "gpt-5, else gpt-4o-mini" in await cast.manager.told("agent show", agent=str(id))
    assert "Sorrel is changed." in await cast.manager.told("agent edit", agent=str(id), spare_models="none")
    assert ", else" not in await cast.manager.told("agent show", agent=str(id))


@proves(manager="agent sleep | agent wake | agent pause | agent resume")
async def test_agents_sleep_wake_pause_and_go_on(cast: Cast) -> None:
    id = str(await cast.agent("Hazel"))
    assert "Asleep until" in await cast.manager.told("agent sleep", agent=id, minutes=30)
    assert "sleeping" in await cast.manager.told("agent show", agent=id)
    assert "Hazel is woken." in await cast.manager.told("agent wake", agent=id)
    assert "Hazel is paused." in await cast.manager.told("agent pause", agent=id, reason="holiday")
    assert "holiday" in await cast.guest.told("agent show", agent=id)
    assert "paused already" in await cast.manager.told("agent pause", agent=id)
    assert "Hazel goes on." in await cast.manager.told("agent resume", agent=id)


@proves(manager="agent retire | agent restore | agent delete")
async def test_agents_retire_come_back_and_are_deleted_for_good(cast: Cast) -> None:
    id = str(await cast.agent("Alder"))
    assert "Alder is retired." in await cast.manager.told("agent retire", agent=id)
    assert "Alder is back." in await cast.manager.told("agent restore", agent=id)
    asked = await cast.manager.run("agent delete", agent=id)
    assert "for good" in asked["content"]
    assert "Alder is deleted for good." in words_of(await cast.manager.press(asked, "Delete Alder"))
    assert "There is no agent" in await cast.manager.told("agent show", agent=id)


async def test_a_question_can_be_left(cast: Cast) -> None:
    id = str(await cast.agent("Birch"))
    asked = await cast.manager.run("agent delete", agent=id)
    left = await cast.manager.press_in_place(asked, "Leave it")
    assert "Nothing has changed." in words_of(left)
    assert "Birch" in await cast.manager.told("agent list")


@proves(manager="agent clone")
async def test_a_copy_knows_what_the_first_one_knows(cast: Cast) -> None:
    id = str(await cast.agent("Maple"))
    await cast.manager.told("knowledge set", agent=id, path="tea", value="green")
    told = await cast.manager.told("agent clone", agent=id, name="Maple Two", with_knowledge=True)
    assert "Maple Two is created" in told
    assert "green" in await cast.manager.told("knowledge show", agent="Maple Two")


@proves(manager="agent say")
async def test_someone_speaks_as_an_agent(cast: Cast) -> None:
    assert "Wren says it in <#" in await cast.manager.told("agent say", agent="Wren", message="Fog at seven.")
    hall = await cast.you.channel("wren")

    async def posted() -> bool:
        return any(one["content"] == "Fog at seven." for one in await cast.you.messages(hall))

    await until(posted, "the post")


@proves(manager="agent scheduled | room scheduled")
async def test_what_is_to_be_said_later_is_listed_and_taken_back(cast: Cast) -> None:
    for words in ("Fog at eight.", "Fog at nine."):
        await cast.manager.told("agent say", agent="Wren", message=words, minutes=60)
    listed = await cast.manager.told("agent scheduled", agent="Wren")
    assert "Fog at eight." in listed
    first, second = (int(number) for number in re.findall(r"\*\*(\d+)\*\* <t:", listed))
    told = await cast.manager.told("agent scheduled", agent="Wren", cancel=first)
    assert f"Message {first} will not be said." in told
    assert "Fog at eight." not in told
    assert "Fog at nine." in await cast.manager.told("room scheduled", room="Wren")
    assert "Nothing waits" in await cast.manager.told("room scheduled", room="Wren", cancel=second)


@proves(manager="agent permit")
async def test_an_agent_may_be_let_create_others(cast: Cast) -> None:
    assert "Wren may create agents." in await cast.manager.told("agent permit", agent="Wren")
    assert "Wren may not create agents." in await cast.manager.told("agent permit", agent="Wren", allowed=False)


@proves(manager="agent divide")
async def test_the_budget_is_divided(cast: Cast) -> None:
    told = await cast.manager.told("agent divide", agent="Ledger", knowledge=40, recent_actions=10, rooms=50)
    assert "The allocation is set." in told
    told = await cast.manager.told("agent divide", agent="Ledger", knowledge=60, recent_actions=10, rooms=30)
    assert "Rooms get at least 50%." in told


@proves(manager="agent import | agent export")
async def test_a_character_card_moves_in_greets_and_goes_out_again(cast: Cast) -> None:
    arrived = await cast.manager.run("agent import", file=("tamsin.png", png_card({"chara": V2})))
    assert "Tamsin has moved in" in words_of(arrived)
    channel = await cast.you.channel("tamsin")

    async def greeted() -> bool:
        return any("Mind the springs" in one["content"] for one in await cast.you.messages(channel))

    await until(greeted, "the greeting")
    assert "Of its lorebook, 1 of 2 entries can be used" in words_of(arrived)
    gone_out = await cast.manager.run("agent export", agent="Tamsin")
    card = json.loads(await cast.manager.text_of(gone_out))
    assert card["spec"] == "chara_card_v2"
    assert card["data"]["creator_notes"] == "made by hand"


@proves(manager="knowledge lore")
async def test_what_a_card_tells_of_its_world_is_known_while_it_is_spoken_of(cast: Cast) -> None:
    assert "came without a lorebook" in await cast.manager.told("knowledge lore", agent="Ledger")
    await cast.manager.run("agent import", file=("tamsin.png", png_card({"chara": V2})))
    listed = await cast.manager.told("knowledge lore", agent="Tamsin")
    assert "**the mill** (*old mill*): The old mill burnt down" in listed
    room = await cast.you.channel("tamsin")
    await cast.you.answer_after(await cast.you.say(room, "Tamsin, hello!"))
    assert "Tamsin's clock" not in await cast.manager.text_of(await cast.manager.run("hud show", agent="Tamsin"), 1)
    await cast.you.answer_after(await cast.you.say(room, "Tamsin, what became of the old mill?"))
    assert "Tamsin's clock" in await cast.manager.text_of(await cast.manager.run("hud show", agent="Tamsin"), 1)


async def test_a_broken_card_is_refused(cast: Cast) -> None:
    told = words_of(await cast.manager.run("agent import", file=("notes.txt", b"not a card")))
    assert "This is no character card" in told


@proves(manager="hud show | hud history | hud format")
async def test_a_manager_sees_the_hud_and_what_came_of_it(cast: Cast) -> None:
    hall = await cast.you.channel("ledger")
    await cast.you.answer_after(await cast.you.say(hall, "Hello Ledger, who are you?"))
    shown = await cast.manager.run("hud show", agent="Ledger")
    assert "tokens in" in shown["content"]
    hud = await cast.manager.text_of(shown, 1)
    assert "Hello Ledger, who are you?" in hud
    assert "==== ANSWER ====" in hud
    assert "> spoke to it; " in await cast.manager.told("hud history", agent="Ledger")
    assert "Ledger is changed." in await cast.manager.told("hud format", agent="Ledger", input="toon")
    assert "input toon" in json.dumps(await cast.manager.run("agent show", agent="Ledger"))
