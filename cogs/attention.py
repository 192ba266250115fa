"""`/attention`: how an agent divides its view between rooms."""

from discord import app_commands

from bot.core.actions import SetAttention
from bot.core.attention import share_words
from bot.core.records import Membership
from bot.core.sentences import Sentence
from bot.core.view import Outline
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only, wait
from cogs.ui.charts import attention_rows
from cogs.ui.texts import label

Value = app_commands.Range[str, 1, 6]


class AttentionCog(Group, group_name="attention", group_description="How agents divide their view between rooms"):
    """Commands on attention."""

    @app_commands.command()
    async def show(self, interaction: Interaction, agent: AgentArg) -> None:
        """Show as a picture how an agent divides its view.

        Args:
            agent: Whose attention
        """
        managers_only(interaction)
        await wait(interaction)
        view = await self.desk.community.view(guild_of(interaction), agent.id)
        title, rows = Sentence("Attention of {agent}", agent=agent.name), attention_rows(view, agent.id)
        mine = [one for (member, _), one in view.memberships.items() if member == agent.id]
        await self.draw_out(interaction, title, rows, [share_line(one, view) for one in mine])

    @app_commands.command()
    async def set(self, interaction: Interaction, agent: AgentArg, value: Value, room: AgentArg | None = None) -> None:
        """Set how much of an agent's view a room gets.

        Args:
            agent: Whose view
            value: 0 to 100 percent, or %* for a share of what is left
            room: Which room; this one when left out
        """
        managers_only(interaction)
        place = await self.room(interaction, room)
        await self.act(interaction, SetAttention(room_id=place.id, value=value), subject=agent.id)

    @app_commands.command()
    async def reset(self, interaction: Interaction, agent: AgentArg) -> None:
        """Give all of an agent's rooms equal shares again.

        Args:
            agent: Whose view
        """
        managers_only(interaction)
        view = await self.desk.community.view(guild_of(interaction), agent.id)
        fixed = [
            one for (member, _), one in view.memberships.items() if member == agent.id and one.attention is not None
        ]
        for one in fixed:
            await self.do(interaction, SetAttention(room_id=one.room_id, value="%*"), subject=agent.id)
        await self.say(interaction, Sentence("All of {agent}'s rooms have equal shares.", agent=agent.name))


def share_line(one: Membership, view: Outline) -> Sentence:
    """Word what a room gets of an agent's view."""
    owner, share = label(view.agents[one.room_id].name), share_words(one.attention)
    return Sentence("- {owner}'s room (ID {room}): {share}", owner=owner, room=one.room_id, share=share)
