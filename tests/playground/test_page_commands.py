"""Slash commands, forms, buttons, selects and menus, as a person uses them on the page."""

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, expect

from tests.playground.page_driver import staged

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_typing_a_slash_lists_the_commands_with_what_they_do(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.box.press_sequentially("/")
        offered = tab.page.locator(".suggestions").get_by_role("option")
        await expect(offered.filter(has_text="/feed")).to_contain_text("Feed a pet")
        await expect(offered.filter(has_text="/room topic")).to_contain_text("Say what a room is about")
        await tab.shot("commands")
        await tab.box.press_sequentially("pi")
        await expect(offered.first).to_contain_text("Answer at once")
        await tab.page.keyboard.press("Enter")
        await expect(tab.page.get_by_role("group", name="Command ping")).to_be_visible()
        await tab.page.keyboard.press("Enter")
        answer = tab.message("pong")
        await expect(answer.locator(".reply-line")).to_contain_text("Robin used /ping")
        await expect(tab.box).to_be_focused()


async def test_options_are_completed_by_the_bot_and_chosen_from_lists(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.command("feed")
        name = tab.page.get_by_role("combobox", name="name")
        await expect(name).to_be_focused()
        await name.press_sequentially("ow")
        await expect(tab.page.get_by_role("option", name="Cleo the owl")).to_be_visible()
        await tab.shot("autocomplete")
        await tab.page.keyboard.press("Enter")
        treat = tab.page.get_by_role("combobox", name="treat")
        await expect(treat).to_be_focused()
        await tab.page.keyboard.press("ArrowDown")
        await tab.page.keyboard.press("Enter")
        await expect(treat).to_have_value("biscuit")
        await tab.page.get_by_role("button", name="Add the option times").click()
        await tab.page.get_by_role("combobox", name="times").fill("3")
        await tab.page.get_by_role("button", name="Add the option guest").click()
        await tab.page.get_by_role("combobox", name="guest").fill("robin")
        await tab.page.keyboard.press("Enter")
        await tab.shot("options")
        await tab.page.keyboard.press("Enter")
        await expect(tab.message("Cleo got 3 × biscuit for @Robin")).to_be_visible()


async def test_what_is_wrong_is_said_before_anything_is_sent(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.command("feed")
        await tab.page.get_by_role("button", name="Run the command").click()
        help_line = tab.page.locator(".suggestion-title")
        await expect(help_line).to_have_text("name: This option is required.")
        await tab.page.get_by_role("combobox", name="name").fill("Bo")
        await tab.page.get_by_role("combobox", name="treat").fill("stone")
        await tab.page.get_by_role("button", name="Run the command").click()
        await expect(help_line).to_have_text("treat: Choose one from the list.")
        await tab.shot("wrong")
        await tab.page.get_by_role("combobox", name="treat").fill("app")  # no other begins so
        await tab.page.get_by_role("button", name="Add the option times").click()
        await tab.page.get_by_role("combobox", name="times").fill("12")
        await tab.page.get_by_role("button", name="Run the command").click()
        await expect(help_line).to_have_text("times: At most 9, please.")
        await expect(tab.message("got")).to_have_count(0)


async def test_a_command_can_be_written_out_or_left(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.command("room topic")
        await tab.page.keyboard.press("Escape")
        await tab.page.keyboard.press("Escape")
        await expect(tab.box).to_be_focused()
        await tab.box.fill("/room topic words: Tea and cake channel: welcome")
        await expect(tab.page.get_by_role("combobox", name="channel")).to_have_value("welcome")
        await tab.page.get_by_role("button", name="Run the command").click()
        await expect(tab.message("Topic #welcome: Tea and cake")).to_be_visible()


async def test_a_call_written_before_the_commands_are_known_becomes_the_command(browser: Browser) -> None:
    async with staged(browser) as scene:
        route = "GET /channels/*/application-command-index"
        await scene.ask("POST", "/playground/faults", {"kind": "latency", "route": route, "seconds": 1})
        tab = await scene.tab()
        await tab.box.fill("/room topic words: Tea and cake channel: welcome")
        await expect(tab.page.get_by_role("combobox", name="words")).to_have_value("Tea and cake")
        await expect(tab.box).to_have_value("")


async def test_options_can_be_named_while_one_types_and_no_letter_is_lost(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.box.press_sequentially("/room topic words:Tea and cake channel: welcome")
        await expect(tab.page.get_by_role("combobox", name="words")).to_have_value("Tea and cake")
        await expect(tab.page.get_by_role("combobox", name="channel")).to_have_value("welcome")
        await tab.page.get_by_role("button", name="Run the command").click()
        await expect(tab.message("Topic #welcome: Tea and cake")).to_be_visible()
        for typed, shown in (("Earl Grey", "Nothing but Earl Grey, 0 cups"), ("cups:3", "Nothing but tea, 3 cups")):
            await tab.command("brew")  # all that it takes may be left out
            await expect(tab.page.get_by_role("group", name="Command brew")).to_be_visible()
            await tab.page.keyboard.type(typed)
            await tab.page.get_by_role("button", name="Run the command").click()
            await expect(tab.message(shown)).to_be_visible()


async def test_a_form_is_checked_filled_and_sent(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.command("note")
        await tab.page.keyboard.press("Enter")
        form = tab.page.get_by_role("dialog", name="Write a note")
        await expect(form.locator("strong")).to_have_text("as you like")
        await expect(form.get_by_label("Heading")).to_be_focused()
        await expect(form.locator(".form-label", has_text="Heading").locator(".required")).to_have_text("*")
        await expect(form.locator(".form-label", has_text="Words").locator(".required")).to_have_count(0)
        await form.get_by_label("Heading").fill("Hi")
        await form.get_by_role("button", name="Submit").click()
        await expect(form.locator(".form-error").first).to_have_text("At least 3 characters, please.")
        await form.get_by_label("Heading").fill("Hints")
        await form.get_by_label("Words").fill("Water the plants.")
        await form.get_by_role("button", name="Mood").click()
        await tab.page.get_by_role("option", name="merry").click()
        await tab.shot("form")
        await form.get_by_role("button", name="Submit").click()
        await expect(form).to_have_count(0)
        await expect(tab.message("Noted Hints: Water the plants. (merry)")).to_be_visible()


async def test_a_form_may_have_ticks_people_and_files(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "paper.txt").write_text("signed")
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.command("survey")
        await tab.page.keyboard.press("Enter")
        form = tab.page.get_by_role("dialog", name="A survey")
        await form.get_by_role("button", name="Submit").click()
        await expect(form.locator(".form-error").first).to_have_text("Choose at least 1.")
        await form.get_by_label("L", exact=True).check()
        await form.get_by_label("milk").check()
        await form.get_by_label("sugar").check()
        await form.get_by_label("Yes").check()
        await form.get_by_role("button", name="Host").click()
        await tab.page.get_by_role("option", name="Robin").click()
        await form.locator("input[type=file]").set_input_files(tmp_path / "paper.txt")
        await tab.shot("survey")
        await form.get_by_role("button", name="Submit").click()
        await expect(tab.message("L, milk+sugar, True, @Robin, signed")).to_be_visible()


async def test_buttons_change_their_message_and_failures_are_told(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.command("card")
        await tab.page.keyboard.press("Enter")
        card = tab.message("used /card")
        await card.get_by_role("button", name="Count").click()
        await expect(card).to_contain_text("Counted to 1")
        await expect(card.get_by_role("button", name="Count")).to_be_focused()
        await expect(card.get_by_role("button", name="Not now")).to_be_disabled()
        await expect(card.get_by_role("link", name="A page elsewhere")).to_have_attribute("href", "https://example.org")
        await tab.shot("card")
        await card.get_by_role("button", name="Break").click()
        await expect(card.locator(".component-note")).to_contain_text("This interaction failed.")
        await expect(card.get_by_role("button", name="Count")).to_be_enabled()


async def test_by_touch_nobody_is_told_to_press_keys_to_leave_a_list(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab(size=(390, 780), touch=True)
        await tab.command("card")
        await tab.page.keyboard.press("Enter")
        card = tab.message("used /card")
        await card.get_by_role("button", name="Choose pets").tap()
        await tab.page.get_by_role("option", name="Ada the cat").tap()
        await expect(tab.page.locator(".choice-hint")).to_have_text("Choose 1 to 3, then touch anywhere else.")
        await tab.page.touchscreen.tap(195, 20)
        await expect(tab.message("Chosen: Ada the cat")).to_be_visible()


async def test_selects_give_options_people_and_channels(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.command("card")
        await tab.page.keyboard.press("Enter")
        card = tab.message("used /card")
        await card.get_by_role("button", name="Choose pets").click()
        await tab.page.get_by_role("option", name="Ada the cat").click()
        await tab.page.get_by_role("option", name="Cleo the owl").click()
        await tab.shot("select")
        await tab.page.keyboard.press("Escape")
        chosen = tab.message("Chosen: Ada the cat, Cleo the owl")
        await expect(chosen).to_contain_text("Only you can see this")
        await card.get_by_role("button", name="Choose pets").focus()
        for key in ("Enter", "ArrowDown", "Enter", "Tab"):  # Tab leaves the list, and with it says what was chosen
            await tab.page.keyboard.press(key)
        await expect(tab.page.get_by_role("listbox")).to_have_count(0)
        await expect(tab.message("Chosen: Ada the cat, Cleo the owl, Bo the dog")).to_be_visible()
        await card.get_by_role("button", name="Choose somebody").click()
        await tab.page.get_by_role("option", name="Robin").click()
        await expect(tab.message("Somebody: @Robin")).to_be_visible()
        await card.get_by_role("button", name="Choose a place").click()
        await tab.page.get_by_role("option", name="welcome").click()
        await expect(tab.message("Place: #welcome")).to_be_visible()


async def test_components_v2_stand_in_their_container(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.command("board")
        await tab.page.keyboard.press("Enter")
        board = tab.page.locator(".container")
        await expect(board.locator(".heading")).to_have_text("The board")
        await expect(board.get_by_role("button", name="Open board.png")).to_be_visible()
        await expect(board.get_by_role("link", name="board.txt")).to_be_visible()
        await board.get_by_role("button", name="Wave").click()
        await expect(tab.message("You waved.")).to_be_visible()
        await tab.shot("board")


async def test_the_bots_entries_stand_in_the_menus_of_messages_and_people(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.say("Twelve chars")
        menu = await tab.open_menu("Twelve chars")
        await tab.shot("menu")
        await menu.get_by_role("menuitem", name="Count letters").click()
        await expect(tab.message("12 letters")).to_be_visible()
        await tab.page.get_by_role("button", name="Selfroom app").click()
        await tab.page.get_by_role("menuitem", name="Greet").click()
        await expect(tab.message("Hello, @Selfroom!")).to_be_visible()


async def test_what_is_no_command_for_somebody_is_not_said_to_everybody_by_a_slip(browser: Browser) -> None:
    async with staged(browser) as scene:
        mira = await scene.tab(await scene.person("Mira"))
        await mira.box.fill("/govern wisely")
        await mira.box.press("Enter")
        await expect(mira.page.locator(".suggestions")).to_contain_text("/govern is no command that you may use")
        await expect(mira.box).to_have_value("/govern wisely")
        await expect(mira.message("/govern wisely")).to_have_count(0)
        await mira.box.press("Enter")
        await expect(mira.message("/govern wisely")).to_be_visible()


async def test_who_types_a_command_into_a_private_message_is_told_where_it_works(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="Selfroom app").click()
        await tab.page.get_by_role("menuitem", name="Send a direct message").click()
        await expect(tab.page.get_by_role("heading", name="Selfroom", level=1)).to_be_visible()
        await tab.box.fill("/govern")
        await tab.box.press("Enter")
        words = "/govern is no command that you may use here: use it in a server's channel."
        await expect(tab.page.locator(".suggestions")).to_contain_text(words)
        await expect(tab.page.locator(".suggestions")).not_to_contain_text("everybody")


async def test_a_slash_and_enter_before_the_commands_are_known_says_nothing_to_everybody(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        known = asyncio.Event()

        async def late(route: Route) -> None:
            await known.wait()
            await route.continue_()

        await tab.page.route("**/application-command-index", late)
        await tab.box.press_sequentially("/")
        await tab.box.press("Enter")
        await expect(tab.page.locator(".suggestions")).to_contain_text("/ is no command that you may use here.")
        await expect(tab.box).to_have_value("/")
        await expect(tab.page.locator(".message.pending")).to_have_count(0)
        known.set()
        await expect(tab.page.get_by_role("option", name="/feed")).to_be_visible()


async def test_a_file_goes_with_a_command_and_the_slow_answer_comes_later(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear reader")
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.command("read")
        await tab.page.locator(".option input[type=file]").set_input_files(tmp_path / "letter.txt")
        await tab.page.get_by_role("button", name="Run the command").click()
        await expect(tab.message("It says: dear reader")).to_be_visible()
        await expect(tab.message("is thinking")).to_have_count(0)


async def test_a_plain_member_is_not_offered_what_only_managers_may_use(browser: Browser) -> None:
    async with staged(browser) as scene:
        member = await scene.tab(await scene.person("Mira"))
        await member.box.press_sequentially("/")
        offered = member.page.locator(".suggestions").get_by_role("option")
        await expect(offered.filter(has_text="/feed")).to_be_visible()
        await expect(offered.filter(has_text="/govern")).to_have_count(0)
        await expect(offered.last).to_contain_text("🔒 Paint it")  # a group is offered whole
        manager = await scene.tab(await scene.person("Otto", manager=True))
        await manager.box.press_sequentially("/")
        offered = manager.page.locator(".suggestions").get_by_role("option")
        await expect(offered.filter(has_text=re.compile("/room"))).to_contain_text(
            ["🔒 Paint it", "what a room is about"]
        )
        await manager.box.fill("")
        await manager.command("govern")
        await manager.page.keyboard.press("Enter")
        await expect(manager.message("Governed.")).to_be_visible()


async def test_a_misspelt_command_leads_to_the_one_that_was_meant(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.box.press_sequentially("/fed name:Momo treat:apple")
        await tab.box.press("Enter")
        await expect(tab.page.get_by_role("option", name="/feed")).to_be_visible()
        await tab.box.fill("")
        await tab.box.press_sequentially("/suvrey")
        await expect(tab.page.get_by_role("option", name="/survey")).to_be_visible()
        await tab.box.press("Enter")
        warned = tab.page.get_by_text("/suvrey is no command that you may use here.")
        await expect(warned).to_contain_text("or take one that is like it")
        await tab.box.press("ArrowDown")
        await tab.box.press("Enter")
        await expect(tab.page.get_by_role("group", name="Command survey")).to_be_visible()
        await expect(tab.page.locator(".message", has_text="suvrey")).to_have_count(0)


async def test_the_order_of_commands_follows_each_persons_own_use(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.command("tell")
        await tab.page.keyboard.press("Enter")
        await expect(tab.message("Once upon a time")).to_be_visible()
        await tab.box.press_sequentially("/")
        first = tab.page.get_by_role("option").first
        await expect(first).to_contain_text("/tell")
        mira = await scene.person("Mira")
        await tab.page.goto(f"{scene.playground.url}/#as={mira['user']['id']}")
        await tab.page.reload()
        await expect(tab.page.get_by_role("button", name="Mira").first).to_be_visible()
        await tab.box.press_sequentially("/")
        await expect(first).to_be_visible()
        await expect(first).not_to_contain_text("/tell")
