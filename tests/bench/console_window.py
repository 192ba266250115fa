"""How fast the console's page opens over a large house, and how soon, and how surely, it tells what happens."""

import asyncio
import json
import re
import sys
import tempfile
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from statistics import median

import aiohttp
from playwright.async_api import Page, async_playwright
from sqlalchemy import text

from bot.console.glances import SHARED_SECONDS
from bot.console.streams import MOST_EACH
from bot.console.window import ASKED_SECONDS, COOKIE, PAGE, PROOF
from bot.core.changes import AddAgent
from bot.core.happenings import Happened, Happening
from bot.core.records import AgentId, Snowflake
from tests.bench import Figure
from tests.bench.much_said import STORED
from tests.console.house import BOSS, Open, opened
from tests.engine.town import ADA
from tests.factories import GUILD_ID, agent, room
from tests.playground.chromium import CHROMIUM, FLAGS

AGENTS, MESSAGES = 450, 100_000
ROUNDS, RECONNECTS = 5, 1_000
VIEWERS, LIVING = 50, 20
EVERY_SECONDS, WATCHED_SECONDS = 5.0, 20.0  # an agent's interval; how long is looked on
SHOWN = """(count) => new Promise((resolve) => {
  const look = () => document.querySelectorAll(".room-card").length >= count
    ? requestAnimationFrame(() => resolve(performance.now() / 1000))
    : requestAnimationFrame(look);
  look();
})"""
HEARD = """() => new Promise((resolve) => {
  const first = document.querySelector(".feed li");
  const look = () => document.querySelector(".feed li") !== first
    ? requestAnimationFrame(() => resolve(Date.now() / 1000))
    : requestAnimationFrame(look);
  look();
})"""


async def fill(there: Open) -> None:
    """Let so many agents live there, and so much be said."""
    here = there.here
    async with here.store.writing(here.community_id) as write:
        ids = [write.ids.take("agent") for _ in range(AGENTS - 2)]
        more = [AddAgent(agent=agent(id_, name=f"Agent{id_}"), room=room(id_)) for id_ in ids]
        await write.apply(here.community_id, more)
    began = int((here.clock.now() - timedelta(hours=1)).timestamp() * 1_000_000)
    async with here.store.database.writing() as connection:
        await connection.execute(text(STORED), {"messages": MESSAGES // AGENTS, "at": began})


async def painted(page: Page, address: str) -> float:
    """Give the seconds from the navigation's start until every room stands there."""
    await page.goto("about:blank")
    await page.goto(address, wait_until="commit")
    seconds: float = await page.evaluate(SHOWN, AGENTS)
    return seconds


async def shown_after(there: Open, page: Page) -> float:
    """Give the seconds from the end of a transaction until what happened in it stands on the screen."""
    hearing = asyncio.ensure_future(page.evaluate(HEARD))
    await asyncio.sleep(0.5)  # the page looks by now
    begun = time.time()
    there.feed.tell([Happening(kind=Happened.HEARD, community_id=there.here.community_id, room_id=ADA)])
    return float(await hearing) - begun


async def lost_or_doubled(there: Open) -> int:
    """Break the line again and again while something happens, and count what is missing or came twice."""
    begun = last = there.feed.seq
    seen: list[int] = []
    headers, address = {PROOF: there.proof}, f"{there.console.url}/api/v1/events"
    for number in range(RECONNECTS):
        if number % 100 == 0:
            await there.here.clock.advance(ASKED_SECONDS)  # its pace is another matter
        there.feed.tell([Happening(kind=Happened.HEARD, community_id=there.here.community_id, room_id=ADA)] * 2)
        async with there.session.get(address, params={"after": str(last)}, headers=headers) as response:
            response.raise_for_status()
            async for line in response.content:
                if line.startswith(b"data: "):
                    seen.append(json.loads(line[6:])["seq"])
                    if number % 2 or seen[-1] == there.feed.seq:
                        break
        last = seen[-1]
    told = set(range(begun + 1, last + 1))
    return len(told - set(seen)) + len(seen) - len(set(seen))


WATCH = """
import asyncio, json, random, sys
import aiohttp

async def read(session, base, headers):
    async with session.get(base + "/overview", headers=headers) as response:
        response.raise_for_status()
        await response.read()

async def watch(session, base, headers, seldom, comes):
    reading = None
    await asyncio.sleep(comes)
    async with session.get(base + "/events", headers=headers) as response:
        response.raise_for_status()
        await read(session, base, headers)
        print("in", flush=True)
        async for line in response.content:
            if line.startswith(b"data: ") and (reading is None or reading.done()):
                if reading is not None:
                    reading.result()
                reading = asyncio.create_task(later(session, base, headers, seldom))

async def later(session, base, headers, seldom):
    await asyncio.sleep(seldom * (1 - 0.4 * random.random()))
    await read(session, base, headers)

async def main():
    base, several, seldom = json.loads(sys.argv[1])
    timeout, line = aiohttp.ClientTimeout(total=None), aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(timeout=timeout, connector=line) as session:
        await asyncio.gather(*(watch(session, base, one, seldom, 0.1 * place) for place, one in enumerate(several)))

asyncio.run(main())
"""


async def entered(there: Open, count: int) -> list[dict[str, str]]:
    """Let so many managers in; gives what each of them shows with a request."""
    found = []
    for number in range(count):
        who = replace(BOSS, id=Snowflake(BOSS.id + 1 + number))
        there.server.managers[who.id] = who
        token = there.console.link(GUILD_ID, who).partition("#enter=")[2]
        async with aiohttp.ClientSession() as session:
            address = f"{there.console.url}/api/v1/session"
            async with session.post(address, json={"token": token}) as response:
                response.raise_for_status()
                cookie = response.cookies[COOKIE].value
                found.append({PROOF: (await response.json())["proof"], "Cookie": f"{COOKIE}={cookie}"})
    return found


async def worked(there: Open, seconds: float) -> float:
    """Let 20 agents live, as the feed tells of it; gives which part of a core this process worked for it."""
    beat = (Happened.BEGUN, Happened.CALLED, Happened.APPLIED, Happened.SAID)
    begun, work = time.perf_counter(), time.process_time()
    number = 0
    while time.perf_counter() - begun < seconds:
        kind = beat[number // LIVING % len(beat)]
        who = AgentId(number % LIVING + 1)
        there.feed.tell([Happening(kind=kind, community_id=there.here.community_id, agent_id=who, room_id=who)])
        number += 1
        if number % (LIVING * len(beat)) == 0:
            await there.here.clock.advance(EVERY_SECONDS)  # by it requests are counted: a busy machine takes longer
        await asyncio.sleep(EVERY_SECONDS / LIVING / len(beat))
    return (time.process_time() - work) / (time.perf_counter() - begun)


def seldom() -> float:
    """Give how often the page reads its overview again while something happens, in seconds."""
    found = re.search(r"const SELDOM = (\d+);", (PAGE / "js/live.js").read_text())
    if found is None:
        raise RuntimeError("the page does not say how often it reads its overview")
    return int(found[1]) / 1000


async def viewers_cost(there: Open) -> float:
    """Give which part of a core it takes that so many have the overview open, which reads itself anew as it goes on."""
    alone = await worked(there, WATCHED_SECONDS)
    who = await entered(there, -(-VIEWERS // MOST_EACH))
    said = json.dumps([f"{there.console.url}/api/v1", [who[one % len(who)] for one in range(VIEWERS)], seldom()])
    words = (sys.executable, "-c", WATCH, said)
    crowd = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    try:
        if crowd.stdout is None:
            raise RuntimeError("nobody says who is in")
        for _ in range(VIEWERS):
            if await crowd.stdout.readline() != b"in\n":
                raise RuntimeError("not everybody came in")
        return max(0.0, await worked(there, WATCHED_SECONDS) - alone)
    finally:
        crowd.kill()
        await crowd.wait()


async def measure(folder: str) -> list[Figure]:
    url = f"sqlite+aiosqlite:///{Path(folder) / 'house.db'}"
    async with opened(store=url, glance_seconds=SHARED_SECONDS) as there, async_playwright() as playwright:
        await fill(there)
        watched = await viewers_cost(there)
        lost = await lost_or_doubled(there)
        await there.here.clock.advance(ASKED_SECONDS)
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = await browser.new_page(viewport={"width": 1360, "height": 850})
        await page.goto(f"{there.console.url}/#enter={there.link()}")
        await page.locator(".room-card").first.wait_for()
        paints = [await painted(page, there.console.url) for _ in range(ROUNDS)]
        events = [await shown_after(there, page) for _ in range(ROUNDS)]
        await browser.close()
    size = f"{AGENTS}x{MESSAGES // 1_000}k"
    return [
        Figure(name=f"console.{VIEWERS}_viewers_of_{LIVING}_agents", value=watched, unit="core", target=0.1),
        Figure(name=f"console.first_paint_{size}", value=median(paints), unit="s", target=1.0),
        Figure(name="console.event_to_screen", value=median(events), unit="s", target=0.3),
        Figure(name=f"console.lost_or_doubled_{RECONNECTS}_reconnects", value=lost, unit="events", target=0),
    ]


def figures() -> list[Figure]:
    """Measure the page; raises RuntimeError without chromium."""
    if CHROMIUM is None:
        raise RuntimeError("The console's page cannot be measured: install chromium.")
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(measure(folder))
