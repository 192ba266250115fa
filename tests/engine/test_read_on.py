"""What is read on: who answered already, as Discord shows it, has no reason in what was asked before."""

from typing import Any

from bot.core.changes import AddMembership
from bot.core.events import MessageSeen
from bot.core.kinds import LetterState, ReasonKind
from bot.core.records import Snowflake
from tests.engine.test_intake_late import said, waits
from tests.engine.town import ADA, BOB, Town, town
from tests.factories import membership


def posted(here: Town, name: str, minutes_ago: float, **fields: Any) -> MessageSeen:  # noqa: ANN401
    return said(here, "", minutes_ago, author=None, webhook_id=Snowflake(3), said_as=name, **fields)


async def test_what_discord_shows_as_answered_by_an_agent_is_no_reason_to_it_again() -> None:
    async with town() as here:
        await here.apply(AddMembership(membership=membership(BOB, ADA)))
        asked = said(here, "@Ada, @Bob, who has the key?", 5)
        await here.intake.take_read_on([asked, posted(here, "Ada", 4), said(here, "thanks", 3)])
        waiting = await waits(here)
        assert (ReasonKind.ADDRESSED, asked.content) in waiting[BOB]
        assert asked.content not in [words for _, words in waiting.get(ADA, [])]


async def test_what_was_asked_after_an_agents_last_words_or_elsewhere_is_answered() -> None:
    async with town() as here:
        thread = Snowflake(99)
        events = [
            said(here, "@Ada, in the thread?", 6, thread_id=thread, thread_name="aside"),
            posted(here, "Ada", 5),
            said(here, "@Ada, and now?", 4),
        ]
        await here.intake.take_read_on(events[:2])
        assert (await waits(here))[ADA] == [(ReasonKind.ADDRESSED, "@Ada, in the thread?")]
        await here.intake.take_read_on(events[2:])
        assert (await waits(here))[ADA] == [(ReasonKind.ADDRESSED, "@Ada, and now?")]


async def test_a_post_that_is_a_letter_of_ours_answers_nothing_that_was_said_before_it() -> None:
    async with town() as here:
        await here.say(ADA, "Good morning!")
        [letter] = await here.waiting()
        async with here.store.writing(here.community_id) as write:
            await write.letters.move(here.community_id, letter.id, LetterState.SENDING, attempts=1)
        await here.intake.take_read_on([said(here, "@Ada, are you there?", 2), posted(here, "Ada", 1)])
        assert (await waits(here))[ADA] == [(ReasonKind.ADDRESSED, "@Ada, are you there?")]
        await here.deliver()
        assert here.publisher.said() == []
