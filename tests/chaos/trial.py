"""One trial: a community lives through kills and faults, and is judged at the end."""

import asyncio
import random
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from tests.chaos.crowd import NAMES, Crowd, Person
from tests.chaos.processes import READY, Child, Discord, bot
from tests.chaos.trouble import Trouble, ask
from tests.chaos.verdict import Verdict, judge, open_letters, stored_messages, unanswered

AGENTS = {
    "Ada": "A mathematician who likes sums and short answers.",
    "Bob": "A gardener who talks about roses and answers every question.",
    "Cleo": "A librarian with a good memory.",
}
QUIET_SECONDS = 4.0
READY_LOOKS = 24  # half a second each: faults can keep it from getting ready for long
LONGEST_END_SECONDS = 120.0

Tell = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Plan:
    """How bad it gets."""

    seed: int
    kills: int
    fault_share: float = 0.0
    early_share: float = 0.3  # of lives that may end before the bot is ready
    life_seconds: tuple[float, float] = (0.3, 4.0)


async def hold(plan: Plan, folder: Path, tell: Tell) -> Verdict:
    """Hold one trial in an empty folder."""
    dice = random.Random(plan.seed)  # noqa: S311 - a test's chance
    async with aiohttp.ClientSession() as session, Discord(folder / "discord") as discord:
        about = await ask(session, "GET", f"{discord.url}/playground")
        owner = Person(session, about["api_url"], about["person"]["token"], int(about["person"]["user"]["id"]), "robin")
        child = bot(about, discord.url, folder / "bot")
        crowd = await settle(session, discord, owner, about, child, dice)
        trouble = Trouble(session, discord.url, about["application_id"], plan.fault_share, plan.seed)
        async with trouble:
            await _kill_again_and_again(plan, crowd, child, dice, tell)
        await come_to_rest(child, folder / "bot" / "selfroom.db", len(crowd.said))
        await child.end(signal.SIGTERM)
        verdict = await judge(crowd, folder / "bot" / "selfroom.db")
        verdict.counts |= trouble.counts
        return verdict


async def settle(
    session: aiohttp.ClientSession,
    discord: Discord,
    owner: Person,
    about: dict[str, Any],
    child: Child,
    dice: random.Random,
) -> Crowd:
    """Start the bot, make the agents by command, and let people join."""
    await child.start()
    await child.says(READY)
    crowd = Crowd([owner], {}, dice)
    for name, prompt in AGENTS.items():
        await crowd.command(owner, int(about["channel_id"]), ["agent", "create"], name=name, prompt=prompt)
    while len(crowd.rooms) < len(AGENTS):
        await asyncio.sleep(0.1)
        channels = await owner.call("GET", f"/guilds/{about['guild_id']}/channels")
        by_name = {name.lower(): name for name in AGENTS}
        crowd.rooms = {int(one["id"]): by_name[one["name"]] for one in channels if one["name"] in by_name}
    for name in NAMES:
        made = await ask(session, "POST", f"{discord.url}/playground/people", {"name": name})
        crowd.people.append(Person(session, owner.api, made["token"], int(made["user"]["id"]), name))
    return crowd


async def _kill_again_and_again(plan: Plan, crowd: Crowd, child: Child, dice: random.Random, tell: Tell) -> None:
    for number in range(plan.kills):
        if dice.random() >= plan.early_share:
            await _talk_until_ready(crowd, child)
        await crowd.talk(seconds := dice.uniform(*plan.life_seconds))
        was_ready = child.said(READY)
        await child.end(signal.SIGKILL)
        await crowd.talk(dice.uniform(0.0, 0.4))
        await child.start()
        life = f"{seconds:.1f} s after it was ready" if was_ready else "before it was ready"
        tell(f"  killed {number + 1} of {plan.kills} {life}, {len(crowd.said)} messages so far")
    with suppress(AssertionError):  # trouble may keep it from its ready line until the faults are cleared
        await child.says(READY, 10)
    await crowd.talk(2.0)


async def _talk_until_ready(crowd: Crowd, child: Child) -> None:
    for _ in range(READY_LOOKS):
        if child.said(READY):
            return
        await crowd.talk(0.5)


async def come_to_rest(child: Child, database: Path, said: int) -> None:
    """Wait until all that was said is stored and answered, and every letter is sent, or it takes too long."""
    await child.says(READY, 60)
    loop = asyncio.get_running_loop()
    end, before, quiet_since = loop.time() + LONGEST_END_SECONDS, (-1, -1), loop.time()
    while loop.time() < end:
        now = stored_messages(database)
        if open_letters(database) or unanswered(database) or now != before or now[0] < said:
            quiet_since, before = loop.time(), now
        elif loop.time() - quiet_since > QUIET_SECONDS:
            return
        await asyncio.sleep(0.2)
