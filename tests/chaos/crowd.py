"""People who talk, react and use commands, and who remember what they said."""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any

import aiohttp

EMOJI = ("👍", "👎", "❤️", "🧠", "🎉")
NAMES = ("mira", "noor", "jun", "olga")


@dataclass
class Person:
    session: aiohttp.ClientSession
    api: str
    token: str
    id: int
    name: str

    async def call(self, method: str, path: str, body: Any = None, **params: str) -> Any:  # noqa: ANN401 - JSON
        """Ask the playground; trouble that was ordered for it is tried again."""
        for attempt in range(40):
            headers = {"Authorization": self.token}
            url = self.api + path
            async with self.session.request(method, url, json=body, headers=headers, params=params) as answer:
                if answer.status < 300:
                    return await answer.json() if answer.status != 204 else None
                if answer.status not in (429, 500, 502, 503):
                    raise AssertionError(f"{method} {path}: {answer.status} {await answer.text()}")
            await asyncio.sleep(0.05 * (attempt + 1))
        raise AssertionError(f"{method} {path} never worked")

    async def read(self, channel_id: int) -> list[Any]:
        """Give all that stands in a channel, oldest first."""
        found: list[Any] = []
        after = "0"
        while page := await self.call("GET", f"/channels/{channel_id}/messages", limit="100", after=after):
            page.sort(key=lambda message: int(message["id"]))
            found += page
            after = page[-1]["id"]
        return found


@dataclass
class Said:
    """What a person said, and the sum's result that only an answer to it can name."""

    channel_id: int
    message_id: int
    content: str
    result: int | None


@dataclass
class Crowd:
    """Talks in the agents' rooms; every sum is asked once, so that a doubled answer shows."""

    people: list[Person]
    rooms: dict[int, str]  # channel, agent's name
    dice: random.Random
    said: list[Said] = field(default_factory=list)
    asked: int = 0

    async def talk(self, seconds: float, *, pause: tuple[float, float] = (0.03, 0.25)) -> None:
        """Talk and react for a while."""
        until = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < until:
            await self.act()
            await asyncio.sleep(self.dice.uniform(*pause))

    async def act(self) -> None:
        person = self.dice.choice(self.people)
        channel_id = self.dice.choice(list(self.rooms))
        match self.dice.random():
            case chance if chance < 0.40:
                await self.ask(person, channel_id)
            case chance if chance < 0.55:
                await self.ask(person, channel_id)
                await self.go_on(person, channel_id)
            case chance if chance < 0.85:
                await self.say(person, channel_id, f"Just talking, number {len(self.said)}.", None)
            case _:
                await self.react(person, channel_id)

    async def ask(self, person: Person, channel_id: int) -> None:
        self.asked += 1
        one, two = 100_000 + 7 * self.asked, 200_000 + 13 * self.asked
        content = f"{self.rooms[channel_id]}, what is {one} + {two}?"
        await self.say(person, channel_id, content, one + two)

    async def go_on(self, person: Person, channel_id: int) -> None:
        """Call the agent again while it types: what it has said already it must not say once more."""
        for _ in range(2):
            await asyncio.sleep(self.dice.uniform(0.3, 1.2))
            await self.say(person, channel_id, f"{self.rooms[channel_id]}, no hurry, number {len(self.said)}.", None)

    async def say(self, person: Person, channel_id: int, content: str, result: int | None) -> None:
        made = await person.call("POST", f"/channels/{channel_id}/messages", {"content": content})
        self.said.append(Said(channel_id, int(made["id"]), content, result))

    async def react(self, person: Person, channel_id: int) -> None:
        newest = await person.call("GET", f"/channels/{channel_id}/messages", limit="5")
        if newest:
            message = self.dice.choice(newest)
            path = f"/channels/{channel_id}/messages/{message['id']}/reactions/{self.dice.choice(EMOJI)}/@me"
            await person.call("PUT", path)

    async def command(self, person: Person, channel_id: int, path: list[str], **options: str) -> None:
        """Use a slash command such as ["agent", "create"]."""
        index = await person.call("GET", f"/channels/{channel_id}/application-command-index")
        command = next(one for one in index["application_commands"] if one["name"] == path[0])
        inner: list[dict[str, Any]] = [{"type": 3, "name": name, "value": value} for name, value in options.items()]
        for name in reversed(path[1:]):
            inner = [{"type": 1, "name": name, "options": inner}]
        data = {key: command.get(key) for key in ("id", "version", "name", "guild_id")} | {"type": 1, "options": inner}
        body = {
            "type": 2,
            "application_id": command["application_id"],
            "guild_id": command.get("guild_id"),
            "channel_id": str(channel_id),
            "session_id": "chaos",
            "data": data,
        }
        await person.call("POST", "/interactions", body)
