"""`/agent`: make agents and look after them."""

from cogs.agent.living import Living
from cogs.agent.making import Making
from cogs.agent.moving import Moving


# What the last of these has is offered first.
class AgentCog(Living, Moving, Making, group_name="agent", group_description="Make agents and look after them"):
    """Commands on agents."""


__all__ = ["AgentCog"]
