"""How fast the playground's page opens on a long channel, in headless Chromium."""

import asyncio
from statistics import median

import aiohttp
from playwright.async_api import Browser, async_playwright

from bot.playground.server import Playground, PlaygroundOptions
from tests.bench import Figure
from tests.playground.chromium import CHROMIUM, FLAGS

MESSAGES = 1000
ROUNDS = 5
SHOWN = """() => new Promise((resolve) => {
  const look = () => {
    const log = document.querySelector('.log');
    const full = document.querySelectorAll('.message').length >= 50;
    const atEnd = log && log.scrollHeight - log.scrollTop - log.clientHeight < 5;
    if (full && atEnd) requestAnimationFrame(() => resolve(performance.now() / 1000));
    else requestAnimationFrame(look);
  };
  look();
})"""


async def _fill(playground: Playground) -> None:
    async with aiohttp.ClientSession() as session:
        about = await (await session.get(f"{playground.url}/playground")).json()
        url = f"{playground.api_url}/channels/{about['channel_id']}/messages"
        headers = {"Authorization": about["person"]["token"]}
        for number in range(MESSAGES):
            body = {"content": f"Line {number} with **some** words, a `mark` and a link https://example.org/{number}"}
            async with session.post(url, json=body, headers=headers) as answer:
                answer.raise_for_status()


async def _open(browser: Browser, url: str) -> float:
    context = await browser.new_context(viewport={"width": 1360, "height": 850})
    page = await context.new_page()
    await page.goto(url, wait_until="commit")
    seconds: float = await page.evaluate(SHOWN)
    await context.close()
    return seconds


async def _measure() -> float:
    async with async_playwright() as playwright, Playground(PlaygroundOptions(port=0, pace="off")) as playground:
        await _fill(playground)
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        times = [await _open(browser, playground.url) for _ in range(ROUNDS)]
        await browser.close()
        return median(times)


def figures() -> list[Figure]:
    """Measure from the navigation's start until the newest messages stand on the screen; nothing without chromium."""
    if CHROMIUM is None:
        return []
    seconds = asyncio.run(_measure())
    return [Figure(name="playground.page_open_1000", value=seconds, unit="s", target=1.5)]
