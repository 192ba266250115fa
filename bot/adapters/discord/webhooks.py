"""The one webhook of each channel: found or made, and posted through without ever trying twice unasked."""

import asyncio
import json
from collections import defaultdict
from dataclasses import dataclass

import aiohttp
import discord

from bot.adapters.discord.inner import Raw, api_address, cdn_address, rest
from bot.adapters.discord.refusals import refusal, worded
from bot.adapters.discord.territory import Place
from bot.core.errors import FateUnknown, Limited
from bot.core.records import Snowflake

WEBHOOK_NAME = "Selfroom"  # Discord refuses names with clyde or discord
LONGEST_WAIT_SECONDS = 30.0
ANSWER_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook of ours; `avatar` is the hash of the picture set on it."""

    id: int
    token: str
    avatar: str | None = None

    @property
    def picture(self) -> str | None:
        """The public address of its picture."""
        return f"{cdn_address()}/avatars/{self.id}/{self.avatar}.png" if self.avatar else None

    @classmethod
    def of(cls, data: Raw) -> "Hook":
        """Read Discord's object."""
        return cls(int(data["id"]), data["token"], data.get("avatar"))


class Bucket:
    """How many more posts a webhook may make before it has to wait."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self._remaining = 1
        self._reset_at = 0.0

    async def wait(self) -> None:
        """Wait until another post is allowed."""
        now = asyncio.get_running_loop().time()
        if self._remaining <= 0 and self._reset_at > now:
            await asyncio.sleep(self._reset_at - now)

    def note(self, headers: Raw) -> None:
        """Read what Discord says about the next posts."""
        if "X-RateLimit-Remaining" in headers:
            self._remaining = int(headers["X-RateLimit-Remaining"])
            after = float(headers.get("X-RateLimit-Reset-After", 1))
            self._reset_at = asyncio.get_running_loop().time() + after


class Webhooks:
    """Knows our webhook of every channel, and posts through it."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._known: dict[int, Hook] = {}
        self._finding: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._buckets: defaultdict[int, Bucket] = defaultdict(Bucket)
        self._session: aiohttp.ClientSession | None = None

    async def of(self, place: Place) -> Hook:
        """Give the channel's webhook, made when there is none."""
        async with self._finding[place.id]:
            if place.id not in self._known:
                self._known[place.id] = await self._find(place) or await self._make(place)
            return self._known[place.id]

    def forget(self, place: Place) -> None:
        """Look for the webhook anew next time: the known one is gone."""
        self._known.pop(place.id, None)

    def is_ours(self, webhook_id: int) -> bool:
        """Tell whether a webhook is one that is in use now."""
        return any(hook.id == webhook_id for hook in self._known.values())

    async def _find(self, place: Place) -> Hook | None:
        with worded("look for my webhook"):
            found = await rest(self._client).channel_webhooks(place.id)
        mine = [
            Hook.of(data)
            for data in found
            if data.get("token") and str(data.get("application_id")) == str(self._client.application_id)
        ]
        return min(mine, key=lambda hook: hook.id, default=None)

    async def _make(self, place: Place) -> Hook:
        with worded("make a webhook"):
            return Hook.of(await rest(self._client).create_webhook(place.id, name=WEBHOOK_NAME))

    async def dress(self, place: Place, picture: bytes) -> str | None:
        """Set the webhook's picture (PNG) and give its public address."""
        hook = await self.of(place)
        with worded("set the picture of my webhook"):
            partial = discord.Webhook.partial(hook.id, hook.token, client=self._client)
            async with asyncio.timeout(ANSWER_SECONDS):  # else it may hang for five minutes
                await partial.edit(avatar=picture, prefer_auth=False)
            self.forget(place)
        return (await self.of(place)).picture

    async def reword(self, hook: Hook, post_id: Snowflake, text: str, *, thread: Place | None = None) -> None:
        """Put other words into a post of this webhook, with no file beside them."""
        partial = discord.Webhook.partial(hook.id, hook.token, client=self._client)
        where: discord.abc.Snowflake = discord.utils.MISSING if thread is None else discord.Object(thread.id)
        with worded("change what I said"):
            async with asyncio.timeout(ANSWER_SECONDS):
                nobody = discord.AllowedMentions.none()
                await partial.edit_message(post_id, content=text, attachments=[], allowed_mentions=nobody, thread=where)

    async def execute(
        self,
        hook: Hook,
        payload: dict[str, object],
        *,
        thread: Place | None = None,
        files: tuple[tuple[str, bytes], ...] = (),
    ) -> Snowflake:
        """Post once and give the message's id; only a 429, which posts nothing, is tried again."""
        params = {"wait": "true"} | ({"thread_id": str(thread.id)} if thread is not None else {})
        address = f"{api_address()}/webhooks/{hook.id}/{hook.token}"
        bucket = self._buckets[hook.id]
        async with bucket.lock:
            while True:
                await bucket.wait()
                status, answer, headers = await self._send(address, params, _body(payload, files))
                bucket.note(headers)
                if status != 429:
                    return _posted(status, answer)
                await _wait_out(answer)

    async def _send(self, address: str, params: dict[str, str], body: Raw) -> tuple[int, Raw, Raw]:
        session = self._session or self._open()
        try:
            async with session.post(address, params=params, data=body) as response:
                return response.status, await _read(response), response.headers
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise FateUnknown("The line to Discord broke while I posted; I look whether it arrived.") from error

    def _open(self) -> aiohttp.ClientSession:
        timeout = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
        headers = {"User-Agent": rest(self._client).user_agent}
        self._session = aiohttp.ClientSession(timeout=timeout, headers=headers)
        return self._session

    async def close(self) -> None:
        """Let the connections go."""
        if self._session is not None:
            await self._session.close()


def is_own_webhook(
    webhook_id: int, application_id: int | str | None, our_application_id: int | None, webhooks: Webhooks
) -> bool:
    """Tell whether a post came through a webhook of ours; an answer to a command comes through another kind."""
    if our_application_id is None or webhook_id == our_application_id:
        return False
    return str(application_id) == str(our_application_id) or webhooks.is_ours(webhook_id)


async def _read(response: aiohttp.ClientResponse) -> Raw:
    text = await response.text()
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"message": text[:200]}


def _body(payload: dict[str, object], files: tuple[tuple[str, bytes], ...]) -> aiohttp.FormData | aiohttp.JsonPayload:
    if not files:
        return aiohttp.JsonPayload(payload)
    form = aiohttp.FormData(quote_fields=False)
    form.add_field("payload_json", json.dumps(payload))
    for number, (name, content) in enumerate(files):
        form.add_field(f"files[{number}]", content, filename=name, content_type="application/octet-stream")
    return form


def _posted(status: int, answer: Raw) -> Snowflake:
    if status < 300:
        return Snowflake(int(answer["id"]))
    raise refusal(status, int(answer.get("code", 0)), str(answer.get("message", "")), "post")


async def _wait_out(answer: Raw) -> None:
    seconds = float(answer.get("retry_after", 1.0))
    if seconds > LONGEST_WAIT_SECONDS:
        raise Limited("Discord wants fewer posts here for a while.", retry_after_seconds=seconds)
    await asyncio.sleep(seconds)
