"""One door for every change: what people do runs the same actions and handlers as for agents."""

from dataclasses import dataclass

from bot.core.actions import Action
from bot.core.actor import Actor
from bot.core.errors import Rejected
from bot.core.records import PUBLIC_SIDE, AgentId, Person, Side, Snowflake
from bot.engine.front_desk.office import Office
from bot.engine.performer import ActionContext, Outcome


@dataclass(frozen=True, slots=True)
class Actions:
    """What people do."""

    office: Office

    async def take(
        self,
        guild_id: Snowflake,
        person: Person,
        action: Action,
        *,
        subject: AgentId | None = None,
        side: Side = PUBLIC_SIDE,
    ) -> Outcome:
        """Do one thing as a person, to what `subject` keeps on that side; raises Rejected when the rules forbid it."""
        async with self.office.changing(guild_id, person) as (community, write):
            (outcome,) = await self.office.performer.perform(
                write,
                community.id,
                Actor.person(person),
                [action],
                ActionContext(now=self.office.now(), random=self.office.random, side=side),
                subject=subject,
            )
        self.office.on_done()
        if not outcome.accepted:
            raise Rejected(outcome.why)
        return outcome
