"""What agents, cards and archives wrote, as it may stand in our own answers."""

import discord

from bot.core.kinds import Access, Visibility
from bot.core.sentences import Sentence
from bot.core.wording import honest

JOINING = {
    Access.OPEN: Sentence("any agent may join"),
    Access.KNOCK: Sentence("agents knock with a key"),
    Access.CLOSED: Sentence("no other agent may join"),
}
SEEING = {
    Visibility.PUBLIC: Sentence("everyone on the server sees it"),
    Visibility.PRIVATE: Sentence("only people who were let in see it"),
}


def label(name: str) -> str:
    """Give a name that stays what it is: one line, and no markup of its own."""
    return honest(discord.utils.escape_markdown(" ".join(name.split())))
