"""A person on the playground: over REST and gateway, as a Discord-shaped client would be."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar
from urllib.parse import quote

import aiohttp

from tests.e2e.transcript import note

PATIENCE_SECONDS = 90.0  # for a busy machine: what succeeds waits no longer for it
LOOK_SECONDS = (0.02, 0.2)  # between looks: ever longer, for each costs what is looked at some of its time
EPHEMERAL = 64
Json = dict[str, Any]
Found = TypeVar("Found")


async def until(look: Callable[[], Awaitable[Found | None]], what: str, *, seconds: float = PATIENCE_SECONDS) -> Found:
    """Poll until there is something to see; fails with what was waited for."""
    try:
        async with asyncio.timeout(seconds):
            pause, longest = LOOK_SECONDS
            while not (found := await look()):
                await asyncio.sleep(pause)  # what is polled is another program: it can set no event here
                pause = min(pause * 1.2, longest)
            return found
    except TimeoutError:
        raise AssertionError(f"within {seconds} s there was no {what}") from None


class Changed(AssertionError):
    """What was pressed is not there any more: the message was edited since it was read."""


class Visitor:
    """One person: says, reacts and uses slash commands, and hears what their client would show."""

    def __init__(
        self, session: aiohttp.ClientSession, url: str, about: Json, came: Json, *, manages: bool = False
    ) -> None:
        self._session = session
        self._url = url
        self.token = came["token"]
        self.about = about
        self.user: Json = came["user"]
        self.manages = manages
        self.heard: list[tuple[str, Json]] = []
        self._session_id = ""

    async def ask(self, method: str, path: str, body: Json | None = None) -> Any:  # noqa: ANN401
        """Make one request of Discord's REST API; an error fails the test."""
        headers = {"Authorization": self.token}
        while True:
            address = f"{self._url}/api/v10{path}"
            async with self._session.request(method, address, json=body, headers=headers) as response:
                text = await response.text()
            answer: Any = json.loads(text) if text else None
            if response.status != 429:
                break
            await asyncio.sleep(answer["retry_after"])
        if "COMPONENT_VALIDATION_FAILED" in text:
            raise Changed(text)
        assert response.status < 400, f"{method} {path}: {response.status} {text}"
        return answer

    async def post_form(self, path: str, form: aiohttp.FormData) -> None:
        """Send a form with files."""
        address, headers = f"{self._url}/api/v10{path}", {"Authorization": self.token}
        async with self._session.post(address, data=form, headers=headers) as response:
            assert response.status < 400, await response.text()

    async def channels(self) -> dict[str, Json]:
        """Give the server's channels by name."""
        found = await self.ask("GET", f"/guilds/{self.about['guild_id']}/channels")
        return {channel["name"]: channel for channel in found}

    async def channel(self, name: str) -> str:
        """Wait for a channel to be there and give its id."""

        async def look() -> Json | None:
            return (await self.channels()).get(name)

        return str((await until(look, f"channel {name}"))["id"])

    async def say(self, channel_id: str, content: str, *, reply_to: str | None = None) -> Json:
        """Say something."""
        body: Json = {"content": content}
        if reply_to:
            body["message_reference"] = {"message_id": reply_to}
        said: Json = await self.ask("POST", f"/channels/{channel_id}/messages", body)
        return said

    async def messages(self, channel_id: str) -> list[Json]:
        """Read a channel, oldest first."""
        newest_first: list[Json] = await self.ask("GET", f"/channels/{channel_id}/messages?limit=100")
        return newest_first[::-1]

    async def answer_after(self, said: Json, *, seconds: float = PATIENCE_SECONDS) -> Json:
        """Wait for the first post of an agent after something that was said."""

        async def look() -> Json | None:
            posts = await self.messages(said["channel_id"])
            return next((one for one in posts if int(one["id"]) > int(said["id"]) and "webhook_id" in one), None)

        return await until(look, f"answer to {said['content']!r}", seconds=seconds)

    async def prepare_model(self, *steps: Json) -> None:
        """Prepare what the playground's model answers next."""
        headers, address = {"Authorization": self.token}, f"{self._url}/playground/model/script"
        async with self._session.post(address, json=list(steps), headers=headers) as response:
            assert response.status == 200, await response.text()

    async def model_calls(self) -> list[Json]:
        """Give what the playground's model was asked."""
        headers = {"Authorization": self.token}
        async with self._session.get(f"{self._url}/playground/model/calls", headers=headers) as response:
            found: list[Json] = await response.json()
            return found

    async def react(self, message: Json, emoji: str) -> None:
        """Press a reaction."""
        path = f"/channels/{message['channel_id']}/messages/{message['id']}/reactions/{quote(emoji)}/@me"
        await self.ask("PUT", path)

    async def hear(self, name: str, fits: Callable[[Json], bool], *, after: int = 0) -> Json:
        """Wait for a gateway event."""

        async def look() -> Json | None:
            return next((data for kind, data in self.heard[after:] if kind == name and fits(data)), None)

        return await until(look, f"event {name}")

    async def command(self, channel_id: str, path: str, **options: Any) -> Json:  # noqa: ANN401
        """Use a slash command (`"agent create"`) and give the answer's message as this person sees it."""
        before = len(self.heard)
        top, *rest = path.split()
        command = await self._command_named(channel_id, top)
        given = [option_row(name, value) for name, value in options.items()]
        for name in reversed(rest):
            given = [{"type": 1, "name": name, "options": given}]
        data = {"id": command["id"], "name": top, "type": 1, "version": command["version"], "options": given}
        await self._interact(2, channel_id, data)
        return await self._answered(before)

    async def _answered(self, before: int) -> Json:
        """Wait until the answer to a command stands there with something in it."""

        async def look() -> Json | None:
            for kind, data in self.heard[before:]:
                told = kind in ("MESSAGE_CREATE", "MESSAGE_UPDATE") and data.get("flags", 0) & EPHEMERAL
                if told and (data.get("content") or data.get("embeds") or data.get("attachments")):
                    return data
                if kind == "INTERACTION_MODAL_CREATE":
                    return data
            return None

        return await until(look, "answer to the command")

    async def offered(self, channel_id: str) -> list[Json]:
        """Give the commands that Discord offers this person there."""
        index = await self.ask("GET", f"/channels/{channel_id}/application-command-index")
        return list(index["application_commands"])

    async def _command_named(self, channel_id: str, name: str) -> Json:
        async def look() -> Json | None:
            return next((one for one in await self.offered(channel_id) if one["name"] == name), None)

        return await until(look, f"command /{name}")

    async def _interact(self, kind: int, channel_id: str, data: Json) -> None:
        body = {
            "type": kind,
            "application_id": self.about["application_id"],
            "guild_id": self.about["guild_id"],
            "channel_id": channel_id,
            "session_id": self._session_id,
            "nonce": str(len(self.heard) + 1),
            "data": data,
        }
        await self.ask("POST", "/interactions", body)

    async def listen(self, ready: asyncio.Event) -> None:
        """Keep hearing the gateway's events."""
        async with self._session.ws_connect(self.about["gateway_url"]) as socket:
            hello = await socket.receive_json()
            assert hello["op"] == 10
            identify = {"token": self.token, "properties": {"os": "test", "browser": "test", "device": "test"}}
            await socket.send_json({"op": 2, "d": identify})
            beating = asyncio.create_task(_beat(socket, hello["d"]["heartbeat_interval"] / 1000))
            try:
                await self._hear(socket, ready)
            finally:
                beating.cancel()

    async def _hear(self, socket: aiohttp.ClientWebSocketResponse, ready: asyncio.Event) -> None:
        async for frame in socket:
            event = json.loads(frame.data)
            if event["op"] == 0:
                self.heard.append((event["t"], event["d"]))
                note(event["t"], event["d"])
            if event.get("t") == "READY":
                self._session_id = event["d"]["session_id"]
                ready.set()


async def _beat(socket: aiohttp.ClientWebSocketResponse, seconds: float) -> None:
    """Say now and then that the client is still there: who is silent for long is cut off."""
    while True:
        await asyncio.sleep(seconds)
        await socket.send_json({"op": 1, "d": None})


def option_row(name: str, value: Any) -> Json:  # noqa: ANN401
    """Word one option of a command as a client does."""
    kind = 5 if isinstance(value, bool) else 4 if isinstance(value, int) else 3
    return {"type": kind, "name": name, "value": value}


@asynccontextmanager
async def visiting(url: str, name: str | None = None, *, manager: bool = False) -> AsyncIterator[Visitor]:
    """Come as the seeded person, or as a new one with a name."""
    async with aiohttp.ClientSession() as session:
        about = await (await session.get(f"{url}/playground")).json()
        if name is None:
            came = about["person"]
        else:
            body = {"name": name, "manager": manager}
            came = await (await session.post(f"{url}/playground/people", json=body)).json()
        visitor = Visitor(session, url, about, came, manages=manager or name is None)
        ready = asyncio.Event()
        listening = asyncio.create_task(visitor.listen(ready))
        async with asyncio.timeout(PATIENCE_SECONDS):
            await ready.wait()
        try:
            yield visitor
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError):
                await listening


async def bot_of(visitor: Visitor) -> str:
    """Give the id of the bot that lives on the server."""
    members = await visitor.ask("GET", f"/guilds/{visitor.about['guild_id']}/members?limit=100")
    return str(next(one["user"]["id"] for one in members if one["user"].get("bot")))
