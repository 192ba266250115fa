"""Trying a model out for a community: within its money, and kept so that it can be asked as was found best."""

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Final

from bot.core.actions import SetSetting
from bot.core.config import CommunityConfig, Manner
from bot.core.errors import Rejected
from bot.core.records import Json, Person, Snowflake, Usage
from bot.core.spending import Limit, day_of
from bot.engine.front_desk.actions import Actions
from bot.engine.front_desk.office import Office, check_manages
from bot.engine.purse import CallPrice, set_aside, settle, spending_now
from bot.engine.trial.card import Card
from bot.engine.trial.phrases import LANGUAGES
from bot.engine.trial.running import Progress, Trial, Wanted
from bot.engine.trial.stage import Props

CALLS: Final = 80  # that a trial in one language takes about, most of them with little to read
INPUT_TOKENS, ANSWER_TOKENS = 2_500, 200  # of each
MOST_SECONDS: Final = 720.0  # an answer on Discord can be changed for a quarter of an hour
KEPT_FOR: Final = timedelta(days=1)
UNDER_WAY: Final = "A model is being tried here already: wait for its card."
TOO_POOR: Final = "A trial would cost {:.2f} USD at most, and today's budget has not so much left: try it tomorrow."


@dataclass(frozen=True, slots=True)
class Trials:
    """Use cases on models that are tried out."""

    office: Office
    actions: Actions
    _running: set[Snowflake] = field(default_factory=set)
    _cards: dict[tuple[Snowflake, str], Card] = field(default_factory=dict)

    def kept(self, guild_id: Snowflake, model: str) -> Card | None:
        """Give what was found of a model lately."""
        card = self._cards.get((guild_id, model))
        return card if card is not None and self.office.now() - card.at < KEPT_FOR else None

    async def run(self, guild_id: Snowflake, person: Person, model: str | None, progress: Progress) -> Card:
        """Try a model (None: that of new agents) in the community's language; raises Rejected and ModelError."""
        check_manages(person)
        office = self.office
        if office.open_stage is None or office.cipher is None or office.workshop is None:
            raise Rejected("Models cannot be tried here: tell whoever runs Selfroom.")
        if guild_id in self._running:
            raise Rejected(UNDER_WAY)
        self._running.add(guild_id)
        try:
            props = Props(
                open_store=office.open_stage,
                performer=office.performer,
                clock=office.clock,
                random=office.random,
                cipher=office.cipher,
                workshop=office.workshop,
            )
            card = await self._paid(guild_id, person, props, model, progress)
        finally:
            self._running.discard(guild_id)
        self._cards[guild_id, card.model] = card
        return card

    async def _paid(
        self, guild_id: Snowflake, person: Person, props: Props, name: str | None, progress: Progress
    ) -> Card:
        """Set aside what a trial takes at most, and settle it by what it took."""
        async with self.office.changing(guild_id, person) as (community, write):
            config = (await write.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)).config
            name = name or config.model
            model = await self.office.providers.of(write.providers, community)
            if model.source.missing:
                raise Rejected(model.source.missing)
            price = CallPrice.of(model, name, input_tokens=CALLS * INPUT_TOKENS, answer_tokens=CALLS * ANSWER_TOKENS)
            reservation = await set_aside(write.money, community.id, config, day_of(self.office.now()), price)
        if isinstance(reservation, Limit):
            raise Rejected(TOO_POOR.format(price.usd))
        language = config.language if config.language in LANGUAGES else LANGUAGES[0]
        wanted = Wanted(name=name, languages=(language,), most_seconds=MOST_SECONDS)

        async def affords(used: Usage) -> bool:
            beyond = max(Decimal(0), used.cost_usd - price.usd)
            more = max(0, used.input_tokens + used.output_tokens - price.tokens)
            async with self.office.store.reading() as read:
                today = day_of(self.office.now())
                spending = await spending_now(read.money, community.id, config, today, price.ceilings)
            return spending.lacks(usd=beyond, tokens=more) is None

        trial = Trial(props, model, affords)
        try:
            return await trial.run(wanted, progress)
        finally:
            async with self.office.store.writing(community.id) as write:
                await settle(write.money, community.id, reservation, trial.used)

    async def keep(self, guild_id: Snowflake, person: Person, model: str, manner: Manner) -> str:
        """Have a model asked as was found best; gives a sentence."""
        async with self.office.looking(guild_id) as (community, read):
            config = (await read.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)).config
        await self.actions.take(guild_id, person, SetSetting(name="models", value=with_manner(config, model, manner)))
        return f"{model} is asked so from now on (`/setup options`: `models`)."


def with_manner(config: CommunityConfig, model: str, manner: Manner) -> Json:
    """Give the setting `models` with one more model in it."""
    kept = {**config.models, model: manner}
    return {name: one.model_dump(mode="json", exclude_defaults=True) for name, one in kept.items()}
