"""A small community in the real store, whose agents and people act through the performer."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from bot.core.actions import Action
from bot.core.actor import Actor
from bot.core.changes import Change, Say, SetOverride, UpdateMessage
from bot.core.kinds import Visibility
from bot.core.records import (
    PUBLIC_SIDE,
    ActionRecord,
    AgentId,
    CommunityId,
    Json,
    Letter,
    MessageId,
    Mind,
    Person,
    Sender,
    Side,
    Snowflake,
)
from bot.core.view import View
from bot.engine.performer import ActionContext, Outcome, Performer
from storage.store import SqlStore
from tests.factories import agent, by_agent, by_person, person, room
from tests.fakes import START, PlainCipher, SeededRandom, WordTokenizer
from tests.founding import founded

ADA, BO, CY, DI, EL = (AgentId(id) for id in range(1, 6))
MIRA = person("mira", 501)
BOSS = person("boss", 502, is_architect=True)


@dataclass
class House:
    """Ada's room (1) has Bo (2) and Di (4, privileged) in it; Cy (3) is alone; El (5) has a private room with Bo."""

    store: SqlStore
    community_id: CommunityId
    now: datetime = START
    performer: Performer = field(default_factory=lambda: Performer(cipher=PlainCipher(), tokenizer=WordTokenizer()))
    random: SeededRandom = field(default_factory=SeededRandom)

    async def act(self, agent_id: AgentId, *actions: Action, **terms: Any) -> list[Outcome]:  # noqa: ANN401
        """Let an agent act; `side` may be a room's id."""
        return await self._perform(Actor.agent(agent_id), actions, terms)

    async def ask(self, who: Person, *actions: Action, subject: AgentId | None = None) -> list[Outcome]:
        """Let a person act."""
        return await self._perform(Actor.person(who), actions, {"subject": subject})

    async def one(self, agent_id: AgentId, action: Action, **terms: Any) -> str:  # noqa: ANN401
        """Let an agent do one thing; gives why not, or nothing."""
        (outcome,) = await self.act(agent_id, action, **terms)
        assert outcome.accepted is not bool(outcome.why)
        return outcome.why

    async def _perform(self, actor: Actor, actions: Sequence[Action], terms: dict[str, Any]) -> list[Outcome]:
        async with self.store.writing(self.community_id) as write:
            if actor.who is not None:
                await write.people.put(self.community_id, actor.who)
            beside = {name: terms.pop(name) for name in ("subject", "refused", "view") if name in terms}
            bounds = ActionContext(now=self.now, random=self.random, **terms)
            return await self.performer.perform(write, self.community_id, actor, actions, bounds, **beside)

    async def view(self, *agent_ids: AgentId) -> View:
        async with self.store.reading() as read:
            return await read.views.whole(self.community_id, agent_ids=agent_ids or (ADA, BO, CY, DI, EL), minds=None)

    async def mind(self, agent_id: AgentId, side: Side = PUBLIC_SIDE) -> Mind:
        return (await self.view(agent_id)).mind_of(agent_id, side)

    async def knowledge(self, agent_id: AgentId, side: Side = PUBLIC_SIDE) -> dict[str, Json]:
        return dict((await self.mind(agent_id, side)).knowledge)

    async def last_action(self, agent_id: AgentId, side: Side = PUBLIC_SIDE) -> ActionRecord:
        return (await self.mind(agent_id, side)).recent_actions[-1]

    async def letters(self) -> list[Letter]:
        """Give the first waiting letter of each room and lane."""
        async with self.store.reading() as read:
            return list(await read.letters.due(self.now + timedelta(days=30), limit=1_000))

    async def write(self, *changes: Change) -> None:
        async with self.store.writing(self.community_id) as write:
            await write.apply(self.community_id, changes)

    async def said(self, room_id: AgentId, text: str, sender: Sender | None = None) -> MessageId:
        """Put a message into a room as if it had been posted."""
        async with self.store.writing(self.community_id) as write:
            id = MessageId(write.ids.take("message"))
            sender = sender or by_person()
            message = Say(message_id=id, room_id=room_id, sender=sender, content=text, sent_at=self.now, post=False)
            posted = UpdateMessage(message_id=id, fields={"discord_id": Snowflake(8_000_000 + id)})
            await write.apply(self.community_id, [message, posted])
        return id

    async def said_by_agent(self, agent_id: AgentId, text: str, room_id: AgentId | None = None) -> MessageId:
        return await self.said(room_id or agent_id, text, by_agent(agent_id))

    async def texts(self, room_id: AgentId) -> list[str]:
        """Give all that was said in a room, posted or not, oldest first."""
        async with self.store.reading() as read:
            ids = [MessageId(id) for id in range(1, 200)]
            found = await read.talk.by_id(self.community_id, ids)
        return [one.content for one in sorted(found.values(), key=lambda one: one.id) if one.room_id == room_id]

    async def configure(self, **settings: Json) -> None:
        await self.write(*(SetOverride(name=name, value=value) for name, value in settings.items()))


@asynccontextmanager
async def open_house() -> AsyncIterator[House]:
    """Open the community in memory."""
    async with await SqlStore.open("sqlite+aiosqlite:///:memory:") as store:
        yield await move_in(store)


async def move_in(store: SqlStore) -> House:
    """Let the five live in a store."""
    residents = [
        (
            agent(id, name=name, can_create_agents=name == "Di"),
            room(id, visibility=Visibility.PRIVATE if name == "El" else Visibility.PUBLIC),
        )
        for id, name in enumerate(("Ada", "Bo", "Cy", "Di", "El"), 1)
    ]
    guests = [(BO, ADA), (DI, ADA), (BO, EL)]
    return House(store=store, community_id=await founded(store, residents, guests=guests))
