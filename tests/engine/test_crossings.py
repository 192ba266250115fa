"""Agents come and go as they like, and nobody has to read it again and again."""

from datetime import timedelta

from bot.core.changes import UpdateRoom
from bot.core.kinds import Access
from bot.core.records import AgentId, Snowflake
from tests.engine.hearts import Hearts, answer, hearts

ONE = AgentId(1)
ONES = Snowflake(7_000_000_000_000_001)
LEAVE = {"type": "leave_room", "room_id": 1}
JOIN = {"type": "join_room", "room_id": 1}


async def move_about(home: Hearts) -> tuple[str, ...]:
    """Let the second agent answer in its own room; gives what came of it."""
    await home.hear("Agent2, move about", room_id=2)
    await home.slot(60)
    beat = await home.last_beat(2)
    assert beat is not None
    return beat.outcome


async def test_who_comes_and_goes_in_one_answer_is_told_of_once_and_after_a_hush() -> None:
    async with hearts(2, script=[answer({}, {2: [LEAVE, JOIN] * 25})]) as home:
        until = home.clock.now() + timedelta(minutes=10)
        await home.apply(UpdateRoom(room_id=ONE, fields={"hushed_until": until}))
        outcome = await move_about(home)
        assert outcome[0] == "Agent2 left Agent1's room."
        assert outcome[1] == "Rejected (join room): Agent2 came or went there just now: stay with it."
        assert sum(not one.startswith("Rejected") for one in outcome) == 1
        await home.run(300)
        assert home.publisher.said(ONES) == []
        await home.run(300)
        assert home.publisher.said(ONES) == ["Agent2 left."]


async def test_a_hush_that_ends_early_lets_out_what_waited() -> None:
    async with hearts(2, script=[answer({}, {2: [LEAVE]})]) as home:
        until = home.clock.now() + timedelta(minutes=10)
        await home.apply(UpdateRoom(room_id=ONE, fields={"hushed_until": until}))
        await move_about(home)
        await home.apply(UpdateRoom(room_id=ONE, fields={"hushed_until": None}))
        await home.run(15)
        assert home.publisher.said(ONES) == ["Agent2 left."]


async def test_an_agent_comes_and_goes_at_most_three_times_an_hour() -> None:
    moves = [answer({}, {2: [one]}) for one in (LEAVE, JOIN, LEAVE, JOIN, JOIN)]
    async with hearts(2, script=moves) as home:
        await home.apply(UpdateRoom(room_id=ONE, fields={"access": Access.OPEN}))
        told = [(await move_about(home))[0] for _ in range(4)]
        assert told[3] == "Rejected (join room): Agent2 came and went there often: try again in an hour."
        assert home.publisher.said(ONES) == ["Agent2 left.", "Agent2 joined.", "Agent2 left."]
        await home.clock.advance(3_600)
        assert await move_about(home) == ("Agent2 is in Agent1's room now.",)
