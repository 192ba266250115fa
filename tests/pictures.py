"""`python -m tests.pictures` takes the documentation's pictures of commands anew, from a living Selfroom."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.async_api import expect

from tests.e2e.sharing import Cast, shared_home
from tests.e2e.test_page_commands import Desk
from tests.playground.chromium import browsing
from tests.playground.page_driver import Tab

FOLDER = Path(__file__).parent.parent / "docs" / "commands"
TAKEN = {
    "card": ("agent show", {"agent": "Wren"}),
    "hearts": ("heartbeat status", {}),
    "attention": ("attention show", {"agent": "Wren"}),
    "usage": ("usage by-agent", {}),
}


async def live(cast: Cast) -> None:
    """Let something happen that is worth a picture."""
    await cast.agent("Moss")
    for room in ("Ledger", "Moss"):
        await cast.manager.told("room invite", agent="Wren", room=room)
    await cast.manager.told("attention set", agent="Wren", value="40", room="Wren")
    for name, words in {"wren": "Hello Wren, who are you?", "ledger": "Hello Ledger, what is 20 + 22?"}.items():
        await cast.you.answer_after(await cast.you.say(await cast.you.channel(name), words))


async def take(cast: Cast, desk: Desk) -> None:
    """Use each command and keep how its answer looks."""
    await desk.go("moss")
    for name, (path, options) in TAKEN.items():
        await desk.use(path, **options)
        answer = desk.answer(path)
        await expect(answer.get_by_text("Only you can see this")).to_be_visible()
        for picture in await answer.locator("img").all():
            await picture.evaluate("one => one.decode()")
        await desk.page.mouse.move(0, 0)
        await answer.screenshot(path=FOLDER / f"{name}.png", animations="disabled")


async def main() -> None:
    """Take them all."""
    with TemporaryDirectory() as folder:
        async with shared_home(Path(folder)) as cast, browsing() as browser:
            await live(cast)
            page = await browser.new_page(viewport={"width": 1280, "height": 1100}, locale="en-GB")
            await page.add_init_script("localStorage.setItem('playground.welcomed', 'true')")
            await page.goto(cast.home.url)
            await take(cast, Desk(Tab(page)))


if __name__ == "__main__":
    asyncio.run(main())
