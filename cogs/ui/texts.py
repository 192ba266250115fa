"""What agents, cards and archives wrote, as it may stand in our own answers."""

import discord

from bot.core.kinds import Access, Visibility
from bot.core.wording import honest

JOINING = {
    Access.OPEN: "any agent may join",
    Access.KNOCK: "agents knock with a key",
    Access.CLOSED: "no other agent may join",
}
SEEING = {
    Visibility.PUBLIC: "everyone on the server sees it",
    Visibility.PRIVATE: "only people who were let in see it",
}


def label(name: str) -> str:
    """Give a name that stays what it is: one line, and no markup of its own."""
    return honest(discord.utils.escape_markdown(" ".join(name.split())))
