"""What the lobby says of a scene's cost and length: asked of the store and of the prices of its agents' models."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from bot.core.models import OwnProviders
from bot.core.ports import Models, Reading
from bot.core.records import Agent, AgentId, Community
from bot.core.scenes.estimates import ANSWER_TOKENS, PROMPT_TOKENS, estimated
from bot.core.scenes.records import Scene, SceneStatus


async def estimate_of(
    read: Reading, community: Community, scene: Scene, agents: Mapping[AgentId, Agent], models: Models | None
) -> str:
    """Give the estimate in words; empty where the scene has begun, or no agent sits there."""
    if scene.status is not SceneStatus.LOBBY or models is None:
        return ""
    model = await models.of(read.providers, community)
    sitting = [agents[one.agent_id].model for one in scene.seats if one.agent_id in agents and one.agent_id is not None]
    prices: list[Decimal] = [
        model.list_price(name, input_tokens=PROMPT_TOKENS, output_tokens=ANSWER_TOKENS)
        for name in sitting
        if model.price_is_known(name)
    ]
    each = sum(prices, Decimal(0)) / len(prices) if prices and len(prices) == len(sitting) else None
    found = estimated(scene, await read.scenes.all(community.id, (SceneStatus.OVER,)), each)
    return replace(found, coin=model.source.coin).words if found is not None else ""


async def coin_of(providers: OwnProviders, community: Community, models: Models | None) -> str:
    """Name the money in which a community's calls are counted."""
    return (await models.of(providers, community)).source.coin if models is not None else "USD"
