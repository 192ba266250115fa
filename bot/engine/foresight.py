"""What everyone's next beat waits for: one answer for the commands, the page and the metrics."""

from collections.abc import Mapping

from bot.core.outlook import Outlook, outlooks
from bot.core.ports import Clock, Models, Reading
from bot.core.records import AgentId, Community
from bot.core.spending import day_of
from bot.core.view import Glance
from bot.engine.purse import funds_now


async def foreseen(
    read: Reading, community: Community, *, models: Models, clock: Clock
) -> tuple[Glance, Mapping[AgentId, Outlook]]:
    """Give a view of everyone, and what each is at and waits for, by the facts by which agents are let through."""
    now = clock.now()
    source = (await models.of(read, community)).source
    everyone = tuple((await read.view(community.id, messages=0)).agents)
    view = await read.glance(community.id, agent_ids=everyone, messages=0)
    funds = await funds_now(read, view, day_of(now), source.ceilings)
    return view, outlooks(view, funds, now, missing=source.missing)
