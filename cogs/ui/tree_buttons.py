"""What a tree's board opens beside itself: the form of a change."""

import re

import discord

from bot.client import SelfroomClient
from bot.core.errors import Rejected
from bot.core.permissions import ONLY_MANAGERS
from bot.core.sentences import Sentence
from cogs.ui.again import Again, Item, Lasting
from cogs.ui.forms import Form

Interaction = discord.Interaction[SelfroomClient]
CHANGE = "change"
FIELDS = {  # by the command's parameter: the longest text, and what it is for
    "event": (1_500, Sentence("What happens, as a line in the tree's room")),
    "visitor": (32, Sentence("Who says that line; System when left out")),
    "agent": (80, Sentence("Which agent is otherwise")),
    "knows": (1_500, Sentence("What it knows, as path=value; path+=value adds to a list, path= is known no more")),
    "told": (1_500, Sentence("A line that the agent alone is told, once")),
}


class ChangeButton(Lasting, template=rf"{CHANGE}:(?P<tree>\d+):(?P<node>\d+)"):
    """Opens the form of what is to be otherwise after a node; all that may be is `/timeline change`."""

    def __init__(self, tree_id: int, node_id: int) -> None:
        super().__init__(discord.ui.Button(label=Sentence("Change…"), custom_id=f"{CHANGE}:{tree_id}:{node_id}"))
        self.place = (tree_id, node_id)

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> "ChangeButton":
        return cls(int(match["tree"]), int(match["node"]))

    async def pressed(self, interaction: Interaction) -> None:
        """Open the form, for a manager alone."""
        if not interaction.client.person(interaction.user).is_architect:
            raise Rejected(ONLY_MANAGERS)
        await interaction.response.send_modal(ChangeForm(*self.place))


class ChangeForm(Form):
    """What is to be otherwise in a node of its own."""

    def __init__(self, tree_id: int, node_id: int) -> None:
        super().__init__(title=Sentence("Change…"))
        self._place = (tree_id, node_id)
        self._fields: dict[str, discord.ui.TextInput[ChangeForm]] = {}
        for name, (longest, what_for) in FIELDS.items():
            field: discord.ui.TextInput[ChangeForm] = discord.ui.TextInput(required=False, max_length=longest)
            self._fields[name] = field
            self.add_item(discord.ui.Label(text=name.capitalize(), description=what_for, component=field))

    def anew(self) -> "ChangeForm":
        """Give the form as it began."""
        return ChangeForm(*self._place)

    async def on_submit(self, interaction: Interaction) -> None:  # type: ignore[override]
        """Use the command with what was written."""
        tree_id, node_id = self._place
        written = (f"{name}={field.value.strip()}" for name, field in self._fields.items() if field.value.strip())
        await Again(f"timeline {CHANGE}", (f"tree={tree_id}", f"node={node_id}", *written)).run(interaction)
