"""Minds in processes of their own on one PostgreSQL, without Discord: a test holds when their model answers."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from aiohttp import web

from bot.core.changes import PutReason
from bot.core.kinds import ReasonKind
from bot.core.records import AgentId, CommunityId, Reason
from storage.store import SqlStore
from tests.e2e.test_lives import Life, started
from tests.e2e.visitor import until
from tests.founding import founded
from tests.storage.databases import postgresql_database

LEASE_SECONDS = 2.0
NOTHING_MORE: Mapping[str, str] = {}
ANSWER = {"thoughts": "", "responses": [{"room_id": 1, "message": "Here I am."}], "actions": []}
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"

OPEN = "SELECT count(*) FROM agents WHERE beat_id IS NOT NULL OR next_beat_at IS NOT NULL"
BEATS = "SELECT community_id, count(*) AS beats FROM beats GROUP BY community_id"
POSTS = "SELECT count(*) FROM letters WHERE kind = 'post'"


@dataclass
class Model:
    """A server of Chat Completions; while `may_answer` is not set it keeps everybody waiting."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: int = 0
    most_at_once: int = 0
    seconds: float = 0.0
    usage: Mapping[str, int] = field(default_factory=lambda: {"prompt_tokens": 500, "completion_tokens": 20})

    async def _held(self, asked: dict[str, Any]) -> None:
        self.calls.append(asked)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await self.may_answer.wait()
            await asyncio.sleep(self.seconds)
        finally:
            self.at_once -= 1

    async def answer(self, request: web.Request) -> web.Response:
        """Answer as it is told to."""
        asked = await request.json()
        if "resident number" in str(asked["messages"]):  # else a mind finds out how far it is held to a form
            await self._held(asked)
        message = {"role": "assistant", "content": json.dumps(ANSWER)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        told = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4o-mini", "choices": [choice]}
        return web.json_response(told | {"usage": {**self.usage, "total_tokens": sum(self.usage.values())}})


@dataclass
class Apart:
    """Minds, their model, and the database that they share."""

    folder: Path
    settings: dict[str, str]
    stack: AsyncExitStack
    store: SqlStore
    model: Model
    line: asyncpg.Connection  # a test's own, beside the store
    communities: list[CommunityId]
    minds: list[Life] = field(default_factory=list)

    async def mind(self, **more: str) -> Life:
        """Begin one more mind."""
        folder = self.folder / f"mind{len(self.minds) + 1}"
        life = await self.stack.enter_async_context(started(folder, "mind", **self.settings | more))
        await life.says("This mind is ready")
        self.minds.append(life)
        return life

    async def wake(self) -> None:
        """Give the agent of each community something to beat for."""
        now = datetime.now(UTC)
        why = Reason(kind=ReasonKind.WOKEN, room_id=AgentId(1), since=now, due_at=now)
        for community_id in self.communities:
            async with self.store.writing(community_id) as write:
                await write.apply(community_id, [PutReason(agent_id=AgentId(1), reason=why)])

    async def asked(self, times: int) -> None:
        """Wait until the model was asked so often."""

        async def look() -> bool:
            return len(self.model.calls) >= times

        await until(look, f"{times} calls")

    async def somebody_waits(self) -> None:
        """Wait until a statement of a mind's waits for a lock."""

        async def look() -> bool:
            return bool(await self.line.fetchval(WAITING))

        await until(look, "a statement that waits")

    async def at_rest(self) -> None:
        """Wait until nobody is claimed, and nobody due."""

        async def look() -> bool:
            return not await self.line.fetchval(OPEN)

        await until(look, "an end of all beats")

    async def beats(self) -> list[int]:
        """Give how many beats the agent of each community has had, by community."""
        rows = {row["community_id"]: row["beats"] for row in await self.line.fetch(BEATS)}
        return [rows.get(community_id, 0) for community_id in self.communities]


@asynccontextmanager
async def apart(
    folder: Path,
    *,
    communities: int = 1,
    url: str | None = None,
    host: str = "127.0.0.1",
    more: Mapping[str, str] = NOTHING_MORE,
) -> AsyncIterator[Apart]:
    """Found communities of one agent each, in a database of a test's own or at `url`; minds are begun one by one."""
    model = Model()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", model.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, host, 0).start()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(runner.cleanup)
        if url is None:
            made = await stack.enter_async_context(postgresql_database())
            if made is None:
                pytest.skip("no PostgreSQL server answers on this machine")
            url = made.url
        store = await stack.enter_async_context(await SqlStore.open(url))
        line = await asyncpg.connect(url)
        stack.push_async_callback(line.close)
        those = [await founded(store, 1, guild_id=1000 + number) for number in range(communities)]
        settings = {
            "SELFROOM_DATABASE_URL": url,
            "SELFROOM_SECRET": "a secret that all of them share",
            "SELFROOM_SPONSORED_SERVERS": "*",
            "SELFROOM_OPENAI_BASE_URL": f"http://{host}:{runner.addresses[0][1]}/v1",
            "SELFROOM_OPENAI_API": "chat",
            "SELFROOM_LEASE_SECONDS": str(LEASE_SECONDS),
        }
        yield Apart(folder, settings | dict(more), stack, store, model, line, those)
