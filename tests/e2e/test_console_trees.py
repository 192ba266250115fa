"""What-if trees in the console: read, grown at a price that stands on the button, and cut back, as by `/timeline`."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.test_console import heading, link, opened
from tests.e2e.test_console_keys import go, tab_to
from tests.e2e.test_page_timelines import node, tells
from tests.e2e.visitor import Visitor
from tests.playground.chromium import shut_out_by

pytestmark = [pytest.mark.e2e, pytest.mark.browser]
PRICED = r"\s*(about|under|free)"


async def forked(you: Visitor) -> tuple[Commander, int]:
    """Talk with Wren, and fork its room; gives the tree's number."""
    room = Commander(you, await you.channel("wren"))
    await you.answer_after(await you.say(room.channel_id, "Wren, who are you?"))
    return room, int((await room.told("timeline fork", title="the lights go out")).split()[1])


async def pane_of(page: Page, number: int) -> Locator:
    """Open a tree, and give its pane."""
    await heading(page, "Overview")
    await page.get_by_role("link", name="What-ifs").click()
    await heading(page, "What-ifs")
    await page.get_by_role("row", name=re.compile(rf"^{number}\b")).get_by_role("link").click()
    await heading(page, f"What if {number}: the lights go out")
    pane = page.get_by_role("region", name="What if")
    await expect(pane.get_by_role("treeitem")).to_have_count(1)
    return pane


async def test_a_tree_grows_in_the_console_at_the_price_on_each_button_and_is_cut_back(
    home: Living, you: Visitor
) -> None:
    room, number = await forked(you)
    async with opened(await link(room)) as tab:
        page = tab.page
        pane = await pane_of(page, number)
        side = pane.get_by_role("group", name="Node", exact=True)
        await side.get_by_role("button", name="Change …").click()
        form = page.get_by_role("dialog", name="What is otherwise after node 0")
        await form.get_by_label("What happens, as a line in the tree's room").fill("Wren, the lights go out!")
        await form.get_by_label("Who says that line").fill("mira")
        await form.get_by_label("Which agent is otherwise").select_option("Wren")
        await form.get_by_label("What the agent knows").fill("mood=wild")
        await form.get_by_role("button", name=re.compile(f"^Change{PRICED}")).click()
        await expect(form).to_have_count(0)
        await tells(node(pane, 1), "several changes after 0, done")
        await node(pane, 1).click()
        await expect(page).to_have_url(re.compile(rf"#/trees/{number}\?at=1$"))
        await side.get_by_role("button", name=re.compile(f"^Advance{PRICED}")).click()
        await tells(node(pane, 2), "went on after 1, done, 1 turn")
        await side.get_by_role("button", name=re.compile(f"^Siblings{PRICED}")).click()
        for sibling in (3, 4, 5):
            await tells(node(pane, sibling), "one of several after 1, done")
        await side.get_by_role("button", name="Ask …").click()
        form = page.get_by_role("dialog", name="Ask after node 1")
        await form.get_by_label("Whom").select_option("Wren")
        await form.get_by_label("What you ask").fill("Are you afraid?")
        await tab.shot("console-tree-ask")
        await form.get_by_role("button", name=re.compile(f"^Ask{PRICED}")).click()
        await tells(node(pane, 6), "was asked after 1, done")
        await node(pane, 6).click()
        await expect(side.locator("li[data-kind='message']").first).to_contain_text("Are you afraid?")
        await side.get_by_role("button", name="What Wren saw").first.click()
        await expect(page.get_by_role("dialog").get_by_label("HUD")).to_contain_text("Are you afraid?")
        await page.keyboard.press("Escape")
        await tab.shot("console-tree")
        await read_and_cut_back(page, pane, side)
    for words in ("node 6 was run again", "note was set beside node 6", "1 node deleted"):
        assert f"Tree {number}" in await room.told("audit", words=words)
    assert "wild" in await room.told("knowledge show", agent="1")


async def read_and_cut_back(page: Page, pane: Locator, side: Locator) -> None:
    """Run a node again, note something beside it, compare it, take over what is in it, and delete another."""
    await side.get_by_role("button", name="Run again").click()
    await expect(page.get_by_text("0 bytes differ")).to_be_visible()
    await side.get_by_role("button", name="Note …").click()
    form = page.get_by_role("dialog", name="A note beside node 6")
    await form.get_by_label("Note").fill("the brave one")
    await form.get_by_role("button", name="Keep it").click()
    await tells(node(pane, 6), "the brave one")
    await node(pane, 3).click(modifiers=["Shift"])
    await expect(side).to_contain_text("Node 6 and node 3 ")
    await side.get_by_role("button", name="Back").click()
    await side.get_by_role("button", name="Merge …").click()
    form = page.get_by_role("dialog", name="What life takes over from node 6")
    await form.get_by_label(re.compile("Wren: knowledge mood = wild")).check()
    await form.get_by_role("button", name="Take over what is ticked").click()
    await expect(form).to_have_count(0)
    await node(pane, 2).click()
    await side.get_by_role("button", name="Delete …").click()
    await page.get_by_role("dialog", name="Delete node 2?").get_by_role("button", name="Delete").click()
    await expect(node(pane, 2)).to_have_count(0)
    await expect(side.get_by_role("heading", level=3)).to_have_text("Node 0")


async def test_by_keys_alone_a_tree_is_walked_and_grown(home: Living, you: Visitor) -> None:
    room, number = await forked(you)
    async with opened(await link(room)) as tab:
        page = tab.page
        pane = await pane_of(page, number)
        side = pane.get_by_role("group", name="Node", exact=True)
        await go(page, side.get_by_role("button", name="Change …"))
        await page.keyboard.type("Wren, look!")
        form = page.get_by_role("dialog", name="What is otherwise after node 0")
        change = form.get_by_role("button", name=re.compile(f"^Change{PRICED}"))
        await expect(change).to_be_enabled()
        await go(page, change)
        await tells(node(pane, 1), "an event after 0, done")
        await tab_to(page, node(pane, 0))
        await page.keyboard.press("ArrowRight")
        await expect(node(pane, 1)).to_be_focused()
        await page.keyboard.press("Enter")
        advance = side.get_by_role("button", name=re.compile(f"^Advance{PRICED}"))
        await expect(advance).to_be_enabled()
        await go(page, advance)
        await tells(node(pane, 2), "went on after 1, done, 1 turn")


async def test_a_tree_fits_on_a_phone_and_shuts_nobody_out(home: Living, you: Visitor) -> None:
    room, number = await forked(you)
    for dark in (False, True):
        async with opened(await link(room), wide=390, dark=dark) as tab:
            page = tab.page
            pane = await pane_of(page, number)
            await expect(pane.get_by_role("button", name=re.compile(f"^Frontier{PRICED}"))).to_be_visible()
            await pane.get_by_role("tab", name="Knowledge").click()
            await expect(pane.get_by_role("tabpanel")).not_to_be_empty()
            assert await page.evaluate("document.documentElement.scrollWidth") <= 390
            assert [one["id"] for one in await shut_out_by(page)] == []
            await tab.shot(f"console-tree-phone-{'dark' if dark else 'light'}")
            await pane.get_by_role("button", name="Ask …").click()
            await expect(
                page.get_by_role("dialog").get_by_role("button", name=re.compile(f"^Ask{PRICED}"))
            ).to_be_enabled()
            assert [one["id"] for one in await shut_out_by(page)] == []
            await tab.shot(f"console-tree-phone-ask-{'dark' if dark else 'light'}")
