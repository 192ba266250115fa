"""Talking on the page: saying, answering, reacting, changing, threads and files, and finding it all again."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import discord
import pytest
from aiohttp import web
from playwright.async_api import Browser, Route, expect

from tests.playground.page_bot import picture_bytes
from tests.playground.page_driver import staged

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_what_is_said_stands_there_and_is_still_there_after_a_reload(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.say("Good **morning**, *everyone*", "Good morning, everyone")
        await expect(tab.message("Good morning").locator("strong")).to_have_text("morning")
        await scene.channel.send("Good morning to you too")
        await expect(tab.message("Good morning to you too").locator(".badge")).to_have_text("APP")
        await tab.page.reload()
        await expect(tab.message("Good morning, everyone")).to_be_visible()
        await expect(tab.message("Good morning to you too")).to_be_visible()


async def test_a_reply_shows_what_it_answers_and_leads_there(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await scene.channel.send(f"Tea or coffee? `{'/brew ' * 40}`")
        await tab.pick("Tea or coffee?", "Reply")
        await expect(tab.page.locator(".reply-bar")).to_contain_text("Replying to Selfroom")
        answer = await tab.say("Tea, please")
        await expect(answer.locator(".reply-line")).to_contain_text("Tea or coffee?")
        line = await answer.locator(".reply-line").bounding_box()
        assert line is not None
        assert line["height"] < 30  # one line of it
        await answer.get_by_role("button", name="Go to the message by Selfroom").click()
        await expect(tab.message("Tea or coffee?").first).to_be_focused()
        [newest] = [one async for one in scene.channel.history(limit=1)]
        assert newest.reference is not None
        await tab.shot("reply")


async def test_reactions_are_added_counted_and_taken_back(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        sent = await scene.channel.send("Shall we?")
        message = tab.message("Shall we?")
        await message.hover()
        await message.get_by_role("button", name="React with thumbs up").click()
        chip = message.get_by_role("button", name="thumbs up, 1")
        await expect(chip).to_have_attribute("aria-pressed", "true")
        await sent.add_reaction("👍")
        await expect(message.get_by_role("button", name="thumbs up, 2")).to_be_visible()
        await message.get_by_role("button", name="thumbs up, 2").click()
        await expect(message.get_by_role("button", name="thumbs up, 1")).to_have_attribute("aria-pressed", "false")


async def test_a_finger_presses_a_thumb_on_a_message_that_it_touched(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab(size=(390, 780), touch=True)
        await scene.channel.send("Shall we?")
        message = tab.message("Shall we?")
        await message.tap()
        await message.get_by_role("button", name="React with thumbs down").tap()
        await expect(message.get_by_role("button", name="thumbs down, 1")).to_have_attribute("aria-pressed", "true")


async def test_the_picker_finds_an_emoji_by_name(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.say("A rocket, perhaps")
        await tab.pick("A rocket, perhaps", "Add a reaction")
        await tab.page.get_by_label("Find an emoji").fill("rocket")
        await tab.shot("picker")
        await tab.page.keyboard.press("Enter")
        chip = tab.message("A rocket, perhaps").locator(".reaction", has_text="🚀")
        await expect(chip).to_have_attribute("aria-pressed", "true")


async def test_a_message_is_changed_in_its_place_and_says_so(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.say("Helo")
        await tab.box.press("ArrowUp")
        area = tab.page.get_by_label("Edit the message")
        await expect(area).to_be_focused()
        await area.fill("Hello")
        await area.press("Enter")
        message = tab.message("Hello")
        await expect(message.locator(".edited")).to_be_visible()
        await expect(tab.message("Helo ")).to_have_count(0)
        await expect(tab.box).to_be_focused()


async def test_leaving_an_edit_changes_nothing(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.say("As it was")
        await tab.pick("As it was", "Edit")
        await tab.page.get_by_label("Edit the message").fill("Something else")
        await tab.page.keyboard.press("Escape")
        await expect(tab.message("As it was").locator(".edited")).to_have_count(0)


async def test_deleting_asks_first(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.say("Not for long")
        await tab.pick("Not for long", "Delete message")
        dialog = tab.page.get_by_role("dialog", name="Delete this message?")
        await dialog.get_by_role("button", name="Cancel").click()
        await expect(tab.message("Not for long")).to_be_visible()
        await tab.pick("Not for long", "Delete message")
        await dialog.get_by_role("button", name="Delete").click()
        await expect(tab.message("Not for long")).to_have_count(0)


async def test_a_pinned_message_is_listed_and_found_again(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.say("The rules of the house")
        await tab.pick("The rules of the house", "Pin")
        await expect(tab.message("pinned a message")).to_be_visible()
        await tab.page.get_by_role("button", name="Pinned messages").click()
        pins = tab.page.get_by_role("dialog", name="Pinned messages")
        await expect(pins).to_contain_text("The rules of the house")
        await tab.shot("pins")
        await pins.get_by_role("button", name="Jump").click()
        await expect(tab.message("The rules of the house").first).to_be_focused()


async def test_a_thread_grows_from_a_message_and_holds_its_own_talk(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.say("Where shall we go?")
        await tab.pick("Where shall we go?", "Start a thread")
        dialog = tab.page.get_by_role("dialog", name="Start a thread")
        await dialog.get_by_label("Name").fill("Travel plans")
        await dialog.get_by_role("button", name="Start thread").click()
        await expect(tab.page.get_by_role("heading", name="Travel plans").first).to_be_visible()
        await tab.say("To the sea")
        await tab.shot("thread")
        await tab.page.get_by_role("button", name="# welcome").click()
        await expect(tab.message("To the sea")).to_have_count(0)
        await tab.message("Where shall we go?").get_by_role("button", name="Travel plans").click()
        await expect(tab.message("To the sea")).to_be_visible()
        await tab.page.reload()
        await expect(tab.message("To the sea")).to_be_visible()


async def test_files_are_sent_shown_and_read(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "sunset.png").write_bytes(picture_bytes())
    (tmp_path / "poem.txt").write_text("Roses are red,\nviolets are blue.\n")
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.page.set_input_files("input[type=file]", [tmp_path / "sunset.png", tmp_path / "poem.txt"])
        await expect(tab.page.locator(".upload")).to_have_count(2)
        message = await tab.say("Two files")
        await expect(message.get_by_role("button", name="Open sunset.png")).to_be_visible()
        await message.get_by_role("button", name="Show").click()
        shown = tab.page.get_by_role("dialog", name="poem.txt")
        await expect(shown).to_contain_text("violets are blue")
        await tab.shot("files")
        [newest] = [one async for one in scene.channel.history(limit=1)]
        assert [file.filename for file in newest.attachments] == ["sunset.png", "poem.txt"]


async def test_a_message_that_cannot_be_sent_says_so_and_can_be_tried_again(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.page.route("**/messages", lambda route: route.abort())
        await tab.box.fill("Is anybody there?")
        await tab.box.press("Enter")
        failed = tab.message("Is anybody there?")
        await expect(failed).to_contain_text("Not sent")
        await tab.page.unroute("**/messages")
        await failed.get_by_role("button", name="Try again").click()
        await expect(tab.page.locator(".message.failed")).to_have_count(0)
        await expect(tab.message("Is anybody there?")).to_have_count(1)
        tab.errors.clear()  # the refusal that this test made


async def test_other_channels_show_what_is_unread(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        other = await scene.channel.guild.create_text_channel("library", topic="Books and **quiet**")
        row = tab.page.get_by_role("button", name="library")
        await row.wait_for()
        await other.send("A new book has come")
        await expect(row).to_have_attribute("data-unread", "true")
        await other.send(f"<@{scene.about['person']['user']['id']}>, this one is for you")
        await expect(row.locator(".count")).to_have_text("1")
        await tab.shot("unread")
        await row.click()
        await expect(tab.message("this one is for you")).to_have_class("message grouped mentioned")
        await expect(row).to_have_attribute("data-unread", "false")


async def test_names_channels_and_emoji_are_offered_and_sent_as_what_they_mean(browser: Browser) -> None:
    async with staged(browser) as scene:
        garden = await scene.channel.guild.create_text_channel("garden")
        mira = await scene.person("Mira")
        tab = await scene.tab()
        await tab.box.press_sequentially("Ask @mi")
        await expect(tab.page.get_by_role("option", name="Mira")).to_be_visible()
        await tab.page.keyboard.press("Tab")
        await tab.box.press_sequentially("in #gar")
        await tab.page.keyboard.press("Tab")
        await tab.box.press_sequentially(":tad")
        await tab.page.keyboard.press("Tab")
        await expect(tab.box).to_have_value("Ask @Mira in #garden 🎉 ")
        await tab.box.press_sequentially("`@Mira` :wave:")
        await tab.page.keyboard.press("Escape")
        await tab.page.keyboard.press("Enter")
        await expect(tab.message("Ask @Mira").locator(".mention")).to_have_text(["@Mira", "#garden"])
        [newest] = [one async for one in scene.channel.history(limit=1)]
        assert newest.content == f"Ask <@{mira['user']['id']}> in <#{garden.id}> 🎉 `@Mira` 👋"
        await tab.page.locator(".message:not(.pending)", has_text="Ask @Mira").wait_for()
        await tab.box.press("ArrowUp")
        area = tab.page.get_by_label("Edit the message")
        await expect(area).to_have_value("Ask @Mira in #garden 🎉 `@Mira` 👋")


async def test_each_channel_keeps_what_was_being_written(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.guild.create_text_channel("garden")
        tab = await scene.tab()
        await tab.box.fill("half a thought")
        await tab.page.get_by_role("button", name="garden", exact=True).click()
        await expect(tab.box).to_have_value("")
        await tab.page.get_by_role("button", name="welcome", exact=True).click()
        await expect(tab.box).to_have_value("half a thought")


@asynccontextmanager
async def watching() -> AsyncIterator[tuple[str, list[str]]]:
    """Serve a picture elsewhere; gives its address, and who asked for it."""
    asked: list[str] = []

    async def tell(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(body=picture_bytes(), content_type="image/png")

    app = web.Application()
    app.router.add_get("/{name}", tell)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", asked
    finally:
        await runner.cleanup()


async def test_a_picture_elsewhere_is_a_link_and_learns_of_no_viewer(browser: Browser) -> None:
    async with watching() as (elsewhere, asked), staged(browser) as scene:
        tab = await scene.tab()
        embed = discord.Embed(title="Look here").set_image(url=f"{elsewhere}/image.png")
        embed.set_thumbnail(url=f"{elsewhere}/thumbnail.png").set_author(name="A", icon_url=f"{elsewhere}/icon.png")
        await scene.channel.send(embed=embed)
        hook = await scene.channel.create_webhook(name="Mira")
        await hook.send("I have a face elsewhere", avatar_url=f"{elsewhere}/face.png")
        shown = tab.message("Look here").get_by_role("link", name=f"Picture at {elsewhere[7:]}")
        await expect(shown.last).to_have_attribute("href", f"{elsewhere}/image.png")
        face = tab.message("I have a face elsewhere").locator(".avatar")
        await expect(face.locator(".initial")).to_be_visible()
        forced = "address => new Promise(done => { const one = new Image(); one.onerror = done; one.src = address; })"
        await tab.page.evaluate(forced, f"{elsewhere}/forced.png")
        assert asked == []
        tab.errors.clear()  # the browser itself notes what it was refused


async def test_a_message_that_cannot_be_drawn_leaves_all_others_where_they_are(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await scene.channel.send(f"look: http://%/channels/1/{scene.channel.id}")
        embed: Any = {"title": "At an odd time", "timestamp": "2024-W01-1T00:00:00+00:00"}
        route = discord.http.Route("POST", "/channels/{channel_id}/messages", channel_id=scene.channel.id)
        kept = await scene.bot.http.request(route, json={"embeds": [embed]})
        assert kept["embeds"][0]["timestamp"] == "2024-01-01T00:00:00+00:00"
        await scene.channel.send("I come after them")
        for words in ("look: http", "At an odd time", "I come after them"):
            await expect(tab.message(words)).to_be_visible()

        async def as_it_once_was_kept(route: Route) -> None:
            answer = await route.fetch()
            text = await answer.text()
            await route.fulfill(response=answer, body=text.replace("2024-01-01T00", "2024-W01-1T00"))

        await tab.page.route("**/messages?*", as_it_once_was_kept)
        await tab.page.reload()
        await expect(tab.message("This message cannot be shown.")).to_have_count(1)
        await expect(tab.message("look: http")).to_be_visible()
        await expect(tab.message("I come after them")).to_be_visible()
        await tab.page.unroute_all(behavior="wait")


async def test_code_has_colours_and_is_copied_by_a_button(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await scene.channel.send("Try this:\n```py\ndef greet():\n    return 'Hello'  # politely\n```")
        code = tab.message("Try this").locator(".fence")
        await expect(code.locator(".code-keyword").first).to_have_text("def")
        await expect(code.locator(".code-string")).to_have_text("'Hello'")
        await tab.shot("code")
        await code.get_by_role("button", name="Copy the code").click()
        await expect(tab.page.get_by_text("Code copied.")).to_be_visible()
        assert (
            await tab.page.evaluate("navigator.clipboard.readText()") == "def greet():\n    return 'Hello'  # politely"
        )


async def test_what_is_too_long_for_a_message_is_offered_as_a_file_and_not_lost(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        story = "Once upon a time. " * 150
        await tab.box.fill(story)
        await tab.box.press("Enter")
        question = tab.page.get_by_role("dialog", name="Send it as a file?")
        await expect(question).to_contain_text("this has 2,699")
        await tab.shot("too-long")
        await question.get_by_role("button", name="Cancel").click()
        await expect(tab.box).to_have_value(story)
        await tab.box.press("Enter")
        await question.get_by_role("button", name="Send as a file").click()
        await expect(tab.page.locator(".message:not(.pending)").get_by_role("link", name="message.txt")).to_be_visible()
        await expect(tab.box).to_have_value("")
        [newest] = [one async for one in scene.channel.history(limit=1)]
        assert (await newest.attachments[0].read()).decode() == story.strip()


LONG, SLOW_MS = 20_000, 700  # five times what a message can have: what is not linear takes seconds
HOSTILE = (
    *("*a", "**", "**a", "_a.", "__a ", "~~a", "||a", "[", "[a](", "[[a]", "<https://a", "> ", "- ", "1. a\n- b\n"),
    *(
        "<t:0:R>",
        "<t:0>",
        "<t:0:F>",
        "*a **b ",
        "_a __b ",
        "\\_a __",
        "*\\",
        " ",
        "\n",
        "`a``",
        "```",
        "<@1>",
        "https://a ",
    ),
)


async def test_the_time_that_a_text_takes_to_read_grows_no_faster_than_it(browser: Browser) -> None:
    texts = [(one * LONG)[:LONG] for one in HOSTILE]
    texts += [f"{'*_~|[<' * 5}{text}" for text in texts] + [f"**{text}" for text in texts]
    async with staged(browser) as scene:
        tab = await scene.tab()
        took = await tab.page.evaluate(
            """async ([texts, most]) => {
              const { markdown, preview } = await import("/js/text/blocks.js");
              const world = { channels: new Map(), user: () => null, me: { id: "0" }, nameOf: () => "a" };
              const app = { world };
              const once = (text) => {
                const start = performance.now();
                markdown(app, text);
                preview(app, text);
                return performance.now() - start;
              };
              const best = (text) => Math.min(...[0, 1, 2].map(() => once(text)));
              const grows = (text) => best(text) > 8 * best(text.slice(0, text.length / 4));  // by the square: 16
              return texts.map((text) => {
                const first = once(text);
                return first > most && [0, 1, 2].every(() => grows(text)) ? first : 0;  // not a busy processor
              });
            }""",
            [texts, SLOW_MS],
        )
        slow = {text[:40]: round(one) for text, one in zip(texts, took, strict=True) if one}
        assert slow == {}
        shown = await tab.page.evaluate(
            """async () => {
              const { inline } = await import("/js/text/inline.js");
              const app = { world: { channels: new Map() } };
              const html = (text) => inline(app, text).map((one) => one.outerHTML ?? one).join("");
              const texts = ["*a* **b** __c__ ~~d~~ _e_", "a * b * c *d*", "** x **y**"];
              return [...texts, "snake_case ".repeat(60) + "_e_"].map(html);
            }"""
        )
        assert shown[0] == "<em>a</em> <strong>b</strong> <u>c</u> <s>d</s> <em>e</em>"
        assert shown[1] == "a * b * c <em>d</em>"
        assert shown[2] == "<strong> x </strong>y**"
        assert shown[3].endswith("snake_case <em>e</em>")


async def test_an_address_with_very_many_brackets_is_read_at_once(browser: Browser) -> None:
    text = f"http://a.example/b(c){')' * 20_000}{'.' * 20_000}!"
    async with staged(browser) as scene:
        tab = await scene.tab()
        took, shown = await tab.page.evaluate(
            """async (text) => {
              const { inline } = await import("/js/text/inline.js");
              const app = { world: { channels: new Map() } }, start = performance.now();
              const [address] = inline(app, text);
              return [performance.now() - start, address.textContent];
            }""",
            text,
        )
        assert shown == "http://a.example/b(c)"
        assert took < 1_000  # milliseconds
