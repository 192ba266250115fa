"""Reactions come in: once each, undone when taken back, and with what they mean to the room."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from bot.core.changes import UpdateRoom
from bot.core.events import ReactionChanged, ReactionsCleared
from bot.core.records import Message, Snowflake
from tests.engine.town import ADA, ADAS, Town, town
from tests.factories import GUILD_ID, person


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
