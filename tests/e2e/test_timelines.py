"""What if, in the playground: a room is forked, a tree grown, compared and cut back, and the room hears nothing."""

import os
import re
import signal
from collections.abc import AsyncIterator, Sequence

import pytest
import pytest_asyncio

from bot.core.records import Snowflake
from bot.playground.rest.exchange import Exchange
from bot.seclusion import Seclusion
from tests.adapters.test_workshop import wait_until_dead
from tests.e2e.commanding import Commander, heard
from tests.e2e.commanding import inside as parts_of
from tests.e2e.proving import proves
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.test_scenes import lobby, thread_of
from tests.e2e.visitor import Json, until

ASKED: list[Exchange] = []  # of Discord, since somebody began to look
pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("timelines"), ASKED.append) as one:
        yield one


def foreign(asked: Sequence[Exchange], room: str, thread: str) -> list[str]:
    """Give what Selfroom asked of Discord but to answer presses, to open a tree's thread, and to draw its board."""
    answers = re.compile(r"/webhooks/(\d+)/[^/]+/messages/(?:@|%40)original")  # those of the application itself
    (application,) = {found[1] for one in asked if (found := answers.fullmatch(one.path))}
    own = re.compile(rf"/interactions/.*|/webhooks/{application}/.*|/channels/{thread}(/.*)?")
    opened = ("POST", f"/channels/{room}/threads")
    return [
        f"{one.method} {one.path}"
        for one in asked
        if one.by_bot and one.method != "GET" and not own.fullmatch(one.path) and (one.method, one.path) != opened
    ]


async def board(inside: Commander, *words: str) -> Json:
    """Wait until the board of a tree has these words."""

    async def look() -> Json | None:
        posts = [one for one in await inside.visitor.messages(inside.channel_id) if one["content"].startswith("🌳")]
        return next((one for one in posts if all(word in one["content"] for word in words)), None)

    return heard(await until(look, f"board with {words}", seconds=60))


async def forked(cast: Cast, title: str) -> tuple[Commander, int]:
    """Fork Wren's room, and give the tree's thread with its number."""
    told = await cast.manager.told("timeline fork", title=title)
    number = int(told.split()[1])
    return Commander(cast.you, await thread_of(cast.you, cast.manager.channel_id, f"🌳 what if … ({number})")), number


async def rows(cast: Cast) -> tuple[list[Json], list[object]]:
    """Give what stands in the room, and what its agents were."""
    [guild] = cast.home.house.client.guilds
    view = await cast.home.house.desk.community.view(Snowflake(guild.id), messages=200)
    minds = [(one.name, one.last_beat_at) for one in view.agents.values()]
    return await cast.you.messages(cast.manager.channel_id), list(minds)


async def what_agents_saw(inside: Commander) -> None:
    """By a button of its node, a beat's number, and the very HUD."""
    listed = words_of(await pressed(inside, 2, "What agents saw"))
    assert "**Beats in node 2**" in listed and "**Wren**: " in listed
    beat = int(listed.partition("\n`")[2].partition("`")[0])
    shown = await inside.run("timeline read", node=2, beat=beat)
    assert words_of(shown).startswith(f"Beat {beat}: ")
    hud, _, answer = (await inside.text_of(shown)).partition("==== ANSWER ====")
    assert "the lights go out!" in hud and "room_id" in answer
    assert "Nobody had beat 99999 in node 2." in await inside.told("timeline read", node=2, beat=99_999)
    assert "Nobody looked in this node itself." in await inside.told("timeline read", node=1, beats=True)


async def asked_for(inside: Commander) -> None:
    """What costs more than a manager wants to be asked for is run only once that is sure."""
    await inside.told("setup options", setting="timeline_ask_usd", value="0")
    asked = await inside.run("timeline advance", node=8)
    assert "That is thought to cost about 0.0" in words_of(asked) and "imaginary USD. Run it?" in words_of(asked)
    assert "Nothing has changed." in words_of(await inside.press_in_place(asked, "Leave it"))
    asked = await inside.run("timeline advance", node=8)
    assert "Made: 1 node (" in words_of(await inside.press(asked, "Run it"))
    assert "Set: timeline ask usd." in await inside.told("setup options", setting="timeline_ask_usd", value="0.10")


async def read_by_a_guest(cast: Cast, inside: Commander) -> None:
    """Who can read the room may read its tree, unless managers have it otherwise."""
    guest = Commander(cast.guest.visitor, inside.channel_id)
    hers = await guest.choose(await board(guest), "Choose a node", "5")
    assert [one["label"] for one in parts_of(hers["components"]) if one.get("label")] == ["Read"]
    assert "who are you?" in words_of(await guest.press(hers, "Read"))
    assert "the lights go out" in await guest.told("timeline list")
    assert "**Node 5** was asked" in await guest.told("timeline show")
    assert "who are you?" in await guest.told("timeline read", node=5)
    assert "who are you?" not in await guest.told("timeline read", node=5, beats=True)
    await inside.told("setup options", setting="timelines_for_managers", value="true")
    assert "There are no trees: managers begin one" in await guest.told("timeline list")
    assert "Only managers" in words_of(await guest.choose(await board(guest), "Choose a node", "5"))
    assert "Only managers" in words_of(await guest.press(hers, "Read"))
    await inside.told("setup options", setting="timelines_for_managers", value="false")


@proves(
    manager="timeline fork | timeline list | timeline show | timeline advance | timeline multi | timeline chain"
    " | timeline frontier | timeline change | timeline read | timeline compare | timeline rerun | timeline note"
    " | timeline stop | timeline delete | timeline budget | timeline ask",
    member="timeline list | timeline show | timeline read",
)
async def test_a_manager_grows_a_tree_and_the_room_hears_nothing_of_it(cast: Cast) -> None:
    said_before, agents_before = await rows(cast)
    inside, number = await forked(cast, "the lights go out")
    assert f"🌳 **What if {number}**: the lights go out in <#" in await inside.told("timeline list")
    assert "(1)" in words_of(
        await inside.run("timeline change", node=0, event="Wren, the lights go out!", visitor="mira")
    )
    await board(inside, "🟢 **Node 1** an event")
    told = await inside.told("timeline multi", node=1, siblings=3, turns=1)
    assert "Made: 3 nodes (2, 3, 4)." in told
    await board(inside, *(f"🟢 **Node {number}** one of several, 1 turn" for number in (2, 3, 4)))
    assert "@mira: Wren, the lights go out!" in await inside.told("timeline read", node=2)
    assert "0 bytes differ" in await inside.told("timeline rerun", node=3)
    beside = await inside.told("timeline compare", node=1, other=2)
    assert "Node 1 and node 2 differ in " in beside and "imaginary USD and " in beside
    children = await inside.told("timeline compare", node=1)
    assert "of 3:" in children and "**Node 2**: " in children and "imaginary USD" in children
    await what_agents_saw(inside)
    assert "Noted" in await inside.told("timeline note", node=2, text="the dark one")
    await board(inside, "the dark one")
    asked = "(5). What Wren answers comes here."
    assert asked in await inside.told("timeline ask", node=2, agent="Wren", question="who are you?")
    answered = await cast.you.hear("MESSAGE_UPDATE", lambda one: "**Wren** answers:" in one.get("content", ""))
    assert answered["content"].startswith("Node 5: ") and "lighthouse" in answered["content"]
    await board(inside, "🟢 **Node 5** was asked")
    assert "who are you?" in await inside.told("timeline read", node=5)
    assert "Node 5 is over." in await inside.told("timeline stop", node=5)
    assert "Made: 2 nodes (6, 7)." in await inside.told("timeline chain", node=5, turns=2)
    await board(inside, " **Node 6** a link of a chain", " **Node 7** a link of a chain")
    assert "(8)" in await inside.told("timeline change", node=0, agent="Wren", told="You are alone.", event="A bell.")
    await board(inside, "🟢 **Node 8** several changes")
    assert "(9)" in await inside.told("timeline advance", node=8, minutes=2)
    await board(inside, "🟢 **Node 9** went on")
    assert "(10" in await inside.told("timeline frontier", turns=1)
    await board(inside, "🟢 **Node 10** went on")
    await asked_for(inside)
    assert "USD" in await inside.told("timeline budget")
    assert "**Node 5** was asked" in await inside.told("timeline show")

    await read_by_a_guest(cast, inside)
    await cast.you.say(inside.channel_id, "Wren, do you hear this?")
    sure = await inside.run("timeline delete", node=2)
    assert "Deleted:" in words_of(await inside.press(sure, "Delete"))
    assert "There is no node 2." in await inside.told("timeline read", node=2)
    said, agents = await rows(cast)
    assert [one["content"] for one in said if one["type"] == 0] == [one["content"] for one in said_before]
    assert agents == agents_before


def killed(grower: Seclusion) -> None:
    """Kill the process in which nodes run, and wait until it is dead: what is asked meanwhile ends with it."""
    assert grower.pid is not None
    os.kill(grower.pid, signal.SIGKILL)
    wait_until_dead(grower.pid)


async def pressed(inside: Commander, node: int, *labels: str) -> Json:
    """Choose a node on the board, and press one button after the other."""
    answer = await inside.choose(await board(inside), "Choose a node", str(node))
    for label in labels:
        answer = await inside.press(answer, label)
    return answer


def options_with(answer: Json, word: str) -> list[str]:
    """Give the values of the options whose label has a word."""
    options = [one for part in parts_of(answer["components"]) for one in part.get("options", ())]
    return [one["value"] for one in options if word in one["label"]]


async def twelve_grown(inside: Commander, grower: Seclusion) -> None:
    """Have twelve nodes and two more by buttons and a command, and the process killed twice amid them."""
    assert "(2, 3, 4)" in words_of(await pressed(inside, 1, "×3"))
    killed(grower)
    assert "(5, 6, 7)" in words_of(await pressed(inside, 1, "×3"))
    assert "(8, 9, 10)" in words_of(await pressed(inside, 1, "Chain of 3"))
    killed(grower)
    assert "(11)" in words_of(await pressed(inside, 1, "Advance"))
    assert "(12)" in words_of(await pressed(inside, 1, "Advance"))
    assert "(13, 14)" in await inside.told("timeline selected", nodes="1 0", turns=1)
    siblings_done = [f"🟢 **Node {one}** one of several" for one in range(2, 8)]
    await board(inside, *(f" **Node {one}** " for one in range(15)), *siblings_done)


@proves(manager="timeline merge | timeline unmerge | timeline selected")
async def test_a_tree_from_a_message_gives_one_memory_to_life_and_takes_it_back(cast: Cast) -> None:
    orchard = cast.home.house.desk.timelines.orchard
    assert orchard is not None
    grower = orchard.grower
    assert isinstance(grower, Seclusion)
    post = await cast.you.say(cast.manager.channel_id, "Wren, good evening!")
    await cast.you.answer_after(post)
    said_before, agents_before = await rows(cast)
    ASKED.clear()
    seen = await cast.manager.menu("Show the HUD behind this", post)
    told = words_of(await cast.manager.press(seen, "What if…"))
    number = int(told.split()[1])
    inside = Commander(cast.you, await thread_of(cast.you, cast.manager.channel_id, f"🌳 what if … ({number})"))
    form = await pressed(inside, 0, "Change…")
    await inside.fill(form, event="Wren, good night!", visitor="mira", agent="Wren", knows="mood=wild")
    shown = await board(inside, "🟢 **Node 1** several changes")
    assert (
        f" at https://discord.com/channels/{cast.you.about['guild_id']}/{cast.manager.channel_id}/" in shown["content"]
    )
    await twelve_grown(inside, grower)
    siblings = words_of(await pressed(inside, 2, "Compare with 3"))  # chance may have them say the same
    assert "Node 2 and node 3 " in siblings or siblings == "These worlds are the same."
    # the one in which nothing was said to Wren
    assert "Node 2 and node 14 " in await inside.told("timeline compare", node=2, other=14)

    offered = await pressed(inside, 2, "Merge")
    assert "**Wren** knowledge `mood`: wild" in words_of(offered)
    asked = await inside.choose(offered, "Choose what comes into real life", *options_with(offered, "mood"))
    taken = words_of(await inside.press(asked, "Take it over"))
    assert f"Taken over from what-if {number}/2: 1 thing." in taken
    assert "wild" in await cast.manager.told("knowledge show", agent="Wren")
    merge = int(taken.partition("merge:")[2].partition("`")[0])
    assert f"**{merge}** The Architect" in await inside.told("timeline unmerge")
    sure = await inside.run("timeline unmerge", merge=merge)
    assert "Put back: Wren's knowledge, mood." in words_of(await inside.press(sure, "Put it back"))
    assert "wild" not in await cast.manager.told("knowledge show", agent="Wren")

    asked = await inside.run("timeline merge", node=2, what="mood")
    assert "Take this over into real life?" in words_of(asked)
    assert "Nothing has changed." in words_of(await inside.press_in_place(asked, "Leave it"))

    assert "Deleted: 3 nodes." in words_of(await pressed(inside, 8, "Delete", "Delete"))
    said, agents = await rows(cast)
    posts = [[one["content"] for one in lines if one["type"] == 0] for lines in (said, said_before)]
    assert (posts[0], agents) == (posts[1], agents_before)
    assert foreign(ASKED, cast.manager.channel_id, inside.channel_id) == []


async def test_a_process_that_is_killed_amid_its_work_goes_on_and_the_room_does_not_notice(cast: Cast) -> None:
    inside, _ = await forked(cast, "killed")
    orchard = cast.home.house.desk.timelines.orchard
    assert orchard is not None
    grower = orchard.grower
    assert isinstance(grower, Seclusion)
    assert "(1)" in await inside.told("timeline change", node=0, event="Wren, say something!", visitor="mira")
    await board(inside, "🟢 **Node 1** an event")
    said_before, agents_before = await rows(cast)
    for _ in range(2):
        await inside.told("timeline multi", node=1, siblings=4, turns=1)
        before = grower.pid
        assert before is not None
        os.kill(before, signal.SIGKILL)

        async def another(before: int = before) -> bool:
            return grower.pid not in (None, before)

        await until(another, "another process", seconds=60)
    done = [f"🟢 **Node {number}** one of several" for number in range(2, 10)]
    await board(inside, *done)
    for number in (2, 5, 9):
        assert "0 bytes differ" in await inside.told("timeline rerun", node=number)
    said, agents = await rows(cast)
    assert ([one["content"] for one in said], agents) == ([one["content"] for one in said_before], agents_before)
    there = await board(inside)
    chosen = await inside.choose(there, "Choose a node", "2")
    assert "Made: 1 node (10)." in words_of(await inside.press(chosen, "Advance"))
    chosen = await inside.choose(await board(inside, "🟢 **Node 10** went on"), "Choose a node", "10")
    assert "0 bytes differ" in words_of(await inside.press(chosen, "Run again"))


async def felled(cast: Cast) -> None:
    """Delete all trees: there is room for three."""
    [guild] = cast.home.house.client.guilds
    for one in await cast.home.house.desk.timelines.all(Snowflake(guild.id)):
        await cast.manager.press(await cast.manager.run("timeline delete", tree=one.id), "Delete")


async def test_an_agent_plays_the_seat_that_a_manager_has_in_life(cast: Cast) -> None:
    await felled(cast)
    await cast.agent("Petrel")
    async with lobby(cast, "chat", "Tea") as (stage, number):
        for one in ("Wren", "Petrel"):
            assert "There is no seat of a person" in await cast.manager.told("timeline fork", played_by=one)
        await stage.told("scene seat", agent="Wren")
        await stage.told("scene join")
        await stage.told("scene begin")
        assert "Wren sits in " in await cast.manager.told("timeline fork", played_by="Wren")
        told = await cast.manager.told("timeline fork", title="without me", played_by="Petrel")
        tree = int(told.split()[1])
        thread = await thread_of(cast.you, cast.manager.channel_id, f"🌳 what if … ({tree})")
        inside = Commander(cast.you, thread)
        await board(inside, f"Agents play seats of people: Petrel (seat 2 of scene {number}).")
        await inside.told("timeline advance", node=0, turns=4)
        await board(inside, "🟢 **Node 1** went on, 4 turns")
        beats = await inside.told("timeline read", node=1, beats=True)
        assert "**Petrel**: " in beats and "**Wren**: " in beats


async def test_the_board_of_a_tree_that_is_gone_tells_nothing_of_it(cast: Cast) -> None:
    guest = cast.guest.visitor
    await felled(cast)
    await guest.say(cast.manager.channel_id, "Wren, my boat is called Petrel!")
    inside, number = await forked(cast, "the Petrel sinks")
    await inside.told("timeline change", node=0, event="The Petrel sinks.")
    await board(inside, "the Petrel sinks", "🟢 **Node 1** an event")
    await inside.told("timeline note", node=1, text="poor guest")
    await board(inside, "poor guest")
    sure = await cast.guest.run("privacy forget-me")
    await cast.guest.press(sure, "Forget me")
    await emptied(cast, number)

    inside, number = await forked(cast, "a storm comes")
    sure = await inside.run("timeline delete")
    assert "is deleted, with all its nodes" in words_of(await inside.press(sure, "Delete"))
    await emptied(cast, number)


async def emptied(cast: Cast, number: int) -> None:
    """Wait until the board of a tree tells that it is gone, and nothing else is left of it but the thread's number."""
    inside = Commander(cast.you, await thread_of(cast.you, cast.manager.channel_id, f"🌳 what if … ({number})"))
    post = await board(inside, f"🌳 **What if {number}** is gone.")
    assert post["attachments"] == post["components"] == []

    async def bare() -> bool:
        thread: Json = await cast.you.ask("GET", f"/channels/{inside.channel_id}")
        return bool(thread["name"] == f"🌳 what if … ({number})")

    await until(bare, "a thread without its title")
