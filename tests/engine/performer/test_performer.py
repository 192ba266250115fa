"""Actions one after the other: each stands or falls alone, and others have their turn in between."""

import asyncio

from bot.core.actions import (
    HudNote,
    Pause,
    Set,
)
from bot.core.records import AgentId
from tests.engine.performer.house import BO, BOSS, House


async def test_a_rejected_item_changes_nothing_and_the_others_stand(house: House) -> None:
    outcomes = await house.act(BO, Set(path="a", value=1), Set(path="a.b", value=2), Set(path="c", value=3))
    assert [one.accepted for one in outcomes] == [True, False, True]
    assert await house.knowledge(BO) == {"a": 1, "c": 3}
    record = (await house.mind(BO)).recent_actions[1]
    assert (record.type, record.accepted) == ("set", False)
    assert record.why == 'a.b leads through a plain value at "b": delete that first, or choose another path.'


async def test_others_have_their_turn_between_the_actions_of_an_answer(house: House) -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    others = asyncio.create_task(other())
    await house.act(BO, *(HudNote(text=f"note {number}") for number in range(200)))
    others.cancel()
    assert turns > 200


async def test_what_could_not_be_read_stands_among_the_recent_actions(house: House) -> None:
    await house.act(BO, refused=[("sleep", "until is missing.")])
    record = await house.last_action(BO)
    assert (record.type, record.accepted, record.why) == ("sleep", False, "until is missing.")


async def test_a_command_must_say_which_agent_is_meant(house: House) -> None:
    (outcome,) = await house.ask(BOSS, Pause())
    assert outcome.why == "Say which agent is meant."
    (unknown,) = await house.ask(BOSS, Pause(), subject=AgentId(99))
    assert unknown.why == "There is no agent 99 here."
