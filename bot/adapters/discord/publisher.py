"""Our letters as requests to Discord."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import discord

from bot.adapters.discord import boards
from bot.adapters.discord.boards import Billboards
from bot.adapters.discord.channels import Channels
from bot.adapters.discord.faces import Faces
from bot.adapters.discord.inner import Raw, rest
from bot.adapters.discord.refusals import ThreadArchived, WebhookGone, worded
from bot.adapters.discord.territory import Place, Territory
from bot.adapters.discord.webhooks import Webhooks, is_own_webhook
from bot.core.errors import ChannelGone, Gone
from bot.core.moderation import held_id
from bot.core.ports import Post
from bot.core.publishing import NewChannel
from bot.core.records import AgentId, LetterId, Snowflake
from bot.core.scenes.showing import Board

NO_PINGS: dict[str, object] = {"parse": []}
PEOPLE_ONLY: dict[str, object] = {"parse": ["users"]}  # never @everyone, @here or a role
PAGE = 100
TOO_OLD = 50034  # one of several messages to delete
MOST_CHARACTERS = 2_000
ONLINE_LOOK_SECONDS = 0.05
DECISIONS = (("post", "Approve", discord.ButtonStyle.success), ("discard", "Discard", discord.ButtonStyle.danger))


class DiscordPublisher:
    """Implements `ports.Publisher` over discord.py; close it after the last letter. `paint` draws scenes' boards."""

    def __init__(self, client: discord.Client, draw: boards.Draw = boards.undrawn) -> None:
        self._client = client
        self._pictures = boards.Pictures(draw)
        self.territory = Territory(client)
        self.webhooks = Webhooks(client)
        self._faces = Faces(self.webhooks)
        self._channels = Channels(client)
        self._billboards = Billboards(client)

    async def post(self, post: Post) -> Snowflake:
        """Post once through the channel's webhook; a webhook that is gone is made anew."""
        place, payload = await self._place(post.guild_id, post.channel_id), _payload(post)
        try:
            return await self._execute(place, post, payload)
        except ChannelGone:
            if post.thread_id is None or post.only_there:
                raise
            return await self._execute(place, post, payload, in_thread=False)
        except WebhookGone:
            self.webhooks.forget(place)
            return await self._execute(place, post, payload)

    async def _execute(
        self, place: Place, post: Post, payload: dict[str, object], *, in_thread: bool = True
    ) -> Snowflake:
        hook = await self.webhooks.of(place)
        if post.thread_id is None or not in_thread:
            return await self.webhooks.execute(hook, payload, files=post.files)
        thread = await self._place(post.guild_id, post.thread_id)
        try:
            return await self.webhooks.execute(hook, payload, thread=thread, files=post.files)
        except ThreadArchived:
            await self._channels.open_thread(thread)
            return await self.webhooks.execute(hook, payload, thread=thread, files=post.files)

    async def posted_after(
        self, guild_id: Snowflake, channel_id: Snowflake, after: Snowflake | None
    ) -> Sequence[tuple[Snowflake, str, str]]:
        """Give our webhooks' posts after a message, oldest first: id, author name, content."""
        place = await self._place(guild_id, channel_id)
        newest, found = after or Snowflake(0), list[tuple[Snowflake, str, str]]()
        while True:
            with worded("read what was said"):
                page = await rest(self._client).logs_from(place.id, PAGE, after=newest)
            for data in sorted(page, key=lambda data: int(data["id"])):
                newest = Snowflake(int(data["id"]))
                if self._is_ours(data):
                    found.append((newest, data["author"]["username"], data["content"]))
            if len(page) < PAGE:
                return found

    def _is_ours(self, data: Raw) -> bool:
        webhook_id = data.get("webhook_id")
        return bool(webhook_id) and is_own_webhook(
            int(webhook_id), data.get("application_id"), self._client.application_id, self.webhooks
        )

    async def typing(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        place = await self._place(guild_id, channel_id)
        with worded("show that I type"):
            await rest(self._client).send_typing(place.id)

    async def react(
        self, guild_id: Snowflake, channel_id: Snowflake, message_id: Snowflake, emoji: str, *, added: bool = True
    ) -> None:
        place, http = await self._place(guild_id, channel_id), rest(self._client)
        with worded("react"):
            if added:
                await http.add_reaction(place.id, message_id, emoji)
            else:
                await http.remove_own_reaction(place.id, message_id, emoji)

    async def remove(self, guild_id: Snowflake, channel_id: Snowflake, *message_ids: Snowflake) -> None:
        """Delete messages, at once where Discord does that; those that are gone already are no error."""
        with suppress(Gone):
            place = await self._place(guild_id, channel_id)
            if len(message_ids) > 1 and await self._remove_at_once(place, message_ids):
                return
            for id_ in message_ids:
                with suppress(Gone), worded("delete messages"):
                    await rest(self._client).delete_message(place.id, id_)

    async def reword(
        self, guild_id: Snowflake, channel_id: Snowflake, post_id: Snowflake, text: str, *, thread_id: Snowflake | None
    ) -> None:
        """Put other words into a post of ours, with no file beside them; one that cannot be changed is deleted.

        An earlier webhook's posts are such ones.
        """
        place = await self._place(guild_id, channel_id)
        thread = await self._place(guild_id, thread_id) if thread_id is not None else None
        try:
            await self._reword(place, thread, post_id, text)
        except WebhookGone:
            self.webhooks.forget(place)
            await self.remove(guild_id, thread_id or channel_id, post_id)
        except Gone:
            await self.remove(guild_id, thread_id or channel_id, post_id)

    async def _reword(self, place: Place, thread: Place | None, post_id: Snowflake, text: str) -> None:
        hook = await self.webhooks.of(place)
        try:
            await self.webhooks.reword(hook, post_id, text, thread=thread)
        except ThreadArchived:
            if thread is None:
                raise
            await self._channels.open_thread(thread)
            await self.webhooks.reword(hook, post_id, text, thread=thread)

    async def _remove_at_once(self, place: Place, message_ids: Sequence[Snowflake]) -> bool:
        """Tell whether Discord deleted them together: it does not when one of them is older than two weeks."""
        with worded("delete messages"):
            try:
                await rest(self._client).delete_messages(place.id, list(message_ids))
            except discord.HTTPException as error:
                if error.code != TOO_OLD:
                    raise
                return False
        return True

    async def unpinned_before(
        self, guild_id: Snowflake, channel_id: Snowflake, before: Snowflake
    ) -> tuple[Sequence[Snowflake], Snowflake | None]:
        place = await self._place(guild_id, channel_id)
        with worded("read what was said"):
            page = await rest(self._client).logs_from(place.id, PAGE, before=before)
        found = [Snowflake(int(data["id"])) for data in page if not data.get("pinned")]
        return found, Snowflake(int(page[-1]["id"])) if len(page) == PAGE else None

    async def pin_billboard(
        self, guild_id: Snowflake, channel_id: Snowflake, message_id: Snowflake | None, text: str
    ) -> Snowflake | None:
        return await self._billboards.show(await self._place(guild_id, channel_id), message_id, text)

    async def edit_channel(
        self, guild_id: Snowflake, channel_id: Snowflake, *, name: str | None = None, topic: str | None = None
    ) -> None:
        await self._channels.edit(await self._place(guild_id, channel_id), name=name, topic=topic)

    async def make_channel(self, guild_id: Snowflake, new: NewChannel) -> Snowflake:
        await self._online()
        return await self._channels.make(guild_id, new)

    async def open_thread(self, guild_id: Snowflake, channel_id: Snowflake, name: str) -> Snowflake:
        return await boards.open_thread(await self._place(guild_id, channel_id), name, self._us)

    async def show_board(
        self, guild_id: Snowflake, thread_id: Snowflake, post_id: Snowflake | None, board: Board
    ) -> Snowflake:
        place, us = await self._place(guild_id, thread_id), self._us
        try:
            shown = await boards.show(place, post_id, board, us, self._pictures)
        except ThreadArchived:
            await self._channels.open_thread(place)
            shown = await boards.show(place, post_id, board, us, self._pictures)
        self._client.dispatch("scene_board", guild_id, board.scene_id)  # seats that people look at follow
        return shown

    async def remove_channel(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        with suppress(Gone), worded("delete the channel"):
            place = await self._place(guild_id, channel_id)
            await rest(self._client).delete_channel(place.id)

    async def allow(
        self,
        guild_id: Snowflake,
        channel_id: Snowflake,
        person_id: Snowflake | None,
        *,
        allowed: bool | None,
        writable: bool = True,
    ) -> None:
        """Let a person (None: everyone) see a channel, or no longer; everyone may also be kept from writing."""
        place = await self._place(guild_id, channel_id)
        await self._channels.allow(place, person_id, allowed=allowed, writable=writable)

    def own_face(self) -> str | None:
        return self._client.user.display_avatar.url if self._client.user is not None else None

    async def face(
        self, guild_id: Snowflake, channel_id: Snowflake, agent_id: AgentId, name: str, *, redraw: bool = False
    ) -> str | None:
        """Give the address of an agent's drawn avatar, set on the webhook of its own room's channel."""
        return await self._faces.of(await self._place(guild_id, channel_id), agent_id, name, redraw=redraw)

    async def dress(self, guild_id: Snowflake, channel_id: Snowflake, picture: bytes) -> str | None:
        """Set a picture on the webhook of a channel, and give its address."""
        return await self.webhooks.dress(await self._place(guild_id, channel_id), picture)

    async def notify(
        self,
        guild_id: Snowflake,
        channel_id: Snowflake,
        text: str,
        *,
        held: LetterId | None = None,
        traces: Sequence[str] = (),
        called: Sequence[Snowflake] = (),
    ) -> None:
        place = await self._place(guild_id, channel_id)
        view = _buttons(held, traces) if held is not None or traces else discord.utils.MISSING
        heard = discord.AllowedMentions(
            everyone=False, roles=False, replied_user=False, users=[discord.Object(one) for one in called]
        )
        with worded("say something"):
            await place.send(text[:MOST_CHARACTERS], view=view, allowed_mentions=heard)

    async def tell(self, person_id: Snowflake, text: str) -> None:
        await self._online()
        with worded("write to you"):
            alone = await self._client.create_dm(discord.Object(person_id))
            await alone.send(text[:MOST_CHARACTERS], allowed_mentions=discord.AllowedMentions.none())

    async def _place(self, guild_id: Snowflake, channel_id: Snowflake) -> Place:
        """Give a channel or thread of the server; all that is done on Discord is done to one of these."""
        await self._online()
        with worded("look at the channel"):
            return await self.territory.place(guild_id, channel_id)

    @property
    def _us(self) -> int | None:
        return self._client.user.id if self._client.user is not None else None

    async def _online(self) -> None:
        """Wait until Discord knows us: letters may wait from the last run."""
        while not self._client.is_ready():  # noqa: ASYNC110 - discord.py has no event before the login
            await asyncio.sleep(ONLINE_LOOK_SECONDS)

    async def close(self) -> None:
        """Let the connections go."""
        await self._faces.close()
        await self.webhooks.close()


def _buttons(letter_id: LetterId | None, traces: Sequence[str]) -> discord.ui.View:
    """Give the buttons; what pressing them does is known to the command tree, by their ids."""
    view = discord.ui.View(timeout=None)
    if letter_id is not None:
        for verdict, label, style in DECISIONS:
            view.add_item(discord.ui.Button(label=label, style=style, custom_id=held_id(verdict, letter_id)))
    for number, id_ in enumerate(traces, 1):
        view.add_item(discord.ui.Button(label=str(number), custom_id=id_))
    view.stop()
    return view


def _payload(post: Post) -> dict[str, object]:
    payload: dict[str, object] = {"content": post.content, "username": post.name}
    if post.avatar_url:
        payload["avatar_url"] = post.avatar_url
    payload["allowed_mentions"] = PEOPLE_ONLY if post.pings else NO_PINGS
    return payload
