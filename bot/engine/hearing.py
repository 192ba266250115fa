"""Voice messages are heard, where a community names a model for that (docs/agents.md)."""

from dataclasses import replace
from typing import NamedTuple

import structlog

from bot.core.config import CommunityConfig
from bot.core.errors import ModelError, ModelUnreachable
from bot.core.ports import Clock, Model, ModelAnswer, Models, Store, VoiceMessage
from bot.core.records import Community, Snowflake, Usage
from bot.core.spending import Limit, day_of, held_to
from bot.engine.purse import CallPrice, set_aside, settle

PATIENCE_SECONDS = 20.0  # whatever a server does meanwhile
log = structlog.get_logger(__name__)


class _Job(NamedTuple):
    community: Community
    config: CommunityConfig
    model: Model


class Hearing:
    """Has voice messages heard: each once, within the community's limits, and never longer ones than it says."""

    def __init__(self, store: Store, models: Models, clock: Clock, *, config: CommunityConfig) -> None:
        self._store = store
        self._models = models
        self._clock = clock
        self._config = config

    async def words(self, guild_id: Snowflake, message_id: Snowflake, voice: VoiceMessage) -> str:
        """Give what is said in a voice message; empty where nobody is to hear it, or nobody could.

        Raises StoreError.
        """
        job = await self._job(guild_id, message_id, voice.seconds)
        reservation = await self._reserve(job, voice.seconds) if job is not None else None
        if job is None or reservation is None:
            return ""
        name = job.config.voice_model
        try:
            heard = await self._heard(job.model, name, voice)
        except ModelError as error:
            log.warning("a voice message is not heard", model=job.model.counted_as(name), why=error.sentence)
            await self._settle(job, reservation, error.usage)
            return ""
        await self._settle(job, reservation, heard.usage)
        return heard.text

    async def _job(self, guild_id: Snowflake, message_id: Snowflake, seconds: float) -> _Job | None:
        async with self._store.reading() as read:
            community = await read.communities.of_guild(guild_id)
            if community is None:
                return None
            config = self._config.overlaid(community.overrides)
            if not config.voice_model or seconds > config.voice_seconds:
                return None
            if await read.talk.find(community.id, message_id) is not None:
                return None  # it is known, so it was heard
            model = await self._models.of(read.providers, community)
        return _Job(community, held_to(config, model.source.ceilings), model)

    async def _reserve(self, job: _Job, seconds: float) -> int | None:
        name, model = job.config.voice_model, job.model
        price = CallPrice(usd=model.hearing_price(name, seconds), tokens=0, ceilings=model.ceilings(name))
        day = day_of(self._clock.now())
        async with self._store.writing(job.community.id) as write:
            reservation = await set_aside(write.money, job.community.id, job.config, day, price)
        return None if isinstance(reservation, Limit) else reservation

    async def _heard(self, model: Model, name: str, voice: VoiceMessage) -> ModelAnswer:
        try:
            async with self._clock.timeout(PATIENCE_SECONDS):
                return await model.hear(name, voice)
        except TimeoutError as error:
            raise ModelUnreachable(f"{name} did not hear it within {PATIENCE_SECONDS:.0f} s.", unsure=True) from error

    async def _settle(self, job: _Job, reservation: int, usage: Usage | None) -> None:
        if usage is not None:  # else all that was set aside counts
            used = replace(usage, input_tokens=0, output_tokens=0)  # tokens of sound are no tokens of text
            async with self._store.writing(job.community.id) as write:
                await settle(write.money, job.community.id, reservation, used)
