"""A community that beats: the real store, gate and performer, with a model that does as it is told."""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bot.core.changes import Change
from bot.core.config import CommunityConfig
from bot.core.due_times import SLOT_SECONDS, rounded_up
from bot.core.events import MessageSeen
from bot.core.ports import Bell, Clock, ModelCall, Planned, Workshop
from bot.core.records import AgentId, Beat, CommunityId, Message, Snowflake
from bot.core.view import View
from bot.engine.delivery import Delivery
from bot.engine.estimating import Estimator
from bot.engine.heartbeat import AT_ONCE, Heartbeat
from bot.engine.intake import Intake
from bot.engine.performer import Performer
from bot.engine.timelines.chance import VirtualClock
from bot.standin.player import played
from storage.store import SqlStore
from tests.engine.recording import RecordingPublisher
from tests.factories import GUILD_ID, agent, person, room
from tests.fakes import START, CountedMetrics, Nudges, OpenBench, PlainCipher, ScriptedModel, SeededRandom
from tests.founding import founded
from tests.storage.lines import last_beat

Said = dict[int, list[tuple[int, str]]]  # agent -> (room, message)
ASKED = re.compile(r"\(ID: (\d+), Model")


def asked(call: ModelCall) -> list[int]:
    """Give the agents that a call is for."""
    return list(dict.fromkeys(int(id) for id in ASKED.findall(call.input)))


def answer(said: Said, actions: dict[int, list[dict[str, Any]]] | None = None) -> str:
    """Write an answer as a model would."""
    ids = sorted({*said, *(actions or {})})
    parts = [
        {
            "agent_id": id,
            "responses": [{"room_id": room, "message": text} for room, text in said.get(id, [])],
            "actions": (actions or {}).get(id, []),
        }
        for id in ids
    ]
    return json.dumps({"agents": parts})


def everyone_says(text: str, room_id: int = 1) -> Callable[[ModelCall], str]:
    """Let every agent of a call say the same in one room."""
    return lambda call: answer({id: [(room_id, text)] for id in asked(call)})


class EagerModel(ScriptedModel):
    """Always lets everyone speak in one room."""

    def __init__(self, room_id: int = 1) -> None:
        super().__init__()
        self._room_id = room_id

    async def answer(self, call: ModelCall) -> Any:  # noqa: ANN401
        self.script.append(everyone_says(f"Indeed, number {len(self.calls)}.", self._room_id))
        return await super().answer(call)


@dataclass
class Hearts:
    """The community with its heart."""

    store: SqlStore
    clock: VirtualClock
    model: ScriptedModel
    heartbeat: Heartbeat
    delivery: Delivery
    intake: Intake
    publisher: RecordingPublisher
    metrics: CountedMetrics
    nudges: Nudges
    typing: list[Snowflake]
    community_id: CommunityId

    async def apply(self, *changes: Change) -> None:
        async with self.store.writing(self.community_id) as write:
            await write.apply(self.community_id, changes)

    async def hear(self, content: str, *, room_id: int = 1, who: str = "mira", id: int = 501, **fields: Any) -> None:  # noqa: ANN401
        """Let a person say something."""
        base: dict[str, Any] = {
            "guild_id": GUILD_ID,
            "channel_id": Snowflake(7_000_000_000_000_000 + room_id),
            "message_id": self.publisher.id(),
            "author": person(who, id),
            "content": content,
            "sent_at": self.clock.now(),
        }
        await self.intake.take(MessageSeen(**(base | fields)))

    async def crowd(self, room_id: int = 1) -> None:
        """Let two people talk in a room, so that its owner is not addressed by each line, and forget the calls."""
        await self.hear("hello", room_id=room_id)
        await self.run(20)
        await self.hear("good day", room_id=room_id, who="rob", id=502)
        await self.run(200)
        self.model.calls.clear()

    async def slot(self, seconds: float = 0.0) -> None:
        """Let time pass, carry one slot out, and bring its letters out."""
        await self.clock.advance(seconds)
        await self.heartbeat.slot(self.clock.now())
        await self.deliver()

    async def deliver(self) -> None:
        while await self.delivery.run_once(self.clock.now()):
            pass

    async def run(self, seconds: float) -> None:
        """Let time pass from one due moment to the next, on the slots' grid."""
        end = self.clock.now() + timedelta(seconds=seconds)
        while (at := await self._next()) is not None and at <= end:
            await self.slot(max(0.0, (at - self.clock.now()).total_seconds()))
        await self.clock.advance((end - self.clock.now()).total_seconds())

    async def _next(self) -> datetime | None:
        async with self.store.reading() as read:
            times = [at for at in (await read.claims.next_due_at(), await read.letters.next_due_at()) if at is not None]
        return max(self.clock.now(), rounded_up(min(times), SLOT_SECONDS)) if times else None

    async def view(self, *ids: int) -> View:
        async with self.store.reading() as read:
            return await read.views.whole(self.community_id, agent_ids=[AgentId(id) for id in ids or (1,)], minds=None)

    async def lines(self, room_id: int = 1) -> list[tuple[str, str]]:
        return [(message.sender.shown(), message.content) for message in await self.messages(room_id)]

    async def messages(self, room_id: int = 1) -> Sequence[Message]:
        async with self.store.reading() as read:
            return await read.talk.history(self.community_id, AgentId(room_id), limit=10_000)

    async def last_beat(self, id: int = 1) -> Beat | None:
        async with self.store.reading() as read:
            return await last_beat(read.beats, self.community_id, AgentId(id))


@asynccontextmanager
async def hearts(
    agents: int = 2,
    *,
    together: bool = True,
    config: CommunityConfig | None = None,
    script: Iterable[Any] = (),
    model: ScriptedModel | None = None,
    url: str = "sqlite://",
    clock: Clock | None = None,
    planned: Planned | None = None,
    llm: str = "gpt-4o-mini",
    workshop: Workshop | None = None,
    lease_seconds: float | None = None,
    at_once: int = AT_ONCE,
    bell: Bell | None = None,
    **fields: Any,  # noqa: ANN401
) -> AsyncIterator[Hearts]:
    """Open a community with so many agents, which are all in the room of the first one when `together`."""
    virtual, metrics, nudges = VirtualClock(START), CountedMetrics(), Nudges()
    clock, planned = clock or virtual, planned or nudges
    speaking, typing = model or ScriptedModel(script), list[Snowflake]()
    tokenizer = speaking.tokenizer("gpt-4o-mini")
    async with await SqlStore.open(url, config=config) as store:
        residents = [(agent(id, model=llm, **fields), room(id)) for id in range(1, agents + 1)]
        guests = [(one.id, 1) for one, _ in residents[1:]] if together else []
        community_id = await founded(store, residents, guests=guests)
        publisher = RecordingPublisher(clock)
        parts: Any = {"cipher": PlainCipher(), "planned": planned, "estimator": Estimator(speaking, played)}
        delivery = Delivery(store, publisher, clock, metrics, models=speaking, **parts)
        heartbeat = Heartbeat(
            store,
            speaking,
            Performer(cipher=PlainCipher(), tokenizer=tokenizer),
            clock,
            lambda community_id, beat_id: SeededRandom(hash((community_id, beat_id))),
            metrics,
            workshop=workshop or OpenBench(),
            cipher=PlainCipher(),
            planned=planned,
            on_typing=lambda _, channel_id: typing.append(channel_id),
            on_letters=delivery.wake,
            lease_seconds=lease_seconds,
            at_once=at_once,
            bell=bell,
        )
        intake = Intake(store, clock, tokenizer, planned, config=config, models=speaking, wake=delivery.wake)
        made = Hearts(
            store, virtual, speaking, heartbeat, delivery, intake, publisher, metrics, nudges, typing, community_id
        )
        yield made
