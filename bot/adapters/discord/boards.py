"""Messages that are edited in place: the billboard of a channel, pinned, and boards of scenes, each in a thread."""

import json
from collections.abc import Awaitable, Callable
from typing import Final

import discord

from bot.adapters.discord.inner import Raw, rest
from bot.adapters.discord.refusals import worded
from bot.adapters.discord.territory import Place
from bot.core.errors import Gone, Invalid
from bot.core.records import SceneId, Snowflake
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import Board, press_id
from bot.core.wording import honest

MOST_CHARACTERS = 2_000
MOST_CHOICES = 25
ARCHIVED_AFTER_MINUTES: Final = 1_440
MOST_REMEMBERED: Final = 100
Draw = Callable[[Board], Awaitable[discord.File | None]]
Button = tuple[str, str, discord.ButtonStyle]
LOBBY: tuple[Button, ...] = (
    ("join", "Join", discord.ButtonStyle.primary),
    ("ping", "Join, and ping me", discord.ButtonStyle.secondary),
    ("leave", "Leave", discord.ButtonStyle.secondary),
    ("begin", "Begin", discord.ButtonStyle.success),
    ("rules", "Rules", discord.ButtonStyle.secondary),
)
MINE: Button = ("seat", "My seat", discord.ButtonStyle.primary)
ACT: Button = ("act", "Act", discord.ButtonStyle.success)
TOLD: tuple[Button, ...] = (
    ("rules", "Rules", discord.ButtonStyle.secondary),
    ("history", "History", discord.ButtonStyle.secondary),
)
LEAVE: Button = ("leave", "Leave …", discord.ButtonStyle.secondary)
STOP: Button = ("stop", "Stop …", discord.ButtonStyle.danger)
RUNNING: tuple[Button, ...] = (MINE, ACT, *TOLD, ("pause", "Pause", discord.ButtonStyle.secondary), STOP, LEAVE)
PAUSED: tuple[Button, ...] = (
    ("resume", "Go on", discord.ButtonStyle.success),
    ("add", "Add 0.10 USD", discord.ButtonStyle.secondary),
    MINE,
    *TOLD,
    STOP,
    LEAVE,
)
ANEW = "Continue in a new thread"
ENDED: tuple[Button, ...] = (("results", "Results and transcript", discord.ButtonStyle.primary),)
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


async def undrawn(board: Board) -> discord.File | None:
    """Draw nothing."""
    return None


class Pictures:
    """The pictures of boards: each drawn, and sent, only when there is something else to see on it."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._shown: dict[tuple[int, SceneId], str] = {}  # the place, as scenes are numbered in each community

    async def files(self, place: Place, board: Board, *, anew: bool) -> list[discord.File]:
        """Give the picture as a file; none where the one that stands there shows the same already."""
        if not board.picture or (not anew and self._shown.get(_of(place, board)) == _told(board)):
            return []
        drawn = await self._draw(board)
        return [drawn] if drawn is not None else []

    def keep(self, place: Place, board: Board) -> None:
        """Remember that it stands there."""
        self._shown[_of(place, board)] = _told(board)
        while len(self._shown) > MOST_REMEMBERED:
            del self._shown[next(iter(self._shown))]


def _of(place: Place, board: Board) -> tuple[int, SceneId]:
    return place.id, board.scene_id


def _told(board: Board) -> str:
    return json.dumps([board.picture, [*board.names.items()]])


async def show(place: Place, post_id: Snowflake | None, board: Board, us: int | None, pictures: Pictures) -> Snowflake:
    """Bring a board up to date, or post it."""
    shown = await _changed(place, post_id or await _posted(place, board, us), board, pictures)
    if shown is None:
        files = await pictures.files(place, board, anew=True)
        with worded("post the board"):
            made = await place.send(
                written(board), view=pressed(board), allowed_mentions=discord.AllowedMentions.none(), files=files
            )
        shown = Snowflake(made.id)
    pictures.keep(place, board)
    return shown


async def _changed(place: Place, known: Snowflake | None, board: Board, pictures: Pictures) -> Snowflake | None:
    """Change the board that stands there; None where there is none."""
    if known is None:
        return None
    files = await pictures.files(place, board, anew=False)
    try:
        with worded("change the board"):
            await place.get_partial_message(known).edit(
                content=written(board),
                view=pressed(board),
                allowed_mentions=discord.AllowedMentions.none(),
                attachments=files or discord.utils.MISSING,  # without any, the one that stands there stays
            )
    except Gone:  # somebody deleted it
        return None
    return known


async def _posted(place: Place, board: Board, us: int | None) -> Snowflake | None:
    """Find the board that was posted before we could keep its id."""
    with worded("read what was said"):
        of_its_own = isinstance(place, discord.Thread)  # there it is the first post, in a room one of the last
        async for message in place.history(limit=20, oldest_first=of_its_own):
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
        label = ANEW if what == "resume" and board.is_homeless else label.replace("USD", board.coin)
        id_ = press_id(what, board.scene_id)  # the same for ever: a board is drawn anew while somebody presses
        off = what == "begin" and not board.can_begin
        view.add_item(discord.ui.Button(label=label, style=style, custom_id=id_, disabled=off))
    if board.agents:
        agents = [(name, str(id_)) for id_, name in board.agents]
        view.add_item(_select("agents", board, agents, "Let an agent sit", most=board.free))
    if board.commentators:
        agents = [(name, str(id_)) for id_, name in board.commentators]
        view.add_item(_select("comment", board, agents, "Let an agent watch and comment"))
    if board.choices:
        view.add_item(_select("choose", board, [(name, str(seat)) for seat, name in board.choices], "Who is next?"))
    view.stop()
    return view


def _select(
    what: str, board: Board, options: list[tuple[str, str]], hint: str, *, most: int = 1
) -> discord.ui.Select[discord.ui.View]:
    """Give a list of which up to so many may be chosen at once."""
    shown = [discord.SelectOption(label=name[:100], value=value) for name, value in options[:MOST_CHOICES]]
    id_, most = press_id(what, board.scene_id, board.window), max(1, min(most, len(shown)))
    return discord.ui.Select(custom_id=id_, options=shown, placeholder=hint, max_values=most)


HEAD = "📌 "


class Billboards:
    """Finds the bot's pinned message by looking at the pins: Discord itself remembers which it is."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._known: dict[int, Snowflake] = {}

    async def show(self, place: Place, message_id: Snowflake | None, text: str) -> Snowflake | None:
        """Make the pinned message read `text`; empty text removes it."""
        known = message_id or self._known.get(place.id) or await self._find(place)
        if not text:
            await self._remove(place, known)
            return None
        if known is not None and await self._edit(place, known, text):
            return known
        return await self._make(place, text)

    async def _find(self, place: Place) -> Snowflake | None:
        with worded("look at the pinned messages"):
            pins: Raw = await rest(self._client).pins_from(place.id)
        for pin in pins["items"]:
            message = pin["message"]
            if self._is_ours(message):
                return Snowflake(int(message["id"]))
        return await self._unpinned(place)

    async def _unpinned(self, place: Place) -> Snowflake | None:
        """Find a billboard that was posted but not pinned, as when the program ended between the two."""
        with worded("read what was said"):
            recent = await rest(self._client).logs_from(place.id, 50)
        for message in recent:
            if self._is_ours(message):
                await self._pin(place, Snowflake(int(message["id"])))
                return Snowflake(int(message["id"]))
        return None

    def _is_ours(self, message: Raw) -> bool:
        user = self._client.user
        mine = user is not None and int(message["author"]["id"]) == user.id
        return mine and message["content"].startswith(HEAD)

    async def _edit(self, place: Place, message_id: Snowflake, text: str) -> bool:
        message = place.get_partial_message(message_id)
        try:
            with worded("change the billboard"):
                await message.edit(content=HEAD + text, allowed_mentions=discord.AllowedMentions.none())
        except Gone:
            self._known.pop(place.id, None)
            return False
        self._known[place.id] = message_id
        return True

    async def _make(self, place: Place, text: str) -> Snowflake:
        with worded("post the billboard"):
            message = await place.send(HEAD + text, allowed_mentions=discord.AllowedMentions.none())
        made = Snowflake(message.id)
        await self._pin(place, made)
        self._known[place.id] = made
        return made

    async def _pin(self, place: Place, message_id: Snowflake) -> None:
        with worded("pin the billboard"):
            await rest(self._client).pin_message(place.id, message_id)

    async def _remove(self, place: Place, message_id: Snowflake | None) -> None:
        self._known.pop(place.id, None)
        if message_id is None:
            return
        try:
            with worded("take the billboard down"):
                await rest(self._client).delete_message(place.id, message_id)
        except Gone:
            return
