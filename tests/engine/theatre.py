"""A community that beats, in which scenes are played: by agents that do as they are told, and by people."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.core.actions import Action, DirectScene, Play, StartScene, TakeSeat
from bot.core.actor import Actor
from bot.core.config import CommunityConfig
from bot.core.hud.turn import read_moves, read_outcome
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import Json, SceneId
from bot.core.scenes.play import replayed
from bot.core.scenes.records import Scene, SceneEvent
from bot.core.scenes.showing import cast_of, lines_for, play_of
from bot.engine.deadlines import Deadlines
from bot.engine.performer import ActionContext, Outcome, Performer
from bot.engine.scene_posts import names_of
from tests.engine.hearts import Hearts, hearts
from tests.factories import person
from tests.fakes import PlainCipher, ScriptedModel, SeededRandom, WordTokenizer

BOSS = person("boss", 502, is_architect=True)
MIRA = person("mira", 501)
SCENE = SceneId(1)
Choice = Callable[[str, dict[str, Any]], dict[str, Json] | str | Exception]


def simply(text: str, moves: dict[str, Any]) -> dict[str, Json]:
    """What an agent does that has no plans: it moves a motion, seconds, says something, votes."""
    if "vote" in moves:
        return {"type": "vote", "choice": "yes"}
    if "second" in moves:
        return {"type": "second"}
    if "say" in moves:
        return {"type": "say", "text": "Quite so."}
    return {"type": "speak", "text": "Quite so."}


class Player(ScriptedModel):
    """Answers turns as it is told to, and is silent elsewhere."""

    def __init__(self, choose: Choice = simply) -> None:
        super().__init__()
        self.choose = choose
        self.keeps: list[dict[str, Json]] = []

    async def answer(self, call: ModelCall) -> ModelAnswer:
        moves = read_moves(call.input)
        if read_outcome(call.input):
            self.script.append(json.dumps({"thoughts": "", "actions": self.keeps}))
        elif moves is None:
            self.script.append('{"agents": []}')
        else:
            chosen = self.choose(call.input, moves)
            if isinstance(chosen, Exception):
                self.script.append(chosen)  # type: ignore[arg-type]  # an error of the model
            else:
                self.script.append(chosen if isinstance(chosen, str) else json.dumps({"thoughts": "", "move": chosen}))
        return await super().answer(call)


@dataclass
class Theatre:
    """A community, and those who direct scenes there."""

    house: Hearts
    performer: Performer
    deadlines: Deadlines
    seed: int = 1  # of chance: of a scene that is started, too

    async def do(self, action: Action, who: Any = BOSS) -> Outcome:  # noqa: ANN401
        async with self.house.store.writing(self.house.community_id) as write:
            await write.people.put(self.house.community_id, who)
            context = ActionContext(now=self.house.clock.now(), random=SeededRandom(self.seed))
            (outcome,) = await self.performer.perform(
                write, self.house.community_id, Actor.person(who), [action], context
            )
        return outcome

    async def done(self, action: Action, who: Any = BOSS) -> str:  # noqa: ANN401
        outcome = await self.do(action, who)
        assert outcome.accepted, outcome.why
        return outcome.result

    async def refused(self, action: Action, who: Any = BOSS) -> str:  # noqa: ANN401
        outcome = await self.do(action, who)
        assert not outcome.accepted
        return outcome.why

    async def scene(self) -> Scene:
        async with self.house.store.reading() as read:
            scene = await read.scenes.find(self.house.community_id, SCENE)
        assert scene is not None
        return scene

    async def events(self) -> list[SceneEvent]:
        async with self.house.store.reading() as read:
            return list(await read.scenes.events(self.house.community_id, SCENE))

    async def lines(self) -> list[str]:
        """All that happened, as it is told at the end."""
        scene = await self.scene()
        async with self.house.store.reading() as read:
            names = await names_of(read, scene)
        events = await self.events()
        return lines_for(events, cast_of(scene, events, names), None)

    async def opened(self, kind: str = "chat", agents: int = 2, *people: Any, **options: Json) -> None:  # noqa: ANN401
        """Open a lobby, let everybody sit, and begin."""
        await self.done(StartScene(room_id=1, kind=kind, title="Tea", options=options))
        await self.house.deliver()
        for agent_id in range(1, agents + 1):
            await self.done(TakeSeat(scene_id=SCENE, agent_id=agent_id))
        for one in people:
            await self.done(TakeSeat(scene_id=SCENE), one)
        await self.done(DirectScene(scene_id=SCENE, what="begin"))
        await self.house.deliver()

    async def move(self, who: Any, move: str, /, **arguments: Json) -> str:  # noqa: ANN401
        window = (await self.scene()).window_step
        outcome = await self.do(Play(scene_id=SCENE, window=window, move=move, arguments=arguments), who)
        await self.house.deliver()
        return outcome.why

    async def run(self, seconds: float) -> None:
        """Let time pass, with beats, letters and deadlines."""
        for _ in range(int(seconds)):
            await self.house.slot(1.0)
            await self.deadlines.run()
            await self.house.deliver()

    async def replays(self) -> bool:
        scene = await self.scene()
        play = play_of(scene)
        assert play is not None
        async with self.house.store.reading() as read:
            log = await read.scenes.log(self.house.community_id, SCENE)
        standing, differs = replayed(play, scene.taken, log, scene.first_digest)
        return differs is None and standing.digest() == scene.digest


@asynccontextmanager
async def theatre(model: ScriptedModel | None = None, **fields: Any) -> AsyncIterator[Theatre]:  # noqa: ANN401
    async with hearts(fields.pop("agents", 3), model=model or Player(), **fields) as house:
        yield theatre_of(house, fields.get("config") or CommunityConfig())


def theatre_of(house: Hearts, config: CommunityConfig) -> Theatre:
    """Direct scenes in a community that there is."""
    performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer(), models=house.model)
    return Theatre(house, performer, Deadlines(house.store, house.clock, config=config, models=house.model))
