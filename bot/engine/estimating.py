"""What the lobby says of a scene's cost and length: the scripted mind plays it out a few times before anybody does."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from weakref import WeakValueDictionary

from bot.core.hud.counting import count
from bot.core.hud.turn import rules_of, shown_scene
from bot.core.models import Model, Tokenizer
from bot.core.ports import Models, Reading
from bot.core.records import Community, CommunityId, Json, WholeAgent
from bot.core.scenes.estimates import ANSWER_TOKENS, WATCHES, Expected, estimated, expected
from bot.core.scenes.kind import Seat
from bot.core.scenes.play_outs import Answered, PlayOut, begun
from bot.core.scenes.records import Scene, SceneStatus
from bot.core.scenes.showing import Turn, refusal_to_begin
from bot.engine.aside import aside

PLAY_OUTS, MOST_ASKED = 5, 300  # so many at most, and none more once so many turns were asked for
STEPS = 5  # that are played before other work gets its turn
REMEMBERED = 200
COIN = "USD"  # where nobody knows of another
Mind = Callable[[str], Mapping[str, Json] | None]  # from what a turn shows to its answer
Key = tuple[str, int, str, tuple[bool, ...]]


@dataclass(frozen=True, slots=True)
class Estimator:
    """Has what models cost, and the scripted mind; what play-outs came to is remembered by kind, options, seats."""

    models: Models
    mind: Mind
    known: dict[Key, Expected] = field(default_factory=dict)
    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    turns: WeakValueDictionary[CommunityId, asyncio.Lock] = field(default_factory=WeakValueDictionary)  # of each, one


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateInputs:
    """What an estimate follows from, as it was read; `seated`: the agents of a scene that could begin."""

    estimator: Estimator
    scene: Scene
    model: Model
    seated: Mapping[Seat, WholeAgent]
    past: Sequence[Scene]

    async def estimate(self) -> tuple[str, str]:
        """Give the estimate in words, empty where there is none, and the coin.

        Nothing is to be open in the store meanwhile: playing a scene out takes a moment.
        """
        thought = await self._thought() if self.seated else None
        found = estimated(self.scene, self.past, thought, self._price) if thought is not None else None
        coin = self.model.source.coin
        return replace(found, coin=coin).words if found is not None else "", coin

    def _price(self, seat: Seat, tokens: int) -> Decimal | None:
        """Give the list price of one turn, with what its agent was told to be; None where there is none."""
        agent = self.seated.get(seat)
        if agent is None or not self.model.price_is_known(agent.model):
            return None
        own = count(self.model.tokenizer(agent.model), agent.prompt)
        return self.model.list_price(agent.model, input_tokens=own + tokens, output_tokens=ANSWER_TOKENS)

    async def _thought(self) -> Expected | None:
        scene, one, known = self.scene, next(iter(self.seated.values())), self.estimator.known
        people = tuple(seat.person_id is not None for seat in scene.seats)
        key = (scene.kind, scene.version, json.dumps(dict(scene.options), sort_keys=True), people)
        if key not in known:
            mine = self.estimator.turns.setdefault(scene.community_id, asyncio.Lock())
            async with mine, self.estimator.one_at_a_time:
                if key in known:
                    return known[key]
                tokenizer = self.model.tokenizer(one.model)
                found = await _played(scene, self.estimator.mind, tokenizer, one.token_budget)
                if found is None:
                    return None
                while len(known) >= REMEMBERED:
                    del known[next(iter(known))]
                known[key] = found
        return known[key]


async def estimate_inputs(
    estimator: Estimator | None, read: Reading, community: Community, scene: Scene
) -> EstimateInputs | None:
    """Read what an estimate follows from; None where nobody estimates, as in a what-if."""
    if estimator is None:
        return None
    model = await estimator.models.of(read.providers, community)
    ids = {place: one.agent_id for place, one in enumerate(scene.seats, 1) if one.agent_id is not None}
    if scene.status is not SceneStatus.LOBBY or not ids or refusal_to_begin(scene):
        return EstimateInputs(estimator=estimator, scene=scene, model=model, seated={}, past=())
    if scene.commentator_id is not None:
        ids[WATCHES] = scene.commentator_id
    roster = await read.views.roster(community.id, agent_ids=tuple(ids.values()))
    seated = {seat: roster.whole_agent(id_) for seat, id_ in ids.items() if id_ in roster.agents}
    past = await read.scenes.all(community.id, (SceneStatus.OVER,))
    return EstimateInputs(estimator=estimator, scene=scene, model=model, seated=seated, past=past)


async def _played(scene: Scene, mind: Mind, tokenizer: Tokenizer, token_budget: int) -> Expected | None:
    """Play a scene out a few times: fewer times, the more turns it takes. It goes on when others had their turns."""
    sizes = dict[str, int]()

    def answer(turn: Turn) -> Answered:
        text = shown_scene(turn, token_budget, now=scene.created_at, tokenizer=tokenizer)
        rules = rules_of(turn.kind, emotions=turn.emotions)
        sizes.setdefault(rules, tokenizer.count(rules))
        found = mind(text)
        move = found.get("move") if found is not None else None
        given = dict(move) if isinstance(move, dict) else {}
        return Answered(move=str(given.pop("type", "")), arguments=given, tokens=sizes[rules] + tokenizer.count(text))

    played = list[PlayOut]()
    for number in range(PLAY_OUTS):
        one = begun(scene, answer, seed=f"play-out {number}")
        if one is None:
            return None
        while await aside(one.went_on, STEPS):
            pass
        played.append(one)
        if sum(each.asked.total() for each in played) >= MOST_ASKED:
            break
    return expected(played)
