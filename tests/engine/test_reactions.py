"""Reactions come in: once each, undone when taken back, and with what they mean to the room."""

from collections.abc import AsyncIterator, Collection, Mapping
from datetime import timedelta
from typing import Any

import pytest

from bot.core.changes import UpdateRoom
from bot.core.events import ReactionChanged, ReactionsCleared, ReactionsFound
from bot.core.records import CommunityId, Message, MessageId, Person, Sender, Snowflake
from storage.talk import SqlReactions
from tests.engine.town import ADA, ADAS, Town, town
from tests.factories import GUILD_ID, person
from tests.founding import statements


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town() as made:
        await made.say(ADA, "Do you like it?")
        await made.deliver()
        yield made


async def said(here: Town) -> Message:
    [message] = await here.history()
    return message


async def react(here: Town, emoji: str, *, added: bool = True, **fields: Any) -> None:  # noqa: ANN401
    mira = person()
    base: dict[str, Any] = {
        "guild_id": GUILD_ID,
        "channel_id": ADAS,
        "message_id": (await said(here)).discord_id,
        "user_id": mira.id,
        "person": mira if added else None,
        "emoji": emoji,
        "added": added,
        "at": here.clock.now(),
    }
    await here.intake.take(ReactionChanged(**(base | fields)))


async def interval(here: Town) -> float:
    return (await here.view()).agents[ADA].interval_seconds


async def test_a_thumbs_up_speeds_the_author_up_once(here: Town) -> None:
    await react(here, "👍🏽")
    await react(here, "👍")
    assert await interval(here) == 4.5
    assert (await said(here)).reactions == (("thumbs_up", 1),)


async def test_taking_it_back_undoes_it_once(here: Town) -> None:
    await react(here, "👎")
    await react(here, "👎", added=False)
    await react(here, "👎", added=False)
    assert await interval(here) == 5.0
    assert (await said(here)).reactions == ()


async def test_two_people_count_as_two(here: Town) -> None:
    await react(here, "👍")
    await react(here, "👍", user_id=Snowflake(502), person=person("noor", 502))
    assert await interval(here) == 4.0
    assert (await said(here)).reactions == (("thumbs_up", 2),)


async def test_other_emoji_are_only_shown(here: Town) -> None:
    await react(here, "🎉")
    assert await interval(here) == 5.0
    assert (await said(here)).reactions == (("🎉", 1),)


async def test_other_bots_reactions_are_ignored(here: Town) -> None:
    await react(here, "👍", is_bot=True)
    assert (await said(here)).reactions == ()


async def test_a_cleared_message_has_no_reactions_and_its_author_its_old_pace(here: Town) -> None:
    await react(here, "👍")
    await react(here, "❤️")
    await react(here, "👍", user_id=Snowflake(502), person=person("noor", 502))
    id = (await said(here)).discord_id or Snowflake(0)
    await here.intake.take(ReactionsCleared(guild_id=GUILD_ID, channel_id=ADAS, message_id=id, emoji="👍"))
    assert (await said(here)).reactions == (("heart", 1),)
    await here.intake.take(ReactionsCleared(guild_id=GUILD_ID, channel_id=ADAS, message_id=id))
    assert (await said(here)).reactions == ()
    assert await interval(here) == 5.0


async def test_a_stop_sign_silences_the_room_for_ten_minutes(here: Town) -> None:
    await react(here, "🛑")
    hushed_until = (await here.view()).all_rooms[ADA].hushed_until
    assert hushed_until is not None
    assert (hushed_until - here.clock.now()).total_seconds() == 600


async def test_a_stop_sign_neither_shortens_nor_ends_a_silence_that_a_manager_chose(here: Town) -> None:
    until = here.clock.now() + timedelta(hours=1)
    await here.apply(UpdateRoom(room_id=ADA, fields={"hushed_until": until}))
    for added in (True, False):
        await react(here, "🛑", added=added)
        assert (await here.view()).all_rooms[ADA].hushed_until == until


async def test_a_persons_reaction_lets_agents_talk_on(here: Town) -> None:
    await here.apply(UpdateRoom(room_id=ADA, fields={"agent_run": 6}))
    await react(here, "❤️")
    assert (await here.view()).all_rooms[ADA].agent_run == 0


def crowd(number: int) -> tuple[Person, ...]:
    return tuple(person(f"u{one}", 1_000 + one) for one in range(number))


async def cleared(here: Town) -> None:
    await here.intake.take(ReactionsCleared(guild_id=GUILD_ID, channel_id=ADAS, message_id=await where(here)))


async def found(here: Town, emoji: str, people: tuple[Person, ...]) -> None:
    event = ReactionsFound(guild_id=GUILD_ID, channel_id=ADAS, message_id=await where(here), emoji=emoji, people=people)
    await here.intake.take(event)


async def where(here: Town) -> Snowflake:
    return (await said(here)).discord_id or Snowflake(0)


async def test_many_reactions_at_once_take_no_more_statements_than_a_few(here: Town) -> None:
    counts: list[int] = []
    for number in (3, 60):
        with statements(here.store) as putting:
            await found(here, "👍", crowd(number))
        assert (await said(here)).reactions == (("thumbs_up", number),)
        with statements(here.store) as taking_back:
            await cleared(here)
        assert (await said(here)).reactions == ()
        counts += [len(putting), len(taking_back)]
    assert counts[2] <= counts[0]
    assert counts[3] == counts[1]


async def test_more_reactions_than_fit_are_stored_some_at_once(here: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at, effects = list[int](), SqlReactions.effects

    async def noted(
        self: SqlReactions, community_id: CommunityId, message_id: MessageId, given: Collection[tuple[Sender, str]]
    ) -> Mapping[tuple[Sender, str], float]:
        looked_at.append(len(given))
        return await effects(self, community_id, message_id, given)

    monkeypatch.setattr(SqlReactions, "effects", noted)
    await found(here, "👍", crowd(250))
    await cleared(here)
    assert looked_at == [100, 100, 50] * 2
    assert (await said(here)).reactions == ()


async def test_each_of_many_reactions_moves_the_author_from_where_the_one_before_left_it(here: Town) -> None:
    await found(here, "👎", crowd(30))
    assert await interval(here) == 10.0
    await found(here, "👍", crowd(3))
    assert await interval(here) == 8.5
    await found(here, "👎", crowd(2))  # the others took theirs back
    assert await interval(here) == 4.5  # of these only eight had moved it
    await cleared(here)
    assert await interval(here) == 5.0


async def test_of_many_who_reacted_those_who_are_muted_or_ignored_do_not_count(here: Town) -> None:
    async with here.store.writing(here.community_id) as write:
        await write.people.put(here.community_id, person("u1", 1_001, muted=True), person("u2", 1_002, ignored=True))
    await found(here, "👍", crowd(4))
    assert (await said(here)).reactions == (("thumbs_up", 2),)
    async with here.store.reading() as read:
        assert len(await read.people.known(here.community_id, [one.id for one in crowd(9)])) == 4
