"""A slot from due to delivered, on a virtual clock and a real store."""

from decimal import Decimal

from bot.core.errors import ModelRefused
from bot.core.kinds import ReasonKind
from bot.core.records import Attachment, Usage
from tests.engine.hearts import answer, asked, everyone_says, hearts


async def test_who_is_addressed_answers_in_the_room_after_a_breath() -> None:
    async with hearts(1, script=[answer({1: [(1, "Hello Mira!")]})]) as home:
        await home.hear("hi there")
        await home.slot(0.5)
        assert home.model.calls == []
        await home.slot(0.5)
        await home.run(10)
        assert ("1", "Hello Mira!") in await home.lines()


async def test_typing_shows_as_soon_as_the_addressed_agent_is_let_through() -> None:
    async with hearts() as home:
        await home.hear("hi there")
        await home.slot(1)
        assert home.typing == [7_000_000_000_000_001]


async def test_an_idle_day_costs_no_call() -> None:
    async with hearts(50) as home:
        await home.run(24 * 3_600)
        assert home.model.calls == []
        assert await home.heartbeat.next_wake() is None


async def test_what_was_seen_is_no_reason_again() -> None:
    async with hearts(script=[answer({})] * 9) as home:
        await home.hear("hi there")
        await home.run(600)
        calls = len(home.model.calls)
        assert calls > 0
        await home.run(3_600)
        assert len(home.model.calls) == calls
        seen = (await home.view(1, 2)).memberships
        assert {membership.seen_until for (_, room), membership in seen.items() if room == 1} == {1}


async def test_listeners_of_a_room_share_one_call_and_two_of_their_answers_stand() -> None:
    async with hearts(6) as home:
        await home.crowd()
        home.model.script.append(everyone_says("Me too!"))
        await home.hear("what a day, everyone")
        while not home.model.calls:
            await home.run(1)
        assert asked(home.model.calls[0]) == [1, 2, 3, 4, 5, 6]
        await home.run(10)
        assert len([line for line in await home.lines() if line[1] == "Me too!"]) == 2
        beat = await home.last_beat(6)
        assert beat is not None
        assert "floor taken" in " ".join(beat.outcome)


async def test_a_new_picture_is_shown_once_to_a_model_that_sees() -> None:
    picture = Attachment(name="cat.png", media_type="image/png", size_bytes=9, url="https://cdn.example/cat.png")
    async with hearts(1, llm="gpt-4o") as home:
        await home.hear("look at this", attachments=(picture,))
        await home.run(60)
        await home.hear("and?")
        await home.run(60)
        assert [call.images for call in home.model.calls] == [("https://cdn.example/cat.png",), ()]


async def test_a_picture_that_is_refused_is_left_out() -> None:
    picture = Attachment(name="cat.png", media_type="image/png", size_bytes=9, url="https://cdn.example/gone.png")
    async with hearts(1, script=[ModelRefused("There is no such picture.")], llm="gpt-4o") as home:
        await home.hear("look at this", attachments=(picture,))
        await home.run(60)
        assert [len(call.images) for call in home.model.calls] == [1, 0]


async def test_both_requests_are_booked_when_a_refusal_of_pictures_is_followed_by_another() -> None:
    picture = Attachment(name="cat.png", media_type="image/png", size_bytes=9, url="https://cdn.example/gone.png")
    used = Usage(input_tokens=1_000, output_tokens=100, cost_usd=Decimal("0.01"))
    refusals = [ModelRefused("I would rather not.", usage=used), ModelRefused("Still not.", usage=used)]
    async with hearts(1, script=refusals, llm="gpt-4o") as home:
        await home.hear("look at this", attachments=(picture,))
        await home.slot(3)
        assert len(home.model.calls) == 2
        async with home.store.reading() as read:
            usd, tokens = await read.spent(home.community_id, home.clock.now().date())
        assert (usd, tokens) == (Decimal("0.02"), 2_200)


async def test_a_beat_is_kept_with_what_it_saw_said_and_cost() -> None:
    async with hearts(script=[answer({1: [(1, "Hello Mira!")]})]) as home:
        await home.hear("Agent1, hi there")
        await home.slot(1)
        beat = await home.last_beat()
        assert beat is not None
        assert (beat.reason, beat.person_id, beat.silent) == (ReasonKind.ADDRESSED, 501, False)
        assert "hi there" in beat.hud
        assert beat.usage.input_tokens > 0
        kept = (await home.view()).agents
        assert kept[beat.agent_id].interval_seconds == 5.1
        assert kept[beat.agent_id].beat_id is None
