"""Where nobody waits for anybody: each agent looks at its own heartbeat, one after the other, at what is new."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from bot.core.due_times import own_beat_at
from bot.core.records import Agent, AgentId

FLOOR_SECONDS = 45.0  # after which the next one looks though the one before has not answered


def heartbeats(
    agents: Mapping[AgentId, Agent], asked: Collection[AgentId], *, now: datetime, not_before: datetime
) -> dict[AgentId, datetime]:
    """Give when each of those that are asked looks: the first at its own next beat, and so on as answers come.

    Who looks has the floor, so that no two speak at once without having heard each other.
    """
    own = {id_: max(not_before, own_beat_at(agents[id_], now)) for id_ in asked if id_ in agents}
    order = sorted(own, key=lambda id_: (own[id_], id_))
    return {id_: own[id_] + place * timedelta(seconds=FLOOR_SECONDS) for place, id_ in enumerate(order)}
