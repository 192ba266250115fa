"""`/agent`: make agents and look after them."""

from cogs.agent.living import Living
from cogs.agent.making import Making
from cogs.agent.moving import Moving


class AgentCog(Making, Moving, Living, group_name="agent", group_description="Make agents and look after them"):
    """Commands on agents."""


__all__ = ["AgentCog"]
