"""Messages, replies, reactions and what is said later."""

from datetime import timedelta

import pytest

from bot.core.actions import Attach, React, Reply, Say, SendMessage
from bot.core.changes import SetOverride, UpdateAgent
from bot.core.kinds import Emotion, LetterKind
from bot.core.records import AgentId, Letter
from tests.engine.performer.house import ADA, BO, BOSS, CY, DI, House

UP = Emotion.THUMBS_UP


async def posts(house: House, room_id: AgentId) -> list[Letter]:
    return [one for one in await house.letters() if one.kind is LetterKind.POST and one.room_id == room_id]


async def test_what_is_said_is_stored_and_posted_at_the_pace_of_the_room(house: House) -> None:
    let_through = house.now - timedelta(seconds=0.75)
    await house.act(BO, SendMessage(room_id=ADA, message="one two three four"), let_through_at=let_through)
    assert await house.texts(ADA) == ["one two three four"]
    (post,) = await posts(house, ADA)
    assert post.not_before == house.now + timedelta(seconds=0.25)  # four words at 80 a minute take 1 s, some has passed


@pytest.mark.parametrize(("seconds", "typed"), [(1.0, 0.4), (4.5, 0.925), (5.0, 1), (5.5, 1.03), (10.0, 1.3)])
async def test_an_agent_that_was_sped_up_types_faster_and_one_that_was_slowed_down_slower(
    house: House, seconds: float, typed: float
) -> None:
    await house.write(UpdateAgent(agent_id=BO, fields={"interval_seconds": seconds}))
    await house.act(BO, SendMessage(room_id=ADA, message="one two three four"), let_through_at=house.now)
    (post,) = await posts(house, ADA)
    assert (post.not_before - house.now).total_seconds() == pytest.approx(typed, abs=0.01)


async def test_a_long_message_is_typed_for_two_seconds_and_counts_as_an_overrun(house: House) -> None:
    await house.act(BO, SendMessage(room_id=ADA, message="word " * 300), let_through_at=house.now)
    (post,) = await posts(house, ADA)
    assert post.not_before == house.now + timedelta(seconds=2)
    membership = (await house.view(BO)).memberships[BO, ADA]
    assert (membership.last_spoke_at, membership.overrun_words) == (house.now, 100)


async def test_a_reply_points_to_a_message_of_that_room(house: House) -> None:
    asked, elsewhere = await house.said(ADA, "tea?"), await house.said(BO, "coffee?")
    assert await house.one(BO, Reply(room_id=ADA, message_id=asked, message="yes")) == ""
    why = await house.one(BO, Reply(room_id=ADA, message_id=elsewhere, message="yes"))
    assert why == "Message 2 is not in room 1."
    assert (
        await house.one(CY, Reply(room_id=CY, message_id=asked, message="me?"))
        == "There is no message 1 in your rooms."
    )


async def test_one_speaks_only_in_rooms_one_is_in_and_that_the_beat_showed(house: House) -> None:
    why = "You are not in room 1, or it is not shown in this beat."
    assert await house.one(CY, SendMessage(room_id=ADA, message="x")) == why
    assert await house.one(BO, SendMessage(room_id=ADA, message="x"), rooms_shown=frozenset({BO})) == why
    assert await house.texts(ADA) == []


async def test_the_floor_has_the_last_word(house: House) -> None:
    why = await house.one(BO, SendMessage(room_id=ADA, message="x"), may_speak=lambda room: f"floor taken in {room}")
    assert why == "floor taken in 1"
    assert (await house.last_action(BO)).why == why
    assert await house.texts(ADA) == []


async def test_thumbs_move_the_author_once_and_hearts_do_not(house: House) -> None:
    said = await house.said_by_agent(ADA, "tea!")
    assert await house.one(BO, React(message_id=said, reaction=UP)) == ""
    assert (await house.view()).agents[ADA].interval_seconds == 4.5
    assert await house.one(BO, React(message_id=said, reaction=UP)) == "Your thumbs_up is on message 1 already."
    assert await house.one(BO, React(message_id=said, reaction=Emotion.HEART)) == ""
    assert (await house.view()).agents[ADA].interval_seconds == 4.5
    reacted = [dict(one.payload) for one in await house.letters() if one.kind is LetterKind.REACT]
    assert reacted[0] == {"message_id": said, "emoji": "👍"}


async def test_one_agent_moves_another_at_most_four_times_an_hour(house: House) -> None:
    said = [await house.said_by_agent(ADA, f"line {n}") for n in range(6)]
    await house.act(BO, *(React(message_id=id, reaction=Emotion.THUMBS_DOWN) for id in said[:5]))
    assert (await house.view()).agents[ADA].interval_seconds == 7.0
    await house.act(BO, React(message_id=said[5], reaction=Emotion.THUMBS_DOWN))
    assert (await house.view()).agents[ADA].interval_seconds == 7.0
    await house.act(DI, React(message_id=said[5], reaction=UP))
    assert (await house.view()).agents[ADA].interval_seconds == 6.5


async def test_nobody_reacts_to_itself_or_to_what_it_cannot_see(house: House) -> None:
    said = await house.said_by_agent(ADA, "tea!")
    assert await house.one(ADA, React(message_id=said, reaction=UP)) == "You cannot react to your own message."
    assert await house.one(CY, React(message_id=said, reaction=UP)) == "There is no message 1 in your rooms."
    (unposted,) = await house.act(ADA, SendMessage(room_id=ADA, message="held back"))
    assert unposted.accepted
    assert await house.one(BO, React(message_id=2, reaction=UP)) == "There is no message 2 in your rooms."


async def test_a_manager_speaks_as_an_agent_where_the_agent_is(house: House) -> None:
    said, outside = await house.ask(BOSS, Say(message="hello"), Say(message="hello", room_id=CY), subject=BO)
    assert (said.accepted, outside.why) == (True, "Bo is not in <#7000000000000003>.")
    assert await house.texts(BO) == ["hello"]


async def test_a_file_goes_along_with_the_first_message_and_is_shown_as_far_as_files_are_read(house: House) -> None:
    await house.write(SetOverride(name="attachment_characters", value=12))
    first, second = (SendMessage(room_id=room_id, message="Here are my notes.") for room_id in (ADA, BO))
    done = await house.act(BO, first, second, Attach(name="../notes", text="0123456789 and more"))
    assert [one.result for one in done][-1] == "notes.txt goes along with your message in room 1."
    (post,), (other,) = await posts(house, ADA), await posts(house, BO)
    assert post.message_id is not None
    async with house.store.reading() as read:
        carried = [(await read.letters.whole(one)).payload for one in (post, other)]
        assert carried == [{"files": [["notes.txt", "0123456789 and more"]]}, {}]
        (file,) = (await read.talk.by_id(house.community_id, [post.message_id]))[post.message_id].attachments
    assert (file.name, file.size_bytes, file.text) == ("notes.txt", 19, "0123456789 a")


async def test_a_file_needs_a_message_and_one_has_three_at_most(house: House) -> None:
    assert "say in the same answer what it is" in await house.one(BO, Attach(name="a.md", text="x"))
    message = SendMessage(room_id=ADA, message="Take these.")
    done = await house.act(BO, message, *(Attach(name=f"{n}.md", text="x") for n in range(4)))
    assert [one.why for one in done] == ["", "", "", "", "One message has at most 3 files."]


async def test_a_file_with_a_message_that_is_refused_goes_nowhere(house: House) -> None:
    hidden = SendMessage(room_id=ADA, message="Psst.")
    done = await house.act(BO, hidden, Attach(name="a.md", text="secret"), rooms_shown=frozenset({BO}))
    assert [one.accepted for one in done] == [False, False]
    assert await house.letters() == []
