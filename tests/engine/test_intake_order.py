"""Whatever order live events, repeats and what is read on come in: the same is known in the end."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from bot.core.events import Event, MessageEdited, MessagesDeleted, MessageSeen
from bot.core.records import MessageId
from tests.engine.town import ADAS, Town, town
from tests.factories import GUILD_ID, person

Batch = Sequence[MessageSeen]


@dataclass(frozen=True, slots=True)
class Story:
    """What happened on Discord, and what can be read there in the end."""

    events: tuple[Event, ...]
    final: tuple[MessageSeen, ...]


def told(here: Town, chance: random.Random) -> Story:
    """Make up a story of messages, edits, replies and deletions."""
    events: list[Event] = []
    final: dict[int, MessageSeen] = {}
    for number in range(chance.randrange(3, 12)):
        author = person(f"person{number % 3}", 500 + number % 3)
        answered = chance.choice([None, *final])
        said = here.seen(f"message {number}", author=author, reply_to=answered)
        events.append(said)
        final[said.message_id] = said
        for edit in range(chance.randrange(3)):
            edited_at = said.sent_at + timedelta(seconds=1 + edit)
            content = f"message {number}, edited {edit}"
            final[said.message_id] = replace(said, content=content, edited_at=edited_at)
            changed = MessageEdited(
                guild_id=GUILD_ID, channel_id=ADAS, message_id=said.message_id, content=content, edited_at=edited_at
            )
            events.append(changed)
        if chance.random() < 0.2:
            ids = (said.message_id,)
            events.append(MessagesDeleted(guild_id=GUILD_ID, channel_id=ADAS, message_ids=ids))
            del final[said.message_id]
    return Story(tuple(events), tuple(final.values()))


def shuffled(story: Story, chance: random.Random) -> list[Event | Batch]:
    """Mix live events with repeats and with what is read on, in any order."""
    mixed: list[Event | Batch] = [*story.events, *chance.choices(story.events, k=5)]
    chance.shuffle(mixed)
    for _ in range(3):
        some = sorted(
            chance.sample(story.final, chance.randrange(len(story.final) + 1)), key=lambda one: one.message_id
        )
        mixed.insert(chance.randrange(len(mixed) + 1), some)
    return mixed


async def known(here: Town) -> list[tuple[object, ...]]:
    """What is stored, by Discord's own ids."""
    history = await here.history()
    by_id = {message.id: message.discord_id for message in history}
    return sorted(
        (message.discord_id, message.content, message.edited, by_id.get(message.reply_to or MessageId(0)))
        for message in history
    )


@pytest.mark.parametrize("seed", range(12))
async def test_any_order_and_any_repeats_give_the_same(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test's chance
    async with town() as here:
        story = told(here, chance)
        for happened in shuffled(story, chance):
            if isinstance(happened, Sequence):
                await here.intake.take_read_on(happened)
            else:
                await here.intake.take(happened)
        there = {one.message_id for one in story.final}
        wanted = [
            (one.message_id, one.content, one.edited_at is not None, one.reply_to if one.reply_to in there else None)
            for one in story.final
        ]
        assert await known(here) == sorted(wanted, key=lambda row: row[0])
