"""Commands when things go wrong: restarts, two managers at once, double clicks, channels that go."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, MutableMapping
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.engine.front_desk.community import CommunityDesk
from bot.playground.server import Observer
from tests.e2e.commanding import LOADING, Commander, words_of
from tests.e2e.conftest import Living, living, quick_settings
from tests.e2e.proving import proves
from tests.e2e.visitor import Json, Visitor, until, visiting

pytestmark = pytest.mark.e2e


SLOW_SECONDS = 1.0  # so that there is time to do something meanwhile, on a busy machine too

Log = list[MutableMapping[str, Any]]


@pytest.fixture
def log() -> Iterator[Log]:
    """What is logged meanwhile."""
    with capture_logs() as kept:
        yield kept


@pytest.fixture
async def manager(home: Living, you: Visitor) -> AsyncIterator[Commander]:
    yield Commander(you, await you.channel("wren"))


async def knocked(manager: Commander, guest: Visitor) -> tuple[str, Json]:
    """Have somebody knock at a new private room; gives the request's number and the list with its buttons."""
    await manager.told("agent create", name="Attic", prompt="You are Attic.")
    id = str(await manager.id_of("Attic"))
    await manager.told("agent pause", agent=id)
    await manager.told("key create", room=id, label="one", key="open sesame")
    await manager.close_room(id)
    caller = Commander(guest, manager.channel_id)
    assert "You knocked" in await caller.told("access request", room=id, key="open sesame")
    pending = await manager.run("access pending")
    number = re.search(r"\*\*(\d+)\*\*: @", pending["content"])
    assert number is not None
    return number[1], pending


async def test_buttons_work_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, observers: list[Observer]
) -> None:
    settings = quick_settings(tmp_path, monkeypatch)
    async with living(settings, *observers) as home, visiting(home.url) as you, visiting(home.url, "gwen") as gwen:
        number, pending = await knocked(Commander(you, await you.channel("wren")), gwen)
    async with living(settings, *observers) as home, visiting(home.url) as you:
        manager = Commander(you, await you.channel("wren"))
        assert "@gwen is let in." in words_of(await manager.press(pending, f"Grant {number}"))


@proves(manager="access grant | access deny")
async def test_of_two_managers_at_once_one_decides(home: Living, manager: Commander) -> None:
    async with visiting(home.url, "gwen") as gwen, visiting(home.url, "max", manager=True) as max:
        number, _ = await knocked(manager, gwen)
        other = Commander(max, manager.channel_id)
        told = await asyncio.gather(
            manager.told("access grant", request=number), other.told("access deny", request=number)
        )
    decided = [one for one in told if "is let in" in one or "is turned away" in one]
    assert len(decided) == 1
    assert all("wait" in one for one in told if one not in decided)


async def test_a_double_click_confirms_once(manager: Commander, log: Log) -> None:
    await manager.told("agent create", name="Once", prompt="You are Once.")
    asked = await manager.run("agent delete", agent="Once")
    before = len(manager.visitor.heard)
    await asyncio.gather(*(manager.click(asked, "Delete Once") for _ in range(3)))
    told = await everything_told(manager, before, "deleted for good", presses=3)
    assert sum("Once is deleted for good." in one for one in told) == 1
    assert not any("went wrong" in one or "There is no agent" in one for one in told)
    assert "There is no agent" in await manager.told("agent show", agent="Once")
    assert "a command failed" not in lines(log)


async def test_a_command_that_discord_reports_twice_is_done_once_and_quietly(
    home: Living, manager: Commander, log: Log
) -> None:
    await trouble(home, {"kind": "duplicate_events", "event": "INTERACTION_CREATE"})
    assert "Twin is created" in await manager.told("agent create", name="Twin", prompt="You are Twin.")
    assert "Twin is paused." in await manager.told("agent pause", agent="Twin")
    assert [line for line in log if line["log_level"] in ("warning", "error")] == []


async def test_a_double_click_on_grant_decides_once(home: Living, manager: Commander) -> None:
    async with visiting(home.url, "gwen") as gwen:
        number, pending = await knocked(manager, gwen)
    before = len(manager.visitor.heard)
    await asyncio.gather(*(manager.click(pending, f"{verdict} {number}") for verdict in ("Grant", "Grant", "Deny")))
    told = await everything_told(manager, before, "waits", presses=3)
    assert len([one for one in told if "is let in" in one or "is turned away" in one]) == 1
    assert len([one for one in told if "waits" in one]) == 2, told


@pytest.mark.parametrize("path", ["agent delete", "room clear"])
async def test_of_two_managers_who_confirm_at_once_one_is_told_it_was_done(
    home: Living, manager: Commander, log: Log, path: str
) -> None:
    await manager.told("agent create", name="Both", prompt="You are Both.")
    await manager.visitor.say(await manager.visitor.channel("both"), "Ledger, remember me")
    options: Json = {"agent": "Both"} if path == "agent delete" else {"messages": 1, "room": "Both"}
    label = "Delete Both" if path == "agent delete" else "Delete 1"
    async with visiting(home.url, "max", manager=True) as max:
        other = Commander(max, manager.channel_id)
        asked = [(one, await one.run(path, **options)) for one in (manager, other)]
        told = [words_of(one) for one in await asyncio.gather(*(one.press(each, label) for one, each in asked))]
    assert any("deleted for good" in one or "1 message" in one for one in told), told
    assert not any("went wrong" in one for one in told), told
    assert "a command failed" not in lines(log)


async def test_a_room_whose_channel_is_gone_says_so(home: Living, owner: Visitor, manager: Commander) -> None:
    await manager.told("agent create", name="Gone", prompt="You are Gone.")
    channel = await manager.visitor.channel("gone")
    asked = await manager.run("room clear", messages=5, room="Gone")
    await owner.ask("DELETE", f"/channels/{channel}")
    await manager.comes_to_tell("agent show", "retired", agent="Gone")
    told = words_of(await manager.press(asked, "Delete 5"))
    assert "not there" in told or "no channel" in told
    assert "is retired: restore it first." in await manager.told("room wpm", words=50, room="Gone")


async def test_a_command_outside_of_rooms_asks_for_the_room(manager: Commander) -> None:
    manager.channel_id = await manager.visitor.channel("welcome")
    assert "choose which one you mean" in await manager.told("room info")
    assert "Wren's room" in await manager.told("room info", room="Wren")


async def test_too_much_haste_is_slowed_down(manager: Commander) -> None:
    told = [words_of(await manager.run("search", words="tea")) for _ in range(31)]
    assert "Nothing was found." in told[-2]
    assert "That was quick: try again in" in told[-1]


async def test_an_answer_that_comes_too_late_is_let_go(home: Living, manager: Commander, log: Log) -> None:
    for seconds in (5, 1_000):  # Discord waits 3 s for the first sign, and 15 min for the rest
        before = len(manager.visitor.heard)
        await home.script({"delay_seconds": SLOW_SECONDS})
        if seconds < 10:
            slow = {"kind": "latency", "route": "POST /interactions/*/callback", "seconds": SLOW_SECONDS}
            await trouble(home, slow)
        await manager.start("setup model", model="gpt-4o-mini")
        if seconds > 10:
            await manager.visitor.hear("INTERACTION_SUCCESS", lambda _: True, after=before)
        await home.session.post(f"{home.url}/playground/clock", json={"advance": seconds})

        async def noticed(expected: int = 1 if seconds < 10 else 2) -> bool:
            return lines(log).count("an answer came too late") == expected

        await until(noticed, "line in the log")
    assert "a command failed" not in lines(log)
    assert "Wren" in await manager.told("agent list")


async def test_a_channel_that_goes_while_its_command_runs_hurts_nobody(
    home: Living, owner: Visitor, manager: Commander, log: Log
) -> None:
    await manager.told("agent create", name="Brief", prompt="You are Brief.")
    there = Commander(manager.visitor, await manager.visitor.channel("brief"))
    before = len(manager.visitor.heard)
    await home.script({"delay_seconds": SLOW_SECONDS})
    await there.start("setup model", model="gpt-4o-mini")
    await manager.visitor.hear("INTERACTION_SUCCESS", lambda _: True, after=before)
    await owner.ask("DELETE", f"/channels/{there.channel_id}")

    async def noticed() -> bool:
        return "an answer could not be given" in lines(log) or "an answer came too late" in lines(log)

    await until(noticed, "line in the log")
    assert "a command failed" not in lines(log)
    await manager.comes_to_tell("agent show", "retired", agent="Brief")


FORBIDDEN = {"room clear": ("manage_messages", 1 << 13), "Delete and forget": ("manage_messages", 1 << 13)}


@pytest.mark.parametrize("what", FORBIDDEN)
async def test_a_permission_that_is_missing_on_discord_is_named(
    owner: Visitor, manager: Commander, log: Log, what: str
) -> None:
    you = manager.visitor
    said = await you.say(manager.channel_id, "Ledger, this goes")
    name, bit = FORBIDDEN[what]
    await without_permission(owner, bit)
    assert f"Permission **{name.replace('_', ' ')}** is missing" in await manager.told("setup start")
    asked = await (
        manager.menu("Delete and forget", said)
        if what == "Delete and forget"
        else manager.run("room clear", messages=1)
    )
    told = words_of(await manager.press(asked, "Delete" if what == "Delete and forget" else "Delete 1"))
    assert "Discord does not let me" in told
    assert "permission" in told
    assert said["id"] in [one["id"] for one in await you.messages(manager.channel_id)]
    assert "a command failed" not in lines(log)


async def test_what_goes_wrong_inside_is_told_with_an_id_that_the_log_has(
    home: Living, manager: Commander, log: Log
) -> None:
    def broken(*_: object, **__: object) -> object:
        raise RuntimeError("the cellar is flooded")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CommunityDesk, "audit_log", broken)
        told = await manager.told("audit")
    id = told.rpartition(": ")[2].rstrip(".")
    assert "tell whoever runs it this id" in told
    assert "flooded" not in told
    failed = next(one for one in log if one["event"] == "a command failed")
    assert failed["id"] == id
    assert "the cellar is flooded" in str(failed["exc_info"])


async def everything_told(manager: Commander, before: int, words: str, *, presses: int) -> list[str]:
    """Wait until so many presses were taken, these words told and nothing is thought about; gives all that was told."""

    def told() -> dict[str, Json]:
        return {data["id"]: data for kind, data in manager.visitor.heard[before:] if kind.startswith("MESSAGE_")}

    async def settled() -> bool:
        kinds = [kind for kind, _ in manager.visitor.heard[before:]]
        assert "INTERACTION_FAILURE" not in kinds, "a press was not answered"
        thinking = any(one.get("flags", 0) & LOADING for one in told().values())
        heard = any(words in words_of(one) for one in told().values())
        return heard and kinds.count("INTERACTION_SUCCESS") == presses and not thinking

    await until(settled, "answers to all presses")
    return [words_of(one) for one in told().values()]


def lines(log: Log) -> list[str]:
    """Give what was logged, without details."""
    return [str(one["event"]) for one in log]


async def trouble(home: Living, fault: Json) -> None:
    """Let the playground fail."""
    async with home.session.post(f"{home.url}/playground/faults", json=fault) as response:
        assert response.status == 200, await response.text()


async def without_permission(you: Visitor, bit: int) -> None:
    """Take a permission from the bot's role."""
    guild, bot = you.about["guild_id"], you.about["application_id"]
    roles = await you.ask("GET", f"/guilds/{guild}/roles")
    mine = next(one for one in roles if (one.get("tags") or {}).get("bot_id") == bot)
    rights = int(mine["permissions"]) & ~bit & ~(1 << 3)
    await you.ask("PATCH", f"/guilds/{guild}/roles/{mine['id']}", {"permissions": str(rights)})
