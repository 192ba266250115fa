"""What-if trees in the console: as `/timeline show` gives them, by link, and not to who may not look."""

import pytest
from playwright.async_api import expect

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.test_console import heading, link, opened
from tests.e2e.visitor import Visitor
from tests.playground.chromium import shut_out_by

pytestmark = [pytest.mark.e2e, pytest.mark.browser]


async def test_a_tree_is_read_in_the_console(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    await you.answer_after(await you.say(room.channel_id, "Wren, who are you?"))
    await room.told("timeline fork", title="the lights go out")
    async with opened(await link(room), wide=390) as tab:
        page = tab.page
        await heading(page, "Overview")
        await page.get_by_role("link", name="What-ifs").click()
        await heading(page, "What-ifs")
        await page.get_by_role("link", name="the lights go out").click()
        await heading(page, "the lights go out")
        await expect(page.get_by_role("region", name="What its agents carry")).to_contain_text("Wren")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        assert [one["id"] for one in await shut_out_by(page)] == []
        await tab.shot("console-trees")
