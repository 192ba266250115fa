"""What waited out an outage: only the newest line per person and room is still answered."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from bot.core.changes import AddMembership
from bot.core.conversation import Conversation
from bot.core.events import MessageSeen
from bot.core.kinds import ReasonKind
from bot.core.ports import NewMessage
from bot.core.records import AgentId, CommunityId, Message, MessageId
from storage.talk import SqlTalk
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


async def test_what_somebody_said_on_since_is_not_answered_though_it_is_stored_later() -> None:
    async with town() as here:
        await here.apply(AddMembership(membership=membership(BOB, ADA)))
        calls = [said(here, f"@Bob, {number}?", 400 - number) for number in range(100)]
        await here.intake.take_read_on([*calls, *(said(here, "never mind", 300 - number) for number in range(30))])
        assert ReasonKind.ADDRESSED not in [one.kind for one in (await here.view()).reasons.get(BOB, ())]


@pytest.mark.parametrize(("words", "most"), [("hello? ", 25), ("hello? " * 500, 5)])
async def test_lines_that_are_read_on_are_stored_few_at_once_and_each_is_looked_at_once(
    words: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, followed = list[int](), list[MessageId]()
    add, follow = SqlTalk.add, Conversation.follow

    async def adds(self: SqlTalk, community_id: CommunityId, new: Sequence[NewMessage]) -> Sequence[Message | None]:
        stored.append(len(new))
        return await add(self, community_id, new)

    def follows(self: Conversation, line: Message, named: frozenset[AgentId]) -> None:
        followed.append(line.id)
        follow(self, line, named)

    monkeypatch.setattr(SqlTalk, "add", adds)
    monkeypatch.setattr(Conversation, "follow", follows)
    async with town() as here:
        await here.intake.take_read_on([said(here, words, 100 - number) for number in range(100)])
        assert (sum(stored), max(stored)) == (100, most)
        assert len(followed) <= 100 + 60 * len(stored)
        assert len(await here.history()) == 50


async def test_others_have_their_turn_between_lines_that_are_read_on() -> None:
    async with town() as here:
        turns, done = 0, asyncio.Event()

        async def other() -> None:
            nonlocal turns
            while not done.is_set():
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        await here.intake.take_read_on([said(here, "hello?", 100 - number) for number in range(100)])
        done.set()
        await task
        assert turns >= 100
