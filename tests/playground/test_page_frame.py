"""The page as a whole: history, keys, phones, colours, lost connections, and texts that try to break out."""

import asyncio
import re
import time

import pytest
from playwright.async_api import Browser, Route, WebSocketRoute, expect

from tests.playground.page_driver import Scene, staged

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

EVERYTHING = """# A heading
-# and what stands small below
**bold** *italic* __under__ ~~gone~~ `code` ||secret||
> a quote
> of two lines
- one
- two
  - two and a half
1. first
2. second
```py
print("<b>not bold</b>")
```
<script>alert(1)</script> <img src=x onerror=alert(1)> &amp; [a link](https://example.org) https://example.com/a_(b)
<t:0:R> :wave: <:blob:123456789012345678> @everyone javascript:alert(1) [no](javascript:alert(1))"""


async def fill(scene: Scene, count: int) -> None:
    """Put lines into the first channel, oldest first."""
    for number in range(count):
        await scene.channel.send(f"line {number}")


async def test_history_is_loaded_on_the_way_up_and_the_place_is_kept(browser: Browser) -> None:
    async with staged(browser) as scene:
        await fill(scene, 130)
        tab = await scene.tab()
        await expect(tab.page.locator(".message")).to_have_count(50)
        await expect(tab.message("line 129")).to_be_in_viewport()
        await tab.log.hover()
        for _ in range(40):
            if await tab.page.locator(".log-start").count():
                break
            top = tab.page.locator(".message").first
            await tab.page.mouse.wheel(0, -1500)
            await top.count()
        await expect(tab.page.locator(".log-start")).to_have_count(1)
        await expect(tab.page.locator(".message")).to_have_count(131)
        await tab.page.get_by_role("button", name="To the newest").click()
        await expect(tab.message("line 129")).to_be_in_viewport()


async def test_a_line_that_comes_while_reading_above_moves_nothing(browser: Browser) -> None:
    async with staged(browser) as scene:
        await fill(scene, 60)
        tab = await scene.tab()
        target = tab.message("line 20").first
        await target.scroll_into_view_if_needed()
        await expect(tab.page.get_by_role("button", name="To the newest")).to_be_visible()
        before = await target.bounding_box()
        await scene.channel.send("something new at the end")
        await tab.message("something new at the end").wait_for()
        after = await target.bounding_box()
        assert before is not None and after is not None
        assert after["y"] == pytest.approx(before["y"], abs=1)  # the browser scrolls to parts of a pixel, later


async def test_a_jump_into_the_past_loads_what_is_around_and_leads_back(browser: Browser) -> None:
    async with staged(browser) as scene:
        old = await scene.channel.send("the old promise")
        await fill(scene, 140)
        await old.pin()
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="Pinned messages").click()
        await tab.page.get_by_role("button", name="Jump").click()
        await expect(tab.message("the old promise").first).to_be_in_viewport()
        await expect(tab.message("line 139")).to_have_count(0)
        await tab.page.get_by_role("button", name="To the newest").click()
        await expect(tab.message("line 139")).to_be_in_viewport()


async def test_a_long_answer_is_read_from_its_beginning(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.say("Good morning")
        await tab.command("tell")
        await tab.page.keyboard.press("Enter")
        answer = tab.message("Once upon a time")
        await expect(answer.get_by_text("Once upon a time")).to_be_in_viewport()
        await tab.say("And so on")
        await expect(tab.message("And so on")).to_be_in_viewport()


async def test_texts_are_shown_with_their_marks_and_never_as_html(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await scene.channel.send(EVERYTHING)
        message = tab.message("A heading")
        await expect(message.locator(".heading")).to_have_text("A heading")
        await expect(message.locator("pre code")).to_have_text('print("<b>not bold</b>")')
        await expect(message.locator("script, img, b")).to_have_count(0)
        links = message.locator("a")
        assert [await link.get_attribute("href") for link in await links.all()] == [
            "https://example.org",
            "https://example.com/a_(b)",
        ]
        await expect(message.locator("li li")).to_have_text("two and a half")
        await message.get_by_role("button", name="Spoiler").click()
        await expect(message.get_by_text("secret")).to_be_visible()
        await tab.shot("markdown")


READ = """async (texts) => {
  const { inline } = await import("/js/text/inline.js");
  return texts.map((text) => {
    const shown = document.createElement("p");
    const began = performance.now();
    shown.append(...inline({}, text));
    return [shown.innerHTML, performance.now() - began];
  });
}"""


async def test_backticks_without_an_end_are_read_once(browser: Browser) -> None:
    code = {
        "a `b` c": "a <code>b</code> c",
        "`` `b` ``": "<code>`b`</code>",
        "``b` c": "<code>`b</code> c",
        "`b`` c": "`b`` c",
        "\\`b` c`": "`b<code> c</code>",
        "`" * 9: "`" * 9,
    }
    async with staged(browser) as scene:
        tab = await scene.tab()
        read = await tab.page.evaluate(READ, [*code, "`" * 20_000])
        assert [html for html, _ in read[:-1]] == [*code.values()]
        assert read[-1][1] < 500  # milliseconds; when each backtick looks at all that follow it takes seconds


async def test_everything_can_be_done_with_the_keyboard(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.send("Use the keys")
        tab = await scene.tab()
        keys = tab.page.keyboard
        await tab.page.locator(".skip").focus()
        await keys.press("Enter")
        await expect(tab.box).to_be_focused()
        await keys.type("As you wish")
        await keys.press("Enter")
        await tab.page.locator(".message:not(.pending)", has_text="As you wish").wait_for()
        await keys.press("Shift+Tab")
        await keys.press("Shift+Tab")
        await expect(tab.page.locator(".message:focus-within")).to_have_count(1)
        await tab.message("As you wish").focus()
        await keys.press("ArrowUp")
        await expect(tab.message("Use the keys")).to_be_focused()
        await keys.press("+")
        await expect(tab.page.get_by_label("Find an emoji")).to_be_focused()
        await keys.type("brain")
        await expect(tab.page.locator(".emoji-cell").first).to_have_attribute("aria-label", ":brain:")
        await keys.press("Enter")
        await expect(tab.message("Use the keys").get_by_role("button", name="brain, 1")).to_be_visible()
        await tab.message("Use the keys").focus()
        await keys.press("r")
        await expect(tab.page.locator(".reply-bar")).to_be_visible()
        await expect(tab.box).to_be_focused()
        await keys.type("Gladly")
        await keys.press("Enter")
        await tab.page.locator(".message:not(.pending)", has_text="Gladly").wait_for()
        await expect(tab.message("Gladly").locator(".reply-line")).to_contain_text("Use the keys")
        await tab.message("Gladly").focus()
        await keys.press("Enter")
        await expect(tab.page.get_by_role("menuitem", name="Reply")).to_be_focused()
        await tab.shot("keyboard")
        await keys.press("Escape")
        await expect(tab.message("Gladly")).to_be_focused()
        await keys.press("Escape")
        await expect(tab.box).to_be_focused()


async def test_a_message_that_goes_away_leaves_the_focus_in_the_log(browser: Browser) -> None:
    async with staged(browser) as scene:
        kept, gone = await scene.channel.send("Stays"), await scene.channel.send("Goes")
        tab = await scene.tab()
        await tab.message("Goes").focus()
        await gone.delete()
        await expect(tab.message("Goes")).to_have_count(0)
        await expect(tab.message(kept.content)).to_be_focused()


async def test_a_phone_has_the_chat_and_drawers_for_the_rest(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.guild.create_text_channel("garden")
        await scene.channel.send("Read me on a small screen, in the evening, with one thumb.")
        tab = await scene.tab(size=(390, 780), touch=True)
        await expect(tab.message("Read me")).to_be_in_viewport()
        width = await tab.page.evaluate("document.documentElement.scrollWidth")
        assert width == 390
        await tab.shot("phone")
        await tab.page.get_by_role("button", name="Channels").click()
        await tab.page.get_by_role("button", name="garden").wait_for()
        await expect(tab.page.locator(".side")).to_have_css("transform", "none")
        await tab.shot("phone-channels")
        await tab.page.get_by_role("button", name="garden").click()
        await expect(tab.page.get_by_role("button", name="garden")).not_to_be_visible()
        await tab.say("Planted")
        await tab.page.get_by_role("button", name="Who is here").click()
        await expect(tab.page.get_by_role("button", name="Selfroom app")).to_be_visible()
        await expect(tab.page.locator(".panel :focus")).to_have_count(1)
        await tab.shot("phone-members")
        await tab.page.keyboard.press("Escape")
        await expect(tab.page.get_by_role("button", name="Selfroom app")).not_to_be_visible()
        await expect(tab.page.get_by_role("button", name="Who is here")).to_be_focused()


async def test_the_list_of_channels_that_is_opened_while_the_page_begins_stays_open(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.guild.create_text_channel("garden")
        context = await browser.new_context(viewport={"width": 390, "height": 780}, has_touch=True)
        scene.stack.push_async_callback(context.close)
        page, told, may_listen = await context.new_page(), asyncio.Event(), asyncio.Event()

        async def slowly(route: Route) -> None:
            await told.wait()
            await route.continue_()

        async def listen_late(line: WebSocketRoute) -> None:
            await may_listen.wait()
            line.connect_to_server()

        await page.route("**/playground", slowly)
        await page.route_web_socket("**", listen_late)
        await page.goto(scene.playground.url)
        pressing = asyncio.create_task(page.get_by_role("button", name="Channels").click())
        told.set()
        await pressing
        await expect(page.locator(".frame")).to_have_class(re.compile("side-open"))
        may_listen.set()
        await page.get_by_role("button", name="garden").click()  # by a finger: it is to be seen
        await expect(page.locator(".channel[aria-current]")).to_contain_text("garden")
        await expect(page.locator(".frame")).not_to_have_class(re.compile("side-open"))


async def test_back_on_a_phone_puts_away_what_covers_the_chat_before_it_leaves_the_page(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.guild.create_text_channel("garden")
        await scene.channel.send("Read me")
        tab = await scene.tab(size=(390, 780), touch=True)
        page, url = tab.page, tab.page.url
        garden = page.get_by_role("button", name="garden")
        here, somebody = page.get_by_role("button", name="Who is here"), page.get_by_role("button", name="Selfroom app")

        await page.get_by_role("button", name="Channels").click()
        await expect(garden).to_be_visible()
        await page.go_back()
        await expect(garden).not_to_be_visible()

        await here.click()
        await somebody.wait_for()
        await page.go_back()
        await expect(somebody).not_to_be_visible()
        await tab.shot("phone-after-back")

        await here.click()
        await tab.page.keyboard.press("Control+/")
        keys = page.get_by_role("dialog", name="Keys")
        await keys.wait_for()
        await page.go_back()
        await expect(keys).not_to_be_visible()
        await expect(somebody).to_be_visible()
        await page.go_back()
        await expect(somebody).not_to_be_visible()

        await here.click()
        await page.keyboard.press("Escape")  # closed in another way: Back leaves at once
        await expect(somebody).not_to_be_visible()
        assert page.url == url
        await page.go_back()
        await expect(page).to_have_url("about:blank")
        tab.errors.clear()  # what the tests put into each page finds no storage there


async def test_back_goes_to_the_channel_before_and_forward_again(browser: Browser) -> None:
    async with staged(browser) as scene:
        for name in ("garden", "harbour"):
            await scene.channel.guild.create_text_channel(name)
        tab = await scene.tab()
        page, here = tab.page, tab.page.locator(".channel[aria-current]")
        for name in ("garden", "harbour", "garden"):
            await page.locator(".channel", has_text=name).click()
            await expect(here).to_contain_text(name)
        for name in ("harbour", "garden", "welcome"):
            await page.go_back()
            await expect(here).to_contain_text(name)
            await expect(tab.box).to_have_attribute("placeholder", f"Message #{name}")
        await page.go_forward()
        await expect(here).to_contain_text("garden")
        await page.reload()
        await expect(here).to_contain_text("garden")
        await page.go_back()
        await expect(here).to_contain_text("welcome")
        await page.go_back()
        await expect(page).to_have_url("about:blank")
        tab.errors.clear()  # what the tests put into each page finds no storage there


async def test_back_passes_by_a_channel_that_is_gone(browser: Browser) -> None:
    async with staged(browser) as scene:
        made = [await scene.channel.guild.create_text_channel(name) for name in ("garden", "harbour")]
        tab = await scene.tab()
        here = tab.page.locator(".channel[aria-current]")
        for channel in made:
            await tab.page.locator(".channel", has_text=channel.name).click()
            await expect(here).to_contain_text(channel.name)
        await made[0].delete()
        await expect(tab.page.locator(".channel", has_text="garden")).to_have_count(0)
        await tab.page.go_back()
        await expect(here).to_contain_text("welcome")


async def test_back_on_a_phone_goes_to_the_channel_before_when_nothing_covers_the_chat(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.guild.create_text_channel("garden")
        tab = await scene.tab(size=(390, 780), touch=True)
        page, here = tab.page, tab.page.locator(".channel[aria-current]")
        await page.get_by_role("button", name="Channels").click()
        await page.get_by_role("button", name="garden").click()
        await expect(here).to_contain_text("garden")
        await page.get_by_role("button", name="Who is here").click()
        await page.get_by_role("button", name="Selfroom app").wait_for()
        await page.go_back()
        await expect(page.get_by_role("button", name="Selfroom app")).not_to_be_visible()
        await expect(here).to_contain_text("garden")
        await page.go_back()
        await expect(here).to_contain_text("welcome")


async def test_the_mark_of_what_is_new_goes_once_all_was_read(browser: Browser) -> None:
    async with staged(browser) as scene:
        garden = await scene.channel.guild.create_text_channel("garden")
        await garden.send("An old line")
        tab = await scene.tab()
        mark = tab.page.get_by_role("separator", name="New messages")
        await tab.page.clock.install()
        await garden.send("The roses are out")
        await tab.page.locator(".channel", has_text="garden").click()
        await expect(mark).to_be_in_viewport()
        await tab.shot("new-line")
        await tab.page.clock.fast_forward(10_000)
        await expect(mark).to_have_count(0)
        await tab.page.locator(".channel", has_text="welcome").click()
        for number in range(40):
            await garden.send(f"rose {number}")
        await tab.page.locator(".channel", has_text="garden").click()
        await expect(tab.message("rose 39")).to_be_in_viewport()
        await tab.page.clock.fast_forward(10_000)
        await expect(mark).to_have_count(1)  # nobody was where it stands
        await mark.scroll_into_view_if_needed()
        await expect(tab.page.get_by_role("button", name="To the newest")).to_be_visible()
        await tab.page.clock.fast_forward(10_000)
        await expect(mark).to_have_count(1)  # nor at the end since
        await tab.page.get_by_role("button", name="To the newest").click()
        await tab.message("rose 39").wait_for()
        await tab.page.clock.fast_forward(10_000)
        await expect(mark).to_have_count(0)


async def test_who_answers_has_read_what_was_new(browser: Browser) -> None:
    async with staged(browser) as scene:
        garden = await scene.channel.guild.create_text_channel("garden")
        tab = await scene.tab()
        mark = tab.page.get_by_role("separator", name="New messages")
        await garden.send("Who waters the roses?")
        await tab.page.locator(".channel", has_text="garden").click()
        await expect(mark).to_be_visible()
        await tab.say("I do")
        await expect(mark).to_have_count(0)


async def test_the_colours_follow_the_system_until_they_are_chosen(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.send(EVERYTHING)
        tab = await scene.tab(dark=True)
        dark = await tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
        await tab.shot("dark")
        await tab.page.get_by_role("button", name="Colours: as the system").click()
        light = await tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert dark != light
        await tab.page.reload()
        await tab.page.get_by_role("button", name="Colours: light").wait_for()
        assert await tab.page.evaluate("getComputedStyle(document.body).backgroundColor") == light


async def test_the_welcome_says_who_answers_and_goes_when_it_is_closed(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab(welcomed=False)
        welcome = tab.page.get_by_role("region", name="Welcome")
        await expect(welcome).to_contain_text("a scripted, rule-based model, not a language model")
        await tab.shot("welcome")
        await welcome.get_by_role("button", name="Close the welcome").click()
        await tab.page.reload()
        await tab.page.locator(".channel[aria-current]").wait_for()
        await expect(welcome).not_to_be_visible()
        await tab.page.get_by_role("button", name="What to try here").click()
        await expect(welcome).to_be_visible()


@pytest.mark.parametrize("trouble", ["close", "reconnect", "invalid_session"])
async def test_what_is_said_while_the_connection_is_lost_is_there_afterwards(browser: Browser, trouble: str) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.say("before")
        me = scene.about["person"]["user"]["id"]
        async with tab.page.expect_websocket():
            await scene.ask("POST", "/playground/faults", {"kind": trouble, "user_id": me})
            await scene.channel.send("in between")
        await expect(tab.message("in between")).to_be_visible()
        await scene.channel.send("and then")
        await expect(tab.message("and then")).to_be_visible()
        await expect(tab.message("before")).to_have_count(1)
        await expect(tab.page.locator(".connection")).to_be_hidden()


async def test_the_page_waits_when_it_is_asked_to_slow_down(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        fault = {"kind": "rate_limit", "route": "POST /channels/*/messages", "retry_after": 0.2}
        await scene.ask("POST", "/playground/faults", fault)
        await tab.say("in a moment")
        await expect(tab.message("in a moment")).to_have_count(1)
        tab.errors.clear()  # the browser itself notes the refusal


async def test_times_as_seen_from_now_go_on(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await scene.channel.send(f"It began <t:{int(time.time()) - 20}:R>")
        began = tab.message("It began").locator("time.stamp")
        first = await began.inner_text()
        assert "seconds ago" in first
        await expect(began).not_to_have_text(first)


async def test_what_a_finger_has_to_hit_is_large_enough(browser: Browser) -> None:
    async with staged(browser) as scene:
        sent = await scene.channel.send("Press me")
        await sent.add_reaction("👍")
        tab = await scene.tab(size=(390, 780), touch=True)
        for target in await tab.message("Press me").locator(".reaction").all():
            box = await target.bounding_box()
            assert box is not None and min(box["width"], box["height"]) >= 44
        await expect(tab.message("Press me").get_by_role("button", name="thumbs up, 1")).to_be_visible()


async def test_a_note_covers_nothing_and_stands_in_the_dialog_that_is_open(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab(size=(390, 780), touch=True)
        last = await tab.say("The last line")
        await tab.page.context.grant_permissions(["clipboard-write"])
        await tab.pick("The last line", "Copy text")
        note = tab.page.locator(".toast", has_text="Text copied.")
        await expect(note).to_be_visible()
        await tab.shot("note")
        boxes = [await one.bounding_box() for one in (last, note, tab.page.locator(".compose-line"))]
        line, shown, box = [(one["y"], one["y"] + one["height"]) for one in boxes if one]
        assert line[1] <= shown[0] and shown[1] <= box[0]
        await tab.pick("The last line", "Start a thread")
        dialog = tab.page.get_by_role("dialog", name="Start a thread")
        fault = {"kind": "status", "route": "POST /channels/*/messages/*/threads", "status": 403}
        await scene.ask("POST", "/playground/faults", fault)
        await dialog.get_by_role("button", name="Start thread").click()
        await expect(dialog.get_by_role("alert")).to_have_text("That did not work: try again in a moment.")
        tab.errors.clear()  # the browser itself notes the refusal


async def test_the_welcome_makes_room_once_somebody_has_said_something(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab(size=(390, 780), welcomed=False)
        welcome = tab.page.get_by_role("region", name="Welcome")
        await expect(welcome).to_be_visible()
        await scene.channel.send("Good morning.")  # what others say leaves it
        await expect(tab.message("Good morning.")).to_be_attached()
        await expect(welcome).to_be_visible()
        await tab.say("Hello Wren! Anyone here?")
        await expect(welcome).to_be_hidden()
        await tab.page.reload()
        await tab.message("Anyone here?").wait_for()
        await expect(welcome).to_be_hidden()
