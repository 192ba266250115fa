"""Agents that come from a file, or go into one."""

from bot.core.actions import CreateAgent, Say
from bot.core.actor import Actor
from bot.core.cards import Card, card_of
from bot.core.changes import Change, SetKnowledge, UpdateAgent
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Json, Person, Snowflake
from bot.engine.front_desk.office import Office

KEPT_WITH = "card:{}"  # what a card said that Selfroom has no use for, kept for export


class Moving(Office):
    """Moving in and out."""

    async def move_in(self, guild_id: Snowflake, person: Person, card: Card) -> tuple[Agent, str]:
        """Make an agent from a card: it greets its room once; gives it and a sentence."""
        action = CreateAgent(
            name=card.name,
            background_prompt=card.prompt,
            agent_type=card.type,
            token_budget=card.token_budget,
        )
        await self.act(guild_id, person, action)
        async with self._changing(guild_id, person) as (community, write):
            view = await write.desk(community.id, agent_ids=(), room_ids=(), doors=False)
            agent = view.agents[max(view.agents)]
            await write.apply(community.id, self._brought(agent, person, card))
            await write.keep(community.id, KEPT_WITH.format(agent.id), card.kept or None)
        if card.greeting:
            await self.act(guild_id, person, Say(message=card.greeting), subject=agent.id)
        self._on_done()
        return agent, f"{agent.name} has moved in with the id {agent.id}."

    def _brought(self, agent: Agent, person: Person, card: Card) -> list[Change]:
        changes: list[Change] = []
        if card.settings:
            changes.append(UpdateAgent(agent_id=agent.id, fields=card.settings))
        for path, value in card.knowledge.items():
            changes.append(
                SetKnowledge(
                    agent_id=agent.id,
                    side=PUBLIC_SIDE,
                    knowledge=card.knowledge,
                    path=path,
                    before=None,
                    after=value,
                    by=Actor.person(person).in_words(),
                    at=self.now(),
                )
            )
        return changes

    async def move_out(self, guild_id: Snowflake, agent_id: AgentId) -> dict[str, Json]:
        """Give an agent as a character card (v2) with Selfroom's own fields in its extensions."""
        async with self._looking(guild_id) as (community, read):
            view = await read.desk(community.id, agent_ids=[agent_id], room_ids=[], doors=False)
            kept = await read.kept(community.id, KEPT_WITH.format(agent_id))
        return card_of(view.agents[agent_id], view.mind_of(agent_id), kept if isinstance(kept, dict) else {})
