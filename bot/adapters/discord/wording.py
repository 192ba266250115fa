"""What a message says, as text: forwarded messages, stickers, polls and attachments too."""

import discord

from bot.core.readable import Names, readable
from bot.core.splitting import sound

LONGEST = 10_000  # characters: of a forwarded message and one's own words about it


def text_of(message: discord.Message) -> str:
    """Give all that a message says, readable."""
    said = [readable(message.content, names_in(message))]
    said += [f"(forwarded) {snapshot.content}" for snapshot in message.message_snapshots]
    said += [f"(sticker {sticker.name})" for sticker in message.stickers]
    if message.poll is not None:
        answers = " / ".join(answer.text or "" for answer in message.poll.answers)
        said.append(f"(poll) {message.poll.question}: {answers}")
    return sound("\n".join(part for part in said if part)[:LONGEST])


def names_in(message: discord.Message) -> Names:
    """Give the names that a message's markup needs."""
    guild, content = message.guild, message.content
    if guild is None or "<" not in content:
        return Names()
    return Names(
        users={user.id: user.name for user in message.mentions},
        roles={role.id: role.name for role in guild.roles} if "<@&" in content else {},
        channels={place.id: place.name for place in (*guild.channels, *guild.threads)} if "<#" in content else {},
    )
