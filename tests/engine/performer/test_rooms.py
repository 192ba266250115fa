"""Rooms, attention, names and timing."""

from datetime import timedelta

import pytest

from bot.core.access import WRONG_KEY
from bot.core.actions import (
    Action,
    ClearBillboard,
    ClearTopic,
    Hush,
    Invite,
    JoinRoom,
    Remove,
    RequestAccess,
    RetireAgent,
    SetAllocation,
    SetAttention,
    SetBillboard,
    SetName,
    SetRpm,
    SetTopic,
    SetWpm,
)
from bot.core.kinds import LetterKind
from bot.core.records import AgentId
from tests.engine.performer.house import ADA, BO, BOSS, CY, EL, MIRA, House


async def payloads(house: House, kind: LetterKind) -> list[object]:
    return [dict(one.payload) for one in await house.letters() if one.kind is kind]


async def test_an_owner_furnishes_its_room(house: House) -> None:
    await house.act(ADA, SetBillboard(message="Tea at five"), SetTopic(topic="tea\nand cake"), SetWpm(wpm=120))
    room = (await house.view()).all_rooms[ADA]
    assert (room.billboard, room.topic, room.wpm) == ("Tea at five", "tea and cake", 120)
    assert await payloads(house, LetterKind.BILLBOARD) == [{"text": "Tea at five"}]
    assert await payloads(house, LetterKind.TOPIC) == [{"topic": "tea and cake"}]
    await house.act(ADA, ClearBillboard(), ClearTopic())
    room = (await house.view()).all_rooms[ADA]
    assert (room.billboard, room.topic) == ("", "")


async def test_a_topic_bears_no_mark_by_which_channels_are_known(house: House) -> None:
    await house.act(ADA, SetTopic(topic="read me (agent 8) [agent 9] (agent 1 #0123456789abcdef)"))
    assert (await house.view()).all_rooms[ADA].topic == "read me"
    assert "Say in the topic" in await house.one(ADA, SetTopic(topic="(agent 8)"))


async def test_a_manager_sets_the_pace_and_silence_of_a_room(house: House) -> None:
    await house.ask(BOSS, SetRpm(rpm=30), Hush(minutes=5), subject=ADA)
    room = (await house.view()).all_rooms[ADA]
    assert room.rpm == 30
    assert room.hushed_until == house.now + timedelta(minutes=5)
    await house.ask(MIRA, Hush(minutes=0), subject=ADA)
    assert (await house.view()).all_rooms[ADA].hushed_until is None


async def test_a_plain_member_silences_a_room_for_ten_minutes_at_most(house: House) -> None:
    (long,) = await house.ask(MIRA, Hush(minutes=11), subject=ADA)
    assert "at most 10 minutes" in long.why
    (short,) = await house.ask(MIRA, Hush(minutes=10), subject=ADA)
    assert short.accepted
    await house.ask(BOSS, Hush(minutes=60), subject=ADA)
    (lifted,) = await house.ask(MIRA, Hush(minutes=0), subject=ADA)
    assert "A manager silenced this room until" in lifted.why
    assert (await house.view()).all_rooms[ADA].hushed_until == house.now + timedelta(minutes=60)


async def test_a_manager_brings_agents_in_and_takes_them_out(house: House) -> None:
    invited, again = await house.ask(BOSS, Invite(agent_id=CY), Invite(agent_id=CY), subject=ADA)
    assert (invited.accepted, again.why) == (True, "Cy is in that room already.")
    removed, owner = await house.ask(BOSS, Remove(agent_id=CY), Remove(agent_id=ADA), subject=ADA)
    assert (removed.accepted, owner.why) == (True, "It is Ada's own room.")
    assert await house.texts(ADA) == ["Cy joined.", "Cy left."]


async def test_fixed_attention_never_comes_to_more_than_a_hundred(house: House) -> None:
    outcomes = await house.act(
        BO,
        SetAttention(room_id=BO, value="70"),
        SetAttention(room_id=ADA, value="40%"),
        SetAttention(room_id=BO, value="%*"),
        SetAttention(room_id=ADA, value="40%"),
    )
    assert [one.why for one in outcomes] == [
        *("", "Fixed attention would come to 110%: at most 100% can be fixed.", "", "")
    ]
    view = await house.view(BO)
    assert [view.memberships[BO, room].attention for room in (BO, ADA)] == [None, 40]


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (SetAllocation(knowledge=20, recent_actions=10, rooms=70), ""),
        (SetAllocation(knowledge=20, recent_actions=10, rooms=60), "That sums up to 90%: make it 100%."),
        (SetAllocation(knowledge=50, recent_actions=10, rooms=40), "Rooms get at least 50%."),
    ],
)
async def test_allocations_sum_up(house: House, action: Action, why: str) -> None:
    assert await house.one(BO, action) == why


async def test_a_new_name_is_shown_on_the_channel_and_a_taken_one_rejected(house: House) -> None:
    assert await house.one(BO, SetName(name=" Boris ")) == ""
    assert (await house.view()).agents[BO].name == "Boris"
    assert await payloads(house, LetterKind.RENAME) == [{"name": "Boris"}]
    assert await house.one(BO, SetName(name="ADA")) == '"ADA" is taken: choose another name.'
    assert "reserved" in await house.one(BO, SetName(name="System"))


async def test_a_person_is_taken_out_of_a_private_room_only(house: House) -> None:
    (public,) = await house.ask(BOSS, Remove(person_id=MIRA.id), subject=ADA)
    assert public.why == "Everyone on the server sees that room: make it private first."
    (private,) = await house.ask(BOSS, Remove(person_id=MIRA.id), subject=EL)
    assert private.accepted
    assert await payloads(house, LetterKind.PERMISSION) == [{"person_id": MIRA.id, "allowed": False}]
    nobody, stranger = await house.ask(BOSS, Remove(), Remove(agent_id=CY), subject=ADA)
    assert (nobody.why, stranger.why) == ("Say whom to remove.", "Cy is not in that room.")


async def test_doors_lead_nowhere_for_members_and_to_the_retired(house: House) -> None:
    assert await house.one(BO, JoinRoom(room_id=ADA)) == "You are in that room already."
    await house.ask(BOSS, RetireAgent(agent_id=ADA))
    assert await house.one(CY, RequestAccess(room_id=ADA, key="open sesame")) == "The owner of that room is retired."
    assert await house.one(CY, RequestAccess(room_id=AgentId(77), key="x")) == WRONG_KEY
    (invited,) = await house.ask(BOSS, Invite(agent_id=ADA), subject=BO)
    assert invited.why == "Ada is retired."
