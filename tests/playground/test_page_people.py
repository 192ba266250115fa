"""Several people at once: who sees what, who types, who this tab is."""

import pytest
from playwright.async_api import Browser, expect

from tests.playground.page_driver import staged
from tests.playground.person import Person

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_two_people_talk_and_see_each_other_type(browser: Browser) -> None:
    async with staged(browser) as scene:
        you = await scene.tab()
        mira = await scene.tab(await scene.person("Mira"))
        await you.box.press_sequentially("Hello Mi")
        await expect(mira.page.locator(".typing")).to_contain_text("Robin is typing")
        await mira.shot("typing")
        await you.box.press_sequentially("ra")
        await you.page.keyboard.press("Enter")
        await expect(mira.message("Hello Mira")).to_be_visible()
        await expect(mira.page.locator(".typing")).to_be_empty()
        await mira.say("Hello you")
        await expect(you.message("Hello you").locator(".author")).to_have_text("Mira")


async def test_a_name_means_who_bears_it_as_username_before_who_only_took_it(browser: Browser) -> None:
    async with staged(browser) as scene:
        mira = await scene.person("Mira")
        async with Person.owner(scene.playground.url) as owner:
            path = f"/guilds/{owner.about['guild_id']}/members/@me"
            await owner.call("PATCH", path, json={"nick": "mira"})
        tab = await scene.tab()
        await tab.say("Hello @mira, are you there?")
        [said] = [one async for one in scene.channel.history(limit=1)]
        assert said.content == f"Hello <@{mira['user']['id']}>, are you there?"


async def test_what_is_whispered_is_seen_by_one_person_only_and_can_be_put_away(browser: Browser) -> None:
    async with staged(browser) as scene:
        you = await scene.tab()
        mira = await scene.tab(await scene.person("Mira"))
        await you.command("secret")
        await you.page.keyboard.press("Enter")
        secret = you.message("Only for your eyes.")
        await expect(secret).to_contain_text("Only you can see this")
        await you.say("Did you see that?")
        await expect(mira.message("Did you see that?")).to_be_visible()
        await expect(mira.message("Only for your eyes.")).to_have_count(0)
        await you.shot("ephemeral")
        await secret.get_by_role("button", name="Dismiss").click()
        await expect(secret).to_have_count(0)


async def test_edits_reactions_and_deletions_reach_the_other_tab(browser: Browser) -> None:
    async with staged(browser) as scene:
        you = await scene.tab()
        mira = await scene.tab(await scene.person("Mira"))
        await you.say("First words")
        await mira.message("First words").hover()
        await mira.message("First words").get_by_role("button", name="React with thumbs up").click()
        await expect(you.message("First words").get_by_role("button", name="thumbs up, 1")).to_be_visible()
        await you.box.press("ArrowUp")
        await you.page.get_by_label("Edit the message").fill("Second words")
        await you.page.keyboard.press("Enter")
        await expect(mira.message("Second words").locator(".edited")).to_be_visible()
        await you.pick("Second words", "Delete message")
        await you.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await expect(mira.message("Second words")).to_have_count(0)


async def test_a_plain_member_may_not_delete_what_others_said_and_the_owner_may(browser: Browser) -> None:
    async with staged(browser) as scene:
        mira = await scene.tab(await scene.person("Mira"))
        you = await scene.tab()
        await scene.channel.send("Said by the bot")
        menu = await mira.open_menu("Said by the bot")
        await expect(menu.get_by_role("menuitem", name="Delete message")).to_have_count(0)
        await expect(menu.get_by_role("menuitem", name="Edit")).to_have_count(0)
        await you.pick("Said by the bot", "Delete message")
        await you.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await expect(mira.message("Said by the bot")).to_have_count(0)


async def test_a_private_channel_is_seen_by_those_who_may_only(browser: Browser) -> None:
    async with staged(browser) as scene:
        you = await scene.tab()
        mira = await scene.tab(await scene.person("Mira"))
        guild = scene.channel.guild
        cellar = await guild.create_text_channel("cellar")
        await expect(mira.page.get_by_role("button", name="cellar")).to_be_visible()
        await cellar.set_permissions(guild.default_role, view_channel=False)
        await expect(mira.page.get_by_role("button", name="cellar")).to_have_count(0)
        await expect(you.page.get_by_role("button", name="cellar")).to_be_visible()


async def test_where_one_may_only_read_the_box_says_so(browser: Browser) -> None:
    async with staged(browser) as scene:
        mira = await scene.tab(await scene.person("Mira"))
        await scene.channel.set_permissions(scene.channel.guild.default_role, send_messages=False)
        await expect(mira.box).to_be_disabled()
        await expect(mira.box).to_have_attribute("placeholder", "You may read here, but not write.")


async def test_a_new_person_is_made_and_taken_over_in_the_corner(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.say("I was here first")
        corner = tab.page.get_by_role("button", name="Robin manager Be somebody else")
        await corner.click()
        await tab.page.get_by_role("menuitem", name="New person …").click()
        form = tab.page.get_by_role("dialog", name="A new person")
        await form.get_by_label("Name").fill("Nora")
        await form.get_by_label("Open in a new tab").uncheck()
        await tab.shot("new-person")
        await form.get_by_role("button", name="Create").click()
        await expect(tab.page.get_by_role("button", name="Nora member Be somebody else")).to_be_visible()
        await tab.say("And I am Nora")
        await expect(tab.message("I was here first").locator(".author")).to_have_text("Robin")
        await tab.page.get_by_role("button", name="Nora member Be somebody else").click()
        await tab.shot("switcher")
        await tab.page.get_by_role("menuitemradio", name="Robin").click()
        await expect(corner).to_be_visible()


async def test_another_person_opens_in_a_tab_of_its_own(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="Be somebody else").click()
        await tab.page.get_by_role("menuitem", name="New person …").click()
        form = tab.page.get_by_role("dialog", name="A new person")
        await form.get_by_label("Name").fill("Olga")
        async with tab.page.expect_popup() as opening:
            await form.get_by_role("button", name="Create").click()
        other = await opening.value
        await expect(other.get_by_role("button", name="Olga member Be somebody else")).to_be_visible()
        await expect(tab.page.get_by_role("button", name="Robin manager Be somebody else")).to_be_visible()


async def test_a_direct_message_goes_to_one_person(browser: Browser) -> None:
    async with staged(browser) as scene:
        you = await scene.tab()
        mira = await scene.tab(await scene.person("Mira"))
        await you.page.get_by_role("button", name="Mira @mira").click()
        await you.page.get_by_role("menuitem", name="Send a direct message").click()
        await expect(you.page.get_by_role("heading", name="Mira", level=1)).to_be_visible()
        await you.say("Between us")
        row = mira.page.get_by_label("Direct messages").get_by_role("button", name="Robin, unread")
        await row.click()
        await expect(mira.message("Between us")).to_be_visible()


async def test_the_first_person_chooses_a_name_and_others_see_it_at_once(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab(welcomed=False)
        mira = await scene.tab(await scene.person("Mira"))
        await tab.say("Good morning")
        await expect(mira.message("Good morning").locator(".author")).to_have_text("Robin")
        await tab.page.get_by_role("button", name="What to try here").click()  # it made room for the talk
        welcome = tab.page.get_by_role("region", name="Welcome")
        await expect(welcome).to_contain_text("agents call people like you The Architect")
        await tab.shot("be-somebody")
        await welcome.get_by_role("button", name="Choose your name").click()
        form = tab.page.get_by_role("dialog", name="Your name")
        await form.get_by_label("Name").fill("Ulla Grün")
        await form.get_by_role("button", name="Use this name").click()
        await expect(tab.page.get_by_role("button", name="Ulla Grün manager Be somebody else")).to_be_visible()
        await expect(mira.page.get_by_role("button", name="Ulla Grün manager")).to_be_visible()
        await expect(mira.message("Good morning").locator(".author")).to_have_text("Ulla Grün")
        member = scene.channel.guild.get_member(int(scene.about["person"]["user"]["id"]))
        assert member is not None and member.name == "ulla_gr_n"
        await tab.page.reload()
        await expect(tab.page.get_by_role("button", name="Ulla Grün manager Be somebody else")).to_be_visible()


async def test_a_person_is_removed_in_the_corner_and_their_tab_says_so(browser: Browser) -> None:
    async with staged(browser) as scene:
        you = await scene.tab()
        mira = await scene.tab(await scene.person("Mira"))
        await mira.say("I was here")
        await you.page.get_by_role("button", name="Be somebody else").click()
        await you.page.get_by_role("menuitem", name="Remove a person …").click()
        await you.page.get_by_role("menuitem", name="Mira").click()
        question = you.page.get_by_role("dialog", name="Remove Mira?")
        await you.shot("remove-person")
        await question.get_by_role("button", name="Remove").click()
        await expect(you.page.get_by_role("button", name="Mira @mira")).to_have_count(0)
        await expect(you.message("I was here").locator(".author")).to_have_text("Mira")
        await expect(mira.page.get_by_text("The playground does not know you any more.")).to_be_visible()
        await mira.page.reload()
        await expect(mira.page.get_by_role("button", name="Robin manager Be somebody else")).to_be_visible()


async def test_who_is_here_now_is_told_from_who_is_away(browser: Browser) -> None:
    async with staged(browser) as scene:
        person = await scene.person("Mira")
        you = await scene.tab()
        row = you.page.locator(".member", has_text="Mira")
        await expect(row).to_contain_text("away")
        mira = await scene.tab(person)
        await expect(row).to_contain_text("online")
        own = mira.page.locator(".member", has_text="Robin")
        await expect(own).to_contain_text("online")
        await you.shot("presence")
        await you.page.reload()
        await expect(row).to_contain_text("online")
        await expect(own).to_contain_text("online")
        await mira.page.close()
        await expect(row).to_contain_text("away")
