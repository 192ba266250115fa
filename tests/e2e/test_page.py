"""The page with the whole Selfroom behind it, as a newcomer uses it in a browser."""

import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.test_lives import started
from tests.e2e.visitor import Visitor
from tests.playground.chromium import browsing
from tests.playground.page_driver import PATIENCE_MS, Tab

pytestmark = [pytest.mark.e2e, pytest.mark.browser]

ANSWER_MS = 2 * PATIENCE_MS


@pytest.fixture
async def tab(home: Living) -> AsyncIterator[Tab]:
    """The page, open as the person who owns the playground; an error on it fails the test."""
    async with browsing() as browser:
        page = await browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-GB")
        page.set_default_timeout(ANSWER_MS)
        one = Tab(page)
        one.listen()
        await page.goto(home.url)
        yield one
        assert not one.errors


async def go_to(tab: Tab, channel: str) -> None:
    """Open a channel from the list."""
    await tab.page.locator(".channel", has_text=channel).first.click()
    await expect(tab.box).to_be_visible()


async def test_a_newcomer_talks_reacts_makes_an_agent_and_finds_it_all_again(home: Living, tab: Tab) -> None:
    await expect(tab.page.get_by_text("scripted").first).to_be_visible()
    faces = tab.page.locator(".member.agent img")
    await expect(faces).to_have_count(2)  # before anybody said a word
    assert await faces.first.evaluate("one => one.decode().then(() => one.naturalWidth)") > 0
    await tab.shot("selfroom-1-welcome")
    await go_to(tab, "wren")
    await tab.say("Hello Wren, who are you?")
    answer = tab.page.locator(".message", has_text="lighthouse").last
    await expect(answer).to_be_visible(timeout=ANSWER_MS)
    await expect(answer.get_by_text("Wren", exact=True).first).to_be_visible()
    await answer.hover()
    await answer.get_by_role("button", name="React with thumbs up").click()
    await expect(answer.get_by_role("button", name="thumbs up, 1")).to_be_visible()
    sign = re.compile(r"[45]\.\d s → [45]\.\d s")
    await expect(answer.locator(".pace")).to_have_text(sign)
    await tab.shot("selfroom-2-answer")

    await tab.command("agent create")
    await tab.page.keyboard.press("Enter")
    form = tab.page.get_by_role("dialog")
    await form.get_by_label("Name").fill("Moss")
    await form.get_by_label("Who is it").fill("You are Moss, a gardener who loves rain.")
    await tab.shot("selfroom-3-form")
    await form.get_by_role("button", name="Submit").click()
    await expect(tab.page.get_by_text("Moss").first).to_be_visible()
    await expect(tab.page.locator(".channel", has_text="moss").first).to_be_visible(timeout=ANSWER_MS)

    await tab.page.reload()
    await expect(tab.page.locator(".channel", has_text="moss").first).to_be_visible()
    await go_to(tab, "wren")
    await expect(tab.message("Hello Wren, who are you?")).to_be_visible()
    await expect(tab.page.locator(".message", has_text="lighthouse").last).to_be_visible()
    await tab.page.set_viewport_size({"width": 390, "height": 780})
    await tab.page.reload()
    await expect(tab.page.locator(".pace")).to_be_in_viewport()
    await expect(tab.page.locator(".pace")).to_have_text(sign)
    await tab.shot("selfroom-4-again")


async def test_the_drawer_shows_what_the_agent_saw_and_what_it_cost(home: Living, tab: Tab) -> None:
    await go_to(tab, "ledger")
    await tab.say("Hello Ledger, remember that the picnic is on Friday")
    await expect(tab.page.locator(".message", has_text="picnic").nth(1)).to_be_visible(timeout=ANSWER_MS)
    await tab.page.get_by_role("complementary").get_by_text("Ledger", exact=True).first.click()
    await expect(tab.page.get_by_text("AGENT 1: Ledger").first).to_be_visible()
    await tab.shot("selfroom-5-drawer")


async def test_who_greets_wren_in_the_first_channel_is_led_to_where_wren_lives(home: Living, tab: Tab) -> None:
    await tab.box.press_sequentially("@Wr")
    await expect(tab.page.get_by_role("option", name="Wren")).to_have_count(0)
    await tab.box.fill("")
    await tab.say("Hello Wren! Anyone here?")
    sign = tab.page.locator(".message", has_text="No agent hears what is said in this channel")
    await expect(sign).to_have_count(1, timeout=ANSWER_MS)
    await tab.shot("selfroom-6-signpost")
    await sign.get_by_text("wren").last.click()
    await expect(tab.box).to_have_attribute("placeholder", "Message #wren")
    await tab.box.press_sequentially("@Wr")
    await expect(tab.page.get_by_role("option", name="Wren")).to_have_count(1)
    await tab.box.fill("")
    await tab.say("Hello Wren! Anyone here?")
    said_by_agent = tab.page.locator(".message", has=tab.page.locator(".badge", has_text="AGENT"))
    await expect(said_by_agent).to_have_count(1, timeout=ANSWER_MS)


async def test_who_is_here_tells_agents_and_people_and_a_room_has_a_pane_of_its_own(home: Living, tab: Tab) -> None:
    await go_to(tab, "wren")
    here = tab.page.locator(".members")
    await expect(here.get_by_text("Agents in this room · 1")).to_be_visible()
    await expect(here.get_by_text("People who may enter · 1")).to_be_visible()
    await expect(here.get_by_text("The Architect (0)")).to_be_visible()
    await here.get_by_role("button", name="Room information and settings").click()
    pane = tab.page.locator(".room-pane")
    await expect(pane.get_by_role("heading", name="Wren's room")).to_be_visible()
    await expect(pane.get_by_text("everyone on this server")).to_be_visible()
    await pane.get_by_role("button", name="Topic: change").click()
    line = tab.page.get_by_role("group", name="Command room topic")
    await line.get_by_role("combobox", name="topic", exact=True).fill("Fog, lamps and letters")
    await line.get_by_role("button", name="Run the command").click()
    await expect(pane.get_by_text("Fog, lamps and letters")).to_be_visible(timeout=ANSWER_MS)
    box = await pane.bounding_box()
    assert box is not None and box["width"] > 300 and box["x"] > 800  # beside the chat
    await tab.shot("selfroom-7-room")

    await pane.get_by_role("button", name="Agents in it: invite").click()
    line = tab.page.get_by_role("group", name="Command room invite")
    await line.get_by_role("combobox", name="agent", exact=True).fill("Ledger")
    await line.get_by_role("button", name="Run the command").click()
    await expect(pane.get_by_text("Wren, Ledger")).to_be_visible(timeout=ANSWER_MS)
    await expect(tab.page.locator(".channel", has_text="wren").locator(".inside")).to_have_text("+1")
    await expect(tab.page.get_by_role("button", name="with Ledger")).to_be_visible()
    await pane.get_by_role("button", name="Back to who is here").click()
    await expect(here.get_by_text("Agents in this room · 2")).to_be_visible()
    await here.get_by_role("button", name="Ledger").click()
    mark = tab.page.locator('.channel .inside[data-here="true"]')
    await expect(mark).to_have_count(2)  # its own room, and the one it is a guest in
    await tab.page.get_by_role("button", name="Back to who is here").last.click()
    await go_to(tab, "welcome")
    await expect(here.get_by_role("button", name="Room information and settings")).to_have_count(0)
    await expect(here.get_by_text("Agents · 2")).to_be_visible()


async def test_who_thinks_is_seen_to_think_in_that_room_and_from_others_where(
    home: Living, tab: Tab, you: Visitor
) -> None:
    await home.script({"match": "how many boats", "delay_seconds": 15})
    await go_to(tab, "ledger")
    said = await you.say(await you.channel("wren"), "Wren, how many boats are in?")
    wren = tab.page.locator(".member.agent", has_text="Wren").locator("small").first
    await expect(wren).to_have_text("thinking in #wren", timeout=ANSWER_MS)
    await go_to(tab, "wren")
    await expect(wren).to_have_text("thinking")
    await you.answer_after(said)


async def test_who_was_paused_by_a_person_is_told_apart_from_who_rests_until_discord_lets_it_in(
    home: Living, tab: Tab, you: Visitor
) -> None:
    hall = await you.channel("wren")
    manager = Commander(you, hall)
    await manager.told("agent pause", agent="Ledger")
    refusal = {"kind": "status", "status": 403, "route": "POST /webhooks/*", "count": None}
    async with home.session.post(f"{home.url}/playground/faults", json=refusal) as response:
        assert response.status == 200
    await manager.start("agent say", agent="Wren", message="The tide turns.")
    here = tab.page.locator(".members")
    ledger, wren = (here.locator(".member.agent", has_text=name) for name in ("Ledger", "Wren"))
    by_person, by_itself = "someone to resume it (paused by The Architect", "its channel, which rests until Discord"
    await expect(ledger).to_contain_text(f"paused · waits for {by_person}", timeout=ANSWER_MS)
    await expect(wren).to_contain_text(f"paused · waits for {by_itself} lets Selfroom in", timeout=ANSWER_MS)
    await expect(wren).not_to_contain_text("paused by")
    await tab.shot("selfroom-8-paused")
    for row, words, others in ((ledger, by_person, by_itself), (wren, by_itself, by_person)):
        await row.click()
        await expect(tab.page.locator(".drawer")).to_contain_text(f"waits for {words}")
        await expect(tab.page.locator(".drawer")).not_to_contain_text(others)
        await tab.page.get_by_role("button", name="Back to who is here").last.click()


async def test_who_writes_to_the_bot_in_private_is_told_what_works_there(home: Living, tab: Tab) -> None:
    await tab.page.get_by_role("button", name="Selfroom app").first.click()
    await tab.page.get_by_role("menuitem", name="Send a direct message").click()
    await expect(tab.page.get_by_role("heading", name="Selfroom", level=1)).to_be_visible()
    await tab.say("Hello Wren! Anyone here?")
    told = tab.page.locator(".message", has_text="nobody reads private messages to me")
    await expect(told).to_have_count(1, timeout=ANSWER_MS)
    await expect(told).to_contain_text("Wren in #wren")
    assert "/" not in await told.inner_text()  # no command is asked for where none works


@pytest.mark.long
async def test_a_page_that_stays_open_over_a_restart_shows_agents_again_and_keeps_what_is_typed(tmp_path: Path) -> None:
    async with browsing() as browser:
        one = Tab(await browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-GB"))
        one.page.set_default_timeout(ANSWER_MS)
        states = one.page.locator(".member.agent")
        async with started(tmp_path) as life:
            await life.ready()
            await one.page.goto(life.url)
            await go_to(one, "wren")
            await expect(states).to_have_count(2)
            await one.box.type("half a thought")
            life.process.send_signal(signal.SIGKILL)
            await life.ends()
        away = one.page.get_by_text("The bot does not answer just now")
        await expect(away).to_be_visible(timeout=ANSWER_MS)
        async with started(tmp_path, SELFROOM_PLAYGROUND_PORT=life.url.rpartition(":")[2]) as again:
            await again.ready()
            await expect(states).to_have_count(2, timeout=ANSWER_MS)
            await expect(states.first).to_contain_text("Wren")
            await expect(away).to_have_count(0)
            await expect(one.box).to_have_value("half a thought")
