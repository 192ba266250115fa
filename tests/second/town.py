"""A world with the bot in it and two people: one who manages but is neither owner nor administrator, and a guest."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from tests.e2e.commanding import Commander, words_of
from tests.e2e.visitor import Json, Visitor, until
from tests.second.world import World

LOOK_SECONDS = 0.3
NUMBERS = count(1)
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Home:
    """An agent's room, as people know it."""

    id: int
    name: str
    channel_id: str


@dataclass(frozen=True, slots=True)
class Town:
    """Who is there, and what they do."""

    world: World
    owner: Visitor
    manager: Commander
    guest: Commander

    @property
    def you(self) -> Visitor:
        """The person who manages."""
        return self.manager.visitor

    async def agent(self, name: str, seed: str = "", **more: object) -> Home:
        """Make an agent."""
        told = await self.manager.told("agent create", name=name, prompt=f"You are {name}. {seed}".strip(), **more)
        assert "is created" in told, told
        return Home(await self.manager.id_of(name), name, await self.owner.channel(name.lower()))

    async def asked(self, who: Visitor, home: Home, words: str) -> Json:
        """Say something in a room and give what an agent posts next."""
        return await self.answered(await who.say(home.channel_id, words))

    async def answered(self, said: Json) -> Json:
        """Give the first post of an agent after something that was said."""

        async def look() -> Json | None:
            posts = await self.posts(said["channel_id"])
            return next((one for one in posts if int(one["id"]) > int(said["id"])), None)

        return await eventually(look, f"answer to {said['content']!r}")

    async def close(self, home: Home) -> None:
        """Have the server's owner, whom Discord shows every channel, make a room private."""
        owner = Commander(self.owner, self.manager.channel_id)
        assert "private now" in await owner.told("room visibility", room=str(home.id), visibility="private")

        async def hidden() -> bool:
            return home.name.lower() not in await self.guest.visitor.channels()

        await eventually(hidden, "hidden channel")

    async def prepare(self, home: Home, mark: str, *actions: Json, says: str = "") -> None:
        """Have the model give this answer, once, to an agent that was told these words."""
        responses = [{"room_id": home.id, "message": says}] if says else []
        answer = {"agents": [{"agent_id": home.id, "responses": responses, "actions": list(actions)}]}
        await self.world.script({"match": rf"{mark}[\s\S]*\nyou: {home.id}\n", "answer": answer})

    async def does(self, home: Home, *actions: Json, says: str = "") -> Json:
        """Have an agent do something when it is spoken to; gives what was said to it."""
        mark = f"please do number {next(NUMBERS)}."
        await self.prepare(home, mark, *actions, says=says)
        return await self.you.say(home.channel_id, f"{home.name}, {mark}")

    async def posts(self, channel_id: str) -> list[Json]:
        """Give what agents posted in a channel, as its owner sees it."""
        found = await self.owner.messages(channel_id)
        return [one for one in found if "webhook_id" in one and one["author"]["username"] != "System"]

    async def wait_for(self, channel_id: str, words: str, who: Visitor | None = None) -> Json:
        """Wait for a post with these words."""

        async def look() -> Json | None:
            found = await (who or self.owner).messages(channel_id)
            return next((one for one in found if words in one["content"]), None)

        return await eventually(look, f"post with {words!r}")

    async def seen(self, path: str, /, **options: object) -> str:
        """Give what a command tells somebody who has not used it yet: some may not be used often."""
        async with self.world.people(f"passer-by {next(NUMBERS)}") as somebody:
            return await Commander(somebody, self.guest.channel_id).told(path, **options)

    async def sees(self, path: str, words: str, /, **options: object) -> None:
        """Wait until a command tells everyone these words."""

        async def look() -> bool:
            return words in await self.seen(path, **options)

        await eventually(look, f"{words!r} by /{path}", every=1)

    async def known_as(self, message: Json) -> int:
        """Give the number under which agents know a message."""

        async def look() -> str | None:
            told = words_of(await self.guest.menu("Who said this?", message))
            return told.partition("Message ")[2].partition(",")[0] or None

        return int(await eventually(look, "its number"))

    async def confirmed(self, path: str, label: str, /, **options: str | int) -> str:
        """Use a command that asks first, and say yes."""
        return words_of(await self.manager.press(await self.manager.run(path, file=None, **options), label))


async def eventually(
    look: Callable[[], Awaitable[Found | None]], what: str, *, every: float = LOOK_SECONDS, seconds: float = 90
) -> Found:
    """Look now and then, not more often than a person would."""

    async def calmly() -> Found | None:
        if not (found := await look()):
            await asyncio.sleep(every)
        return found

    return await until(calmly, what, seconds=seconds)


@asynccontextmanager
async def people_of(world: World) -> AsyncIterator[Town]:
    """Bring the people into a world in which the bot runs."""
    async with AsyncExitStack() as stack:
        owner = await stack.enter_async_context(world.people())
        mira = await stack.enter_async_context(world.people("mira", manages=True))
        gus = await stack.enter_async_context(world.people("gus"))
        hall = await mira.channel("welcome")
        yield Town(world, owner, Commander(mira, hall), Commander(gus, hall))
