"""What is held back is not posted until a manager says so, and holds up nobody else."""

from collections.abc import AsyncIterator

import pytest

from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable, NotFound, Rejected
from bot.core.kinds import LetterKind, LetterState
from bot.core.records import Letter, LetterId, Snowflake
from bot.engine.delivery import Delivery
from bot.engine.front_desk import FrontDesk
from bot.engine.performer import Performer
from tests.engine.town import ADA, ADAS, Town, town
from tests.factories import GUILD_ID, person
from tests.fakes import CountedMetrics, PlainCipher, ScriptedModel, SeededRandom, WordTokenizer

CONFIG = CommunityConfig(held_words=("tulips",), managers_channel_id=Snowflake(7_000_000_000_000_009))


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town(CONFIG) as made:
        yield made


def front_desk(here: Town) -> FrontDesk:
    performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
    return FrontDesk(here.store, performer, here.clock, SeededRandom(1), on_done=here.delivery.wake)


async def held(here: Town) -> list[Letter]:
    async with here.store.reading() as read:
        return list(await read.held(here.community_id))


async def test_a_held_message_waits_while_others_go_on_and_managers_are_told_once(here: Town) -> None:
    await here.say(ADA, "I sell tulips.")
    await here.say(ADA, "Roses too.")
    await here.deliver()
    [letter] = await held(here)
    assert here.publisher.said(ADAS) == ["Roses too."]
    assert here.publisher.to_decide == [letter.id]
    told = [what for what in here.publisher.done if what[0] == "notify"]
    assert len(told) == 1
    assert "> I sell tulips." in str(told[0][2])
    assert "I sell tulips." not in await here.contents()


async def test_an_approved_message_is_posted_once_and_is_not_held_again(here: Town) -> None:
    await here.say(ADA, "I sell tulips.")
    await here.deliver()
    [letter] = await held(here)
    desk, boss = front_desk(here), person(is_architect=True)
    assert "posted" in await desk.decide(GUILD_ID, boss, letter.id, post=True)
    await here.deliver()
    assert here.publisher.said(ADAS) == ["I sell tulips."]
    assert await here.contents() == ["I sell tulips."]
    assert await held(here) == []
    with pytest.raises(NotFound):
        await desk.decide(GUILD_ID, boss, letter.id, post=True)


async def test_a_discarded_message_is_never_seen(here: Town) -> None:
    await here.say(ADA, "I sell tulips.")
    await here.deliver()
    [(letter, message)] = await front_desk(here).held(GUILD_ID)
    assert message.content == "I sell tulips."
    assert "discarded" in await front_desk(here).decide(GUILD_ID, person(is_architect=True), letter.id, post=False)
    await here.deliver()
    assert here.publisher.said() == []
    assert await held(here) == []


async def test_only_managers_decide(here: Town) -> None:
    with pytest.raises(Rejected):
        await front_desk(here).decide(GUILD_ID, person(), LetterId(1), post=True)


class Judge(ScriptedModel):
    """A provider that objects to spades, and is away at first."""

    def __init__(self) -> None:
        super().__init__()
        self.away = True
        self.asked: list[tuple[str, str]] = []

    async def objection(self, model: str, text: str) -> str:
        if self.away:
            raise ModelUnreachable("Nothing answers.", retry_after_seconds=20)
        self.asked.append((model, text))
        return "violence" if "spade" in text else ""


async def test_what_nobody_can_judge_waits_and_is_not_posted_unread() -> None:
    config = CommunityConfig(moderation_model="omni-moderation-latest")
    async with town(config) as here:
        judge = Judge()
        here.delivery = Delivery(here.store, here.publisher, here.clock, CountedMetrics(), models=judge)
        await here.say(ADA, "Good morning.")
        await here.say(ADA, "I call a spade a spade.")
        await here.deliver()
        assert here.publisher.said() == []
        judge.away = False
        await here.deliver(21)
        assert here.publisher.said() == ["Good morning."]
        assert judge.asked[0] == ("omni-moderation-latest", "Good morning.")
        [letter] = await held(here)
        assert (letter.kind, letter.state) == (LetterKind.POST, LetterState.HELD)
