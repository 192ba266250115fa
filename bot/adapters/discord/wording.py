"""What a message says, as text: forwarded messages, stickers, polls and attachments too."""

from pathlib import PurePath

import discord

from bot.core.readable import Names, readable
from bot.core.records import Attachment
from bot.core.splitting import sound

TEXT_SUFFIXES = {".txt", ".md", ".py", ".js", ".ts", ".json", ".yaml", ".yml", ".toml", ".csv", ".log", ".html", ".css"}
BYTES_PER_CHARACTER = 4


def text_of(message: discord.Message) -> str:
    """Give all that a message says, readable."""
    said = [readable(message.content, names_in(message))]
    said += [f"(forwarded) {snapshot.content}" for snapshot in message.message_snapshots]
    said += [f"(sticker {sticker.name})" for sticker in message.stickers]
    if message.poll is not None:
        answers = " / ".join(answer.text or "" for answer in message.poll.answers)
        said.append(f"(poll) {message.poll.question}: {answers}")
    return sound("\n".join(part for part in said if part))


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


async def attachments_of(message: discord.Message, *, characters: int) -> tuple[Attachment, ...]:
    """Give a message's attachments; text files are read up to so many characters."""
    return tuple([await _attachment(one, characters) for one in message.attachments])


async def _attachment(attachment: discord.Attachment, characters: int) -> Attachment:
    return Attachment(
        name=attachment.filename,
        media_type=attachment.content_type or "application/octet-stream",
        size_bytes=attachment.size,
        url=attachment.url,
        text=await _text(attachment, characters) if _is_text(attachment) else None,
    )


def _is_text(attachment: discord.Attachment) -> bool:
    media_type = attachment.content_type or ""
    return media_type.startswith("text/") or PurePath(attachment.filename).suffix.lower() in TEXT_SUFFIXES


async def _text(attachment: discord.Attachment, characters: int) -> str | None:
    if characters == 0 or attachment.size > 10 * BYTES_PER_CHARACTER * characters:
        return None
    try:
        content = await attachment.read()
    except (discord.HTTPException, OSError):  # it is there by name all the same
        return None
    return sound(content[: characters * BYTES_PER_CHARACTER].decode("utf-8", "replace"))[:characters]
