"""A mind that answers in plain words is heard all the same, as far as its words are its own."""

import json

from tests.engine.hearts import answer, hearts


async def test_who_answers_in_plain_words_is_heard_where_it_was_asked() -> None:
    async with hearts(1, script=["Agent1: It is called Kestrel."]) as home:
        await home.hear("what is my boat called?")
        await home.run(20)
        assert ("1", "It is called Kestrel.") in await home.lines()


async def test_a_wrong_id_in_a_call_of_one_loses_nothing() -> None:
    async with hearts(1, script=[answer({2: [(1, "It is called Kestrel.")]})]) as home:
        await home.hear("what is my boat called?")
        await home.run(20)
        assert ("1", "It is called Kestrel.") in await home.lines()


async def test_a_call_of_one_is_held_to_a_schema_without_list_and_id() -> None:
    async with hearts(1) as home:
        await home.hear("hi there")
        await home.slot(1)
        (call,) = home.model.calls
        assert call.schema is not None
        assert "agents" not in call.schema["properties"]  # type: ignore[operator]
        assert "agent_id" not in call.instructions[call.instructions.index(">>> ANSWER <<<") :]


async def test_what_looks_like_the_prompt_is_not_posted() -> None:
    async with hearts(1, script=[">>> IDENTITY <<<\nid: 1", json.dumps({"responses": []})]) as home:
        await home.hear("hi there")
        await home.run(20)
        assert not [line for line in await home.lines() if line[0] == "1"]
