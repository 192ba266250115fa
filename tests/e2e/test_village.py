"""A village in the playground: a person lives with two agents until evening, by buttons and lists alone."""

import pytest

from tests.e2e.commanding import Commander
from tests.e2e.sharing import Cast, words_of
from tests.e2e.test_scenes import agent_value, board, cast, lobby, said, seat_of
from tests.e2e.visitor import Json

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]
__all__ = ["cast"]
HOURS = 4


async def test_a_person_lives_with_two_agents_until_the_end_by_buttons_alone(cast: Cast) -> None:
    async with lobby(cast, "village", "Hollow", options=f"rounds={HOURS}; plenty=plenty; goals=no") as (inside, number):
        thread_id = inside.channel_id
        there = await board(cast.you, thread_id, "It needs 1 seat taken")
        assert "in seat" in words_of(await inside.press(there, "Join"))
        for name in ("Wren", "Ledger"):
            await inside.choose(there, "Let an agent sit", agent_value(there, name))
        there = await board(cast.you, thread_id, "It can begin")
        assert "It begins" in words_of(await inside.press(there, "Begin"))
        await said(cast.you, thread_id, "The sun rises over the village.")
        for hour in range(HOURS):
            seat = await seat_of(inside, thread_id, "It is your turn", f"**Hours left**: {HOURS - hour}")
            assert_shows_the_map(seat)
            if hour == 0:
                await inside.stands(seat, inside.press(seat, "look"))
                seat = await seat_of(inside, thread_id, "It is your turn", "Around you: row")
            await inside.stands(seat, moved(inside, seat, hour))
        await said(cast.you, thread_id, "It is over: ")
        there = await board(cast.you, thread_id, "Over")
        results = await inside.press(there, "Results and transcript")
        files = {one["filename"]: one.get("description", "") for one in results["attachments"]}
        assert list(files) == ["village.png", "transcript.txt"]
        assert "Wren walked" in files["village.png"]
        assert "Wren walks to" in await inside.text_of(results, 1)
        assert "every digest is as it was" in await inside.told("scene replay", scene=number)
        posts = [one["content"] for one in await cast.you.messages(thread_id)]
        assert not [one for one in posts if "walks to" in one or "Your goal" in one]


def assert_shows_the_map(seat: Json) -> None:
    (drawn,) = seat["attachments"]
    assert drawn["filename"] == "village.png"
    assert drawn["description"].startswith("Map of the village. People: ")


async def moved(inside: Commander, seat: Json, hour: int) -> Json:
    """Go to the market and gather there, by choosing from lists; else rest."""
    if "(market)" not in words_of(seat):
        return await inside.choose(seat, "move", "market")
    if "gather" in str(seat["components"]) and hour % 2 == 0:
        return await inside.choose(seat, "gather", "item=bread&n=2")
    return await inside.press(seat, "rest")
