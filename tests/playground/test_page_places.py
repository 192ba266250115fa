"""Places on the page: categories, forums, lists of threads, other servers, links, and channels that go away."""

import pytest
from playwright.async_api import Browser, expect

from tests.playground.page_driver import staged

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_categories_fold_and_still_show_what_is_unread(browser: Browser) -> None:
    async with staged(browser) as scene:
        guild = scene.channel.guild
        category = await guild.create_category("Residents")
        room = await category.create_text_channel("ada")
        await category.create_text_channel("bo")
        tab = await scene.tab()
        head = tab.page.get_by_role("button", name="Residents")
        await head.click()
        await expect(tab.page.get_by_role("button", name="bo", exact=True)).to_have_count(0)
        await room.send("news")
        await expect(tab.page.get_by_role("button", name="ada, unread")).to_be_visible()
        await head.click()
        await expect(tab.page.get_by_role("button", name="bo", exact=True)).to_be_visible()


async def test_a_forum_lists_its_posts_and_takes_new_ones(browser: Browser) -> None:
    async with staged(browser) as scene:
        forum = await scene.channel.guild.create_forum("ideas")
        await forum.create_thread(name="A pond", content="With fish")
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="ideas", exact=True).click()
        await tab.page.get_by_role("button", name="New post").click()
        form = tab.page.get_by_role("dialog", name="New post")
        await form.get_by_label("Title").fill("A bench")
        await form.get_by_label("First message").fill("Under the tree")
        await form.get_by_role("button", name="Post").click()
        await expect(tab.message("Under the tree")).to_be_visible()
        await tab.page.get_by_role("button", name="# ideas").click()
        posts = tab.page.locator(".forum-posts")
        await expect(posts.get_by_role("button", name="A bench")).to_be_visible()
        await tab.shot("forum")
        await posts.get_by_role("button", name="A pond").click()
        await expect(tab.message("With fish")).to_be_visible()


async def test_archived_threads_leave_the_side_and_stay_in_the_list(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        thread = await (await scene.channel.send("Begin")).create_thread(name="Old talk")
        row = tab.page.locator(".channels").get_by_role("button", name="Old talk")
        await row.click()
        await tab.page.get_by_role("button", name="Archive the thread").click()
        await expect(tab.page.get_by_role("button", name="Open the thread again")).to_be_visible()
        await expect(row).to_have_count(0)
        await tab.page.get_by_role("button", name="# welcome").click()
        await tab.page.get_by_role("button", name="Threads").click()
        await tab.page.get_by_role("dialog", name="Threads").get_by_role("button", name="Old talk").click()
        await expect(tab.page.get_by_role("heading", name="Old talk", level=1)).to_be_visible()
        assert thread.parent == scene.channel


async def test_a_second_server_is_reached_by_the_name_above(browser: Browser) -> None:
    async with staged(browser) as scene:
        owner = scene.about["person"]["user"]["id"]
        await scene.ask("POST", "/playground/guilds", {"name": "The Annex", "owner_id": owner})
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="The Playground").click()
        await tab.page.get_by_role("menuitemradio", name="The Annex").click()
        await expect(tab.page.get_by_role("heading", name="general", level=1)).to_be_visible()
        await tab.say("Quiet here")
        await tab.page.reload()
        await expect(tab.message("Quiet here")).to_be_visible()
        await expect(tab.page.get_by_role("button", name="The Annex")).to_be_visible()


async def test_links_to_messages_open_here(browser: Browser) -> None:
    async with staged(browser) as scene:
        garden = await scene.channel.guild.create_text_channel("garden")
        seed = await garden.send("A seed")
        for number in range(60):
            await garden.send(f"day {number}")
        await scene.channel.send(f"-# ↪ [Selfroom]({seed.jump_url})\nIt grew, see {garden.mention}")
        tab = await scene.tab()
        await tab.message("It grew").get_by_role("link", name="Selfroom").click()
        await expect(tab.message("A seed")).to_be_focused()
        await tab.page.get_by_role("button", name="welcome").click()
        await tab.message("It grew").get_by_role("button", name="#garden").click()
        await expect(tab.message("day 59")).to_be_in_viewport()
        await tab.page.goto(f"{scene.playground.url}/#/channels/{garden.guild.id}/{garden.id}/{seed.id}")
        await expect(tab.message("A seed")).to_be_focused()


async def test_when_the_open_channel_goes_away_another_one_is_shown(browser: Browser) -> None:
    async with staged(browser) as scene:
        brief = await scene.channel.guild.create_text_channel("brief")
        mira = await scene.tab(await scene.person("Mira"))
        await mira.page.get_by_role("button", name="brief", exact=True).click()
        await mira.say("Anybody?")
        await brief.set_permissions(brief.guild.me, view_channel=True)
        await brief.set_permissions(brief.guild.default_role, view_channel=False)
        await expect(mira.page.get_by_role("heading", name="welcome", level=1)).to_be_visible()
        you = await scene.tab()
        await you.page.get_by_role("button", name="brief", exact=True).click()
        await expect(you.message("Anybody?")).to_be_visible()
        await brief.delete()
        await expect(you.page.get_by_role("heading", name="welcome", level=1)).to_be_visible()


async def test_a_whisper_is_still_there_after_a_look_elsewhere(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.guild.create_text_channel("garden")
        tab = await scene.tab()
        await tab.command("secret")
        await tab.page.keyboard.press("Enter")
        await tab.message("Only for your eyes.").wait_for()
        await tab.page.get_by_role("button", name="garden", exact=True).click()
        await expect(tab.message("Only for your eyes.")).to_have_count(0)
        await tab.page.get_by_role("button", name="welcome", exact=True).click()
        await expect(tab.message("Only for your eyes.")).to_be_visible()
