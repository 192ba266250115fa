"""Which models a community asks: tried before they are kept, and its own provider's key never shown again."""

import re
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from typing import Final

from bot.core.actions import SetSetting
from bot.core.actor import Actor
from bot.core.changes import Audit, Change, SetOverride, UpdateAgent, UpdateRoom
from bot.core.config import CommunityConfig, Manner
from bot.core.errors import ModelError, ModelUnreachable, Rejected
from bot.core.kinds import HeldFor
from bot.core.models import MOST_CALLS_AT_ONCE, Model, ModelCall, OwnProvider, Source
from bot.core.ports import Writing
from bot.core.records import Community, Json, Person, Snowflake, Usage
from bot.core.sealing import of_provider
from bot.core.sentences import Sentence
from bot.core.spending import Limit, day_of
from bot.engine.front_desk.actions import Actions
from bot.engine.front_desk.office import Office, check_manages
from bot.engine.moderation import objection
from bot.engine.purse import CallPrice, as_told, set_aside, settle, spending_now
from bot.engine.trial.card import Card
from bot.engine.trial.phrases import LANGUAGES
from bot.engine.trial.running import Progress, Trial, Wanted
from bot.engine.trial.stage import InLane, Props

PREFIX = re.compile("[a-z0-9][a-z0-9-]{0,19}")
LONGEST_KEY = 500
TRIAL_TOKENS = 500  # set aside for either way of one small question
SHOWN_MODELS = 5
TRIAL_SECONDS = 90.0  # a cold model takes its time, and one that drips has no more
NO_PRICE = Sentence("What it costs is unknown: only a limit in tokens holds it (`/usage budget`).")


@dataclass(frozen=True, slots=True)
class Providers:
    """Use cases on models and who provides them."""

    office: Office
    actions: Actions

    async def model(self, guild_id: Snowflake) -> Model:
        """Give the models that a community may ask; raises Rejected when there are none at all."""
        async with self.office.looking(guild_id) as (community, read):
            return await self.office.providers.of(read.providers, community)

    async def sources(self, guild_id: Snowflake) -> tuple[Source, OwnProvider | None]:
        """Give who reads what is sent to models without a prefix, and the community's own provider if it has one."""
        async with self.office.looking(guild_id) as (community, read):
            return (await self.office.providers.of(read.providers, community)).source, await read.providers.of(
                community.id
            )

    async def coin(self, guild_id: Snowflake) -> str:
        """Name the money in which a community's calls are counted."""
        return (await self.sources(guild_id))[0].coin

    async def try_model(self, guild_id: Snowflake, person: Person, name: str) -> str:
        """Ask a model one small question; gives a sentence with what it took, raises ModelError."""
        check_manages(person)
        async with self.office.changing(guild_id, person) as (community, write):
            config = (await write.views.roster(community.id)).config
            models = await self.office.providers.of(write.providers, community)
            price = CallPrice.of(models, name, input_tokens=TRIAL_TOKENS, answer_tokens=TRIAL_TOKENS)
            reservation = await set_aside(write.money, community.id, config, day_of(self.office.now()), price)
        if isinstance(reservation, Limit):
            raise Rejected(
                Sentence("The budget for today is spent: try the model tomorrow, or raise it with `/usage budget`.")
            )
        try:
            told, usage = await self._asked(models, name)
        except ModelError as error:
            await self._settle(community, reservation, error.usage)
            raise
        await self._settle(community, reservation, as_told(usage))
        return told

    async def _settle(self, community: Community, reservation: int, usage: Usage | None) -> None:
        if usage is not None:  # else all that was set aside counts
            async with self.office.store.writing(community.id) as write:
                await settle(write.money, community.id, reservation, usage)

    async def try_moderation(self, guild_id: Snowflake, person: Person, name: str) -> None:
        """Ask a moderation model about a harmless text; raises ModelError when it does not answer."""
        check_manages(person)
        await objection(await self.model(guild_id), name, "Good morning.", self.office.clock)

    async def choose_model(self, guild_id: Snowflake, person: Person, name: str) -> str:
        """Have new agents use a model that answers; gives a sentence."""
        told = await self.try_model(guild_id, person, name)
        await self.actions.take(guild_id, person, SetSetting(name="model", value=name))
        return Sentence("{told} New agents use it.", told=told) + await self.unlisted(guild_id, name)

    async def unlisted(self, guild_id: Snowflake, name: str | None) -> str:
        """Say that the server of a model does not list it, so that a slip of the pen is seen; empty where it does."""
        models = await self.model(guild_id)
        listed = await models.listed(name) if name and not models.source.missing else ()
        if not listed or name in listed:
            return ""
        some = ", ".join(listed[:SHOWN_MODELS]) + (" …" if len(listed) > SHOWN_MODELS else "")
        return Sentence(
            " {name} is none of the models that its server lists: check the name, or choose one of {some}.",
            name=name,
            some=some,
        )

    async def bring(self, guild_id: Snowflake, person: Person, provider: OwnProvider, *, key: str, model: str) -> str:
        """Try a provider of the community's own, then keep it with its key sealed; gives a sentence.

        Raises Rejected for what cannot be used and ModelError when it does not answer: nothing has changed then.
        """
        check_manages(person)
        if self.office.cipher is None:
            raise Rejected(Sentence("Keys cannot be sealed here: tell whoever runs Selfroom."))
        provider, key, model = _checked(provider, key.strip(), model.strip())
        async with self.office.providers.trial(provider, key) as trial:
            (told, _), where = await self._asked(trial, model), trial.source.address
        async with self.office.changing(guild_id, person) as (community, write):
            sealed = replace(provider, sealed_key=self.office.cipher.encrypt(key, of_provider(community.id)))
            await write.providers.keep(community.id, sealed)
            what = f"The server's own model provider is set ({where}, {provider.api})."
            others = await self._changed(write, community, person, what, model)
        self.office.on_done()
        return Sentence(
            "{told} It is asked with this server's own key from now on, and new agents use it.{others}",
            told=told,
            others=others,
        )

    async def remove(self, guild_id: Snowflake, person: Person) -> str:
        """Forget the community's own provider with its key; gives a sentence, raises Rejected when there is none."""
        check_manages(person)
        async with self.office.changing(guild_id, person) as (community, write):
            if await write.providers.of(community.id) is None:
                raise Rejected(Sentence("This server has no model provider of its own: nothing has changed."))
            await write.providers.keep(community.id, None)
            await self._changed(write, community, person, "The server's own model provider is removed.", None)
            left = (await self.office.providers.of(write.providers, community)).source
        self.office.on_done()
        again = Sentence("Models are asked at {address} again.", address=left.address)
        return Sentence("The key is deleted. {then}", then=left.missing or again)

    async def _changed(self, write: Writing, community: Community, person: Person, what: str, model: str | None) -> str:
        """Write what follows from another provider; gives a sentence about agents whose models it may not have."""
        told = await write.rooms.threads_told(community.id)
        view = await write.views.action_view(community.id, agent_ids=(), room_ids=told, doors=False)
        changes: list[Change] = [Audit(by=Actor.person(person).signature(), what=what, at=self.office.now())]
        changes += [
            UpdateRoom(room_id=room.id, fields={"fault_told_at": None})
            for room in view.all_rooms.values()
            if room.fault_told_at is not None
        ]
        changes += [
            UpdateAgent(agent_id=agent.id, fields={"fault_told_at": None})
            for agent in view.agents.values()
            if agent.fault_told_at is not None
        ]
        if model is not None:
            changes.append(SetOverride(name="model", value=model))
        await write.apply(community.id, changes)
        await write.claims.free_held(community.id, HeldFor.MODEL, self.office.now())
        living = [one for one in view.agents.values() if one.retired_at is None]
        others = {name for one in living for name in (one.model, *one.spare_models)} - {model}
        named = ", ".join(sorted(others)[:5])
        if not named:
            return ""
        return Sentence(" Agents that use other models ({named}) keep them: `/agent edit` changes that.", named=named)

    async def _asked(self, models: Model, name: str) -> tuple[str, Usage]:
        call = ModelCall(
            model=name,
            instructions="Answer with the one word ok.",
            input="Are you there?",
            temperature=None,
            answer_tokens=TRIAL_TOKENS,
            schema=None,
            cache_key="selfroom-setup",
        )
        begun = self.office.now()
        try:
            async with self.office.clock.timeout(TRIAL_SECONDS):
                usage = (await models.answer(call)).usage
        except TimeoutError as error:
            why = Sentence(
                "{name} did not answer within {seconds:.0f} s: try again, or name another model.",
                name=name,
                seconds=TRIAL_SECONDS,
            )
            raise ModelUnreachable(why, unsure=True) from error
        seconds = (self.office.now() - begun).total_seconds()
        if not models.price_is_known(name):
            told = Sentence("{name} answers in {seconds:.1f} s. {price}", name=name, seconds=seconds, price=NO_PRICE)
            return told, usage
        return Sentence(
            "{name} answers in {seconds:.1f} s for {price}.",
            name=name,
            seconds=seconds,
            price=f"{usage.cost_usd:.5f} {models.source.coin}",
        ), usage


def _checked(provider: OwnProvider, key: str, model: str) -> tuple[OwnProvider, str, str]:
    """Give what a manager wrote as it is used; raises Rejected."""
    prefix = provider.prefix.strip().rstrip("/").lower()
    if prefix and not PREFIX.fullmatch(prefix):
        raise Rejected(Sentence("A prefix has at most 20 small letters, digits and hyphens, such as ours."))
    if not model:
        raise Rejected(Sentence("Name a model that the provider has: it is asked one small question."))
    if len(key) > LONGEST_KEY or not (key.isascii() and key.isprintable()) or " " in key:
        raise Rejected(Sentence("A key has no spaces or line breaks: copy it again, whole and alone."))
    if provider.calls_at_once is not None and not 1 <= provider.calls_at_once <= MOST_CALLS_AT_ONCE:
        raise Rejected(Sentence("A provider is asked 1 to {most} calls at once.", most=MOST_CALLS_AT_ONCE))
    if not key and provider.base_url is None:
        raise Rejected(Sentence("Give your key: without one the vendor answers nobody."))
    base_url = provider.base_url.strip().rstrip("/") if provider.base_url is not None else None
    if prefix and not model.startswith(f"{prefix}/"):
        model = f"{prefix}/{model}"
    return replace(provider, base_url=base_url, prefix=prefix), key, model


CALLS: Final = 80  # that a trial in one language takes about, most of them with little to read
INPUT_TOKENS, ANSWER_TOKENS = 2_500, 200  # of each
MOST_SECONDS: Final = 720.0  # an answer on Discord can be changed for a quarter of an hour
KEPT_FOR: Final = timedelta(days=1)
MOST_TRIALS: Final = 8  # at once, of all servers: each has a community of its own in memory, and beats
UNDER_WAY: Final = "A model is being tried here already: wait for its card."
OTHERS_TRY: Final = Sentence("Models of other servers are being tried: try yours again in a few minutes.")
TOO_POOR: Final = "A trial would cost {:.2f} {} at most, and today's budget has not so much left: try it tomorrow."


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
            raise Rejected(Sentence("Models cannot be tried here: tell whoever runs Selfroom."))
        if guild_id in self._running:
            raise Rejected(UNDER_WAY)
        if len(self._running) >= MOST_TRIALS:
            raise Rejected(OTHERS_TRY)
        self._running.add(guild_id)
        try:
            props = Props(
                open_store=office.open_stage,
                performer=office.performer.apart(),
                clock=office.clock,
                random=office.random,
                cipher=office.cipher,
                workshop=office.workshop,
            )
            card = await self._paid(guild_id, person, props, model, progress)
        finally:
            self._running.discard(guild_id)
        for key in [key for key in self._cards if self.kept(*key) is None]:
            del self._cards[key]
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
            raise Rejected(TOO_POOR.format(price.usd, model.source.coin))
        language = config.language if config.language in LANGUAGES else LANGUAGES[0]
        wanted = Wanted(name=name, languages=(language,), most_seconds=MOST_SECONDS)

        async def affords(used: Usage) -> bool:
            beyond = max(Decimal(0), used.cost_usd - price.usd)
            more = max(0, used.input_tokens + used.output_tokens - price.tokens)
            async with self.office.store.reading() as read:
                today = day_of(self.office.now())
                spending = await spending_now(read.money, community.id, config, today, price.ceilings)
            return spending.lacks(usd=beyond, tokens=more) is None

        trial = Trial(replace(props, workshop=InLane(props.workshop, community.id)), model, affords)
        try:
            return await trial.run(wanted, progress)
        finally:
            async with self.office.store.writing(community.id) as write:
                await settle(write.money, community.id, reservation, trial.used)

    async def keep(self, guild_id: Snowflake, person: Person, card: Card) -> str:
        """Have a model asked as its trial found best; gives a sentence."""
        async with self.office.looking(guild_id) as (community, read):
            config = (await read.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)).config
        models = with_manner(config, card.model, card.manner)
        await self.actions.take(guild_id, person, SetSetting(name="models", value=models))
        told = Sentence("{model} is asked so from now on (`/setup options`: `models`).", model=card.model)
        return told + await self._asked_at_once(guild_id, person, card)

    async def _asked_at_once(self, guild_id: Snowflake, person: Person, card: Card) -> str:
        """Have the server's own provider asked so much at once; gives a sentence, also of one that is not its own."""
        async with self.office.changing(guild_id, person) as (community, write):
            own = await write.providers.of(community.id)
            models = await self.office.providers.of(write.providers, community)
            if own is None or not models.is_own(card.model):
                return Sentence(" How many calls at once that may be is set by whoever runs Selfroom.")
            so = replace(own, calls_at_once=card.calls_to_set)
            if so != own:
                await write.providers.keep(community.id, so)
                what = f"The server's own model provider: {so.pace_told}"
                audit = Audit(by=Actor.person(person).signature(), what=what, at=self.office.now())
                await write.apply(community.id, [audit])
        self.office.on_done()
        return Sentence.joined(" ", so.pace_told)


def with_manner(config: CommunityConfig, model: str, manner: Manner) -> Json:
    """Give the setting `models` with one more model in it."""
    kept = {**config.models, model: manner}
    return {name: one.model_dump(mode="json", exclude_defaults=True) for name, one in kept.items()}
