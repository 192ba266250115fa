"""A community for a run: agents move in, and sit down to their scene, through the same doors as on Discord."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from pydantic import ValidationError

from bot.core.actions import (
    Action,
    AlterAgent,
    CreateAgent,
    DirectScene,
    Invite,
    Set,
    SetInterval,
    SetSetting,
    StartScene,
    TakeSeat,
)
from bot.core.cards import Card
from bot.core.errors import BadSetting, NotFound, Rejected
from bot.core.kinds import LetterKind
from bot.core.models import Tokenizer
from bot.core.ports import Store
from bot.core.records import AgentId, CommunityId, Json, Person, SceneId, Snowflake
from bot.core.runs.spec import RunAgent, RunScene, RunSpec
from bot.core.templates import TEMPLATES
from bot.engine.delivery import Delivery
from bot.engine.front_desk import Office
from bot.engine.front_desk.actions import Actions
from bot.engine.front_desk.cards import Cards
from bot.engine.performer import Performer
from bot.engine.timelines.chance import NodeRandom, OpenCipher, VirtualClock
from bot.engine.timelines.play import Loopback, Turns

GUILD: Final = Snowflake(1)  # of a server that is nowhere
RESEARCHER: Final = Person(id=Snowflake(2_000_001), username="researcher", is_architect=True)
SETTLES_WITHIN: Final = timedelta(hours=1)
A_MOMENT_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Founded:
    """A community that is ready to live: everyone's name by id, the room in which all are, and the clock's time."""

    community_id: CommunityId
    names: Mapping[AgentId, str]
    room_id: AgentId
    clock: VirtualClock

    def room_of(self, name: str) -> AgentId:
        """Give an agent's room by its name, that of all for none; raises BadSetting."""
        if not name:
            return self.room_id
        found = next((id_ for id_, one in self.names.items() if one.casefold() == name.casefold()), None)
        if found is None:
            raise BadSetting(
                f"An event is in the room of {name!r}, and there is no such agent: name one of "
                f"{', '.join(self.names.values())}."
            )
        return found


class Founding:
    """Founds one community in an empty store; `cards` are those that the file names, read."""

    def __init__(self, store: Store, spec: RunSpec, cards: Mapping[str, Card], tokenizer: Tokenizer) -> None:
        self._store, self._spec, self._cards = store, spec, cards
        self._clock = VirtualClock(spec.starts)
        cipher = OpenCipher()
        self._delivery = Delivery(store, Loopback(self._clock), self._clock, Turns(), cipher=cipher, at_once=1)
        office = Office(
            store,
            Performer(cipher=cipher, tokenizer=tokenizer),
            self._clock,
            NodeRandom(spec.seed, "founding"),
            on_done=lambda: None,
            cipher=cipher,
        )
        self._actions = Actions(office)
        self._moving = Cards(office, self._actions)

    async def found(self) -> Founded:
        """Found it; raises BadSetting with what cannot be."""
        async with self._store.writing() as write:
            community_id = (await write.communities.add(GUILD, self._spec.title)).id
        for name, value in self._spec.settings.items():
            await self._do("settings", lambda n=name, v=value: SetSetting(name=n, value=v))  # type: ignore[misc]
        names: dict[AgentId, str] = {}
        for number, one in enumerate(self._spec.agents, 1):
            where = f"agents {number} ({one.name or one.template or one.card})"
            id_ = await self._moved_in(where, one)
            await self._equip(where, id_, one)
            async with self._store.reading() as read:
                names[id_] = (await read.agents.names(community_id))[id_]
        host, *guests = names
        for guest in guests:
            await self._do("agents", lambda g=guest: Invite(agent_id=g), subject=host)  # type: ignore[misc]
        await self._settle()
        if self._spec.scene is not None:
            await self._begin(self._spec.scene, list(names), host)
        return Founded(community_id=community_id, names=names, room_id=host, clock=self._clock)

    async def _moved_in(self, where: str, one: RunAgent) -> AgentId:
        if one.card is not None:
            card = self._cards[one.card]
            card = card if one.name is None else replace(card, name=one.name)
            try:
                agent, _ = await self._moving.move_in(GUILD, RESEARCHER, card)
            except (Rejected, NotFound) as error:
                raise BadSetting(f"{where}: {error.sentence}") from error
            return agent.id
        template = TEMPLATES[one.template] if one.template is not None else None
        made = await self._do(
            where,
            lambda: CreateAgent.model_validate(
                {
                    "name": one.name or (template.name if template is not None else None),
                    "background_prompt": template.prompt if template is not None else one.prompt,
                    "agent_type": one.type or (template.type if template is not None else "persona"),
                }
            ),
        )
        (agent_id,) = [room_id for room_id, kind in made if kind is LetterKind.CHANNEL]
        return agent_id

    async def _equip(self, where: str, id_: AgentId, one: RunAgent) -> None:
        """Give an agent what the file says of it beside who it is."""
        own = {name: getattr(one, name) for name in ("model", "temperature", "token_budget")}
        if given := {name: value for name, value in own.items() if value is not None}:
            await self._do(where, lambda: AlterAgent.model_validate({"agent_id": id_, **given}))
        if one.interval is not None:
            interval = {"seconds": one.interval, "resting_seconds": one.interval}
            await self._do(where, lambda: SetInterval.model_validate(interval), subject=id_)
        for name, value in one.knows.items():
            known: dict[str, Json] = {"path": _quoted(name), "value": value}
            await self._do(f"{where} knows", lambda k=known: Set.model_validate(k), subject=id_)  # type: ignore[misc]

    async def _begin(self, scene: RunScene, seats: Sequence[AgentId], host: AgentId) -> None:
        title, options = scene.title, scene.chosen
        start = {"room_id": host, "kind": scene.kind, "title": title, "options": options}
        await self._do("scene", lambda: StartScene.model_validate(start))
        await self._settle()
        id_ = SceneId(1)
        for agent_id in seats:
            await self._do("scene", lambda a=agent_id: TakeSeat(scene_id=id_, agent_id=a))  # type: ignore[misc]
        await self._settle()
        await self._do("scene", lambda: DirectScene(scene_id=id_, what="begin"))
        await self._settle()

    async def _do(
        self, where: str, action: Callable[[], Action], *, subject: AgentId | None = None
    ) -> Sequence[tuple[AgentId, LetterKind]]:
        try:
            return (await self._actions.take(GUILD, RESEARCHER, action(), subject=subject)).letters
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise BadSetting(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg'].lower()}.") from error
        except (Rejected, NotFound) as error:
            raise BadSetting(f"{where}: {error.sentence}") from error

    async def _settle(self) -> None:
        """Bring out all letters: rooms, threads, boards and what was said."""
        latest = self._clock.now() + SETTLES_WITHIN
        while True:
            async with self._store.reading() as read:
                at = await read.letters.next_due_at()
            if at is None or at > latest:
                break
            await self._clock.advance(max(0.0, (at - self._clock.now()).total_seconds()))
            if not await self._delivery.run_once(self._clock.now()):
                await self._clock.advance(A_MOMENT_SECONDS)
        await self._clock.advance(A_MOMENT_SECONDS)


def _quoted(name: str) -> str:
    """Give a key as the one segment of a path."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
