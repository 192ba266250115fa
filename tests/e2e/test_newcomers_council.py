"""A newcomer's council: one command opens it, buttons do all else, and a kill amid its ballot loses nothing."""

import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest
import pytest_asyncio

from tests.e2e.commanding import Commander, words_of
from tests.e2e.proving import proves
from tests.e2e.sharing import Cast, shared_home
from tests.e2e.test_lives import started
from tests.e2e.test_scenes import (
    BETWEEN_PRESSES_SECONDS,
    SECONDS,
    SPEAKS,
    VOTES,
    agent_value,
    board,
    said,
    thread_of,
    turn,
)
from tests.e2e.visitor import Json, until, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]

ADJOURNS = turn(r"Motion 1: passed[\s\S]*- adjourn\(", type="adjourn")
MINDS = (ADJOURNS, VOTES, SECONDS, SPEAKS)
VOTES_YES = "vote on motion 1: yes"
WITH = ("Wren", "Ledger")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("council")) as one:
        yield one


@proves(manager="scene start | scene replay | scene results")
async def test_a_newcomer_passes_an_amended_motion_by_buttons_alone_and_finds_outcome_and_transcript(
    cast: Cast,
) -> None:
    await cast.you.prepare_model(*MINDS)
    inside = await convened(cast.manager)
    await to_the_ballot(inside)
    await decided(inside)
    outcome = "1 motion voted on, 1 passed."
    passed = "Motion 1 passed: 2 yes, 0 no, 0 abstained, 0 absent. Tea (1) Tea at four. "
    over = await board(cast.you, inside.channel_id, "**Over**", outcome)
    results = await inside.press(over, "Results and transcript")
    assert outcome in words_of(results)
    assert passed in words_of(results).replace("**", "")
    assert "Ledger yes" in words_of(results)
    assert [one["filename"] for one in results["attachments"]] == ["council.dark.png", "transcript.txt"]
    drawn = over["attachments"][0]["description"]
    assert drawn.startswith("Closed; ") and "Motion 1: passed: 2 yes, 0 no" in drawn
    transcript = await inside.text_of(results, 1)
    for line in ("moves motion 1: Tea", "would have clause 1 say: Tea at four.", "Motion 1 passed: 2 yes, 0 no"):
        assert line in transcript.replace("**", ""), transcript
    assert outcome in await inside.told("scene results")
    assert "every digest is as it was" in await inside.told("scene replay")
    assert not [one for one in await cast.you.messages(cast.manager.channel_id) if "at four" in one["content"]]


@pytest.mark.long
async def test_a_newcomers_council_that_is_killed_amid_its_ballot_goes_on_to_its_outcome(tmp_path: Path) -> None:
    async with started(tmp_path) as first:
        await first.ready()
        async with visiting(first.url) as you:
            await you.prepare_model(*MINDS)
            inside = await convened(Commander(you, await you.channel("wren")))
            await to_the_ballot(inside)
            await until(lambda: votes_kept(tmp_path, 3), "the sealed vote of an agent")
        first.process.send_signal(signal.SIGKILL)
        await first.ends()
    assert await votes_kept(tmp_path, 3)
    async with started(tmp_path) as second:
        await second.ready()
        async with visiting(second.url) as you:
            await you.prepare_model(*MINDS)
            inside = Commander(you, inside.channel_id)
            await decided(inside)
            over = await board(you, inside.channel_id, "**Over**", "1 motion voted on, 1 passed.")
            transcript = await inside.text_of(await inside.press(over, "Results and transcript"), 1)
            for line in ("moves motion 1", "would have clause 1 say", "The council is closed"):
                assert transcript.count(line) == 1
            assert "every digest is as it was" in await inside.told("scene replay")
            posts = [one["content"] for one in await you.messages(inside.channel_id)]
            assert len([one for one in posts if "moves motion 1" in one]) == 1
    assert await votes_kept(tmp_path, 4)


async def votes_kept(folder: Path, count: int) -> bool:
    """Tell whether so many votes stand in the log, and not one more."""
    with closing(sqlite3.connect(f"file:{folder / 'selfroom.db'}?mode=ro", uri=True)) as there:
        found: int = there.execute("SELECT count(*) FROM scene_moves WHERE move = 'vote'").fetchone()[0]
    assert found <= count
    return found == count


async def convened(outside: Commander) -> Commander:
    """Open a council with one command; two agents and oneself sit down, and it begins."""
    you = outside.visitor
    await outside.comes_to_tell("scene start", "opens in a thread", kind="council")
    thread_id = await thread_of(you, outside.channel_id, "Council 1")
    inside = Commander(you, thread_id)
    for name in WITH:

        async def sits(name: str = name) -> bool:
            there = await board(you, thread_id)  # a new room counts as private until its channel was seen
            if f"'label': '{name}'" not in str(there["components"]):
                return f" {name}" in there["content"]
            told = words_of(await inside.choose(there, "Let an agent sit", agent_value(there, name)))
            return f"{name} sits in seat" in told

        await until(sits, f"{name} in a seat")
    assert "You sit in seat 3" in words_of(await inside.press(await board(you, thread_id), "Join"))
    lobby = await board(you, thread_id, "3. <@", "It can begin", "Estimate: ")
    assert "It begins." in words_of(await inside.press(lobby, "Begin"))
    return inside


async def to_the_ballot(inside: Commander) -> None:
    """Move a motion, amend it, and vote for the amendment: it passes, and the motion as it is then is voted on."""
    you, thread_id = inside.visitor, inside.channel_id
    form = await inside.press(await acting(inside, "move motion…"), "move motion…")
    await inside.fill(form, title="Tea", text="Tea at five.")
    await said(you, thread_id, "moves motion 1: **Tea** Tea at five.")
    form = await inside.press(await acting(inside, "amend motion 1…"), "amend motion 1…")
    await inside.fill(form, clause="1", text="Tea at four.")
    await said(you, thread_id, "would have clause 1 say: Tea at four.")
    await said(you, thread_id, "It was debated long enough")  # two members are heard soon
    vote = "vote on clause 1 of motion 1: yes"
    asked = await acting(inside, vote, "amending")
    assert "would have it say: Tea at four." in asked["content"]
    await inside.press(asked, vote)
    await said(you, thread_id, "Amendment to motion 1 passed: 2 yes, 0 no")
    await acting(inside, VOTES_YES, "ballot")


async def decided(inside: Commander) -> None:
    """Cast the last vote."""
    voted = await inside.press(await acting(inside, VOTES_YES, "ballot"), VOTES_YES)
    assert "Your move stands." in words_of(voted)
    await said(inside.visitor, inside.channel_id, "Motion 1 passed: 2 yes, 0 no, 0 abstained, 0 absent.")


async def acting(inside: Commander, label: str, *on_board: str) -> Json:
    """Press *Act* on the board until a move is offered, no oftener than people may."""
    pressed_at = float("-inf")

    async def look() -> Json | None:
        nonlocal pressed_at
        there = await board(inside.visitor, inside.channel_id)
        shown = there["content"].casefold()
        if "'Act'" not in str(there["components"]) or not all(one.casefold() in shown for one in on_board):
            return None
        if monotonic() - pressed_at < BETWEEN_PRESSES_SECONDS:
            return None
        pressed_at = monotonic()
        offered = await inside.press(there, "Act")
        return offered if f"'{label}'" in str(offered.get("components")) else None

    return await until(look, f"{label} on Act", seconds=60)
