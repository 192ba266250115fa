"""Nobody is shut out: axe-core finds nothing in any state of the page, and Tab and fingers have an easy way."""

import io
from collections.abc import Awaitable, Callable
from typing import Literal

import discord
import pytest
from playwright.async_api import Browser, expect

from tests.adapters.discord.stage import until
from tests.playground.chromium import shut_out_by
from tests.playground.page_bot import picture_bytes
from tests.playground.page_driver import Scene, Tab, staged
from tests.playground.page_face import Face, agent, beat, facing

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FINGER = 44  # pixels
PRESSABLE = "button, a.button, input:not([hidden]), textarea, select, [role='option'], [role='tab']"
IN_A_SENTENCE = ".markdown button, .preview button, .skip, .tick input"
WORDS = """# A heading
With **bold**, a [link](https://example.org), ||a secret||, `code`, <t:1790000000:R> and <#{channel}>.
> a quote
1. one
2. two
```py
def greet(name):
    # politely
    return f"Hello {{name}}" * 2
```"""
SMALL = """([pressable, inSentence, finger]) => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest("[inert]");
  const size = (one) => one.getBoundingClientRect();
  return [...document.querySelectorAll(pressable)]
    .filter((one) => shown(one) && !one.matches(inSentence) && size(one).width)
    .filter((one) => Math.min(size(one).width, size(one).height) < finger)
    .map((one) => `${one.outerHTML.slice(0, 120)} ${size(one).width} x ${size(one).height}`);
}"""
AT_REST = """() => !document.querySelector(".skeleton") && document.getAnimations().every(
  (one) => one.playState !== "running" || one.effect.getComputedTiming().endTime === Infinity)"""
Step = Callable[[], Awaitable[object]]
Role = Literal["button"]


async def say_everything(scene: Scene, face: Face) -> None:
    """Put whatever a log can hold into it."""
    channel, guild = scene.channel, scene.channel.guild
    face.agents = [
        agent(str(channel.id), last_beat_at="2026-11-20T10:31:22+00:00", last_reason="addressed"),
        agent("0", id=2, name="Bo", state="sleeping"),
        agent("0", id=3, name="Cy", state="paused"),
    ]
    face.beats = {1: beat()}
    category = await guild.create_category("Outside")
    await category.create_text_channel("garden", topic="Roses")
    await guild.create_forum("ideas")
    hook = await channel.create_webhook(name="hook")
    await hook.send("Good morning, I am an agent", username="Ada")
    said = await channel.send(WORDS.format(channel=channel.id))
    await said.add_reaction("👍")
    await said.pin()
    await said.create_thread(name="A thread")
    await channel.send("An answer", reference=said)
    files = [discord.File(io.BytesIO(picture_bytes()), "sunset.png"), discord.File(io.BytesIO(b"poem"), "poem.txt")]
    await channel.send(files=files)


async def leave_marks(scene: Scene, tab: Tab) -> None:
    """Have what only this person sees: a card, components, a whisper, a message that was not sent."""
    for command in ("card", "board", "secret"):
        await tab.command(command)
        await tab.page.keyboard.press("Enter")
        await expect(tab.page.locator(".command-line")).to_have_count(0)
    await tab.message("Only for your eyes").wait_for()
    fault = {"kind": "status", "route": "POST /channels/*/messages", "status": 400}
    await scene.ask("POST", "/playground/faults", fault)
    await tab.box.fill("never arrives")
    await tab.box.press("Enter")
    await tab.message("Not sent").wait_for()
    tab.errors.clear()  # the browser itself notes the refusal


def states(tab: Tab, *, phone: bool) -> dict[str, Step]:
    """Give what opens every state of the page; Escape leaves each."""
    keys = tab.page.keyboard

    def press(name: str, *, role: Role = "button") -> Step:
        return lambda: tab.page.get_by_role(role, name=name).first.click()

    def menu(item: str) -> Step:
        return lambda: tab.pick("A heading", item)

    def write(text: str) -> Step:
        return lambda: tab.box.press_sequentially(text)

    async def form(command: str) -> None:
        await tab.box.press_sequentially(f"/{command} \n")
        await tab.page.get_by_role("dialog").wait_for()  # it comes from the bot: until then the page is at rest

    found = {
        "finder": lambda: keys.press("Control+k"),
        "keys": lambda: keys.press("Control+/"),
        "menu of the channel": press("More about this channel"),
        "menu of a message": lambda: tab.open_menu("A heading"),
        "reaction": menu("Add a reaction"),
        "deletion": menu("Delete message"),
        "new thread": menu("Start a thread"),
        "reply": menu("Reply"),
        "commands": write("/"),
        "command": write("/feed "),
        "people": write("@"),
        "emoji": press("Emoji"),
        "file": press("Show poem.txt"),
        "picture": press("Open sunset.png"),
        "choice": press("Choose pets"),
        "form": lambda: form("note"),
        "rare form": lambda: form("survey"),
        "search": lambda: keys.press("Control+Shift+F"),
        "drawer": lambda: tab.page.get_by_role("button", name="Look inside Ada").click(),
    }
    if phone:
        found["channels"] = press("Channels")
    else:
        found |= {
            "pins": press("Pinned messages"),
            "threads": press("Threads"),
            "server": press("The Playground"),
            "who this is": press("Be somebody else"),
        }
    return found


async def faults(tab: Tab, state: str) -> list[str]:
    """Give what axe-core finds wrong once nothing moves, in words: a colour that fades in is none yet."""
    await until(lambda: tab.page.evaluate(AT_REST))
    found = await shut_out_by(tab.page)
    return [f"{state}: {one['id']}: {[node['html'][:160] for node in one['nodes']][:3]}" for one in found]


async def too_small(tab: Tab, state: str) -> list[str]:
    """Give what is shown and smaller than a finger."""
    small = await tab.page.evaluate(SMALL, [PRESSABLE, IN_A_SENTENCE, FINGER])
    return [f"{state}: {one}" for one in small]


@pytest.mark.long
@pytest.mark.parametrize("look", ["light", "dark", "phone"])
async def test_axe_finds_nothing_in_any_state_of_the_page(browser: Browser, look: str) -> None:
    phone = look == "phone"
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        await say_everything(scene, face)
        size = (390, 780) if phone else (1360, 850)
        tab = await scene.tab(size=size, dark=look != "light", touch=phone, welcomed=False)
        await tab.page.emulate_media(reduced_motion="reduce")
        await tab.page.get_by_role("region", name="Welcome").wait_for()
        wrong = await faults(tab, "welcome")
        await tab.page.get_by_role("button", name="Close the welcome").click()
        await leave_marks(scene, tab)
        await tab.message("A heading").locator(".code-keyword").first.wait_for()
        wrong += await faults(tab, "log")
        small = await too_small(tab, "log") if phone else []
        for state, begin in states(tab, phone=phone).items():
            await begin()
            wrong += await faults(tab, state)
            small += await too_small(tab, state) if phone else []
            await leave(tab)
        assert not wrong + small, "\n".join(wrong + small)


async def leave(tab: Tab) -> None:
    """Close whatever is open and empty the box."""
    page = tab.page
    for _ in range(3):
        await page.keyboard.press("Escape")
    await page.evaluate("document.activeElement?.blur()")
    if await page.locator(".found").is_visible() or await page.locator(".drawer").is_visible():
        await page.get_by_role("button", name="Who is here", exact=True).click()
    await tab.box.fill("")
    await page.evaluate("document.activeElement?.blur()")


async def test_tab_leads_to_the_newest_message_once_something_came_after_the_one_last_used(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        keys = tab.page.keyboard
        await tab.say("The first")
        await tab.message("The first").focus()
        await keys.press("Escape")
        await expect(tab.box).to_be_focused()
        await keys.press("Shift+Tab")
        await keys.press("Shift+Tab")
        await expect(tab.page.locator(".message:focus-within")).to_contain_text("The first")
        await scene.channel.send("While somebody walks")
        await tab.message("While somebody walks").wait_for()
        await expect(tab.page.locator(".message:focus-within")).to_contain_text("The first")
        await tab.box.focus()
        await scene.channel.send("And the last")
        await tab.message("And the last").wait_for()
        await keys.press("Shift+Tab")
        await keys.press("Shift+Tab")
        await expect(tab.page.locator(".message:focus-within")).to_contain_text("And the last")
        assert await tab.page.locator(".log [tabindex='0']").count() == 2


async def test_a_message_has_two_stops_for_tab_and_arrows_go_through_the_rest(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.send(f"Look at {scene.channel.mention} and https://example.org")
        tab = await scene.tab()
        await tab.say("The last one")
        await (await anext(scene.channel.history(limit=1))).add_reaction("👍")
        await tab.message("The last one").get_by_role("button", name="thumbs up, 1").wait_for()
        keys, focused = tab.page.keyboard, tab.page.locator(":focus")
        assert await tab.page.locator(".log [tabindex='0'], .log :is(a, button):not([tabindex='-1'])").count() == 1
        await tab.message("The last one").focus()
        await keys.press("Tab")
        await expect(focused).to_have_attribute("aria-label", "About Robin")
        await keys.press("ArrowRight")
        await keys.press("ArrowRight")
        await expect(focused).to_have_attribute("aria-label", "thumbs up, 1")
        await keys.press("Tab")
        await expect(focused).to_have_attribute("aria-label", "Attach files")
        await keys.press("Shift+Tab")
        await expect(focused).to_have_attribute("aria-label", "thumbs up, 1")
        await keys.press("Shift+Tab")
        await expect(tab.message("The last one")).to_be_focused()
        await keys.press("ArrowUp")
        await keys.press("ArrowRight")
        await keys.press("ArrowRight")
        await keys.press("ArrowRight")
        await expect(focused).to_have_text("#welcome")
        await keys.press("ArrowRight")
        await expect(focused).to_have_text("https://example.org")
        assert await tab.page.locator(".log [tabindex='0']").count() == 2


async def test_the_tools_of_a_message_go_with_who_goes_elsewhere_by_keys(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        keys, bar = tab.page.keyboard, tab.page.get_by_role("toolbar", name="Message tools")
        await tab.say("The first")
        await tab.say("The last")
        await tab.message("The last").focus()
        await keys.press("ArrowUp")
        await expect(tab.message("The first").locator(bar)).to_be_visible()
        await keys.press("Enter")
        await expect(tab.page.get_by_role("menuitem", name="Reply")).to_be_focused()
        await expect(bar).to_have_count(1)
        await keys.press("Enter")
        await expect(tab.box).to_be_focused()
        await expect(bar).to_have_count(0)
        await tab.message("The last").hover()
        await tab.box.focus()
        await expect(tab.message("The last").locator(bar)).to_be_visible()
