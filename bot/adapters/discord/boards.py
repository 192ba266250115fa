"""Boards of scenes: a thread for each, and in it one message of the bot that is edited in place."""

from typing import Final

import discord

from bot.adapters.discord.refusals import worded
from bot.adapters.discord.territory import Place
from bot.core.errors import Gone, Invalid
from bot.core.records import Snowflake
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import Board, press_id
from bot.core.wording import honest

MOST_CHARACTERS = 2_000
MOST_CHOICES = 25
ARCHIVED_AFTER_MINUTES: Final = 1_440
Button = tuple[str, str, discord.ButtonStyle]
LOBBY: tuple[Button, ...] = (
    ("join", "Join", discord.ButtonStyle.primary),
    ("leave", "Leave", discord.ButtonStyle.secondary),
    ("begin", "Begin", discord.ButtonStyle.success),
    ("rules", "Rules", discord.ButtonStyle.secondary),
)
RUNNING: tuple[Button, ...] = (
    ("seat", "My seat", discord.ButtonStyle.primary),
    ("rules", "Rules", discord.ButtonStyle.secondary),
    ("history", "History", discord.ButtonStyle.secondary),
)
PAUSED: tuple[Button, ...] = (
    ("resume", "Go on", discord.ButtonStyle.success),
    ("add", "Add 0.10 USD", discord.ButtonStyle.secondary),
    *RUNNING,
)
ENDED: tuple[Button, ...] = (
    ("results", "Results", discord.ButtonStyle.primary),
    ("history", "Transcript", discord.ButtonStyle.secondary),
)
BUTTONS = {SceneStatus.LOBBY: LOBBY, SceneStatus.RUNNING: RUNNING, SceneStatus.PAUSED: PAUSED}


async def open_thread(channel: Place, name: str, us: int | None) -> Snowflake:
    """Open a public thread, or find the one of that name that we opened before an answer got lost."""
    if not isinstance(channel, discord.TextChannel):
        raise Invalid("Scenes take place in threads, and this channel has none.")
    with worded("open a thread"):
        for thread in await channel.guild.active_threads():
            if (thread.parent_id, thread.name, thread.owner_id) == (channel.id, name, us):
                return Snowflake(thread.id)
        made = await channel.create_thread(
            name=name, type=discord.ChannelType.public_thread, auto_archive_duration=ARCHIVED_AFTER_MINUTES
        )
    return Snowflake(made.id)


async def show(place: Place, post_id: Snowflake | None, board: Board, us: int | None) -> Snowflake:
    """Bring a board up to date, or post it."""
    text, view = written(board), pressed(board)
    nobody = discord.AllowedMentions.none()
    known = post_id or await _posted(place, board, us)
    if known is not None:
        try:
            with worded("change the board"):
                await place.get_partial_message(known).edit(content=text, view=view, allowed_mentions=nobody)
                return known
        except Gone:  # somebody deleted it
            pass
    with worded("post the board"):
        made = await place.send(text, view=view, allowed_mentions=nobody)
    return Snowflake(made.id)


async def _posted(place: Place, board: Board, us: int | None) -> Snowflake | None:
    """Find the board that was posted before we could keep its id."""
    with worded("read what was said"):
        async for message in place.history(limit=20, oldest_first=True):
            if message.author.id == us and message.content.startswith(_head(board)):
                return Snowflake(message.id)
    return None


def _head(board: Board) -> str:
    return f"🎭 **{honest(board.title)}**"


def written(board: Board) -> str:
    """Give a board's text."""
    return "\n".join([_head(board), *map(honest, board.lines)])[:MOST_CHARACTERS]


def pressed(board: Board) -> discord.ui.View:
    """Give its buttons; what pressing them does is known to the command tree, by their ids."""
    view = discord.ui.View(timeout=None)
    for what, label, style in BUTTONS.get(board.status, ENDED):
        id_ = press_id(what, board.scene_id)  # the same for ever: a board is drawn anew while somebody presses
        view.add_item(discord.ui.Button(label=label, style=style, custom_id=id_))
    if board.agents:
        view.add_item(_select("agents", board, [(name, str(id_)) for id_, name in board.agents], "Let an agent sit"))
    if board.choices:
        view.add_item(_select("choose", board, [(name, str(seat)) for seat, name in board.choices], "Who is next?"))
    view.stop()
    return view


def _select(what: str, board: Board, options: list[tuple[str, str]], hint: str) -> discord.ui.Select[discord.ui.View]:
    shown = [discord.SelectOption(label=name[:100], value=value) for name, value in options[:MOST_CHOICES]]
    return discord.ui.Select(custom_id=press_id(what, board.scene_id, board.window), options=shown, placeholder=hint)
