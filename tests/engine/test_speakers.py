"""What agents of one call say is held against what each was shown, what the others of it are among it."""

from bot.core.changes import UpdateAgent, WholeAgentColumns
from bot.core.records import AgentId
from tests.engine.hearts import Hearts, answer, asked, hearts

SECRET = "You are a smuggler who hides eleven barrels of rum below the third plank of the northern pier."


async def both_asked(home: Hearts) -> None:
    """Let two agents be asked in one call."""
    await home.apply(UpdateAgent(agent_id=AgentId(2), fields=WholeAgentColumns(prompt=SECRET)))
    await home.hear("Agent1 and Agent2, who are you?")
    await home.slot(1)
    assert asked(home.model.calls[0]) == [1, 2]


async def test_what_another_agent_of_the_call_is_is_not_posted() -> None:
    async with hearts(2, script=[answer({1: [(1, SECRET)], 2: [(1, "A fisherman.")]})]) as home:
        await both_asked(home)
        await home.run(20)
        assert [text for who, text in await home.lines() if who == "2"] == ["A fisherman."]
        assert SECRET not in [text for _, text in await home.lines()]


async def test_what_one_itself_is_is_not_posted_word_for_word() -> None:
    async with hearts(2, script=[answer({1: [(1, "A resident.")], 2: [(1, f"Agent2: {SECRET}")]})]) as home:
        await both_asked(home)
        await home.run(20)
        assert [text for who, text in await home.lines() if who == "1"] == ["A resident."]
        assert not [text for _, text in await home.lines() if SECRET in text]
