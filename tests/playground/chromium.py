"""Headless Chromium, where the machine has it."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, async_playwright

# Without windows, extensions and profiles it takes less than half of a page's processor time, and shows the same.
SHELL = shutil.which("chromium-headless-shell") or shutil.which("chromium")
CHROMIUM = shutil.which("chromium") or SHELL  # what people have, to measure
AXE = Axe()
ARRIVED = """() => Promise.allSettled(
    document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished))"""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]


@asynccontextmanager
async def browsing() -> AsyncIterator[Browser]:
    """Start Chromium; the test is skipped where there is none."""
    if SHELL is None:
        pytest.skip("chromium is not installed")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=SHELL, args=FLAGS)
        yield browser
        await browser.close()


async def shut_out_by(page: Page) -> list[dict[str, Any]]:
    """Give what axe-core finds wrong with the page as it is now.

    A page takes it in once: each time anew, as its own driver does, takes as long as to look. What is on its way from
    one colour to another, as after the scheme changed, is looked at when it has arrived.
    """
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.axe_script)
    await page.evaluate(ARRIVED)
    look = "axe.run({ resultTypes: ['violations'] }).then((found) => found.violations)"
    found: list[dict[str, Any]] = await page.evaluate(look)
    return found
