"""What the parts of the front desk share: whose community it is, and who may read a private thread now."""

import pytest

from bot.core.changes import Audit
from bot.core.errors import NotFound, Rejected
from bot.core.records import Room, Snowflake
from bot.engine.front_desk.office import MOST_THREADS, Office, check_manages, readable
from bot.engine.performer import Performer
from tests.engine.front_desk.test_privacy import Asked, opened
from tests.engine.town import ADA, Town, town
from tests.factories import GUILD_ID, person
from tests.fakes import START, PlainCipher, SeededRandom, WordTokenizer


def office(here: Town) -> Office:
    performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
    return Office(here.store, performer, here.clock, SeededRandom(1), on_done=here.delivery.wake)


async def test_a_server_without_a_community_is_told_to_wait() -> None:
    async with town() as here:
        with pytest.raises(NotFound, match="try again in a moment"):
            async with office(here).looking(Snowflake(4_711)):
                pytest.fail("there is none")


async def test_who_changes_something_is_known_from_then_on_even_by_another_name() -> None:
    async with town() as here:
        for name in ("zoe", "zoe2"):
            async with office(here).changing(GUILD_ID, person(name, 700)) as (community, write):
                found = await write.people.find(community.id, Snowflake(700))
                assert found is not None
                assert found.username == name


async def test_a_change_that_fails_leaves_nothing() -> None:
    async with town() as here:
        with pytest.raises(Rejected):
            async with office(here).changing(GUILD_ID, person("zoe", 700)):
                raise Rejected("No.")
        async with here.store.reading() as read:
            assert await read.people.find(here.community_id, Snowflake(700)) is None


async def test_who_was_first_is_told_from_the_record_about_that_very_thing() -> None:
    async with town() as here:
        for number, by in ((1, "rita"), (11, "boss")):
            done = Audit(by=by, what=f"Request {number}: Bob is let in.", agent_id=ADA, at=START)
            await here.apply(done)
        words = {" is let in.": "granted"}
        assert await office(here).who_was_first(GUILD_ID, "Request 1: ", words) == "rita was first (granted)."
        assert await office(here).who_was_first(GUILD_ID, "Request 2: ", words) == ""


async def test_discord_is_asked_about_so_many_threads_at_most_and_of_the_newest() -> None:
    async with town() as here:
        ids, asked = await opened(here, MOST_THREADS + 3), Asked()
        async with here.store.reading() as read:
            threads = await read.rooms.threads(here.community_id)
        assert await readable(office(here), GUILD_ID, threads, asked) == frozenset(ids[3:])
        assert sorted(asked.threads) == ids[3:]


async def test_open_rooms_are_no_threads_and_nobody_is_asked_about_them() -> None:
    async with town() as here:
        asked, rooms = Asked(), list[Room]((await here.view()).all_rooms.values())
        assert await readable(office(here), GUILD_ID, rooms, asked) == frozenset()
        assert asked.threads == []


def test_managing_is_for_managers() -> None:
    check_manages(person(is_architect=True))
    with pytest.raises(Rejected):
        check_manages(person())


async def test_without_a_model_provider_who_asks_for_one_is_told_whom_to_tell() -> None:
    async with town() as here:
        with pytest.raises(Rejected, match="tell whoever runs Selfroom"):
            assert office(here).providers
