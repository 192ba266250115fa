"""What people see of rooms and their doors: keys are for managers' eyes, and a knock is decided once."""

import pytest

from bot.core.actions import CreateKey, ScheduleMessage, SetTopic
from bot.core.changes import AddRequest
from bot.core.errors import NotFound, Rejected
from bot.core.records import AccessRequest, AgentId, KeyId, RequestId
from bot.engine.front_desk import FrontDesk
from bot.engine.front_desk.rooms import Cleared
from tests.engine.test_moderation import front_desk
from tests.engine.town import ADA, ADAS, BOB, BOBS, Town, town
from tests.factories import GUILD_ID, later, person
from tests.fakes import START

BOSS, GUEST = person("boss", 900, is_architect=True), person("mira", 501)


async def keyed(here: Town) -> FrontDesk:
    """Give Ada's room a key, at which Bob has knocked."""
    desk = front_desk(here)
    await desk.actions.take(GUILD_ID, BOSS, CreateKey(key="open-sesame", label="friends"), subject=ADA)
    knock = AccessRequest(
        id=RequestId(1), room_id=ADA, requester_agent_id=BOB, key_id=KeyId(1), key_label="friends", created_at=START
    )
    await here.apply(AddRequest(request=knock))
    return desk


async def test_the_secrets_of_keys_are_for_managers_and_their_labels_for_all() -> None:
    async with town() as here:
        desk = await keyed(here)
        assert [key.label for key in await desk.doors.key_labels(GUILD_ID, ADA)] == ["friends"]
        assert await desk.doors.key_labels(GUILD_ID, BOB) == []
        with pytest.raises(Rejected):
            await desk.doors.keys(GUILD_ID, GUEST, ADA)


async def test_a_knock_is_decided_once_and_who_comes_second_is_told_who_was_first() -> None:
    async with town() as here:
        desk = await keyed(here)
        assert [one.requester_agent_id for one in await desk.doors.knocks(GUILD_ID)] == [BOB]
        with pytest.raises(Rejected):
            await desk.doors.decide(GUILD_ID, GUEST, 1, grant=True)
        await desk.doors.decide(GUILD_ID, BOSS, 1, grant=True)
        assert (BOB, ADA) in (await here.view()).memberships
        assert await desk.doors.knocks(GUILD_ID) == []
        with pytest.raises(NotFound, match=r"boss.* was first \(granted\)"):
            await desk.doors.decide(GUILD_ID, BOSS, 1, grant=False)
        assert (BOB, ADA) in (await here.view()).memberships


async def test_who_is_turned_away_stays_out() -> None:
    async with town() as here:
        desk = await keyed(here)
        await desk.doors.decide(GUILD_ID, BOSS, 1, grant=False)
        assert (BOB, ADA) not in (await here.view()).memberships


async def test_a_knock_that_never_was_waits_no_longer() -> None:
    async with town() as here:
        with pytest.raises(NotFound, match="the owner decided, or its time ran out"):
            await front_desk(here).doors.knock(GUILD_ID, 77)


async def test_the_owner_of_a_room_is_found_by_its_channel_and_by_that_around_a_thread() -> None:
    async with town() as here:
        rooms = front_desk(here).rooms
        assert (await rooms.owner_at(GUILD_ID, BOBS)).name == "Bob"
        assert (await rooms.owner_at(GUILD_ID, 4_711, None, ADAS)).name == "Ada"
        with pytest.raises(NotFound, match="no agent's room"):
            await rooms.owner_at(GUILD_ID, 4_711, None)


async def test_a_place_is_a_room_as_it_stands_or_nothing() -> None:
    async with town() as here:
        desk = front_desk(here)
        await desk.actions.take(GUILD_ID, BOSS, SetTopic(topic="tea"), subject=ADA)
        found = await desk.rooms.place(GUILD_ID, ADA)
        assert found is not None
        assert found.topic == "tea"
        assert await desk.rooms.place(GUILD_ID, AgentId(99)) is None


async def test_what_will_be_said_is_listed_soonest_first_for_all_for_one_and_for_a_room() -> None:
    async with town() as here:
        desk = front_desk(here)
        for agent_id, minutes in ((ADA, 90), (BOB, 30), (ADA, 60)):
            wish = ScheduleMessage(room_id=agent_id, message=f"in {minutes}", at=later(60 * minutes))
            await desk.actions.take(GUILD_ID, BOSS, wish, subject=agent_id)

        async def listed(agent_id: AgentId | None, room_id: AgentId | None) -> list[str]:
            return [one.content for one in await desk.rooms.scheduled(GUILD_ID, agent_id, room_id)]

        assert await listed(None, None) == ["in 30", "in 60", "in 90"]
        assert await listed(ADA, None) == ["in 60", "in 90"]
        assert await listed(None, BOB) == ["in 30"]
        assert await listed(ADA, BOB) == []


@pytest.mark.parametrize(
    ("cleared", "told"),
    [
        (Cleared(asked=3, deleted=1, goes_on=False, ended=False), "Deleted: 1 message."),
        (Cleared(3, 1, goes_on=True, ended=False), "1 of 3 messages deleted; `/room clear` tells how far it is."),
        (Cleared(3, 1, goes_on=False, ended=True), "It ended early: 1 of 3 messages deleted."),
    ],
)
def test_how_far_a_clearing_is_is_told_in_words(cleared: Cleared, told: str) -> None:
    assert cleared.told() == told
