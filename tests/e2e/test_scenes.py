"""Scenes in the playground: by agents and people, by buttons and by commands."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic

import pytest
import pytest_asyncio

from bot.core.records import Snowflake
from bot.core.scenes.registry import KINDS
from bot.engine import stage
from tests.e2e.commanding import Commander, heard
from tests.e2e.proving import proves
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.visitor import Json, Visitor, until

BETWEEN_PRESSES_SECONDS = 0.2

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]


def turn(match: str, **move: object) -> Json:
    """Have the model answer a turn that offers this with that move, as often as it is asked."""
    return {"match": match, "answer": {"thoughts": "", "move": move, "actions": []}, "times": 1_000}


VOTES = turn(r"- vote\(", type="vote", choice="yes")
SECONDS = turn(r"- second\(", type="second")
SPEAKS = turn(r"- speak\(", type="speak", text="I like the sound of that.")
SAYS = turn(r"- say\(", type="say", text="Good evening to everybody.")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("scenes")) as one:
        yield one


async def thread_of(you: Visitor, hall: str, name: str) -> str:
    """Wait for a scene's thread, and in it for the first words: until then nobody knows there what it is for."""

    async def look() -> str | None:
        guild = (await you.ask("GET", f"/channels/{hall}"))["guild_id"]
        threads = (await you.ask("GET", f"/guilds/{guild}/threads/active"))["threads"]
        found = next((one["id"] for one in threads if one["name"].startswith(name)), None)
        return found if found and await you.messages(found) else None

    return await until(look, f"thread {name}")


async def board(you: Visitor, thread_id: str, *words: str) -> Json:
    """Wait until the board in a thread has these words."""

    async def look() -> Json | None:
        posts = [one for one in await you.messages(thread_id) if one["content"].startswith("🎭")]
        return next((one for one in posts if all(word in one["content"] for word in words)), None)

    return heard(await until(look, f"board with {words}"))


async def said(you: Visitor, thread_id: str, words: str) -> Json:
    """Wait until something is said in a thread."""

    async def look() -> Json | None:
        return next((one for one in await you.messages(thread_id) if words in one["content"]), None)

    return await until(look, words)


@asynccontextmanager
async def lobby(cast: Cast, kind: str, title: str, **options: object) -> AsyncIterator[tuple[Commander, str]]:
    """Open a lobby and give its thread; whatever comes of it, the scene is stopped at the end."""
    told = await cast.manager.told("scene start", kind=kind, title=title, **options)
    found = re.search(r"(\d+) opens in a thread", told)
    assert found, told
    number = found[1]
    thread_id = await thread_of(cast.you, cast.manager.channel_id, f"{kind.title()} {number}")
    inside = Commander(cast.you, thread_id)
    try:
        yield inside, number
    finally:
        await inside.told("scene stop", scene=number)


async def seat_of(inside: Commander, thread_id: str, *words: str) -> Json:
    """Press *My seat* until it has these words."""
    pressed_at = float("-inf")

    async def look() -> Json | None:
        nonlocal pressed_at
        there = await board(inside.visitor, thread_id)
        if "My seat" not in str(there["components"]):
            return None  # it is drawn anew in a moment
        if monotonic() - pressed_at < BETWEEN_PRESSES_SECONDS:
            return None
        pressed_at = monotonic()
        seat = await inside.press(there, "My seat")
        return seat if all(word in words_of(seat) for word in words) else None

    return await until(look, f"seat with {words}", seconds=60)


async def test_the_scripted_minds_hold_a_council_of_their_own_to_its_end(cast: Cast) -> None:
    fern = await cast.agent("Fern")
    async with lobby(cast, "council", "the garden", options="turns=12; host=false") as (inside, number):
        for name in ("Wren", "Ledger", str(fern)):
            await inside.told("scene seat", agent=name)
        await inside.told("scene begin")

        async def over() -> str | None:
            told = await inside.told("scene show", scene=number)
            return told if "**Over**" in told else None

        assert "The council is closed" in await until(over, "the end", seconds=120)
        assert "every digest is as it was" in await inside.told("scene replay", scene=number)


def agent_value(there: Json, name: str = "Wren") -> str:
    """Give the value by which an agent is chosen on a board."""
    parts = [part for row in there["components"] for part in row["components"]]
    options = next(part["options"] for part in parts if part.get("placeholder") == "Let an agent sit")
    return next(str(one["value"]) for one in options if one["label"] == name)


async def test_a_lobby_offers_an_agent_made_after_it_opened_and_one_that_comes_free(cast: Cast) -> None:
    async with lobby(cast, "chat", "Late") as (late, _):
        async with lobby(cast, "chat", "Early") as (early, number):
            there = await board(cast.you, early.channel_id, "seats")
            await early.choose(there, "Let an agent sit", agent_value(there, "Wren"))
            await cast.agent("Latecomer")
            await until(lambda: offers(cast, late, "Latecomer"), "the newcomer")
            assert "Wren sits in Chat" in await late.told("scene seat", agent="Wren")
            await early.told("scene stop", scene=number)
        await until(lambda: offers(cast, late, "Wren"), "who is free again")
        await cast.manager.told("agent pause", agent="Latecomer")
        await until(lambda: offers(cast, late, "Latecomer", no_more=True), "who is paused is not offered")


async def offers(cast: Cast, inside: Commander, name: str, *, no_more: bool = False) -> bool:
    """Tell whether a lobby's board offers an agent."""
    there = await board(cast.you, inside.channel_id)
    return (f"'label': '{name}'" in str(there["components"])) is not no_more


async def test_ones_seat_is_one_message_that_follows_the_scene(cast: Cast) -> None:
    await cast.you.prepare_model(SAYS)
    async with lobby(cast, "chat", "Weather", options="turns=8") as (inside, _):
        thread_id, you = inside.channel_id, cast.you
        await inside.told("scene join")
        await inside.choose(await board(you, thread_id), "Let an agent sit", agent_value(await board(you, thread_id)))
        await inside.press(await board(you, thread_id, "It can begin"), "Begin")
        first = await seat_of(inside, thread_id, "It is your turn")
        form = await inside.press(first, "say…")
        assert (await inside.fill(form, text="It rains."))["id"] == first["id"]
        await inside.changed_to(first, "Good evening to everybody.")  # nobody pressed anything
        await inside.changed_to(first, "It is your turn")
        again = await inside.press(await board(you, thread_id), "My seat")
        assert int(again["id"]) > int(first["id"])
        await you.hear("MESSAGE_DELETE", lambda gone: gone["id"] == first["id"])


async def test_a_lobby_seats_all_agents_that_are_chosen_at_once(cast: Cast) -> None:
    async with lobby(cast, "chat", "Many") as (inside, _):
        there = await board(cast.you, inside.channel_id, "seats")
        both = [agent_value(there, "Wren"), agent_value(there, "Ledger")]
        told = words_of(await inside.choose(there, "Let an agent sit", *both))
        assert "Wren sits in seat 1" in told and "Ledger sits in seat 2" in told
        await board(cast.you, inside.channel_id, "2. Ledger")


@proves(manager="scene stop")
async def test_every_preset_opens_its_lobby_with_one_press(cast: Cast) -> None:
    [guild] = cast.home.house.client.guilds
    presets = [(one, preset) for one in KINDS.values() for preset in one.presets]
    for kind, preset in presets:
        asked = await cast.manager.run("scene start")
        told = words_of(await cast.manager.choose(asked, "What shall be played?", f"{kind.kind}:{preset.name}"))
        assert f"The lobby of {kind.title}" in told
        number = told.partition(f"{kind.title} ")[2].split()[0]
        scene = await cast.home.house.desk.scenes.find(Snowflake(guild.id), int(number))
        assert preset.options.items() <= scene.options.items()
        assert "stopped" in await cast.manager.told("scene stop", scene=number)


async def test_an_agent_that_is_asked_to_in_the_lobby_watches_and_comments_in_the_thread(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "EVERY_SECONDS", 1.0)
    async with lobby(cast, "chat", "Watched") as (inside, _):
        thread_id, guest = inside.channel_id, Commander(cast.guest.visitor, inside.channel_id)
        there = await board(cast.you, thread_id, "seats")
        told = await inside.choose(there, "Let an agent watch and comment", agent_value(there, "Wren"))
        assert "Wren will watch" in words_of(told)
        there = await board(cast.you, thread_id, "Wren will watch and comment")
        assert "watch and comment" not in str(there["components"])
        for one in (inside, guest):
            await one.told("scene join")
        await inside.told("scene begin")
        await board(cast.you, thread_id, "Waiting for")
        await cast.you.say(thread_id, "It rains in the valley.")

        async def commented() -> Json | None:
            said = await cast.you.messages(thread_id)
            return next((one for one in said if one["author"]["username"] == "Wren"), None)

        assert "It rains in the valley." in (await until(commented, "Wren's comment"))["content"]
        results = await inside.run("scene results")
        assert "(comment): " in await inside.text_of(results, -1)


async def test_a_running_scene_is_paused_and_stopped_at_its_board_by_who_started_it_and_left_there(cast: Cast) -> None:
    async with lobby(cast, "chat", "Brief") as (inside, number):
        thread_id, guest = inside.channel_id, Commander(cast.guest.visitor, inside.channel_id)
        await inside.told("scene join")
        await guest.told("scene join")
        await inside.told("scene begin")
        running = await board(cast.you, thread_id, "Waiting for")
        for what in ("Pause", "Stop …"):
            assert "Only who started the scene" in words_of(await guest.press(running, what))
        assert "It is paused." in words_of(await inside.press(running, "Pause"))
        paused = await board(cast.you, thread_id, "**Paused**")
        asked = await inside.press(paused, "Stop …")
        assert f"Stop Chat {number}: Brief for good?" in words_of(asked)
        await inside.press_in_place(asked, "Leave it")
        assert "**Paused**" in (await board(cast.you, thread_id))["content"]
        asked = await guest.press(paused, "Leave …")
        assert f"Leave Chat {number}: Brief?" in words_of(asked)
        assert "is free" in words_of(await guest.press(asked, "Leave my seat"))
        assert "You do not sit in that scene." in words_of(await guest.press(paused, "Leave …"))
        asked = await inside.press(paused, "Stop …")
        assert "It is stopped." in words_of(await inside.press(asked, "Stop it"))
        await board(cast.you, thread_id, "**Stopped**")


async def test_who_missed_three_turns_comes_back_by_a_button_in_their_seat(cast: Cast) -> None:
    async with lobby(cast, "chat", "Away", options="turns=30") as (inside, _):
        thread_id, guest = inside.channel_id, Commander(cast.guest.visitor, inside.channel_id)
        for one in (guest, inside):
            await one.told("scene join")
        await inside.told("scene begin")
        for count in range(1, 4):
            await inside.told("scene skip")  # the guest's turn
            await inside.told("scene move", move="say", arguments=f"Are you there? ({count})")
        await said(cast.you, thread_id, "is away.")
        seat = await guest.press(await board(cast.you, thread_id, "Waiting for"), "My seat")
        assert "You sit in seat 1" in words_of(await guest.press(seat, "I am back"))
        await said(cast.you, thread_id, "is back.")
        assert "stands" in await inside.told("scene move", move="say", arguments="Welcome back.")
        seat = await guest.press(await board(cast.you, thread_id, "Waiting for"), "My seat")
        assert "I am back" not in str(seat["components"])
        assert "stands" in await guest.told("scene move", move="say", arguments="I am here.")
        await said(cast.you, thread_id, "I am here.")


async def _directs_nothing(guest: Commander) -> None:
    assert "Only who started the scene" in await guest.told("scene seat", agent="Wren")
    assert "Only who started the scene" in await guest.told("scene replace", seat=1, agent="Wren")
    for what in ("begin", "pause", "resume", "stop", "skip", "extend"):
        assert "Only who started the scene" in await guest.told(f"scene {what}")


async def _leaves_and_comes_back(guest: Commander, you: Visitor) -> None:
    assert "is free" in await guest.told("scene leave")
    left = await guest.press(await board(you, guest.channel_id), "My seat")
    assert "You left seat 1" in words_of(left)
    assert "You sit in seat 1" in words_of(await guest.press(left, "Take it again"))
    assert "is free" in await guest.told("scene leave")


@proves(
    member="scene join | scene leave | scene list | scene show | scene move | scene options | scene results"
    " | scene stats | scene begin | scene pause | scene resume | scene stop | scene skip"
    " | scene extend | scene seat | scene replace",
    manager="scene begin | scene pause | scene resume | scene skip | scene extend | scene seat | scene replace"
    " | scene list | scene show | scene stats | scene options | scene join"
    " | scene leave | scene move",
)
async def test_people_play_a_chat_by_commands_and_may_do_what_is_theirs(cast: Cast) -> None:
    await cast.you.prepare_model(SAYS)
    await cast.refused("scene start", kind="chat")
    for one in (cast.guest, cast.manager):
        assert "**say**: Say something" in await one.told("scene options", kind="chat")
    async with lobby(cast, "chat", "Weather", options="turns=6; briefs.1=You love rain.") as (inside, number):
        guest = Commander(cast.guest.visitor, inside.channel_id)
        assert "seat 1 of" in await guest.told("scene join")
        assert "have a seat here already" in await guest.told("scene join")
        await _directs_nothing(guest)
        assert "seat 2 of" in await inside.told("scene join")
        assert "is free" in await inside.told("scene leave")
        assert "seat 2 of" in await inside.told("scene seat", agent="Wren")
        assert "seat 3 of" in await inside.told("scene join")
        assert "It begins." in await inside.told("scene begin")
        seat = await guest.told("scene move")
        assert "**Your brief**: You love rain." in seat
        for what in ("scene move", "scene show"):
            assert "You love rain" not in await inside.told(what)
        assert "stands" in await guest.told("scene move", move="say", arguments="It rains.")
        for words in (f"<@{guest.visitor.user['id']}>: It rains.", "Good evening to everybody."):
            await said(cast.you, inside.channel_id, words)

        async def my_turn() -> bool:
            return "It is your turn" in await inside.told("scene move")

        await until(my_turn, "my turn")
        await inside.visitor.say(inside.channel_id, "I would rather have sun.")

        async def taken() -> bool:
            return "I would rather have sun." in await guest.told("scene move")

        await until(taken, "what I said in the thread")
        assert "paused" in await inside.told("scene pause")
        assert "Paused" in await guest.told("scene show", scene=number)
        assert f"**Chat {number}: Weather**" in await guest.told("scene list")
        assert f"**Chat {number}: Weather**" in await inside.told("scene list")
        assert "goes on" in await inside.told("scene resume")
        assert "There is more time now" in await inside.told("scene extend")
        await _leaves_and_comes_back(guest, cast.you)
        assert "sits in seat 1" in await inside.told("scene replace", seat=1, agent="Ledger")

        async def over() -> bool:
            told = await inside.told("scene skip")
            return "is over" in told or "does not run" in told

        await until(over, "the end")
        assert "It is over" in await guest.told("scene results", scene=number)
        for one in (guest, inside):
            assert "chat: " in await one.told("scene stats")


async def test_a_chat_in_the_room_itself_is_what_is_said_there_until_it_ends(cast: Cast) -> None:
    await cast.you.prepare_model(SAYS)
    hall, manager = cast.manager.channel_id, cast.manager
    told = await manager.told("scene start", kind="chat", title="Here", options="place=room; turns=3")
    found = re.search(r"(\d+) opens in <#", told)
    assert found, told
    for told in ("seat 1 of", "seat 2 of"):
        who = {"agent": "Wren"} if told == "seat 2 of" else {}
        command = "scene seat" if who else "scene join"
        assert told in await manager.told(command, scene=found[1], **who)
    await manager.comes_to_tell("scene begin", "It begins.", scene=found[1])
    await board(cast.you, hall, "Here")
    await manager.visitor.say(hall, "What a fine room to talk in.")
    answer = await said(cast.you, hall, "Good evening to everybody.")
    assert answer["author"]["username"] == "Wren"

    async def over() -> bool:
        return "It is over" in await manager.told("scene results", scene=found[1])

    await manager.told("scene skip", scene=found[1])
    await until(over, "the end")
    await cast.you.answer_after(await cast.you.say(hall, "Wren, did you like the game?"))
