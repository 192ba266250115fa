"""What time itself brings about."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Executable

from bot.core.changes import AddKey, AddRequest, AddSchedule, Audit, Change, UpdateAgent, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.kinds import ReasonKind, RequestState
from bot.core.records import AccessKey, AccessRequest, AgentId, KeyId, RequestId, Schedule, ScheduleId, Snowflake
from bot.core.scenes.records import SceneStatus
from bot.engine import upkeep as upkeep_module
from bot.engine.performer import Performer
from bot.engine.upkeep import Upkeep
from storage import erasing, retention
from storage.session import Rows, Session
from tests.engine.hearts import Hearts, hearts
from tests.fakes import PlainCipher, SeededRandom, WordTokenizer
from tests.storage.lines import kept_beats, said
from tests.storage.scenes import a_council

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


async def test_what_paused_agents_wanted_to_say_keeps_no_others_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep_module, "SCHEDULES_AT_ONCE", 2)
    async with kept() as (home, upkeep):
        for number in range(2, 5):
            one = Schedule(id=ScheduleId(number), agent_id=ONE, room_id=ONE, content="Not yet.", at=home.clock.now())
            await home.apply(AddSchedule(schedule=one))
        await home.apply(later_words(home, 10), UpdateAgent(agent_id=ONE, fields={"paused_reason": "a rest"}))
        await pass_time(home, upkeep, 20)
        assert [text for _, text in await home.lines()] == ["As promised."]
        await home.apply(UpdateAgent(agent_id=ONE, fields={"paused_reason": None}))
        await pass_time(home, upkeep, 20)
        assert "Not yet." in [text for _, text in await home.lines()]


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
        told = [str(done[2]) for done in home.publisher.done if done[0] == "tell" and done[1] == 501]
        expired = "it expired, ask again if you still want to."
        assert told == [f"Nobody answered your request for Agent1's room: {expired}"]


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
        return [bool(one.hud) for one in await kept_beats(read.beats, home.community_id, ONE)]


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


async def test_who_was_not_forgotten_to_the_end_before_a_stop_is_so_at_the_next_start() -> None:
    async with kept() as (home, upkeep):
        await home.hear("my lamp is under the oak", who="mira", id=501)
        async with home.store.writing(home.community_id) as write:
            await write.personal.begin_forgetting(home.community_id, Snowflake(501), home.clock.now())
        await upkeep.run()
        async with home.store.reading() as read:
            assert await read.personal.forgetting() == []
            assert await read.talk.search(home.community_id, "lamp", room_ids=[ONE]) == []
            newest, *_ = await read.logs.audit(home.community_id)
        assert newest.what.startswith("Somebody is forgotten: 1 message")


async def test_who_asks_to_be_forgotten_right_after_the_start_is_left_to_whoever_tells_them_what_went() -> None:
    async with kept() as (home, upkeep):
        await home.hear("my lamp is under the oak", who="mira", id=501)
        await home.clock.advance(1)
        async with home.store.writing(home.community_id) as write:
            await write.personal.begin_forgetting(home.community_id, Snowflake(501), home.clock.now())
        await upkeep.run()
        async with home.store.reading() as read:
            assert await read.personal.forgetting() == [(home.community_id, 501)]


async def test_what_is_kept_no_longer_goes_in_short_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    turns: dict[Session, int] = {}
    remove = erasing._erase

    async def counting(session: Session, community_id: int, found: Rows, *rest: Any) -> None:  # noqa: ANN401
        turns[session] = turns.get(session, 0) + len(found)
        await remove(session, community_id, found, *rest)

    monkeypatch.setattr(erasing, "_erase", counting)
    monkeypatch.setattr(retention, "NEWEST_KEPT", 5)
    monkeypatch.setattr(upkeep_module, "AGED_AT_ONCE", 10)
    async with kept(CommunityConfig(message_days=1)) as (home, upkeep):
        async with home.store.writing(home.community_id) as write:
            for room_id in (ONE, TWO):
                lines = [said(str(number), 100 * room_id + number, room_id=room_id) for number in range(25)]
                await write.talk.add(home.community_id, lines)
        await pass_time(home, upkeep, 3 * 86_400)
        async with home.store.reading() as read:
            left = [len(await read.talk.history(home.community_id, room_id)) for room_id in (ONE, TWO)]
    assert left == [5, 5]
    assert [*turns.values()] == [10, 10, 10, 10]


async def test_old_logs_go_in_short_transactions_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep_module, "LOGS_AT_ONCE", 10)
    gone: list[int] = []
    asked = Session.run

    async def counting(session: Session, statement: Executable, values: Any = None) -> int:  # noqa: ANN401
        rows = await asked(session, statement, values)
        gone.append(rows if "DELETE FROM" in str(statement) else 0)
        return rows

    async with kept(CommunityConfig(log_days=1, message_days=1)) as (home, upkeep):
        noted: list[Change] = [Audit(by="ann", what="agent pause", at=home.clock.now()) for _ in range(35)]
        async with home.store.writing(home.community_id) as write:
            await write.apply(home.community_id, noted)
        monkeypatch.setattr(Session, "run", counting)
        await pass_time(home, upkeep, 3 * 86_400)
        async with home.store.reading() as read:
            assert await read.logs.audit(home.community_id, limit=100) == []
    assert sum(gone) >= 35
    assert max(gone) == 10


async def test_a_scene_that_rests_and_whose_rules_are_gone_gives_its_places_back() -> None:
    async with kept() as (home, upkeep):
        async with home.store.writing(home.community_id) as write:
            gone = await a_council(write, home.community_id, version=99, status=SceneStatus.PAUSED, deadline_at=None)
            rests = await a_council(
                write, home.community_id, status=SceneStatus.PAUSED, deadline_at=None, thread_id=None
            )
        await pass_time(home, upkeep, 3_600)
        async with home.store.reading() as read:
            ended = await read.scenes.find(home.community_id, gone.id)
            left = await read.scenes.find(home.community_id, rests.id)
        assert ended is not None
        assert left is not None
        assert (ended.status, "not played any more" in ended.outcome) == (SceneStatus.STOPPED, True)
        assert left.status is SceneStatus.PAUSED
