"""A person in the playground: what a chat client does over REST and gateway, in a few words."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Self

import aiohttp

Json = dict[str, Any]
Query = Mapping[str, str | int] | None
PATIENCE_SECONDS = 60.0  # for a busy machine


class Refusal(AssertionError):
    """The playground said no."""

    def __init__(self, status: int, body: Json) -> None:
        self.status = status
        self.body = body
        super().__init__(f"{status}: {body}")


class Person:
    """Somebody with a token; `events` are what the gateway has told."""

    def __init__(self, session: aiohttp.ClientSession, about: Json, user: Json, token: str) -> None:
        self.about = about
        self.user = user
        self.events: list[Json] = []
        self._session = session
        self._token = token
        self._news = asyncio.Condition()

    @classmethod
    @asynccontextmanager
    async def owner(cls, url: str) -> AsyncIterator[Self]:
        """Connect as the person who is there from the start."""
        async with aiohttp.ClientSession() as session:
            about = await (await session.get(f"{url}/playground")).json()
            person = cls(session, about, **about["person"])
            async with person._listening():
                yield person

    @classmethod
    @asynccontextmanager
    async def new(cls, url: str, name: str, **more: object) -> AsyncIterator[Self]:
        """Make a person and connect as it."""
        async with aiohttp.ClientSession() as session:
            about = await (await session.get(f"{url}/playground")).json()
            made = await (await session.post(f"{url}/playground/people", json={"name": name, **more})).json()
            person = cls(session, about, **made)
            async with person._listening():
                yield person

    @property
    def id(self) -> str:
        """Give the person's id."""
        return str(self.user["id"])

    async def call(
        self, method: str, path: str, *, json: object = None, data: object = None, params: Query = None
    ) -> Any:  # noqa: ANN401 - whatever JSON there is
        """Make a REST call and give its JSON; raises Refusal for an error."""
        headers = {"Authorization": self._token}
        url = self.about["api_url"] + path
        async with self._session.request(method, url, headers=headers, json=json, data=data, params=params) as response:
            body = await response.json() if response.content_type == "application/json" else None
            if response.status >= 400:
                raise Refusal(response.status, body or {})
            return body

    async def setup(self, method: str, path: str, *, json: object = None) -> Any:  # noqa: ANN401 - as above
        """Make one of the playground's own calls."""
        url = self.about["api_url"].removesuffix("/api/v10") + "/playground" + path
        headers = {"Authorization": self._token}
        async with self._session.request(method, url, headers=headers, json=json) as response:
            return await response.json() if response.content_type == "application/json" else None

    async def say(self, channel_id: object, content: str, **more: object) -> Json:
        """Write a message."""
        path = f"/channels/{channel_id}/messages"
        said: Json = await self.call("POST", path, json={"content": content, **more})
        return said

    async def react(self, message: Json, emoji: str, *, method: str = "PUT") -> None:
        """Give a reaction, or take it back with DELETE."""
        path = f"/channels/{message['channel_id']}/messages/{message['id']}/reactions/{emoji}/@me"
        await self.call(method, path)

    async def interact(self, kind: int, channel_id: object, data: Json, **more: object) -> None:
        """Send an interaction to the first bot."""
        body = {
            "type": kind,
            "application_id": self.about["application_id"],
            "guild_id": self.about["guild_id"],
            "channel_id": str(channel_id),
            "session_id": "test",
            "nonce": str(len(self.events)),
            "data": data,
        }
        await self.call("POST", "/interactions", json=body | more)

    async def command(self, channel_id: object, name: str, *options: Json, kind: int = 2, **data: object) -> None:
        """Invoke a command by its name; options are `{"name", "type", "value"}`."""
        index = await self.call("GET", f"/channels/{channel_id}/application-command-index")
        command = next(c for c in index["application_commands"] if c["name"] == name)
        about = {"id": command["id"], "name": name, "type": command["type"]}
        await self.interact(kind, channel_id, about | {"options": list(options)} | data)

    async def press(self, message: Json, custom_id: str, kind: int = 2, **data: object) -> None:
        """Press a button or choose from a select."""
        about = {"custom_id": custom_id, "component_type": kind}
        more = {"message_id": message["id"]}
        await self.interact(3, message["channel_id"], about | data, **more)

    async def hears(self, name: str, **wanted: object) -> Json:
        """Wait for an event of this name whose data has these values, and give the data."""

        def found() -> Json | None:
            for event in self.events:
                data = event["d"]
                if event["t"] == name and all(data.get(key) == value for key, value in wanted.items()):
                    return data  # type: ignore[no-any-return]
            return None

        async with asyncio.timeout(PATIENCE_SECONDS), self._news:
            await self._news.wait_for(lambda: found() is not None)
        heard = found()
        assert heard is not None
        return heard

    def heard(self, name: str) -> list[Json]:
        """Give the data of every event of this name so far."""
        return [event["d"] for event in self.events if event["t"] == name]

    @asynccontextmanager
    async def _listening(self) -> AsyncIterator[None]:
        async with self._session.ws_connect(self.about["gateway_url"]) as socket:
            await socket.receive_json()
            await socket.send_json({"op": 2, "d": {"token": self._token, "properties": {}}})
            task = asyncio.create_task(self._listen(socket))
            await self.hears("GUILD_CREATE")
            try:
                yield
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def _listen(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        async for frame in socket:
            event = frame.json()
            if event["op"] == 0:
                async with self._news:
                    self.events.append(event)
                    self._news.notify_all()
