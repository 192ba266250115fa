"""What time itself brings about."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from bot.core.changes import AddKey, AddRequest, AddSchedule, UpdateAgent, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.kinds import ReasonKind, RequestState
from bot.core.records import AccessKey, AccessRequest, AgentId, KeyId, RequestId, Schedule, ScheduleId, Snowflake
from bot.engine.performer import Performer
from bot.engine.upkeep import Upkeep
from tests.engine.hearts import Hearts, hearts
from tests.fakes import PlainCipher, SeededRandom, WordTokenizer

ONE, TWO = AgentId(1), AgentId(2)


@asynccontextmanager
async def kept(config: CommunityConfig | None = None, **fields: Any) -> AsyncIterator[tuple[Hearts, Upkeep]]:  # noqa: ANN401
    async with hearts(2, config=config, **fields) as home:
        performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
        yield (
            home,
            Upkeep(
                home.store,
                performer,
                home.clock,
                lambda community_id, beat_id: SeededRandom(),
                config=config,
                on_letters=home.delivery.wake,
            ),
        )


def later_words(home: Hearts, seconds: float, room_id: AgentId = ONE) -> AddSchedule:
    at = home.clock.now() + timedelta(seconds=seconds)
    return AddSchedule(
        schedule=Schedule(id=ScheduleId(1), agent_id=TWO, room_id=room_id, content="As promised.", at=at)
    )


async def pass_time(home: Hearts, upkeep: Upkeep, seconds: float) -> None:
    await home.clock.advance(seconds)
    await upkeep.run()
    await home.run(30)


async def test_a_scheduled_message_is_said_once_when_its_time_has_come() -> None:
    async with kept() as (home, upkeep):
        await home.apply(later_words(home, 60))
        await pass_time(home, upkeep, 20)
        assert await home.lines() == []
        await pass_time(home, upkeep, 20)
        await pass_time(home, upkeep, 60)
        assert await home.lines() == [("2", "As promised.")]


async def test_a_hushed_room_hears_no_scheduled_message() -> None:
    async with kept() as (home, upkeep):
        hushed = UpdateRoom(room_id=ONE, fields={"hushed_until": home.clock.now() + timedelta(hours=1)})
        await home.apply(later_words(home, 10), hushed)
        await pass_time(home, upkeep, 20)
        await pass_time(home, upkeep, 7_200)
        assert await home.lines() == []
        (refused,) = (await home.view(2)).mind_of(TWO).recent_actions
        assert not refused.accepted
        assert "hushed" in refused.why


async def test_a_paused_agent_keeps_its_promise_when_it_goes_on() -> None:
    async with kept() as (home, upkeep):
        await home.apply(later_words(home, 10), UpdateAgent(agent_id=TWO, fields={"paused_reason": "a rest"}))
        await pass_time(home, upkeep, 20)
        assert await home.lines() == []
        await home.apply(UpdateAgent(agent_id=TWO, fields={"paused_reason": None}))
        await pass_time(home, upkeep, 20)
        assert await home.lines() == [("2", "As promised.")]


async def test_a_request_that_nobody_answers_expires_and_who_asked_is_told() -> None:
    async with kept() as (home, upkeep):
        now = home.clock.now()
        key = AccessKey(id=KeyId(1), room_id=ONE, label="door", ciphertext=b"x", digest=b"y", created_at=now)
        knock = AccessRequest(
            id=RequestId(1),
            room_id=ONE,
            requester_person_id=Snowflake(501),
            key_id=KeyId(1),
            key_label="door",
            created_at=now,
        )
        await home.apply(AddKey(key=key), AddRequest(request=knock))
        await pass_time(home, upkeep, 23 * 3_600)
        assert (await home.view()).requests[ONE][0].state is RequestState.PENDING
        await pass_time(home, upkeep, 2 * 3_600)
        assert not (await home.view()).requests
        assert [done for done in home.publisher.done if done[0] == "tell" and done[1] == 501]


async def test_a_stored_hud_goes_seven_days_after_its_beat_and_as_set() -> None:
    for config, days in ((None, 7), (CommunityConfig(hud_days=2), 2)):
        async with kept(config, script=["Hello!"]) as (home, upkeep):
            await home.hear("Agent1, hello?")
            await home.run(30)
            await upkeep.run()
            await home.clock.advance(days * 86_400 - 3_600)
            await upkeep.run()
            assert await stored_huds(home) == [True]
            await home.clock.advance(2 * 3_600)
            await upkeep.run()
            assert await stored_huds(home) == [False]


async def stored_huds(home: Hearts) -> list[bool]:
    async with home.store.reading() as read:
        return [bool(one.hud) for one in await read.beats.newest(home.community_id, ONE)]


async def test_initiative_is_seeded_for_those_who_have_none_waiting() -> None:
    async with kept(CommunityConfig(initiative=True)) as (home, upkeep):
        await upkeep.run()
        view = await home.view(1, 2)
        assert {reason.kind for reasons in view.reasons.values() for reason in reasons} == {ReasonKind.INITIATIVE}
        await home.clock.advance(120)
        await upkeep.run()
        assert (await home.view(1, 2)).reasons == view.reasons


async def test_without_initiative_nobody_waits_for_anything() -> None:
    async with kept() as (home, upkeep):
        await upkeep.run()
        assert await home.heartbeat.next_wake() is None
