"""What a person writes goes where they mean it and is not lost: messages, drafts, keys pressed elsewhere, forms."""

import pytest
from playwright.async_api import Browser, Page, Route, expect

from tests.playground.page_driver import Scene, Tab, staged

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def fail_to_send(scene: Scene, tab: Tab, text: str) -> None:
    """Write something that the server refuses."""
    route = "POST /channels/*/messages"
    await scene.ask("POST", "/playground/faults", {"kind": "status", "route": route, "status": 400})
    await tab.box.fill(text)
    await tab.box.press("Enter")
    await expect(tab.message(text)).to_contain_text("Not sent")
    tab.errors.clear()  # the browser itself notes the refusal


async def go(page: Page, name: str) -> None:
    await page.locator(".channel", has_text=name).click()
    await expect(page.locator(".channel[aria-current]", has_text=name)).to_be_visible()


async def test_a_message_that_was_not_sent_waits_over_other_channels_lost_lines_and_a_reload(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.guild.create_text_channel("garden")
        tab = await scene.tab()
        await fail_to_send(scene, tab, "A long thought")
        await go(tab.page, "garden")
        await expect(tab.message("A long thought")).to_have_count(0)
        await go(tab.page, "welcome")
        await expect(tab.message("A long thought")).to_contain_text("Not sent")
        me = scene.about["person"]["user"]["id"]
        async with tab.page.expect_websocket():
            await scene.ask("POST", "/playground/faults", {"kind": "invalid_session", "user_id": me})
            await scene.channel.send("in between")
        await expect(tab.message("in between")).to_be_visible()
        await expect(tab.message("A long thought")).to_contain_text("Not sent")
        await tab.page.reload()
        await tab.shot("not-sent")
        await tab.message("A long thought").get_by_role("button", name="Try again").click()
        await expect(tab.page.locator(".message:not(.failed)", has_text="A long thought")).to_have_count(1)
        await expect(tab.message("Not sent")).to_have_count(0)
        await tab.page.reload()
        await expect(tab.message("A long thought")).to_have_count(1)


async def test_what_stands_in_the_box_survives_a_reload_channel_by_channel(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.guild.create_text_channel("garden")
        tab = await scene.tab()
        await tab.box.fill("Half a sentence for the wel")
        await go(tab.page, "garden")
        await expect(tab.box).to_have_value("")
        await tab.box.fill("and one for the gar")
        await tab.page.reload()
        await expect(tab.box).to_have_value("and one for the gar")
        await go(tab.page, "welcome")
        await expect(tab.box).to_have_value("Half a sentence for the wel")
        await tab.box.press("Enter")
        await tab.message("Half a sentence").wait_for()
        await tab.page.reload()
        await tab.message("Half a sentence").wait_for()
        await expect(tab.box).to_have_value("")


async def test_a_command_that_was_being_filled_in_survives_a_reload_and_another_channel(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.guild.create_text_channel("garden")
        tab = await scene.tab()
        await tab.command("feed")
        line = tab.page.get_by_role("group", name="Command feed")
        await line.get_by_role("combobox", name="name").fill("Momo")
        await line.get_by_role("combobox", name="treat").fill("app")
        await tab.page.reload()
        await expect(line.get_by_role("combobox", name="name")).to_have_value("Momo")
        await go(tab.page, "garden")
        await expect(line).to_have_count(0)
        await expect(tab.box).to_have_value("")
        await go(tab.page, "welcome")
        await expect(line.get_by_role("combobox", name="treat")).to_have_value("app")
        await line.get_by_role("button", name="Leave the command").click()
        await tab.page.reload()
        await expect(tab.box).to_have_value("")
        await expect(line).to_have_count(0)


async def test_a_slip_beside_a_form_does_not_close_it(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.command("note")
        await tab.page.keyboard.press("Enter")
        form = tab.page.get_by_role("dialog", name="Write a note")
        await form.get_by_label("Words").fill("A whole page of words")
        await tab.page.mouse.click(5, 5)
        await expect(form.get_by_label("Words")).to_have_value("A whole page of words")


async def test_who_clicks_a_channel_or_a_message_and_types_writes_into_the_box(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.guild.create_text_channel("garden")
        tab = await scene.tab()
        keys = tab.page.keyboard
        await go(tab.page, "garden")
        await keys.type("really ripe")
        await expect(tab.box).to_have_value("really ripe")
        await keys.press("Enter")
        await tab.page.locator(".message:not(.pending)", has_text="really ripe").click()
        await keys.type("e, r and + are letters")
        await expect(tab.box).to_have_value("e, r and + are letters")
        await expect(tab.page.locator(".reply-bar")).to_be_hidden()
        await tab.message("really ripe").click(button="right")
        await expect(tab.page.get_by_role("menu")).to_be_visible()
        await keys.press("Escape")
        await expect(tab.page.get_by_role("menu")).to_have_count(0)
        await tab.box.fill("")
        await tab.message("really ripe").focus()
        await expect(tab.message("really ripe")).to_be_focused()
        await keys.type("red")
        await expect(tab.box).to_have_value("red")


async def test_a_form_opens_only_in_the_tab_where_the_command_was_given(browser: Browser) -> None:
    async with staged(browser) as scene:
        one, other = await scene.tab(), await scene.tab()
        await one.command("note")
        await one.page.keyboard.press("Enter")
        form = one.page.get_by_role("dialog", name="Write a note")
        await form.wait_for()
        await other.say("meanwhile")
        await one.message("meanwhile").wait_for()
        await expect(other.page.get_by_role("dialog")).to_have_count(0)
        await form.get_by_label("Heading").fill("Tuesday")
        await form.get_by_role("button", name="Mood").click()
        await one.page.get_by_role("option", name="calm").click()
        await form.get_by_role("button", name="Submit").click()
        await expect(other.message("Noted Tuesday")).to_be_visible()


async def test_what_is_written_quickly_is_said_in_that_order_over_a_limit_too(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        posts = 0

        async def once_too_quick(route: Route) -> None:
            nonlocal posts
            posts += route.request.method == "POST"
            if route.request.method != "POST" or posts != 2:
                return await route.continue_()
            slower = {"message": "You are being rate limited.", "retry_after": 0.5, "global": False}
            return await route.fulfill(status=429, json=slower)

        await tab.page.route("**/channels/*/messages", once_too_quick)
        words = ["one", "two", "three", "four"]
        for word in words:
            await tab.box.fill(word)
            await tab.box.press("Enter")
        await expect(tab.message("four")).to_be_visible()
        await expect(tab.page.locator(".message.pending")).to_have_count(0)
        said = [one.content async for one in scene.channel.history(oldest_first=True)]
        assert [one for one in said if one in words] == words
        tab.errors.clear()  # the browser itself notes the limit
