"""What waited out an outage: only the newest line per person and room is still answered."""

from datetime import timedelta
from typing import Any

from bot.core.changes import AddMembership
from bot.core.events import MessageSeen
from bot.core.kinds import ReasonKind
from tests.engine.town import ADA, ADAS, BOB, Town, town
from tests.factories import membership, person

WREN = person("wren", 502)


def said(here: Town, content: str, minutes_ago: float, **fields: Any) -> MessageSeen:  # noqa: ANN401
    sent_at = here.clock.now() - timedelta(minutes=minutes_ago)
    return here.seen(content, sent_at=sent_at, **fields)


async def waits(here: Town) -> dict[int, list[tuple[ReasonKind, str]]]:
    """Who has which reasons, and by which words."""
    words = {message.id: message.content for message in await here.history()}
    reasons = (await here.view()).reasons
    return {
        id: [(one.kind, words[one.message_id]) for one in them if one.message_id is not None]
        for id, them in reasons.items()
        if them
    }


async def test_only_the_newest_of_old_addressing_lines_is_answered() -> None:
    async with town() as here:
        await here.apply(AddMembership(membership=membership(BOB, ADA)))
        lines = [said(here, f"@Bob, {number}?", 40 - number) for number in range(3)]
        await here.intake.take_read_on([*lines, said(here, "@Ada, are you there?", 30, author=WREN)])
        addressed = {
            id: [words for kind, words in them if kind is ReasonKind.ADDRESSED]
            for id, them in (await waits(here)).items()
        }
        assert addressed == {ADA: ["@Ada, are you there?"], BOB: ["@Bob, 2?"]}


async def test_old_lines_that_a_newer_one_followed_are_ambient_when_they_come_one_by_one() -> None:
    async with town() as here:
        await here.apply(AddMembership(membership=membership(BOB, ADA)))
        await here.intake.take(said(here, "never mind, all", 20))
        await here.intake.take(said(here, "@Bob, hello?", 25))
        assert ReasonKind.ADDRESSED not in [kind for kind, _ in (await waits(here)).get(BOB, [])]


async def test_lines_of_now_are_all_answered() -> None:
    async with town() as here:
        await here.intake.take(said(here, "@Ada, one?", 1, channel_id=ADAS))
        await here.intake.take(said(here, "@Ada, two?", 0, channel_id=ADAS))
        assert (await waits(here))[ADA] == [(ReasonKind.ADDRESSED, "@Ada, two?")]
