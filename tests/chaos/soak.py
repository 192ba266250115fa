"""`make soak`: twenty agents and ten people at a recorded chat's pace times ten; MINUTES says for how long."""

import asyncio
import json
import logging
import os
import sys
import tempfile
import zlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import median

import aiohttp

from bot.adapters.logs import set_up_logs
from bot.app import selfroom
from bot.core.actions import CreateAgent
from bot.core.records import Person as Record
from bot.core.records import Snowflake
from bot.house import House
from bot.settings import load_settings
from tests.bench.traces import rows, there
from tests.chaos.crowd import Person
from tests.chaos.processes import QUICK, Discord, reached
from tests.chaos.trouble import ask

AGENTS, PEOPLE = 20, 10
TIMES = 10  # the trace's pace
MINUTES = 30.0
LOOK_SECONDS = 2.0
WARM_UP_SHARE = 1 / 3
GROWTH_PERCENT = 10.0
MORE_TASKS = 40  # than at the end of the warm-up; running letters and beats are tasks, too
LONGEST_QUEUE = 500
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Sample:
    """How it stood at one moment."""

    megabytes: float
    tasks: int
    reports: int  # of Discord's that wait to be stored
    letters: int  # that are next in their rooms


class Errors(logging.Handler):
    """Keeps the log's errors."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(f"{record.name}: {record.getMessage()[:300]}")


def say(line: str) -> None:
    """Print at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def soak(minutes: float, folder: Path) -> list[str]:
    """Live for so long; gives one sentence for each thing that is wrong."""
    errors = Errors()
    async with (
        aiohttp.ClientSession() as session,
        Discord(folder / "discord") as discord,
        lived_in(discord, session, folder / "bot", errors) as house,
    ):
        people, channels = await settle(house, session, discord.url)
        talking = asyncio.create_task(talk(people, channels), name="people")
        samples = await watch(house, minutes)
        said = await stopped(talking)
    say(f"  {said} messages of people; see the log in {folder}")
    return [*judged(samples), *(f"the log has an error: {line}" for line in errors.found)]


@asynccontextmanager
async def lived_in(
    discord: Discord, session: aiohttp.ClientSession, folder: Path, errors: Errors
) -> AsyncIterator[House]:
    """Run the bot in this process, with Discord and the model in theirs."""
    about = await ask(session, "GET", f"{discord.url}/playground")
    os.environ.update(QUICK | reached(about, discord.url, folder))
    settings = load_settings({}, folder / "no.env")
    with open(os.devnull, "w") as nowhere:  # noqa: ASYNC230 - opened once
        set_up_logs(folder / "logs", megabytes=10, files=5, stream=nowhere)
        logging.getLogger().addHandler(errors)
        async with AsyncExitStack() as stack:
            stop, ready = asyncio.Event(), asyncio.Event()
            house = await stack.enter_async_context(selfroom(settings))
            serving = asyncio.create_task(house.serve(stop, ready=ready.set))
            await asyncio.wait_for(ready.wait(), 30)
            yield house
            stop.set()
            await serving


async def settle(house: House, session: aiohttp.ClientSession, url: str) -> tuple[list[Person], list[int]]:
    """Make the agents with their channels, and the people."""
    about = await ask(session, "GET", f"{url}/playground")
    guild_id = Snowflake(int(about["guild_id"]))
    boss = Record(id=Snowflake(int(about["person"]["user"]["id"])), username="robin", is_architect=True)
    for number in range(1, AGENTS + 1):
        prompt = f"You are resident {number} of a busy help forum; you answer what you are asked."
        await house.desk.actions.take(guild_id, boss, CreateAgent(name=f"Agent{number}", background_prompt=prompt))
    channels: list[int] = []
    owner = Person(session, about["api_url"], about["person"]["token"], boss.id, "robin")
    while len(channels) < AGENTS:
        await asyncio.sleep(0.2)
        shown = await owner.call("GET", f"/guilds/{guild_id}/channels")
        channels = [int(one["id"]) for one in shown if one["name"].startswith("agent") and one["type"] == 0]
    people = []
    for number in range(1, PEOPLE + 1):
        made = await ask(session, "POST", f"{url}/playground/people", {"name": f"person{number}"})
        people.append(Person(session, about["api_url"], made["token"], int(made["user"]["id"]), f"person{number}"))
    return people, channels


@dataclass
class Talked:
    """How much was said."""

    messages: int = 0


TALKED = Talked()


async def talk(people: list[Person], channels: list[int]) -> None:
    """Say a trace's lines at its pace times ten, from its beginning again when it ends."""
    while True:
        for row, later in pairwise(rows(there()[0])):
            at = zlib.crc32(row["sender"].encode())
            channel_id = channels[TALKED.messages % len(channels)]
            content = row["text"][:1_900] or "…"
            await people[at % len(people)].call("POST", f"/channels/{channel_id}/messages", {"content": content})
            TALKED.messages += 1
            pause = datetime.fromisoformat(later["t"]) - datetime.fromisoformat(row["t"])
            await asyncio.sleep(min(pause, timedelta(minutes=1)).total_seconds() / TIMES)


async def stopped(talking: asyncio.Task[None]) -> int:
    """Let people fall silent; an error of theirs is raised."""
    talking.cancel()
    with suppress(asyncio.CancelledError):
        await talking
    return TALKED.messages


async def watch(house: House, minutes: float) -> list[Sample]:
    """Look at the bot every other second."""
    samples: list[Sample] = []
    loop = asyncio.get_running_loop()
    end = loop.time() + 60 * minutes
    while loop.time() < end:
        await asyncio.sleep(LOOK_SECONDS)
        samples.append(await looked(house))
        if len(samples) % 15 == 0:
            say(f"  {json.dumps(dict(zip(Sample.__slots__, _values(samples[-1]), strict=True)))}")
    return samples


def _values(sample: Sample) -> list[float]:
    return [round(sample.megabytes, 1), sample.tasks, sample.reports, sample.letters]


async def looked(house: House) -> Sample:
    """Take one look."""
    return Sample(
        megabytes=_megabytes(),
        tasks=len(asyncio.all_tasks()),
        reports=house.client.waiting,
        letters=await house.delivery.waiting(),
    )


def _megabytes() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES / 1e6


def judged(samples: list[Sample]) -> list[str]:
    """Compare the end with the end of the warm-up."""
    warm = samples[round(len(samples) * WARM_UP_SHARE) :]
    part = max(1, len(warm) // 5)
    before, after = warm[:part], warm[-part:]
    megabytes = [median(one.megabytes for one in span) for span in (before, after)]
    tasks = [median(one.tasks for one in span) for span in (before, after)]
    growth = 100 * (megabytes[1] / megabytes[0] - 1)
    say(f"  memory {megabytes[0]:.1f} -> {megabytes[1]:.1f} MB ({growth:+.1f} %)")
    say(f"  tasks {tasks[0]:.0f} -> {tasks[1]:.0f}")
    say(f"  at most {max(one.reports for one in warm)} reports and {max(one.letters for one in warm)} letters waited")
    wrong = []
    if growth > GROWTH_PERCENT:
        wrong.append(f"memory grew by {growth:.1f} % after the warm-up")
    if tasks[1] > tasks[0] + MORE_TASKS:
        wrong.append(f"tasks grew from {tasks[0]:.0f} to {tasks[1]:.0f}")
    if max(max(one.reports, one.letters) for one in warm) > LONGEST_QUEUE:
        wrong.append(f"a queue grew beyond {LONGEST_QUEUE}")
    return wrong


def main() -> int:
    """Soak; gives the exit code."""
    if not there():
        say("There is no recorded chat at hand: put traces into ../shared/traces.")
        return 2
    minutes = float(os.environ.get("MINUTES") or MINUTES)
    folder = Path(tempfile.mkdtemp(prefix="selfroom-soak-"))
    say(f"{AGENTS} agents and {PEOPLE} people for {minutes:g} minutes")
    wrong = asyncio.run(soak(minutes, folder))
    for sentence in wrong[:20]:
        say(f"  WRONG: {sentence}")
    say("  all is well" if not wrong else f"  {len(wrong)} things are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
