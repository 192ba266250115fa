"""Agents: who there is, what each waits for, how it went lately; and those that come from a file, or go into one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import cast

from bot.core.actions import CreateAgent, Say
from bot.core.actions.fields import LONGEST_TEXT
from bot.core.actor import Actor
from bot.core.cards import Card, kept_with, read_card, written
from bot.core.changes import Change, SetKnowledge, UpdateAgent, WholeAgentColumns
from bot.core.errors import Rejected
from bot.core.kinds import LetterKind
from bot.core.next_beat import NextBeat
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Allocations, Person, Snowflake, WholeAgent
from bot.core.sentences import Sentence
from bot.core.view import Glance, Tally
from bot.core.wording import counted
from bot.engine.aside import aside
from bot.engine.foresight import foreseen
from bot.engine.front_desk.actions import Actions
from bot.engine.front_desk.office import Office
from bot.engine.masks import check_may_look, closed_scenes, seated_in
from bot.engine.performer import Outcome


@dataclass(frozen=True, slots=True)
class Cards:
    """Moving in and out."""

    office: Office
    actions: Actions

    async def read(self, guild_id: Snowflake, data: bytes) -> Card:
        """Read a character card from a file's content; raises BadSetting with what is wrong, and TooMuch."""
        async with self.office.looking(guild_id) as (community, _):
            lane = community.id  # as of all its work: no server has two at a time
        return await self.office.bench.done(lane, read_card, data)

    async def move_in(self, guild_id: Snowflake, person: Person, card: Card) -> tuple[Agent, Outcome]:
        """Make an agent from a card: it greets its room once; gives it and what came of it."""
        await self._check_knowledge(guild_id, card)
        action = CreateAgent(
            name=card.name,
            background_prompt=card.prompt,
            agent_type=card.type,
            token_budget=card.token_budget,
        )
        made = await self.actions.take(guild_id, person, action)
        (agent_id,) = [room_id for room_id, kind in made.letters if kind is LetterKind.CHANNEL]
        async with self.office.changing(guild_id, person) as (community, write):
            agent = (await write.views.roster(community.id, agent_ids=[agent_id])).agents[agent_id]
            await write.apply(community.id, self._brought(agent, person, card))
            await write.notes.keep(community.id, kept_with(agent.id), card.kept or None)
        if card.greeting:
            await self.actions.take(guild_id, person, Say(message=card.greeting[:LONGEST_TEXT]), subject=agent.id)
        self.office.on_done()
        return agent, replace(made, result=f"{agent.name} has moved in.{_of_its_lore(card)}")

    async def _check_knowledge(self, guild_id: Snowflake, card: Card) -> None:
        """Hold what a card knows to what an agent like it may know."""
        async with self.office.looking(guild_id) as (community, read):
            config = (await read.views.roster(community.id)).config
        share = card.settings.get("allocations", Allocations())
        assert isinstance(share, Allocations)  # noqa: S101 - as the card's reader gives it
        cap = (card.token_budget or config.token_budget) * share.knowledge // 100
        if (tokens := await self.office.performer.knowledge_tokens(card.knowledge)) > cap:
            raise Rejected(
                Sentence(
                    "What this card knows takes {tokens}, and {cap:,} fit: leave some of it out.",
                    tokens=counted(tokens, "token"),
                    cap=cap,
                )
            )

    def _brought(self, agent: Agent, person: Person, card: Card) -> list[Change]:
        changes: list[Change] = []
        fields = cast(WholeAgentColumns, {**card.settings})
        if card.lore.entries:
            fields["lore"] = card.lore
        if fields:
            changes.append(UpdateAgent(agent_id=agent.id, fields=fields))
        for path, value in card.knowledge.items():
            changes.append(
                SetKnowledge(
                    agent_id=agent.id,
                    side=PUBLIC_SIDE,
                    knowledge=card.knowledge,
                    path=path,
                    before=None,
                    after=value,
                    by=Actor.person(person).signature(),
                    at=self.office.now(),
                )
            )
        return changes

    async def move_out(self, guild_id: Snowflake, agent_id: AgentId, *, who: Snowflake) -> str:
        """Give an agent as the text of a character card (v2) with Selfroom's own fields in its extensions.

        Raises Rejected where who asks sits in a closed scene with it.
        """
        async with self.office.looking(guild_id) as (community, read):
            await check_may_look(read, community.id, who, agent_id)
            agent = (await read.views.roster(community.id, agent_ids=[agent_id])).whole_agent(agent_id)
            mind = (await read.views.minds(community.id, [(agent_id, PUBLIC_SIDE)])).mind_of(agent_id)
            kept = await read.notes.find(community.id, kept_with(agent_id))
        return await aside(written, agent, mind, kept)


def _of_its_lore(card: Card) -> str:
    """Tell how much of a card's lorebook is of use; nothing where it has none."""
    if not card.lore_there:
        return ""
    used = len(card.lore.entries)
    if used == card.lore_there:
        how_much = counted(used, "entry", "entries")
    else:
        how_much = Sentence("{used} of {all} entries", used=used, all=card.lore_there)
    return Sentence(" Of its lorebook, {how_much} can be used: see `/knowledge lore`.", how_much=how_much)


@dataclass(frozen=True, slots=True)
class Agents:
    """The agents of a community."""

    office: Office

    async def everyone(self, guild_id: Snowflake) -> Sequence[Agent]:
        """Give everyone, in the order of their ids."""
        async with self.office.store.reading() as read:
            community = await read.communities.of_guild(guild_id)
            if community is None:
                return []
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)
        return sorted(view.agents.values(), key=lambda agent: agent.id)

    async def whole(self, guild_id: Snowflake, agent_id: AgentId) -> WholeAgent:
        """Give an agent with its prompt."""
        async with self.office.looking(guild_id) as (community, read):
            return (await read.views.roster(community.id, agent_ids=[agent_id])).whole_agent(agent_id)

    async def names(self, guild_id: Snowflake) -> Mapping[AgentId, tuple[str, Snowflake | None]]:
        """Give everyone's name and the channel of their own room, in the order of their ids."""
        async with self.office.store.reading() as read:
            community = await read.communities.of_guild(guild_id)
            if community is None:
                return {}
            names, channels = await read.agents.names(community.id), await read.agents.channels(community.id)
            return {id_: (name, channels.get(id_)) for id_, name in names.items()}

    async def next_beats(self, guild_id: Snowflake) -> Mapping[AgentId, NextBeat]:
        """Give when everyone's next beat can come, and what it waits for."""
        return (await self.foreseen(guild_id))[1]

    async def foreseen(self, guild_id: Snowflake) -> tuple[Glance, Mapping[AgentId, NextBeat]]:
        """Give a view of everyone with their rooms, and what each is at and waits for."""
        async with self.office.looking(guild_id) as (community, read):
            office = self.office
            return await foreseen(read, community, models=office.providers, clock=office.clock)

    async def masked(self, guild_id: Snowflake) -> frozenset[AgentId]:
        """Give the agents that sit in a closed scene that goes on: what they do, and when, is nobody's to see."""
        async with self.office.looking(guild_id) as (community, read):
            return seated_in(await closed_scenes(read.scenes, community.id))

    async def feedback(self, guild_id: Snowflake, agent_id: AgentId, *, days: float = 7) -> Mapping[str, int]:
        """Count by name the reactions of the last days to what an agent said."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.reactions.feedback(community.id, agent_id, self.office.now() - timedelta(days=days))

    async def tally(self, guild_id: Snowflake, agent_ids: Sequence[AgentId], *, hours: float = 24) -> Tally:
        """Add up what these agents did in the last hours."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.beats.tally(community.id, agent_ids, self.office.now() - timedelta(hours=hours))
