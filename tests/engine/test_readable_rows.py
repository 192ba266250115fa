"""A row that cannot be read holds nobody up: it is told, set aside, and the others go on."""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from bot.core.changes import AddKey, AddRequest, AddSchedule, SetOverride
from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable
from bot.core.kinds import LetterState
from bot.core.records import AccessKey, AccessRequest, AgentId, KeyId, RequestId, Schedule, ScheduleId, Snowflake
from storage.store import SqlStore
from tests.engine.test_summaries import FEAST, ask_for_one, remembered, talk
from tests.engine.test_summaries import kept as summaries_of
from tests.engine.test_upkeep import kept, later_words, pass_time
from tests.engine.town import ADA, ADAS, BOB, BOBS, town, until

ONE, TWO = AgentId(1), AgentId(2)
SPOILT = {
    "unknown kind": "UPDATE letters SET kind = 'telegram' WHERE id = 1",
    "no time": "UPDATE letters SET not_before = -9000000000000000000 WHERE id = 1",
}


async def spoil(store: SqlStore, statement: str) -> None:
    async with store.database.writing() as connection:
        await connection.execute(text(statement))


async def value(store: SqlStore, statement: str) -> object:
    async with store.database.reading() as connection:
        return (await connection.execute(text(statement))).scalar()


@pytest.mark.parametrize("how", list(SPOILT))
async def test_a_letter_that_cannot_be_read_is_set_aside_once_and_all_others_are_delivered(how: str) -> None:
    async with town() as here:
        await here.say(ADA, "Lost.")
        await here.say(ADA, "After it.")
        await here.say(BOB, "Elsewhere.")
        await spoil(here.store, SPOILT[how])
        with capture_logs() as logs:
            await here.deliver(5)
            await here.deliver(5)
        assert (here.publisher.said(ADAS), here.publisher.said(BOBS)) == (["After it."], ["Elsewhere."])
        told = [one for one in logs if "set aside" in one["event"]]
        assert [(one["table"], one["rows"]) for one in told] == [("letters", ((here.community_id, 1),))]
        assert await value(here.store, "SELECT state FROM letters WHERE id = 1") == LetterState.FAILED


async def test_delivery_goes_on_after_whatever_it_cannot_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async with town() as here:
        await here.say(ADA, "Hello!")
        reads = 0
        look = here.delivery._until_next

        async def fails_once(now: object) -> float:
            nonlocal reads
            reads += 1
            if reads == 1:
                raise TypeError("a letter without a time")
            return await look(now)  # type: ignore[arg-type]

        monkeypatch.setattr(here.delivery, "_until_next", fails_once)
        running = asyncio.create_task(here.delivery.run())
        await until(lambda: here.clock.sleeping)
        await here.clock.advance(2)
        await here.say(BOB, "Me too!")
        here.delivery.wake()
        await until(lambda: here.publisher.said() == ["Hello!", "Me too!"])
        await here.delivery.close(0)
        await running


async def test_a_scheduled_message_that_cannot_be_read_keeps_no_other_from_being_said() -> None:
    async with kept() as (home, upkeep):
        await home.apply(later_words(home, 10))
        other = Schedule(id=ScheduleId(2), agent_id=TWO, room_id=ONE, content="No.", at=home.clock.now())
        await home.apply(AddSchedule(schedule=other))
        await spoil(home.store, "UPDATE schedules SET at = -9000000000000000000 WHERE id = 2")
        await pass_time(home, upkeep, 20)
        await pass_time(home, upkeep, 20)
        assert await home.lines() == [("2", "As promised.")]
        assert await value(home.store, "SELECT count(*) FROM schedules") == 0


async def test_a_knock_that_cannot_be_read_lets_the_others_expire() -> None:
    async with kept() as (home, upkeep):
        now = home.clock.now()
        key = AccessKey(id=KeyId(1), room_id=ONE, label="blue", ciphertext=b"x", digest=b"y", created_at=now)
        knocks = [
            AccessRequest(
                id=RequestId(id),
                room_id=ONE,
                key_id=key.id,
                key_label="blue",
                requester_person_id=Snowflake(id),
                created_at=now,
            )
            for id in (1, 2)
        ]
        await home.apply(AddKey(key=key), *(AddRequest(request=one) for one in knocks))
        await spoil(home.store, "UPDATE requests SET created_at = -9000000000000000000 WHERE id = 1")
        await pass_time(home, upkeep, 25 * 3_600)
        states = await value(home.store, "SELECT count(*) FROM requests WHERE state = 'expired'")
        assert states == 2


async def test_a_setting_that_cannot_be_read_is_at_its_default_and_upkeep_goes_on() -> None:
    async with kept() as (home, upkeep):
        await home.apply(SetOverride(name="message_days", value=1), SetOverride(name="rpm", value=100))
        await spoil(home.store, "UPDATE overrides SET value = '{' WHERE name = 'rpm'")
        await pass_time(home, upkeep, 70)
        async with home.store.reading() as read:
            (community,) = await read.communities.all()
        assert community.overrides == {"message_days": 1}


async def test_one_room_that_can_be_neither_summed_up_nor_put_off_leaves_the_others_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    away = ModelUnreachable("Nothing answers.")
    async with remembered([away, FEAST], config=CommunityConfig(model="gpt-4o-mini")) as (home, summaries):
        for room in (ONE, TWO):
            await talk(home, 3, room_id=room)
            await ask_for_one(home, room)

        def full(*_: object, **__: object) -> None:
            raise OSError("no space left on device")

        monkeypatch.setattr(summaries, "_again", full)
        await summaries.run()
        await summaries.settled()
        assert len([*await summaries_of(home, ONE), *await summaries_of(home, TWO)]) == 1


async def test_one_community_whose_share_cannot_be_added_up_holds_back_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with remembered() as (home, _):

        async def spoilt(*_: object) -> None:
            raise ValueError("no number")

        await home.hear("Agent1, hello")
        monkeypatch.setattr(home.heartbeat, "_afforded", spoilt)
        await home.slot(3)
        monkeypatch.undo()
        await home.clock.advance(timedelta(seconds=1).total_seconds())
        await home.slot(3)
        assert home.model.calls
