"""Trouble ordered from the playground: on the bot's every way to Discord and back, and at the model."""

import asyncio
import random
from types import TracebackType
from typing import Any, Self

import aiohttp

REST: tuple[dict[str, Any], ...] = (
    {"kind": "status", "status": 500},
    {"kind": "status", "status": 503},
    {"kind": "rate_limit", "retry_after": 0.2},
    {"kind": "drop_before"},
    {"kind": "drop_after"},
)
EVENTS: tuple[dict[str, Any], ...] = ({"kind": "duplicate_events"}, {"kind": "delay_events", "seconds": 0.3})
MODEL: tuple[dict[str, Any], ...] = (
    {"kind": "rate_limit", "retry_after_seconds": 0.3},
    {"kind": "timeout", "timeout_seconds": 0.5},
    {"kind": "garbage"},
    {"kind": "cut_off"},
)
GATEWAY: tuple[dict[str, Any], ...] = (
    {"kind": "close"},
    {"kind": "invalid_session", "resumable": False},
    {"kind": "reconnect"},
)
GATEWAY_LOOK_SECONDS = 1.0


async def ask(session: aiohttp.ClientSession, method: str, url: str, body: Any = None) -> Any:  # noqa: ANN401 - JSON
    """Ask the playground for something, as its first person where only people may."""
    headers = {}
    if "/playground/model/" in url:
        about = await ask(session, "GET", url.partition("/model/")[0])
        headers["Authorization"] = about["person"]["token"]
    async with session.request(method, url, json=body, headers=headers) as answer:
        assert answer.status < 300, await answer.text()
        return await answer.json() if answer.status != 204 else None


class Trouble:
    """Faults at random while the block lasts: `share` of requests, of events and of model calls, and of seconds in
    which the gateway breaks off. The seed decides which."""

    def __init__(self, session: aiohttp.ClientSession, url: str, bot_id: str, share: float, seed: int) -> None:
        self._session = session
        self._url = url
        self._bot_id = bot_id
        self._share = share
        self._seed = seed
        self._dice = random.Random(seed)  # noqa: S311 - a test's chance
        self._striking: asyncio.Task[None] | None = None
        self.counts: dict[str, int] = {}

    async def __aenter__(self) -> Self:
        if self._share:
            await self._order()
            self._striking = asyncio.create_task(self._strike_gateway())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._striking is not None:
            self._striking.cancel()
            await asyncio.gather(self._striking, return_exceptions=True)
            for fault in await ask(self._session, "GET", f"{self._url}/playground/faults"):
                self._note(f"trouble: {fault['kind'].replace('_', ' ')}", fault["hits"])
            calls = await ask(self._session, "GET", f"{self._url}/playground/model/calls")
            self._note("trouble: model", sum(bool(call.get("fault")) for call in calls))
        await ask(self._session, "DELETE", f"{self._url}/playground/faults")
        await ask(self._session, "DELETE", f"{self._url}/playground/model/faults")

    def _note(self, name: str, more: int) -> None:
        self.counts[name] = self.counts.get(name, 0) + more

    async def _order(self) -> None:
        """Order it once for all; the posts of webhooks carry no token, so theirs is ordered by route."""
        for number, kind in enumerate(REST):
            about = {"probability": self._share / len(REST), "seed": self._seed + number}
            await self._fault(kind | about | {"user_id": self._bot_id})
            if str(kind["kind"]).startswith("drop"):
                await self._fault(kind | about | {"route": "POST /webhooks/*"})
        for number, kind in enumerate(EVENTS):
            about = {"probability": self._share, "seed": self._seed + number}
            await self._fault(kind | about | {"user_id": self._bot_id})
        for number, kind in enumerate(MODEL):
            rule = kind | {"probability": self._share / len(MODEL), "seed": self._seed + number}
            await ask(self._session, "POST", f"{self._url}/playground/model/faults", rule)

    async def _fault(self, fault: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        return await ask(self._session, "POST", f"{self._url}/playground/faults", fault)

    async def _strike_gateway(self) -> None:
        while True:
            await asyncio.sleep(GATEWAY_LOOK_SECONDS)
            if self._dice.random() < self._share:
                struck = await self._fault(self._dice.choice(GATEWAY) | {"user_id": self._bot_id})
                self._note("trouble: gateway", struck["hits"])
