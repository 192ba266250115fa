"""Messages as people look for them, and what is held back until somebody decides."""

from collections.abc import AsyncIterator

import pytest

from bot.core.changes import EndBeat, React, UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.errors import NotFound, Rejected
from bot.core.kinds import Emotion, ReasonKind
from bot.core.records import AgentId, Beat, BeatId, Letter, MessageId
from tests.engine.test_moderation import front_desk, held
from tests.engine.town import ADA, ADAS, BOB, BOBS, Town, town
from tests.factories import GUILD_ID, by_agent, person
from tests.fakes import START

BOSS, GUEST = person("boss", 900, is_architect=True), person("mira", 501)
ASKS_AT_MOST = 2


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    config = CommunityConfig(held_words=("tulips",), addressed_per_person=ASKS_AT_MOST)
    async with town(config) as made:
        yield made


async def waits(here: Town, words: str = "I sell tulips.") -> Letter:
    await here.say(ADA, words)
    await here.deliver()
    [letter] = await held(here)
    return letter


async def test_a_message_is_found_by_either_id_and_none_that_is_not_there(here: Town) -> None:
    event = await here.hear("Tea?")
    messages = front_desk(here).messages
    found = await messages.at(GUILD_ID, event.message_id)
    assert found.content == "Tea?"
    assert await messages.by_id(GUILD_ID, found.id) == found
    with pytest.raises(NotFound, match="choose one in an agent's room"):
        await messages.at(GUILD_ID, 4_711)
    with pytest.raises(NotFound):
        await messages.by_id(GUILD_ID, MessageId(4_711))


async def test_words_are_found_in_the_rooms_that_are_asked_for_newest_first(here: Town) -> None:
    await here.hear("Black tea, please.")
    await here.clock.advance(5)
    await here.hear("Or green tea.")
    await here.hear("No tea for Bob.", channel_id=BOBS)

    async def found(*rooms: AgentId) -> list[str]:
        return [one.content for one, _ in await front_desk(here).messages.search(GUILD_ID, "tea", room_ids=rooms)]

    assert await found(ADA) == ["Or green tea.", "Black tea, please."]
    assert await found(BOB) == ["No tea for Bob."]


async def test_which_agents_reacted_is_told_though_on_discord_all_are_the_bots(here: Town) -> None:
    event = await here.hear("Tea?")
    messages = front_desk(here).messages
    said = await messages.at(GUILD_ID, event.message_id)
    yes = React(message_id=said.id, emoji="👍", emotion=Emotion.THUMBS_UP, reactor=by_agent(BOB), at=START)
    await here.apply(yes)
    assert await messages.reactions(GUILD_ID, said) == [(BOB, "👍")]


async def test_who_asks_again_is_an_addressed_reason_and_not_without_end(here: Town) -> None:
    event = await here.hear("Tea?")
    messages = front_desk(here).messages
    said = await messages.at(GUILD_ID, event.message_id)
    assert await messages.ask_again(GUILD_ID, BOSS, said) == "Ada looks at it again."
    assert any("please answer message" in one for one in await here.contents())
    for id in range(ASKS_AT_MOST):
        beat = Beat(id=BeatId(id + 1), agent_id=ADA, at=START, reason=ReasonKind.ADDRESSED, person_id=BOSS.id)
        await here.apply(EndBeat(beat=beat))
    with pytest.raises(Rejected, match="try again a little later"):
        await messages.ask_again(GUILD_ID, BOSS, said)


async def test_who_is_paused_is_not_asked_again(here: Town) -> None:
    event = await here.hear("Tea?")
    await here.apply(UpdateAgent(agent_id=ADA, fields={"paused_reason": "tired"}))
    messages = front_desk(here).messages
    with pytest.raises(Rejected, match="paused or retired"):
        await messages.ask_again(GUILD_ID, BOSS, await messages.at(GUILD_ID, event.message_id))


async def test_what_is_discarded_nobody_sees_and_who_comes_second_is_told(here: Town) -> None:
    letter, desk = await waits(here), front_desk(here).held
    with pytest.raises(Rejected):
        await desk.decide(GUILD_ID, GUEST, letter.id, post=False)
    decision = await desk.decide(GUILD_ID, BOSS, letter.id, post=False)
    assert decision.result == "The message is discarded: nobody will see it."
    await here.deliver(60)
    assert here.publisher.said(ADAS) == []
    with pytest.raises(NotFound, match=r"boss.* was first \(discarded\)"):
        await desk.decide(GUILD_ID, BOSS, letter.id, post=True)
