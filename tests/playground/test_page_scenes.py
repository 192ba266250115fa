"""What the page shows of a scene above its thread: what everybody may see, and the board's buttons."""

import discord
import pytest
from playwright.async_api import Browser, expect

from tests.playground.page_driver import staged
from tests.playground.page_face import facing, seat
from tests.playground.page_face import scene as told
from tests.playground.test_page_access import faults

# whether an element is what one sees at its four corners
UNCOVERED = """(one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  const seen = (x, y) => one.contains(document.elementFromPoint(x, y));
  return [left + 2, (left + right) / 2].every((x) => seen(x, top + 2) && seen(x, bottom - 2));
}"""
pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_scene_stands_above_its_thread_with_seats_phase_board_and_buttons(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        tab = await scene.tab()
        said = await scene.channel.send("Council 3 begins")
        thread = await said.create_thread(name="Council 3")
        mine = discord.ui.Button[discord.ui.View](label="My seat", custom_id="scene:seat:3:1")
        board = await thread.send("The board", view=discord.ui.View(timeout=None).add_item(mine))
        face.scenes[str(thread.id)] = told(board_post_id=str(board.id))
        await tab.page.locator(".channel", has_text="Council 3").click()
        shown = tab.page.get_by_role("region", name="Scene")
        await expect(shown.get_by_role("heading")).to_have_text("Council 3: Tea")
        await expect(shown).to_contain_text("debate · Ada is asked")
        seats = shown.get_by_role("list", name="Seats").get_by_role("listitem")
        await expect(seats).to_have_text(["1Adais asked now", "2@you", "3Boaway"])
        await expect(shown.locator("dd strong")).to_have_text("Tea at five")
        await expect(shown.get_by_role("list", name="Last ballot")).to_contain_text("abstained")
        await expect(shown.get_by_role("button", name="My seat")).to_be_visible()
        await tab.shot("scene")
        assert await faults(tab, "scene") == []
        await tab.page.emulate_media(color_scheme="dark")
        assert await faults(tab, "dark scene") == []
        await tab.page.set_viewport_size({"width": 390, "height": 780})
        await tab.page.keyboard.press("Escape")  # who is there lies above all else
        await expect(shown.get_by_role("button", name="My seat")).to_be_attached()
        assert await tab.page.evaluate("document.documentElement.scrollWidth") <= 390
        box = await shown.bounding_box()
        assert box is not None
        assert box["height"] <= 780 / 2
        await tab.shot("scene-phone")
        await tab.page.set_viewport_size({"width": 1280, "height": 800})
        long = [[f"Motion {number}", "Tea at five."] for number in range(30)]
        face.scenes[str(thread.id)] = told(facts=long, board_post_id=str(board.id))
        await expect(shown).to_contain_text("Motion 29")
        await expect(shown.get_by_role("button", name="My seat")).to_be_in_viewport(ratio=1)
        await tab.shot("scene-long")
        lobby = ["1. Ada", "2. @you", "3. Bo", "3 of 12 seats taken."]
        face.scenes[str(thread.id)] = told(status="lobby", facts=[], lines=lobby, board_post_id=str(board.id))
        await expect(shown.locator(".scene-line")).to_have_text(["3 of 12 seats taken."])
        await expect(seats).to_have_count(3)
        assert await faults(tab, "dark lobby") == []
        face.scenes[str(thread.id)] = told(
            status="over", phase="", seats=[], facts=[], lines=["The council is closed."]
        )
        await expect(shown).to_contain_text("The council is closed.")
        assert await faults(tab, "dark scene that is over") == []
        await tab.page.locator(".channel", has_text=scene.channel.name).first.click()
        await expect(shown).to_be_hidden()


async def test_seats_are_told_by_the_names_that_people_have_and_who_is_dead_is_struck_out(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        robin = await scene.person("Robin Hood")
        name, id_ = f"@{robin['user']['username']}", robin["user"]["id"]
        seats = [seat(1, "Ada", dead=True, away=True), seat(2, name, user_id=id_, awaited=True), seat(3, "Bo")]
        facts = [["Alive", f"{name}, Bo"], ["Ballot of day 1", f"{name} for Ada, Bo for {name}"]]
        face.scenes[str(scene.channel.id)] = told(seats=seats, facts=facts, bars=[["Ada", 2], [name, 1]])
        tab = await scene.tab()
        shown = tab.page.get_by_role("region", name="Scene")
        chips = shown.get_by_role("list", name="Seats").get_by_role("listitem")
        await expect(chips).to_have_text(["1Adadead", "2Robin Hoodis asked now", "3Bo"])
        await expect(chips.first.locator(".seat-name")).to_have_css("text-decoration-line", "line-through")
        await expect(shown).to_contain_text("debate · Robin Hood is asked")
        await expect(shown.locator("dd")).to_have_text(["Robin Hood, Bo", "Robin Hood for Ada, Bo for Robin Hood"])
        await expect(shown.get_by_role("list", name="Last ballot")).to_contain_text("Robin Hood")
        await expect(shown).not_to_contain_text(name)
        await tab.shot("scene-dead")
        assert await faults(tab, "scene with somebody dead") == []
        await tab.page.emulate_media(color_scheme="dark")
        assert await faults(tab, "dark scene with somebody dead") == []


async def test_a_scene_that_takes_place_in_a_room_itself_stands_above_it_while_it_goes_on(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        tab = await scene.tab()
        shown = tab.page.get_by_role("region", name="Scene")
        await expect(shown).to_be_hidden()
        mine = discord.ui.Button[discord.ui.View](label="My seat", custom_id="scene:seat:3:1")
        face.scenes[str(scene.channel.id)] = told()
        board = await scene.channel.send("🎭 **Council 3: Tea**", view=discord.ui.View(timeout=None).add_item(mine))
        face.scenes[str(scene.channel.id)] = told(board_post_id=str(board.id))
        await expect(shown.get_by_role("heading")).to_have_text("Council 3: Tea")
        await expect(shown.get_by_role("button", name="My seat")).to_be_visible()
        del face.scenes[str(scene.channel.id)]
        await expect(shown).to_be_hidden()


async def test_what_a_scene_takes_away_leaves_the_focus_to_what_stands_there_then(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:

        def view(*labels: str) -> discord.ui.View:
            made = discord.ui.View(timeout=None)
            for label in labels:
                made.add_item(discord.ui.Button[discord.ui.View](label=label, custom_id=label))
            return made

        board = await scene.channel.send("🎭 **Council 3**", view=view("Join", "Begin", "Watch"))
        face.scenes[str(scene.channel.id)] = told(board_post_id=str(board.id))
        tab = await scene.tab()
        shown = tab.page.get_by_role("region", name="Scene")
        await shown.get_by_role("button", name="Watch").focus()
        await board.edit(view=view("Join", "Begin"))
        await expect(shown.get_by_role("button", name="Watch")).to_have_count(0)
        await expect(shown.get_by_role("button", name="Begin")).to_be_focused()
        await tab.page.get_by_role("button", name="What to try here").click()
        welcome = tab.page.get_by_role("region", name="Welcome")
        await expect(welcome.get_by_role("button", name="Close the welcome")).to_be_in_viewport(ratio=1)
        await tab.page.set_viewport_size({"width": 1280, "height": 620})
        await expect(welcome.get_by_role("button", name="Close the welcome")).to_be_in_viewport(ratio=1)
        await expect(shown.get_by_role("button", name="Begin")).to_be_in_viewport(ratio=1)
        await expect(tab.box).to_be_in_viewport(ratio=1)
        await tab.shot("scene-welcome")
        assert await faults(tab, "welcome above a scene") == []


async def test_on_a_phone_no_button_covers_what_is_voted_on(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        view = discord.ui.View(timeout=None)
        for label in ("My seat", "Act", "Rules", "History", "Pause", "Stop …", "Leave …"):
            view.add_item(discord.ui.Button[discord.ui.View](label=label, custom_id=label))
        board = await scene.channel.send("🎭 **Council 3: Tea**", view=view)
        whole = "We drink tea at five every day under the old pear tree, and whoever comes late brings cake. " * 2
        facts = [["Vote on motion 2", f"**Tea at five** (1) {whole}"], ["About", "Tea"], ["Quorum", "2 of 3 members"]]
        seats = [seat(one, name, awaited=True) for one, name in enumerate(("Ada", "@you", "Bo"), 1)]
        face.scenes[str(scene.channel.id)] = told(seats=seats, facts=facts, bars=[], board_post_id=str(board.id))
        tab = await scene.tab(size=(390, 780), touch=True)
        shown = tab.page.get_by_role("region", name="Scene")
        for word in ("Vote on motion 2", whole.strip()[-30:]):
            line = shown.get_by_text(word).first
            await expect(line).to_be_in_viewport(ratio=1)
            assert await line.evaluate(UNCOVERED)
        await expect(shown.get_by_role("button", name="My seat")).to_be_in_viewport(ratio=1)
        await expect(shown.get_by_role("button", name="Act")).to_be_in_viewport(ratio=1)
        await tab.shot("scene-ballot-phone")
        assert await faults(tab, "ballot on a phone") == []
        last = shown.get_by_text("2 of 3 members")
        await last.scroll_into_view_if_needed()
        assert await last.evaluate(UNCOVERED)
        leaves = shown.get_by_role("button", name="Leave …")
        await leaves.scroll_into_view_if_needed()
        await expect(leaves).to_be_in_viewport(ratio=1)
        assert await tab.page.evaluate("document.documentElement.scrollWidth") <= 390
