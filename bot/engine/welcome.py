"""The first residents of a playground: a newcomer should find someone to talk to."""

from bot.core.actions import CreateAgent
from bot.core.records import Person, Snowflake
from bot.core.templates import FIRST_RESIDENTS, TEMPLATES
from bot.engine.front_desk.actions import Actions
from bot.engine.front_desk.agents import Agents

HOUSEKEEPER = Person(id=Snowflake(0), username="selfroom", is_architect=True)


async def welcome(agents: Agents, actions: Actions, guild_id: Snowflake) -> None:
    """Create the sample agents in a community that has none yet; do nothing in one that has."""
    if await agents.everyone(guild_id):
        return
    for name in FIRST_RESIDENTS:
        template = TEMPLATES[name]
        action = CreateAgent(name=name, background_prompt=template.prompt, agent_type=template.type)
        await actions.take(guild_id, HOUSEKEEPER, action)
