"""A community, and trees that grow from it: the real files, the real engine, and a model that does as it is told."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from bot.core.config import CommunityConfig
from bot.core.models import ModelAnswer, ModelCall
from bot.core.records import Person, Snowflake
from bot.core.timelines.changes import PublicEvent
from bot.core.timelines.growth import MOST_AT_ONCE, Growth, Operation
from bot.core.timelines.records import NOW, Cut, Node, NodeId, Tree, TreeId, TreeKey
from bot.engine.timelines.answers import HouseFacts, ModelFacts
from bot.engine.timelines.operations import Operations
from bot.engine.timelines.play import Stagecraft
from bot.engine.timelines.runner import Runner
from storage.timelines.trees import SqlTrees
from tests.engine.hearts import Hearts, hearts
from tests.factories import person
from tests.fakes import START, ScriptedModel, WordTokenizer

BOSS = person("boss", 599, is_architect=True)
FACTS = ModelFacts(
    context_tokens=128_000,
    input_usd=Decimal("0.00000015"),
    cached_usd=Decimal("0.000000075"),
    output_usd=Decimal("0.0000006"),
)
TOKENIZER = WordTokenizer()
FREE = CommunityConfig(usd_per_day=None)
EVENT = (PublicEvent(room_id=1, text="The lights go out."),)


class SteadyClock:
    """Real time, as far as tests look at it."""

    def now(self) -> datetime:
        return START

    async def sleep(self, seconds: float) -> None:
        raise AssertionError

    def timeout(self, seconds: float) -> object:
        raise AssertionError


@dataclass
class Asked:
    """The house as tests have it: it asks a scripted model, and counts."""

    model: ScriptedModel
    answered: list[tuple[NodeId, ModelCall]] = field(default_factory=list)
    before: Callable[[ModelCall], None] = lambda call: None

    async def answer(self, key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
        self.before(call)
        self.answered.append((node_id, call))
        return await self.model.answer(call)

    async def facts(self, key: TreeKey, models: Sequence[str]) -> HouseFacts:
        return HouseFacts(models={name: FACTS for name in models})


@dataclass
class Garden:
    """A community with one tree."""

    home: Hearts
    trees: SqlTrees
    house: Asked
    operations: Operations
    tree: Tree
    over: list[Node | None] = field(default_factory=list)
    unkept: list[str] = field(default_factory=list)  # why nodes could not be kept

    @property
    def key(self) -> TreeKey:
        return self.tree.key

    def changed(self, key: TreeKey, node_id: NodeId, node: Node | None, why: str = "") -> None:
        self.over.append(node)
        self.unkept += [why] if why else []

    async def grow(self, what: Operation, *nodes: int, by: Person = BOSS, **fields: object) -> list[Node]:
        """Let nodes be made and run; gives them as they ended."""
        growth = Growth(what=what, by=by, nodes=tuple(map(NodeId, nodes)), **fields)  # type: ignore[arg-type]
        made = await self.operations.grow(self.key, growth)
        await self.operations.finished()
        return [await self.trees.node(self.key, one.id) for one in made]

    async def lines(self, node_id: int, room_id: int = 1) -> list[tuple[str, str]]:
        """Give what stands in a room of a node's world."""
        async with self.trees.look(self.key, NodeId(node_id)) as world, world.store.reading() as read:
            found = await read.talk.history(self.key.community_id, room_id, limit=10_000)  # type: ignore[arg-type]
        return [(one.sender.shown(), one.content) for one in found]


def operations(
    trees: SqlTrees, house: Asked, telling: object, config: CommunityConfig = FREE, worlds: int = MOST_AT_ONCE
) -> Operations:
    """Put the operations together."""
    craft = Stagecraft(config=config, tokenizer_for=lambda _: TOKENIZER)
    clock = SteadyClock()
    runner = Runner(trees=trees, house=house, stagecraft=craft, clock=clock)  # type: ignore[arg-type]
    return Operations(trees=trees, runner=runner, clock=clock, telling=telling, worlds=worlds)  # type: ignore[arg-type]


@asynccontextmanager
async def garden(
    folder: Path,
    script: Callable[[ModelCall], str],
    *,
    agents: int = 3,
    before: Callable[[Hearts], Awaitable[None]] | None = None,
    config: CommunityConfig = FREE,
) -> AsyncIterator[Garden]:
    """Found a community in which somebody just said something to everyone, and fork it now, or after what is done."""
    async with hearts(agents, config=config) as home:
        home.model.script.extend([script] * 99_999)
        await home.hear("Agent1, what do you all think?")
        await home.hear("Agent2, you too?", who="rob", id=502)
        if before is not None:
            await before(home)
        trees = SqlTrees(folder, config)
        image = await home.store.image(home.community_id, Cut(point=NOW), now=home.clock.now())
        key = TreeKey(home.community_id, TreeId(1))
        tree = Tree(
            key=key,
            title="A tree",
            rooms=(),
            point=NOW,
            made_by=Snowflake(BOSS.id),
            made_at=START,
            at=home.clock.now(),
            seed="seed",
            revision="",
            program="1",
        )
        house = Asked(home.model)
        made = Garden(home, trees, house, None, tree)  # type: ignore[arg-type]
        made.operations = operations(trees, house, made, config)
        made.tree = await made.operations.begin(tree, image)
        try:
            yield made
        finally:
            await made.operations.close()
            await trees.close()
