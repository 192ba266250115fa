"""Whatever can be pressed can still be pressed after the bot was killed and started again."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.e2e.commanding import Commander, words_of
from tests.e2e.test_lives import READY_SECONDS, Life, a_server, started
from tests.e2e.visitor import Json, Visitor, until, visiting

pytestmark = pytest.mark.e2e

Shown = dict[str, Json]


@asynccontextmanager
async def bot(folder: Path, settings: Mapping[str, str]) -> AsyncIterator[Life]:
    """Run the bot alone until it is ready; it is killed in the end."""
    held = {"SELFROOM_COMMUNITY__HELD_WORDS": json.dumps(["42", "84"])}
    async with started(folder, **settings, **held) as life:
        assert life.process.stdout is not None
        async with asyncio.timeout(READY_SECONDS):
            while "ready: on Discord" not in (await life.process.stdout.readline()).decode():
                assert life.process.returncode is None
        yield life
        life.process.send_signal(signal.SIGKILL)
        await life.ends()


async def at_work(you: Visitor, name: str) -> Commander:
    """Make an agent and use commands in its room."""
    welcome = Commander(you, await you.channel("welcome"))
    assert "is created" in await welcome.told("agent create", name=name, prompt=f"You are {name}.")
    return Commander(you, await you.channel(name.lower()))


async def held_notice(you: Visitor, office: str, words: str) -> Json:
    async def look() -> Json | None:
        return next((one for one in await you.messages(office) if words in one["content"] and one["components"]), None)

    return await until(look, f"notice of {words}")


async def prepared(manager: Commander, guests: list[Visitor]) -> Shown:
    """Have people knock, an agent say what is held back, and a message that can be pointed at."""
    you, office = manager.visitor, await manager.visitor.channel("welcome")
    await manager.told("setup places", managers_channel=office)
    await manager.told("agent create", name="Attic", prompt="You are Attic.")
    attic = str(await manager.id_of("Attic"))
    await manager.told("agent pause", agent=attic)
    await manager.told("key create", room=attic, label="one", key="open sesame")
    await manager.close_room(attic)
    for guest in guests:
        caller = Commander(guest, manager.channel_id)
        assert "You knocked" in await caller.told("access request", room=attic, key="open sesame")
    answer = await you.answer_after(await you.say(manager.channel_id, "Hello Wren, who are you?"))
    notices: Shown = {"answer": answer}
    for sum, words in (("20 + 22", "42"), ("40 + 44", "84")):
        await you.say(manager.channel_id, f"Wren, what is {sum}?")
        notices[words] = await held_notice(you, office, f"the word '{words}'")
    return notices


async def shown(manager: Commander, gwen: Commander, answer: Json) -> Shown:
    """Use everything that gives something to press."""
    for number in range(30):
        await manager.told("knowledge set", agent="Wren", path=f"places.{number:02}", value="sea " * 30)
    return {
        "pending": await manager.run("access pending"),
        "card": await manager.run("agent show", agent="Wren"),
        "help": await manager.run("help"),
        "history": await manager.run("knowledge history", agent="Wren"),
        "delete agent": await manager.run("agent delete", agent="Attic"),
        "leave agent": await manager.run("agent delete", agent="Wren"),
        "clear": await manager.run("room clear", messages=1),
        "delete": await manager.menu("Delete and forget", answer),
        "react": await manager.menu("React as The Architect", answer),
        "setup": await manager.run("setup start"),
        "forget": await gwen.run("privacy forget-me"),
    }


async def test_everything_can_be_pressed_after_a_kill(tmp_path: Path) -> None:
    async with a_server(tmp_path / "server") as settings:
        url = settings["SELFROOM_DISCORD_API"].removesuffix("/api/v10")
        async with visiting(url) as you, visiting(url, "gwen") as gwen, visiting(url, "gus") as gus:
            async with bot(tmp_path / "bot", settings):
                manager = await at_work(you, "Wren")
                there = await prepared(manager, [gwen, gus])
                there |= await shown(manager, Commander(gwen, manager.channel_id), there["answer"])
            async with bot(tmp_path / "bot", settings):
                await check_doors(manager, there)
                await check_pages(manager, there)
                await check_questions(manager, there)
                forgotten = await Commander(gwen, manager.channel_id).press(there["forget"], "Forget me")
                assert "are gone here" in words_of(forgotten)


async def check_doors(manager: Commander, there: Shown) -> None:
    """Grant and deny, approve and discard."""
    labels = [part["label"] for row in there["pending"]["components"] for part in row["components"]]
    grant, deny = labels[0], labels[3]
    assert "@gwen is let in." in words_of(await manager.press(there["pending"], grant))
    assert "@gus is turned away." in words_of(await manager.press(there["pending"], deny))
    assert "posted" in words_of(await manager.press(there["42"], "Approve"))
    assert "discarded" in words_of(await manager.press(there["84"], "Discard"))


async def check_pages(manager: Commander, there: Shown) -> None:
    """Pages turn on and back."""
    help_ = await manager.choose_in_place(there["help"], "All commands about …", "agent")
    assert "`/agent divide`" in words_of(help_)
    for name in ("history",):
        first = words_of(there[name])
        on = next(
            part["label"] for row in there[name]["components"] for part in row["components"] if "On" in part["label"]
        )
        second = await manager.press_in_place(there[name], on)
        assert words_of(second) != first
        assert words_of(await manager.press_in_place(second, "Back")) == first


async def check_questions(manager: Commander, there: Shown) -> None:
    """What was asked for sure can be answered, and an agent's card still does what it offers."""
    assert "tokens" in words_of(await manager.press(there["card"], "HUD"))
    assert "👍 on [that message](" in words_of(await manager.press(there["react"], "👍"))
    assert "answers in" in words_of(await manager.press(there["setup"], "Try the model"))
    chosen = await manager.choose(there["setup"], "Where managers are told things", there["42"]["channel_id"])
    assert "Set: managers channel." in words_of(chosen)
    assert "deleted" in words_of(await manager.press(there["delete"], "Delete"))
    await manager.changed_to(await manager.press(there["clear"], "Delete 1"), "Deleted: 1 message")
    assert "Nothing has changed." in words_of(await manager.press_in_place(there["leave agent"], "Leave it"))
    assert "deleted for good" in words_of(await manager.press(there["delete agent"], "Delete Attic"))
