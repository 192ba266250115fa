"""What people ask of agents while those may not answer is answered afterwards (docs/heartbeat.md#the-floor)."""

from datetime import timedelta

from bot.core.actions import Hush, Resume
from bot.core.actor import Actor
from bot.core.changes import UpdateAgent, UpdateRoom
from bot.core.events import MessagesDeleted, ReactionChanged
from bot.core.kinds import ReasonKind
from bot.core.next_beat import Waiting
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import AgentId, Snowflake
from bot.engine.performer import ActionContext, Performer
from tests.engine.hearts import Hearts, answer, hearts
from tests.engine.test_foresight import ONE, told
from tests.factories import GUILD_ID, person
from tests.fakes import PlainCipher, ScriptedModel, SeededRandom, WordTokenizer

HUSHED = timedelta(minutes=10)


async def hush(home: Hearts) -> None:
    await home.apply(UpdateRoom(room_id=ONE, fields={"hushed_until": home.clock.now() + HUSHED}))


async def act(home: Hearts, action: Hush | Resume) -> None:
    performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
    boss = person("boss", 9, is_architect=True)
    async with home.store.writing(home.community_id) as write:
        (outcome,) = await performer.perform(
            write,
            home.community_id,
            Actor.person(boss),
            [action],
            ActionContext(now=home.clock.now(), random=SeededRandom(1)),
            subject=ONE,
        )
    assert outcome.accepted, outcome.why


async def test_what_was_asked_during_a_hush_is_answered_at_its_end() -> None:
    async with hearts(1) as home:
        await home.crowd()
        await hush(home)
        await home.hear("Agent1, where do the boats leave?")
        await home.hear("Agent1, and when?", who="rob", id=502)
        await home.hear("nobody in particular")
        look = (await told(home))[ONE]
        assert (look.waiting, look.words) == (Waiting.HUSH, "the end of the hush in Agent1's room")
        assert look.at == home.clock.now() + HUSHED
        await home.run(9 * 60)
        assert home.model.calls == []
        await home.run(62)
        assert len(home.model.calls) == 1
        assert "where do the boats leave?" in home.model.calls[0].input
        assert "and when?" in home.model.calls[0].input


async def test_a_hush_that_comes_before_the_answer_puts_it_off_and_one_that_ends_early_lets_it_come() -> None:
    async with hearts(1) as home:
        await home.hear("Agent1, where do the boats leave?")
        await hush(home)
        await home.run(120)
        assert home.model.calls == []
        await act(home, Hush(minutes=30))
        await home.run(15 * 60)
        assert home.model.calls == []
        await act(home, Hush(minutes=0))
        await home.run(2)
        assert len(home.model.calls) == 1


async def test_taking_the_stop_sign_back_lets_the_answer_come() -> None:
    async with hearts(1) as home:
        await home.hear("well")
        await home.run(30)
        home.model.calls.clear()
        message = (await home.messages())[0]
        assert message.discord_id is not None
        for added in (True, False):
            await home.intake.take(
                ReactionChanged(
                    guild_id=GUILD_ID,
                    channel_id=Snowflake(7_000_000_000_000_001),
                    at=home.clock.now(),
                    message_id=message.discord_id,
                    user_id=person("mira", 501).id,
                    person=person("mira", 501),
                    emoji="🛑",
                    added=added,
                )
            )
            await home.hear("Agent1?") if added else None
            await home.run(5)
            assert len(home.model.calls) == (0 if added else 1)


async def test_what_was_asked_during_a_pause_is_answered_when_it_ends() -> None:
    async with hearts(1) as home:
        await home.crowd()
        await home.apply(UpdateAgent(agent_id=ONE, fields={"paused_reason": "paused by @boss"}))
        await home.hear("Agent1, where do the boats leave?")
        await home.hear("nobody in particular")
        await home.run(3_600)
        assert home.model.calls == []
        await act(home, Resume())
        await home.run(2)
        assert len(home.model.calls) == 1
        beat = await home.last_beat()
        assert beat is not None
        assert beat.reason is ReasonKind.ADDRESSED


async def test_what_was_asked_while_everyone_was_paused_is_answered_when_that_ends() -> None:
    async with hearts(2) as home:
        await home.crowd()
        async with home.store.writing(home.community_id) as write:
            await write.communities.pause(home.community_id, paused=True)
        await home.hear("Agent1, Agent2, where do the boats leave?")
        await home.run(3_600)
        assert home.model.calls == []
        async with home.store.writing(home.community_id) as write:
            await write.communities.pause(home.community_id, paused=False)
        await home.run(2)
        agents = (await home.view()).agents
        assert [agents[AgentId(id)].last_reason for id in (1, 2)] == [ReasonKind.ADDRESSED] * 2


async def take_back(home: Hearts, *contents: str) -> None:
    """Delete what was said in these words."""
    gone = tuple(Snowflake(one.discord_id or 0) for one in await home.messages() if one.content in contents)
    assert len(gone) == len(contents)
    channel_id = Snowflake(7_000_000_000_000_000 + ONE)
    await home.intake.take(MessagesDeleted(guild_id=GUILD_ID, channel_id=channel_id, message_ids=gone))


async def test_what_was_taken_back_meanwhile_is_answered_by_nobody() -> None:
    async with hearts(2) as home:
        await home.crowd()
        await hush(home)
        await home.hear("Agent1, where do the boats leave?")
        await take_back(home, "Agent1, where do the boats leave?")
        await act(home, Hush(minutes=0))
        await home.run(300)
        assert home.model.calls == []


async def test_whose_last_line_was_taken_back_is_answered_to_the_one_before() -> None:
    async with hearts(1) as home:
        await home.crowd()
        await hush(home)
        await home.hear("Agent1, where do the boats leave?")
        await home.hear("Agent1, and when?", who="rob", id=502)
        await take_back(home, "Agent1, and when?")
        await act(home, Hush(minutes=0))
        await home.run(2)
        (call,) = home.model.calls
        (asked,) = [one for one in await home.messages() if one.content == "Agent1, where do the boats leave?"]
        assert f"why: @mira spoke to you in message {asked.id} in room 1 (Agent1)" in call.input


async def test_what_is_taken_back_while_the_model_thinks_makes_it_think_no_second_time() -> None:
    class Slow(ScriptedModel):
        async def answer(self, call: ModelCall) -> ModelAnswer:
            await take_back(home, "Agent1, and when?")
            return await super().answer(call)

    async with hearts(1, model=Slow([answer({1: [(1, "At noon.")]})])) as home:
        await home.hear("Agent1, where do the boats leave?")
        await home.hear("Agent1, and when?")
        await home.run(60)
        assert len(home.model.calls) == 1
