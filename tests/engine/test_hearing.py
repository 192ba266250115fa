"""Voice messages are heard once, where a community wants it, within its money; whatever fails costs only the words."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

import pytest

from bot.core.config import CommunityConfig
from bot.core.errors import ModelRefused
from bot.core.models import Ceilings, ModelAnswer, VoiceMessage
from bot.core.records import Snowflake
from bot.core.spending import day_of
from bot.engine.hearing import PATIENCE_SECONDS, Hearing
from tests.engine.hearts import Hearts, hearts
from tests.engine.town import until
from tests.factories import GUILD_ID
from tests.fakes import ScriptedModel

VOICE = "gpt-4o-mini-transcribe"
MESSAGE = Snowflake(123)


class Ears(ScriptedModel):
    """Hears what is said, or meets trouble."""

    trouble: ModelRefused | None = None
    hangs = False

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    async def hear(self, model: str, voice: VoiceMessage) -> ModelAnswer:
        self.heard.append(model)
        if self.hangs:
            await asyncio.Event().wait()
        if self.trouble is not None:
            raise self.trouble
        return await super().hear(model, voice)


@asynccontextmanager
async def listening(model: Ears | None = None, **fields: Any) -> AsyncIterator[tuple[Hearts, Hearing, Ears]]:  # noqa: ANN401
    ears, config = model or Ears(), CommunityConfig(**({"voice_model": VOICE} | fields))
    async with hearts(1, config=config, model=ears) as home:
        yield home, Hearing(home.store, ears, home.clock, config=config), ears


def said(words: str, seconds: float = 12.0) -> VoiceMessage:
    return VoiceMessage(content=words.encode(), filename="voice-message.ogg", media_type="audio/ogg", seconds=seconds)


async def spent(home: Hearts) -> Decimal:
    async with home.store.reading() as read:
        usd, _ = await read.money.spent(home.community_id, day_of(home.clock.now()))
    return usd


async def test_it_is_heard_and_what_it_took_is_booked() -> None:
    async with listening() as (home, hearing, ears):
        assert await hearing.words(GUILD_ID, MESSAGE, said("Good morning.")) == "Good morning."
        assert ears.heard == [VOICE]
        assert await spent(home) == Decimal("0.0006")  # what was used of it, in place of what was set aside


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [({"voice_model": ""}, 12.0), ({"voice_seconds": 10}, 12.0), ({"usd_per_day": Decimal(0)}, 12.0)],
    ids=["nobody hears", "too long", "no money"],
)
async def test_where_it_is_not_to_be_heard_nobody_is_asked(fields: dict[str, Any], seconds: float) -> None:
    async with listening(**fields) as (home, hearing, ears):
        assert await hearing.words(GUILD_ID, MESSAGE, said("Good morning.", seconds)) == ""
        assert not ears.heard
        assert await spent(home) == 0


async def test_the_installation_pays_no_more_than_its_ceiling() -> None:
    ears = Ears()
    ears.paid = Ceilings(usd_each=Decimal("0.0011"))
    async with listening(ears) as (_, hearing, _):
        assert await hearing.words(GUILD_ID, MESSAGE, said("Good morning.")) == ""
        assert await hearing.words(GUILD_ID, MESSAGE, said("Good morning.", 11)) == "Good morning."


async def test_what_is_known_is_not_heard_a_second_time() -> None:
    async with listening() as (home, hearing, ears):
        await home.hear("(voice 0:12) Good morning.", message_id=MESSAGE)
        assert await hearing.words(GUILD_ID, MESSAGE, said("Good morning.")) == ""
        assert ears.heard == []


async def test_nobody_elses_server_is_heard() -> None:
    async with listening() as (_, hearing, ears):
        assert await hearing.words(Snowflake(1), MESSAGE, said("Good morning.")) == ""
        assert ears.heard == []


async def test_a_refusal_costs_the_words_and_no_money() -> None:
    ears = Ears()
    ears.trouble = ModelRefused("It hears nothing.")
    async with listening(ears) as (home, hearing, _):
        assert await hearing.words(GUILD_ID, MESSAGE, said("Good morning.")) == ""
        assert await spent(home) == 0


async def test_what_hangs_is_let_go_and_booked_whole() -> None:
    ears = Ears()
    ears.hangs = True
    async with listening(ears) as (home, hearing, _):
        words = asyncio.create_task(hearing.words(GUILD_ID, MESSAGE, said("Good morning.")))
        await until(lambda: bool(ears.heard))
        await home.clock.advance(PATIENCE_SECONDS + 1)
        assert await words == ""
        assert await spent(home) == Decimal("0.0012")
