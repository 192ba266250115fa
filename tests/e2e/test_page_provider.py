"""A server's own provider is brought in a browser: the key is typed into a form and stands nowhere afterwards."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.adapters.keyed import keyed
from tests.e2e.conftest import living, quick_settings
from tests.e2e.test_page_commands import ANSWER_MS, Desk
from tests.playground.chromium import browsing
from tests.playground.page_driver import Tab

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio]

OURS = "sk-our-own-5678-sesame"


async def test_a_key_is_typed_into_a_form_and_shown_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = quick_settings(tmp_path, monkeypatch, SELFROOM_PRIVATE_PROVIDERS="true")
    async with keyed(OURS) as theirs, living(settings) as home, browsing() as browser:
        context = await browser.new_context(viewport={"width": 1360, "height": 850}, locale="en-GB")
        context.set_default_timeout(ANSWER_MS)
        await context.add_init_script("localStorage.setItem('playground.welcomed', 'true')")
        tab = Tab(await context.new_page())
        tab.listen()
        await tab.page.goto(home.url)
        desk = Desk(tab)
        await desk.go("wren")
        await desk.use("setup provider", use="another server")
        form = tab.page.get_by_role("dialog")
        await form.get_by_label("Base URL").fill(theirs.url)
        await form.get_by_label("Key").fill(OURS)
        await form.get_by_label("Model of new agents").fill("gpt-4o-mini")
        await tab.shot("setup-provider-form")
        await form.get_by_role("button", name="Submit").click()
        await expect(tab.page.get_by_text("gpt-4o-mini answers in").first).to_be_visible()
        await desk.use("setup provider")
        await expect(tab.page.get_by_text("with this server's own key:").last).to_be_visible()
        await desk.use("setup start")
        await expect(desk.answer("setup start")).to_contain_text(f"read by models at {theirs.url}")
        await tab.shot("setup-provider-shown")
        assert OURS not in await tab.page.content()
        assert theirs.keys == {OURS}
        assert tab.errors == []
