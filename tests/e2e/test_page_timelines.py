"""A tree of what-ifs on the page with the whole Selfroom behind it: seen live, grown, read and compared by presses."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
from playwright.async_api import Locator, expect

from bot.seclusion import Seclusion
from tests.adapters.discord.stage import until
from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.sharing import words_of
from tests.e2e.test_page import ANSWER_MS, go_to, tab
from tests.e2e.test_scenes import thread_of
from tests.e2e.test_timelines import board, killed
from tests.e2e.visitor import Visitor, visiting
from tests.playground.page_driver import Tab
from tests.playground.test_page_access import AT_REST, faults, too_small

pytestmark = [pytest.mark.e2e, pytest.mark.browser]
__all__ = ["tab"]


@asynccontextmanager
async def forked(home: Living) -> AsyncIterator[Commander]:
    """Fork Wren's room after a talk, give an event, and give the tree's thread."""
    async with visiting(home.url) as you:
        room = Commander(you, await you.channel("wren"))
        await you.answer_after(await you.say(room.channel_id, "Wren, good evening!"))
        number = int((await room.told("timeline fork", title="the lights go out")).split()[1])
        inside = Commander(you, await thread_of(you, room.channel_id, f"🌳 what if … ({number})"))
        await inside.told("timeline change", node=0, event="Wren, the lights go out!", visitor="mira")
        await board(inside, "🟢 **Node 1** an event")
        yield inside


def node(pane: Locator, number: int) -> Locator:
    """Find a node of the picture."""
    return pane.get_by_role("treeitem", name=re.compile(rf"^Node {number}\b"))


async def tells(node: Locator, words: str) -> None:
    """Wait until a node says so of itself."""
    await expect(node).to_have_accessible_name(re.compile(words), timeout=ANSWER_MS)


async def opened(tab: Tab) -> Locator:
    """Open the tree's thread, and give its pane."""
    await go_to(tab, "what if")
    pane = tab.page.get_by_role("region", name="What if")
    await expect(pane.get_by_role("heading", level=2)).to_have_text("What if 1: the lights go out", timeout=ANSWER_MS)
    return pane


async def test_a_fork_in_which_nobody_will_do_anything_says_so_in_its_answer_and_its_panel(
    home: Living, tab: Tab
) -> None:
    async with visiting(home.url) as you:
        room = Commander(you, await you.channel("wren"))
        await room.press(await room.run("heartbeat pause"), "Pause everyone")
        await room.told("privacy ignore-me", ignore=True)
        told = await room.told("timeline fork", title="the lights go out")
        assert "⚠️ Everyone is paused where it begins" in told and "⚠️ Agents ignore you, as you wished" in told
    pane = await opened(tab)
    await expect(pane.locator(".tree-remarks p")).to_have_text(
        [re.compile("Everyone is paused.*/heartbeat resume"), re.compile("nobody in it has heard you")]
    )
    side = pane.get_by_role("group", name="Node", exact=True)
    await side.get_by_role("button", name=re.compile(r"^Advance\s*(about|under|free)")).click()
    await node(pane, 1).click()
    await expect(side).to_contain_text("nobody in it has a reason to do anything", timeout=ANSWER_MS)
    assert await faults(tab, "silent what-if") == []


async def test_a_manager_grows_reads_and_compares_a_tree_by_presses(home: Living, tab: Tab) -> None:
    async with forked(home) as inside:
        pane = await opened(tab)
        await expect(tab.page.locator(".typing")).to_contain_text("No agent hears this thread: ask one in a node")
        drawn = tab.page.get_by_role("img", name="A tree of 2 nodes").first
        await expect(drawn).to_have_css("filter", re.compile("invert"))  # in light, as every picture of ours
        await tells(node(pane, 1), "an event after 0, done")
        await node(pane, 1).click()
        side = pane.get_by_role("group", name="Node", exact=True)
        await expect(side.get_by_role("heading", level=3)).to_have_text("Node 1")
        advance = side.get_by_role("button", name=re.compile(r"^Advance\s*(about|under|free)"))
        await expect(advance).to_be_enabled()
        await advance.click()
        await tells(node(pane, 2), "went on after 1, done, 1 turn")
        await expect(pane.locator(".tree-state")).to_have_text(re.compile(r"of \d\.\d\d imaginary USD$"))
        await expect(side.locator(".tree-about").first).to_have_text(re.compile(r"imaginary USD$"))
        await expect(tab.message("Made: 1 node (2).")).to_be_visible()
        siblings = side.get_by_role("button", name=re.compile(r"^Siblings\s*(about|under|free)"))
        await siblings.click()
        for number in (3, 4, 5):
            await tells(node(pane, number), "one of several after 1, done")

        await node(pane, 2).click()
        await expect(side.locator("li[data-kind='beat']")).to_contain_text("Wren looked")
        await side.get_by_role("button", name="What Wren saw").first.click()
        seen = tab.page.get_by_role("dialog", name="What Wren saw in node 2")
        await expect(seen.get_by_label("HUD")).to_contain_text("Wren, the lights go out!")
        await tab.page.keyboard.press("Escape")
        await side.get_by_role("tab", name="Transcript").click()
        await expect(side.get_by_role("tabpanel")).to_contain_text("@mira: Wren, the lights go out!")
        await inside.told("timeline change", node=2, agent="Wren", knows="mood=wild")
        await node(pane, 6).click()
        await side.get_by_role("tab", name="Knowledge").click()
        await expect(side.get_by_role("tabpanel")).to_contain_text("mood")
        await expect(side.get_by_role("tabpanel")).to_contain_text("wild")
        await tab.shot("timeline-knowledge")

        await node(pane, 3).click(modifiers=["Shift"])
        await expect(side).to_contain_text("Node 6 and node 3 ")
        await expect(node(pane, 6)).to_have_attribute("aria-selected", "true")
        await expect(node(pane, 3)).to_have_attribute("aria-selected", "true")
        await tab.shot("timeline-compared")
        await side.get_by_role("button", name="Back").click()
        await expect(side.get_by_role("heading", level=3)).to_have_text("Node 6")
        await side.get_by_role("button", name="Compare with …").click()
        await expect(pane).to_contain_text("Choose the other node.")
        await node(pane, 1).click()
        await expect(side).to_contain_text("Node 6 and node 1 ")

        await cut_back(tab, pane, inside)


async def test_a_whole_what_if_by_presses_though_its_process_is_killed_twice(home: Living, tab: Tab) -> None:
    orchard = home.house.desk.timelines.orchard
    assert orchard is not None and isinstance(orchard.grower, Seclusion)
    await go_to(tab, "wren")
    await tab.say("Wren, good evening!")
    await expect(tab.page.locator(".message", has=tab.page.locator(".badge", has_text="AGENT"))).to_have_count(
        1, timeout=ANSWER_MS
    )
    async with visiting(home.url) as you:
        wren = await you.channel("wren")
        before = await said(you, wren)
        await tab.pick("Wren, good evening!", "Show the HUD behind this")
        await tab.page.get_by_role("button", name="What if…").last.click()
        begun = tab.message("Tree 1 begins in")
        await expect(begun).to_be_visible(timeout=ANSWER_MS)
        inside = Commander(you, await thread_of(you, wren, "🌳 what if … (1)"))
        await inside.told("timeline change", node=0, event="Wren, good night!", agent="Wren", knows="mood=wild")
        await go_to(tab, "what if")
        pane = tab.page.get_by_role("region", name="What if")
        await twelve(tab, pane, orchard.grower)
        await node(pane, 2).click()
        await node(pane, 3).click(modifiers=["Shift"])
        side = pane.get_by_role("group", name="Node", exact=True)
        await expect(side).to_contain_text(re.compile("Node 2 and node 3 differ|These worlds are the same"))
        await tab.shot("timeline-twelve")

        await node(pane, 2).click()
        await side.get_by_role("button", name="Merge …").click()
        offered = tab.message("knowledge mood: wild").last
        await offered.get_by_role("button", name="Choose what comes into real life").click()
        await tab.page.get_by_role("option", name="Wren: knowledge mood").click()
        await tab.page.keyboard.press("Escape")
        await tab.page.get_by_role("button", name="Take it over").last.click()
        await expect(tab.message("Taken over from what-if 1/2: 1 thing.")).to_be_visible()
        room = Commander(you, wren)
        assert "wild" in await room.told("knowledge show", agent="Wren")
        sure = await inside.run("timeline unmerge", merge=1)
        assert "Put back: Wren's knowledge, mood." in words_of(await inside.press(sure, "Put it back"))
        assert "wild" not in await room.told("knowledge show", agent="Wren")

        await side.get_by_role("button", name="Delete …").click()
        await tab.page.locator(".message").last.get_by_role("button", name="Delete").click()
        await expect(pane.get_by_role("treeitem")).to_have_count(8)
        assert await said(you, wren) == before


async def said(you: Visitor, channel: str) -> list[str]:
    """Give what people and agents said in a channel."""
    return [one["content"] for one in await you.messages(channel) if one["type"] == 0]


async def twelve(tab: Tab, pane: Locator, grower: Seclusion) -> None:
    """Grow a tree of two nodes to twelve by its buttons, and kill its process amid two of the runs."""
    side = pane.get_by_role("group", name="Node", exact=True)
    runs = ((1, "Advance", [2]), (1, "Siblings", [3, 4, 5]), (2, "Siblings", [6, 7, 8]), (1, "Siblings", [9, 10, 11]))
    for place, (of, how, made) in enumerate(runs):
        await node(pane, of).click(timeout=ANSWER_MS)
        await expect(side.get_by_role("heading", level=3)).to_have_text(f"Node {of}")
        button = side.get_by_role("button", name=re.compile(rf"^{how}\s*(about|under|free)"))
        await expect(button).to_be_enabled(timeout=ANSWER_MS)
        await button.click()
        await expect(node(pane, made[0])).to_be_visible(timeout=ANSWER_MS)
        if place in (1, 2):
            killed(grower)
        for number in made:
            await tells(node(pane, number), "done")
    await expect(pane.get_by_role("treeitem")).to_have_count(12)


async def cut_back(tab: Tab, pane: Locator, inside: Commander) -> None:
    """Note something beside a node, and delete another with what came from it."""
    side = pane.get_by_role("group", name="Node", exact=True)
    await inside.told("timeline note", node=3, text="the dark one")
    await tells(node(pane, 3), "the dark one")
    await node(pane, 2).click()
    await side.get_by_role("button", name="Delete …").click()
    await tab.page.locator(".message").last.get_by_role("button", name="Delete").click()
    await expect(node(pane, 2)).to_have_count(0)
    await expect(node(pane, 6)).to_have_count(0)
    await expect(side.get_by_role("heading", level=3)).to_have_text("Node 0")


async def test_what_happened_while_the_line_was_down_is_there_once(home: Living, tab: Tab) -> None:
    async with forked(home) as inside:
        pane = await opened(tab)
        items = pane.get_by_role("treeitem")
        await expect(items).to_have_count(2)
        for first in (2, 4, 6):
            await tab.page.context.set_offline(True)
            await inside.told("timeline multi", node=1, siblings=2, turns=1)
            await tab.page.context.set_offline(False)
            await expect(items).to_have_count(first + 2, timeout=ANSWER_MS)
            for number in (first, first + 1):
                await tells(node(pane, number), "done")
        tab.errors.clear()  # the browser itself notes that the line was down


async def test_the_picture_is_moved_and_walked_by_wheel_keys_and_fingers(home: Living, tab: Tab) -> None:
    async with forked(home) as inside:
        await inside.told("timeline multi", node=1, siblings=3, turns=1)
        pane = await opened(tab)
        await expect(pane.get_by_role("treeitem")).to_have_count(5)
        plane = pane.locator(".tree-picture > g")

        async def scale() -> float:
            return float(await plane.evaluate("one => one.transform.baseVal.consolidate().matrix.a"))

        async def left() -> float:
            return float(await plane.evaluate("one => one.transform.baseVal.consolidate().matrix.e"))

        first = await scale()
        box = await pane.locator(".tree-picture").bounding_box()
        assert box is not None
        await tab.page.mouse.move(box["x"] + 60, box["y"] + 60)
        await tab.page.mouse.wheel(0, -400)
        assert await scale() > first
        await pane.get_by_role("button", name="Show all nodes").click()
        assert await scale() == pytest.approx(first)
        before = await left()
        await tab.page.mouse.move(box["x"] + 20, box["y"] + 20)
        await tab.page.mouse.down()
        await tab.page.mouse.move(box["x"] + 70, box["y"] + 20, steps=5)
        await tab.page.mouse.up()
        assert await left() == pytest.approx(before + 50)
        await pane.locator(".tree-picture").evaluate(PINCH)
        assert await scale() > 1.5 * first

        await walked(tab, pane)
        await node(pane, 0).focus()
        for key in ("0", "+", "-"):
            await tab.page.keyboard.press(key)
            assert (await scale() > first * 1.1) is (key == "+")
        await expect(tab.box).to_have_value("")


async def walked(tab: Tab, pane: Locator) -> None:
    """Go through the picture by keys."""
    keys, focused = tab.page.keyboard, tab.page.locator(":focus")
    await pane.get_by_role("button", name="Only the tree").focus()
    await keys.press("Tab")
    await expect(focused).to_have_accessible_name(re.compile("^Node 0"))
    await keys.press("ArrowRight")
    await keys.press("ArrowRight")
    await keys.press("ArrowDown")
    await expect(focused).to_have_accessible_name(re.compile("^Node 3"))
    await keys.press("Enter")
    await expect(pane.get_by_role("heading", level=3)).to_have_text("Node 3")
    await keys.press("ArrowUp")
    await keys.press("Shift+Enter")
    await expect(pane).to_contain_text("Node 3 beside node 2")


PINCH = """(svg) => {
  const box = svg.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const fire = (type, pointerId, at) =>
    svg.dispatchEvent(new PointerEvent(type, { pointerId, clientX: at, clientY: y, bubbles: true }));
  svg.setPointerCapture = () => {};
  fire("pointerdown", 11, x - 20);
  fire("pointerdown", 12, x + 20);
  for (let step = 1; step <= 10; step += 1) {
    fire("pointermove", 11, x - 20 - 4 * step);
    fire("pointermove", 12, x + 20 + 4 * step);
  }
  fire("pointerup", 11, x - 60);
  fire("pointerup", 12, x + 60);
  delete svg.setPointerCapture;
}"""


async def on_a_phone(tab: Tab) -> Tab:
    """Open the same page with fingers."""
    browser = tab.page.context.browser
    assert browser is not None
    page = await browser.new_page(viewport={"width": 390, "height": 780}, has_touch=True, locale="en-GB")
    await page.add_init_script("localStorage.setItem('playground.welcomed', 'true')")
    await page.emulate_media(reduced_motion="reduce")
    await page.goto(tab.page.url)
    return Tab(page)


async def test_the_tree_is_for_everybody_in_light_dark_and_on_a_phone(home: Living, tab: Tab) -> None:
    async with forked(home) as inside:
        await inside.told("timeline multi", node=1, siblings=3, turns=1)
        await tab.page.emulate_media(reduced_motion="reduce")
        wrong, small = [], []
        for look in ("light", "dark", "phone"):
            if look == "phone":
                tab = await on_a_phone(tab)
                await tab.page.get_by_role("button", name="Channels").click()
            await tab.page.emulate_media(color_scheme="light" if look == "light" else "dark")
            pane = await opened(tab)
            await node(pane, 1).click()
            side = pane.get_by_role("group", name="Node", exact=True)
            await expect(side.get_by_role("button", name=re.compile("^Advance"))).to_be_enabled()
            for name in ("Transcript", "Knowledge", "In it"):
                await side.get_by_role("tab", name=name).click()
                await until(partial(tab.page.evaluate, AT_REST))
                wrong += await faults(tab, f"{look}, {name}")
            small += await too_small(tab, look) if look == "phone" else []
            await tab.shot(f"timeline-{look}-node")
            await node(pane, 2).click(modifiers=["Shift"])
            await expect(side).to_contain_text("Node 1 and node 2 ")
            wrong += await faults(tab, f"{look}, compared")
            await tab.shot(f"timeline-{look}")
        assert not wrong + small, "\n".join(wrong + small)


async def test_who_does_not_manage_is_shown_no_tree(home: Living, tab: Tab) -> None:
    async with forked(home), visiting(home.url, "guest") as guest:
        await tab.page.goto("about:blank")
        await tab.page.goto(f"{home.url}/#as={guest.user['id']}")
        await go_to(tab, "what if")
        await expect(tab.message("What if 1")).to_be_visible()
        await expect(tab.page.get_by_role("region", name="What if")).to_be_hidden()
        for path in ("", "/1", "/1/nodes/0/minds", "/1/nodes/0/prices"):
            assert "Only people who may manage the server" in await home.face(f"/trees{path}", token=guest.token)
