"""What everyone's next beat waits for: one answer for the commands, the page and the metrics."""

from collections.abc import Mapping
from dataclasses import replace

from bot.core.next_beat import NextBeat, next_beats
from bot.core.ports import Clock, Models, Reading
from bot.core.records import AgentId, Community
from bot.core.spending import day_of
from bot.core.view import Glance
from bot.engine.masks import closed_scenes, masked_agents, masked_looks, seated_in
from bot.engine.purse import funds_now


async def foreseen(
    read: Reading, community: Community, *, models: Models, clock: Clock
) -> tuple[Glance, Mapping[AgentId, NextBeat]]:
    """Give a view of everyone, and what each is at and waits for, by the facts by which agents are let through."""
    now = clock.now()
    source = (await models.of(read.providers, community)).source
    everyone = tuple(await read.agents.names(community.id))
    view = await read.views.glance(community.id, agent_ids=everyone, messages=0, summaries=True)
    funds = await funds_now(read.money, view, day_of(now), source.ceilings)
    seated = seated_in(await closed_scenes(read.scenes, community.id))
    await clock.sleep(0)  # of hundreds of agents both take some milliseconds: others come first in between
    looks = next_beats(view, funds, now, missing=source.missing)
    if not seated:
        return view, looks
    return replace(view, agents=masked_agents(view.agents, seated)), masked_looks(looks, seated)
