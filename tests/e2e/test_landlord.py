"""Landlord in the playground: a person and two agents play a hand to its end, by buttons and lists alone."""

import pytest

from tests.e2e.commanding import Commander
from tests.e2e.sharing import Cast, words_of
from tests.e2e.test_scenes import agent_value, board, cast, lobby, said
from tests.e2e.visitor import Json, until

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]
__all__ = ["cast"]
MOST_TURNS = 40  # of the person
BUTTONS = ("call", "rob", "double")


async def test_a_person_plays_a_hand_with_two_agents_to_its_end_by_buttons_alone(cast: Cast) -> None:
    async with lobby(cast, "landlord", "Cards") as (inside, number):
        thread_id = inside.channel_id
        there = await board(cast.you, thread_id, "It needs 3 seats taken")
        assert "in seat" in words_of(await inside.press(there, "Join"))
        for name in ("Wren", "Ledger"):
            await inside.choose(there, "Let an agent sit", agent_value(there, name))
        there = await board(cast.you, thread_id, "It can begin")
        assert "It begins" in words_of(await inside.press(there, "Begin"))
        played = 0
        for _ in range(MOST_TURNS):
            seat = await my_turn_or_end(cast, inside)
            if seat is None:
                break
            assert_shows_the_hand(seat)
            await inside.stands(seat, moved(inside, seat))
            played += "play …" in str(seat["components"])
        await said(cast.you, thread_id, "is out of cards")
        there = await board(cast.you, thread_id, "Over")
        assert_shows_the_table(there)
        results = await inside.press(there, "Results and transcript")
        assert [one["filename"] for one in results["attachments"]] == ["landlord.png", "transcript.txt"]
        assert "It counts ×" in await inside.text_of(results, 1)
        assert "every digest is as it was" in await inside.told("scene replay", scene=number)
        assert played


async def my_turn_or_end(cast: Cast, inside: Commander) -> Json | None:
    """Wait until the seat, which follows the hand, says that it is one's turn; None when it is over."""

    async def look() -> tuple[Json | None] | None:
        there = await board(cast.you, inside.channel_id)
        if "**Over**" in there["content"]:
            return (None,)
        seat = inside.seat_now()
        if seat is None and "Waiting for <@" in there["content"]:
            seat = await inside.press(there, "My seat")
        return (seat,) if seat and "It is your turn" in words_of(seat) else None

    return (await until(look, "turn of the person, or end", seconds=120))[0]


def assert_shows_the_hand(seat: Json) -> None:
    (drawn,) = seat["attachments"]
    hand = words_of(seat).split("**Your hand**: ")[1].splitlines()[0]
    assert drawn["filename"] == "landlord.png"
    assert drawn["description"].endswith(f"Your hand: {hand}")


def assert_shows_the_table(there: Json) -> None:
    (drawn,) = there["attachments"]
    assert "(landlord)" in drawn["description"]
    assert "Your hand" not in drawn["description"]


async def moved(inside: Commander, seat: Json) -> Json:
    """Play what is suggested first where anything is, call, rob and double; else pass."""
    parts = [part for row in seat["components"] for part in row["components"]]
    for part in parts:
        if part.get("placeholder") == "play …":
            assert 1 <= len(part["options"]) <= 25
            return await inside.choose(seat, "play …", part["options"][0]["value"])
    labels = [part.get("label") for part in parts]
    button = next((one for one in BUTTONS if one in labels), "pass" if "pass" in labels else "no")
    return await inside.press(seat, button)
