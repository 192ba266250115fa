"""An agent that a person spoke to answers, or the person sees that it could not."""

from decimal import Decimal

from bot.core.config import CommunityConfig
from bot.core.emoji import BROKE
from bot.core.errors import ModelUnreachable
from bot.core.kinds import Detail
from bot.core.records import Snowflake
from tests.engine.hearts import Hearts, answer, hearts

GARBAGE = '{"agents" ]]} <<<'
NO_SUCH_ROOM = '{"responses": [{"room_id": "the kitchen", "message": "hi"}], "actions": []}'


async def signs(home: Hearts) -> int:
    return sum(BROKE in map(str, done) for done in home.publisher.done)


async def to_managers(home: Hearts) -> list[str]:
    return [str(done[-1]) for done in home.publisher.done if done[0] == "notify" and "in a row" in str(done[-1])]


async def test_an_answer_that_cannot_be_used_is_asked_for_once_more() -> None:
    async with hearts(1, script=[GARBAGE, answer({1: [(1, "Here I am.")]})]) as home:
        await home.hear("hi there")
        await home.run(20)
        assert ("1", "Here I am.") in await home.lines()
        first, second = home.model.calls
        assert second.input.startswith(first.input)
        assert second.input.removeprefix(first.input).startswith("\nmend: your answer could not be used: ")
        assert second.instructions == first.instructions
        assert await signs(home) == 0
        beat = await home.last_beat()
        assert beat is not None and not beat.failed
        assert beat.usage.input_tokens > 2 * len(first.input.split())


async def test_a_message_that_could_go_nowhere_is_asked_for_once_more_with_what_was_wrong() -> None:
    async with hearts(1, script=[NO_SUCH_ROOM, answer({1: [(1, "Here I am.")]})]) as home:
        await home.hear("hi there")
        await home.run(20)
        assert ("1", "Here I am.") in await home.lines()
        assert "room_id" in home.model.calls[1].input.rpartition("mend: ")[2]


async def test_who_gets_no_answer_even_then_sees_a_sign_on_the_message() -> None:
    async with hearts(1, script=[GARBAGE] * 2) as home:
        await home.hear("hi there")
        await home.run(600)
        assert len(home.model.calls) == 2
        assert await signs(home) == 1


async def test_a_model_that_fails_at_the_second_try_leaves_the_sign_too() -> None:
    async with hearts(1, script=[GARBAGE, ModelUnreachable("Nothing answers.")]) as home:
        await home.hear("hi there")
        await home.run(600)
        assert await signs(home) == 1


async def test_nobody_is_asked_once_more_without_money_for_it() -> None:
    config = CommunityConfig(usd_per_day=Decimal("0.0012"))
    async with hearts(1, script=[GARBAGE] * 2, config=config) as home:
        await home.hear("hi there")
        await home.run(600)
        assert len(home.model.calls) == 1
        assert await signs(home) == 1


async def test_the_managers_are_told_once_after_three_in_a_row_and_what_to_change() -> None:
    config = CommunityConfig(managers_channel_id=Snowflake(9_000))
    async with hearts(1, script=[GARBAGE] * 8, config=config) as home:
        for number in range(4):
            await home.hear(f"hi there, for the {number}. time")
            await home.run(100)
        (told,) = await to_managers(home)
        assert told.startswith("gpt-4o-mini gave Agent1 3 answers in a row that cannot be used: name another model")


async def test_a_fault_of_the_provider_in_between_is_no_answer_that_cannot_be_used() -> None:
    down = ModelUnreachable("Nothing answers.")
    script = [down, down, *[GARBAGE] * 4, down, *[GARBAGE] * 2]
    config = CommunityConfig(managers_channel_id=Snowflake(9_000))
    async with hearts(1, script=script, config=config) as home:
        for number in range(3):
            assert await to_managers(home) == []
            await home.hear(f"hi there, for the {number}. time")
            await home.run(100)
        assert len(await to_managers(home)) == 1


async def test_an_answer_that_can_be_used_begins_the_count_anew() -> None:
    script = [GARBAGE] * 4 + [answer({1: [(1, "Here I am.")]})] + [GARBAGE] * 4
    config = CommunityConfig(managers_channel_id=Snowflake(9_000))
    async with hearts(1, script=script, config=config) as home:
        for number in range(5):
            await home.hear(f"hi there, for the {number}. time")
            await home.run(100)
        assert await to_managers(home) == []


EMPTY = '{"message": "", "actions": []}'


async def test_a_weak_mind_that_says_nothing_when_asked_is_asked_once_more() -> None:
    async with hearts(1, script=[EMPTY, '{"message": "Here I am."}'], detail=Detail.LEAN) as home:
        await home.hear("hi there")
        await home.run(20)
        assert ("1", "Here I am.") in await home.lines()
        assert "it says nothing" in home.model.calls[1].input.rpartition("mend: ")[2]
        assert await signs(home) == 0


async def test_a_weak_mind_that_says_nothing_twice_leaves_a_sign() -> None:
    async with hearts(1, script=[EMPTY, EMPTY], detail=Detail.LEAN) as home:
        await home.hear("hi there")
        await home.run(20)
        assert (len(home.model.calls), await signs(home)) == (2, 1)


async def test_whoever_chooses_to_be_silent_is_asked_once() -> None:
    for detail, text in ((Detail.LEAN, '{"message": "[no response]"}'), (Detail.FULL, '{"responses": []}')):
        async with hearts(1, script=[text], detail=detail) as home:
            await home.hear("hi there")
            await home.run(20)
            assert (len(home.model.calls), await signs(home)) == (1, 0)


async def test_where_nobody_waits_nothing_is_asked_again() -> None:
    async with hearts(2) as home:
        await home.crowd()
        home.model.script.extend([GARBAGE] * 8)
        await home.hear("the tide is low today", who="rob", id=502)
        await home.run(300)
        assert not [call for call in home.model.calls if "\nmend: " in call.input]


async def test_a_model_that_fails_twice_leaves_a_sign_once_and_still_answers_later() -> None:
    down = ModelUnreachable("Nothing answers.")
    async with hearts(1, script=[down, down, down, answer({1: [(1, "Here I am.")]})]) as home:
        await home.hear("hi there")
        await home.slot(1)
        assert await signs(home) == 0
        await home.run(60)
        assert await signs(home) == 1
        assert ("1", "Here I am.") in await home.lines()
