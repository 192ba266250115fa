"""Runs of a server: communities without Discord, begun by its managers and held to its day's money."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from bot.core.changes import Audit
from bot.core.config import CommunityConfig
from bot.core.errors import BadSetting, Rejected, one_of
from bot.core.models import ModelAnswer, ModelCall
from bot.core.people import by_person
from bot.core.records import CommunityId, Person, Snowflake
from bot.core.runs.spec import Further, RunSpec
from bot.core.sentences import Sentence
from bot.core.timelines.records import ROOT, TreeId, TreeKey
from bot.core.wording import counted
from bot.engine.channel_events import LEFT_AT
from bot.engine.front_desk.office import Office, check_manages
from bot.engine.timelines.answers import GrantSpent, HouseFacts
from bot.engine.timelines.house import Estimate, Grant, Treasury

MOST_RUNS: Final = 50  # of one server
MOST_BETWEEN: Final = 100  # turns or minutes between two snapshots: at each it is looked how large the run is
NO_RUNS: Final = "Runs are switched off here: tell whoever runs Selfroom."
NO_CARDS: Final = "A run of a server has no folder of cards: give the card itself, and take what it says."
ONE_PLAYS: Final = "A run of this server is being played: wait for its end, or end it."
NOT_ASKED: Final = "The scripted mind answers in this run: no model is asked."


class RunHouse(Protocol):
    """Who asks models for one run."""

    async def facts(self, models: Sequence[str]) -> HouseFacts:
        """Give what is known of these models."""

    async def answer(self, call: ModelCall) -> ModelAnswer:
        """Ask one."""

    def news(self) -> None:
        """Hear that there is more of the run than before, or that it is over."""

    async def close(self) -> None:
        """Give back what was not spent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """A run that is played now, and how many turns of it were played since it began or went on."""

    run: int
    turns: int


class Laboratory(Protocol):
    """Where runs of servers are kept and played; raises NotFound for one that there is not."""

    async def all(self, server: Snowflake, coin: str) -> bytes:
        """Give a server's runs, the newest first, and which is played, as JSON; `coin`: what models are paid in."""

    async def count(self, server: Snowflake) -> int:
        """Count a server's runs."""

    def under_way(self, server: Snowflake) -> UnderWay | None:
        """Give what is played of a server now."""

    def ended(self, server: Snowflake, number: int) -> str:
        """Say how a run ended that was played since Selfroom began; empty where nobody knows."""

    async def one(self, server: Snowflake, number: int, coin: str) -> bytes:
        """Give a run with what it was made of, its worlds by id, how it ended and what is played, as JSON."""

    async def spent(self, server: Snowflake, number: int) -> tuple[RunSpec, Decimal]:
        """Give what a run was made of, and what it has spent, in USD."""

    async def told(self, server: Snowflake, number: int, at: str, *, first: int | None, most: int) -> bytes:
        """Give what came of a run until a snapshot (a number or name, the newest where that is empty), as JSON.

        Of its lines so many from the `first` on (None: the last ones).
        """

    def packed(self, server: Snowflake, number: int, at: str) -> AbstractAsyncContextManager[Path]:
        """Give an archive of what `selfroom runs export` writes, as long as it is open."""

    async def name(self, server: Snowflake, number: int, at: str, name: str) -> int:
        """Give a snapshot a name; gives its number."""

    async def copy(self, server: Snowflake, number: int) -> int:
        """Copy a run; gives the copy's number."""

    async def delete(self, server: Snowflake, number: int) -> None:
        """Delete a run."""

    async def forget(self, server: Snowflake) -> None:
        """Delete all runs of a server, where they are its own."""

    async def begin(self, server: Snowflake, spec: RunSpec, house: RunHouse) -> int:
        """Begin to play a new run; gives its number once it is founded. `house` is closed once it is over."""

    async def advance(self, server: Snowflake, number: int, further: Further, house: RunHouse) -> None:
        """Let a run go on."""

    async def end(self, server: Snowflake) -> None:
        """End what is played of a server: what was played until now is kept."""


@dataclass(frozen=True, slots=True)
class Scripted:
    """A `RunHouse` that is asked nothing."""

    news: Callable[[], None]

    async def facts(self, models: Sequence[str]) -> HouseFacts:
        raise GrantSpent(NOT_ASKED)

    async def answer(self, call: ModelCall) -> ModelAnswer:
        raise GrantSpent(NOT_ASKED)

    async def close(self) -> None:
        """Give nothing back."""


@dataclass(frozen=True, slots=True)
class Lending:
    """A `RunHouse` that asks the server's models, within a grant of its day."""

    treasury: Treasury
    key: TreeKey
    grant: Grant
    news: Callable[[], None]

    async def facts(self, models: Sequence[str]) -> HouseFacts:
        return await self.treasury.facts(self.key, models)

    async def answer(self, call: ModelCall) -> ModelAnswer:
        return await self.treasury.answer(self.key, ROOT, call)

    async def close(self) -> None:
        await self.treasury.let_go(self.key, ROOT)


def _told_nobody(community_id: CommunityId) -> None:
    """Nobody looks on."""


@dataclass(slots=True)
class Runs:
    """What managers do with runs; each change stands in the audit. `on_news` hears whose runs have changed."""

    office: Office
    there: Laboratory | None = None
    treasury: Treasury | None = None
    config: CommunityConfig = field(default_factory=CommunityConfig)  # what a community's own is laid over
    on_news: Callable[[CommunityId], None] = _told_nobody

    @property
    def kept(self) -> Laboratory:
        """Where they are kept; raises Rejected where there are none."""
        if self.there is None:
            raise Rejected(NO_RUNS)
        return self.there

    async def begin(self, guild_id: Snowflake, person: Person, spec: RunSpec) -> int:
        """Begin a new run; gives its number."""
        check_manages(person)
        if any(one.card is not None for one in spec.agents):
            raise BadSetting(NO_CARDS)
        if spec.every > MOST_BETWEEN:
            raise BadSetting(f"every: a run of a server keeps a snapshot at least every {MOST_BETWEEN}: choose less.")
        if await self.kept.count(guild_id) >= MOST_RUNS:
            raise Rejected(Sentence("Over the limit of {runs}: delete one first.", runs=counted(MOST_RUNS, "run")))
        house = await self._house(guild_id, spec, spec.budget)
        coin = spec.coin(await self.coin(guild_id))
        number = await self.kept.begin(guild_id, spec, house)
        what = f"Run {number} was begun: {spec.title} ({spec.model}, {spec.budget} {coin} at most)."
        await self._note(guild_id, person, what)
        return number

    async def advance(self, guild_id: Snowflake, person: Person, number: int, further: Further) -> None:
        """Let a run go on, from its newest world or an earlier one: then it branches."""
        check_manages(person)
        spec, spent = await self.kept.spent(guild_id, number)
        left = (spec.budget if further.budget is None else Decimal(str(further.budget))) - spent
        if left <= 0:
            raise Rejected(Sentence("The budget of run {number} is spent: give it more in all.", number=number))
        await self.kept.advance(guild_id, number, further, await self._house(guild_id, spec, left))
        await self._note(guild_id, person, f"Run {number} went on for {counted(further.turns, 'turn')}.")

    async def end(self, guild_id: Snowflake, person: Person) -> None:
        """End what is played now."""
        check_manages(person)
        going = self.kept.under_way(guild_id)
        await self.kept.end(guild_id)
        if going is not None:
            await self._note(guild_id, person, f"Run {going.run} was ended.")

    async def name(self, guild_id: Snowflake, person: Person, number: int, at: str, name: str) -> int:
        """Give a snapshot a name."""
        check_manages(person)
        return await self.kept.name(guild_id, number, at, name)

    async def copy(self, guild_id: Snowflake, person: Person, number: int) -> int:
        """Copy a run; gives the copy's number."""
        check_manages(person)
        if await self.kept.count(guild_id) >= MOST_RUNS:
            raise Rejected(Sentence("Over the limit of {runs}: delete one first.", runs=counted(MOST_RUNS, "run")))
        made = await self.kept.copy(guild_id, number)
        await self._note(guild_id, person, f"Run {number} was copied: the copy is run {made}.")
        return made

    async def delete(self, guild_id: Snowflake, person: Person, number: int) -> None:
        """Delete a run with all its snapshots."""
        check_manages(person)
        await self.kept.delete(guild_id, number)
        await self._note(guild_id, person, f"Run {number} was deleted.")

    async def expire(self) -> None:
        """Delete the runs of servers that we have not been in for as long as an untouched what-if is kept."""
        if self.there is None:
            return
        async with self.office.store.reading() as read:
            left = [(one, await read.notes.find(one.id, LEFT_AT)) for one in await read.communities.all()]
        for community, at in left:
            days = self.config.overlaid(community.overrides).timeline_days
            if isinstance(at, str) and datetime.fromisoformat(at) < self.office.now() - timedelta(days=days):
                await self.there.forget(community.guild_id)

    async def all(self, guild_id: Snowflake) -> bytes:
        """Give the runs of a server, the newest first, and which is played, as JSON."""
        return await self.kept.all(guild_id, await self.coin(guild_id))

    async def one(self, guild_id: Snowflake, number: int) -> bytes:
        """Give a run with its worlds, as JSON."""
        return await self.kept.one(guild_id, number, await self.coin(guild_id))

    async def coin(self, guild_id: Snowflake) -> str:
        """Name the money in which models are paid that are asked in a run of this server."""
        async with self.office.looking(guild_id) as (community, read):
            return (await self.office.providers.of(read.providers, community)).source.coin

    async def models(self, guild_id: Snowflake) -> Sequence[str]:
        """Give the models that a run of this server may be answered by."""
        async with self.office.looking(guild_id) as (community, _):
            config = self.config.overlaid(community.overrides)
        return list(config.allowed_models or (config.model,))

    async def _house(self, guild_id: Snowflake, spec: RunSpec, usd: Decimal) -> RunHouse:
        """Give who asks for a run, with its money set aside; raises Rejected for a model or a sum that may not be."""
        async with self.office.looking(guild_id) as (community, read):
            news = partial(self.on_news, community.id)
            if spec.is_scripted:
                return Scripted(news)
            model = await self.office.providers.of(read.providers, community)
            is_held = "allowed_models" in community.overrides or await read.providers.of(community.id) is None
        config = self.config.overlaid(community.overrides)
        allowed = {*config.allowed_models, config.model} if config.allowed_models and is_held else set(spec.models)
        for name in spec.models:
            if why := model.refusal(name):
                raise Rejected(why)
            if name not in allowed:
                raise Rejected(
                    Sentence(
                        "This community does not allow the model {name}: choose {names}.",
                        name=name,
                        names=one_of(sorted(allowed)),
                    )
                )
        key = TreeKey(community.id, TreeId(0))  # no tree's: one run of a server is played at a time
        if self.treasury is None:
            raise Rejected(ONE_PLAYS)
        async with self.treasury.turn_at(key):  # two that begin at once would each set money aside for the other's
            if self.treasury.runs(key):
                raise Rejected(ONE_PLAYS)
            grant = await self.treasury.grant(key, Estimate(usd=usd, granted_usd=usd, tokens=0), names=spec.models)
            if grant is None:
                raise Rejected(Sentence("A run needs a budget: give it some."))
            self.treasury.lend(key, ROOT, grant)
        return Lending(self.treasury, key, grant, news)

    async def _note(self, guild_id: Snowflake, person: Person, what: str) -> None:
        async with self.office.changing(guild_id, person) as (community, write):
            by = by_person(person.id, manager=person.is_architect)
            await write.apply(community.id, [Audit(by=by, what=what, at=self.office.now())])
