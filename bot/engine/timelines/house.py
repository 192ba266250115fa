"""What the house does for worlds apart: it asks the models, keeps pace, and lets nobody spend more than was granted."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from importlib import metadata
from weakref import WeakValueDictionary

import structlog

from bot.core.errors import ModelUnreachable, NotFound, Rejected
from bot.core.hud.counting import count
from bot.core.models import Ceilings, Model, ModelAnswer, ModelCall, Tokenizer
from bot.core.ports import Clock, Models, Store
from bot.core.ports.trees import Grower, Images, Trees
from bot.core.records import Agent, CommunityId, Usage
from bot.core.sentences import Sentence
from bot.core.spending import SLOWED_FROM, SLOWER_FROM, Limit, day_of, held_to
from bot.core.timelines.growth import MOST_AT_ONCE
from bot.core.timelines.records import Node, NodeId, TreeKey
from bot.core.view import Outline
from bot.engine.aside import aside
from bot.engine.purse import CallPrice, set_aside, settle, spending_now
from bot.engine.timelines.answers import GrantSpent, HouseFacts, ModelFacts

BEATS_LOOKED_AT = 20
ANSWER_TOKENS = 300  # about what an answer takes, where nobody has beaten yet
SAFETY = 2  # times the estimate is granted: what is not used is given back
MOST_PLACES = 8  # of a provider that says nothing of it
MILLION = 1_000_000
log = structlog.get_logger(__name__)


def _nobody(key: TreeKey, node: Node | None) -> None:
    """Nobody looks at the tree."""


async def _told_nobody(key: TreeKey, why: str) -> None:
    """Nobody is told."""


@dataclass(kw_only=True, eq=False)
class Grant:
    """The money that one operation may spend, set aside in the community's day; `left`: those that still run on it.

    `ceilings`: where it was set aside of what the installation pays; without them no model of its own is asked.
    """

    community_id: CommunityId
    usd: Decimal
    reservation: int
    ceilings: Ceilings | None = None
    nodes: frozenset[NodeId] = frozenset()
    left: set[NodeId] = field(default_factory=set)
    spent: Usage = field(default_factory=Usage)
    asked: Decimal = Decimal(0)  # of calls that are still to be answered, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What an operation is thought to cost, and what is set aside for it, in USD and tokens."""

    usd: Decimal
    granted_usd: Decimal
    tokens: int


class Places:
    """So many calls at once of what the installation pays for, and of each community's own: who hangs hangs alone."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: WeakValueDictionary[CommunityId | None, asyncio.Semaphore] = WeakValueDictionary()

    def of(self, whose: CommunityId | None) -> asyncio.Semaphore:
        """Give what a call holds while it is answered."""
        return self._known.setdefault(whose, asyncio.Semaphore(self._most))


class Treasury:
    """Grants, and the calls that are paid from them; `on_changed` hears of every node that is over."""

    def __init__(
        self,
        store: Store,
        models: Models,
        trees: Trees,
        clock: Clock,
        *,
        places: int | None,
        worlds: int = MOST_AT_ONCE,
    ) -> None:
        self._store = store
        self._models = models
        self._trees = trees
        self._clock = clock
        self._worlds = worlds
        self._places = Places(max(1, (places or MOST_PLACES) // 2))  # never more than half of a provider's
        self._grants: dict[tuple[TreeKey, NodeId], Grant] = {}
        self._turns: WeakValueDictionary[TreeKey, asyncio.Lock] = WeakValueDictionary()
        self.on_changed: Callable[[TreeKey, Node | None], None] = _nobody
        self.on_unkept: Callable[[TreeKey, str], Awaitable[None]] = _told_nobody
        self._unkept: set[tuple[TreeKey, str]] = set()  # what was told, until a node of that tree is kept again

    async def facts(self, key: TreeKey, models: Sequence[str]) -> HouseFacts:
        """Give what is known of these models."""
        model = await self._model(key.community_id)
        return HouseFacts(models={name: _facts(model, name) for name in models}, missing=model.source.missing)

    async def answer(self, key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
        """Ask a model for a node; raises GrantSpent where its grant, or the day, does not hold the call."""
        grant = self._grants.get((key, node_id))
        model = await self._model(key.community_id)
        tokens = await aside(_tokens_of, model.tokenizer(call.model), call)
        price = model.list_price(call.model, input_tokens=tokens, output_tokens=call.answer_tokens)
        if grant is None or grant.spent.cost_usd + grant.asked + price > grant.usd:
            raise GrantSpent("The money of this run is spent.")
        is_paid = model.ceilings(call.model) is not None
        if grant.ceilings is None and is_paid:
            raise GrantSpent("Nothing was set aside of what whoever runs Selfroom pays for.")
        if await self._share(key.community_id, grant.ceilings) >= SLOWER_FROM:
            raise GrantSpent("The day's money is nearly spent.")
        grant.asked += price
        usage = Usage(input_tokens=tokens, output_tokens=call.answer_tokens, cost_usd=price)  # if nobody ever knows
        try:
            async with self._places.of(None if is_paid else key.community_id):
                answer = await model.answer(call)
            usage = answer.usage
            return answer
        except ModelUnreachable as error:
            usage = error.usage or usage
            raise
        finally:
            grant.asked -= price
            spent = grant.spent
            grant.spent = replace(
                spent,
                cost_usd=spent.cost_usd + usage.cost_usd,
                input_tokens=spent.input_tokens + usage.input_tokens,
                output_tokens=spent.output_tokens + usage.output_tokens,
            )

    async def changed(self, key: TreeKey, node_id: NodeId, node: Node | None, why: str = "") -> None:
        """Settle a grant once the last node is over that ran on it; why one could not be kept is told once."""
        await self.let_go(key, node_id)
        self.on_changed(key, node)
        if node is not None:
            self._unkept = {one for one in self._unkept if one[0] != key}
        elif why and (key, why) not in self._unkept:
            self._unkept.add((key, why))
            await self.on_unkept(key, why)

    async def let_go(self, key: TreeKey, node_id: NodeId) -> None:
        """Settle a grant, if that node is the last one that runs on it."""
        grant = self._grants.pop((key, node_id), None)
        if grant is None:
            return
        grant.left.discard(node_id)
        if not grant.left:
            async with self._store.writing(grant.community_id) as write:
                await settle(write.money, grant.community_id, grant.reservation, grant.spent)

    async def estimate(self, key: TreeKey, turns: int, nodes: int) -> Estimate:
        """Say what so many turns are thought to cost: as much as these agents' last beats did."""
        model = await self._model(key.community_id)
        async with self._store.reading() as read:
            view = await read.views.action_view(key.community_id, agent_ids=(), room_ids=(), doors=False)
            agents = [one for one in view.agents.values() if one.retired_at is None]
            beats = [
                beat
                for one in agents
                for beat in await read.beats.newest(key.community_id, one.id, limit=BEATS_LOOKED_AT)
                if beat.usage.input_tokens
            ]
        worst = max((_price(model, one, view.config.answer_tokens) for one in agents), default=Decimal(0))
        if beats:
            mean = sum((one.usage.cost_usd for one in beats), Decimal(0)) / len(beats)
            tokens = sum(one.usage.input_tokens + one.usage.output_tokens for one in beats) // len(beats)
        else:
            mean = max((_price(model, one, ANSWER_TOKENS) for one in agents), default=Decimal(0))
            tokens = max((one.token_budget + ANSWER_TOKENS for one in agents), default=0)
        usd = mean * turns
        ahead = worst * min(nodes, self._worlds)  # of calls that are being answered, at most
        return Estimate(usd=usd, granted_usd=usd * SAFETY + ahead if turns else Decimal(0), tokens=tokens * turns)

    async def held(self, key: TreeKey, estimate: Estimate, cap: Decimal) -> Estimate:
        """Give an estimate that sets no more aside than is left; raises Rejected where that is thought too little."""
        left = await self._left(key, cap)
        if estimate.usd > left:
            about = f"about {estimate.usd:.2f} {await self.coin(key)}"
            raise Rejected(
                Sentence("This tree's money does not hold this: {about}, {left:.2f} left.", about=about, left=left)
            )
        return replace(estimate, granted_usd=min(estimate.granted_usd, left))

    async def capped(self, key: TreeKey, estimate: Estimate, cap: Decimal) -> Estimate:
        """Give an estimate of what was begun once that sets no more aside than the tree has left, maybe nothing."""
        return replace(estimate, granted_usd=max(Decimal(0), min(estimate.granted_usd, await self._left(key, cap))))

    async def _left(self, key: TreeKey, cap: Decimal) -> Decimal:
        nodes = await self._trees.nodes(key)
        return cap - sum((one.usd for one in nodes), Decimal(0)) - self._under_way(key, nodes)

    def _under_way(self, key: TreeKey, nodes: Sequence[Node]) -> Decimal:
        """Give what operations that still run on a tree may spend beyond what their nodes are known to have."""
        usd, rest = {node.id: node.usd for node in nodes}, Decimal(0)
        for grant in {id(one): one for (of, _), one in self._grants.items() if of == key}.values():
            known = sum((usd.get(id_, Decimal(0)) for id_ in grant.nodes), Decimal(0))
            rest += max(Decimal(0), grant.usd - known)
        return rest

    def turn_at(self, key: TreeKey) -> asyncio.Lock:
        """Give what one operation on a tree holds from when it is reckoned until its money is set aside."""
        return self._turns.setdefault(key, asyncio.Lock())

    async def grant(self, key: TreeKey, estimate: Estimate, *, names: Sequence[str] = ()) -> Grant | None:
        """Set an operation's money aside in the community's day; None where it needs none. Raises Rejected.

        `names`: the models that are asked; without any those of the community's agents.
        """
        if not estimate.granted_usd and not estimate.tokens:
            return None
        model = await self._model(key.community_id)
        async with self._store.writing(key.community_id) as write:
            view = await write.views.action_view(key.community_id, agent_ids=(), room_ids=(), doors=False)
            ceilings = _ceilings(model, names or _names(view))
            price = CallPrice(usd=estimate.granted_usd, tokens=estimate.tokens, ceilings=ceilings)
            day, config = day_of(self._clock.now()), held_to(view.config, ceilings)
            spending = await spending_now(write.money, key.community_id, config, day, ceilings)
            left = None if spending.usd_limit is None else spending.usd_limit - spending.usd
            if spending.share >= SLOWED_FROM:
                raise Rejected(Sentence("Most of the day's money is spent: no timeline is run until tomorrow."))
            booked = await set_aside(write.money, key.community_id, config, day, price)
        if isinstance(booked, Limit):
            rest = f", {left:.2f} left" if left is not None else ""
            raise Rejected(
                Sentence(
                    "The day's money does not hold this: about {usd:.2f} {coin}{rest}.",
                    usd=estimate.usd,
                    coin=model.source.coin,
                    rest=rest,
                )
            )
        return Grant(
            community_id=key.community_id,
            usd=estimate.granted_usd,
            reservation=booked,
            ceilings=ceilings,
        )

    async def give(self, key: TreeKey, grant: Grant, nodes: Sequence[Node]) -> None:
        """Let nodes run on a grant; without any it is given back."""
        grant.nodes = frozenset(one.id for one in nodes)
        grant.left = {*grant.nodes}
        self._grants |= {(key, one.id): grant for one in nodes}
        if not nodes:
            async with self._store.writing(grant.community_id) as write:
                await settle(write.money, grant.community_id, grant.reservation, grant.spent)

    def lend(self, key: TreeKey, node_id: NodeId, grant: Grant) -> None:
        """Let something run on a grant by a node's number alone."""
        grant.nodes, grant.left = frozenset({node_id}), {node_id}
        self._grants[key, node_id] = grant

    def runs(self, key: TreeKey) -> bool:
        """Tell whether anything of a tree runs on a grant."""
        return any(at[0] == key for at in self._grants)

    async def _share(self, community_id: CommunityId, ceilings: Ceilings | None) -> float:
        async with self._store.reading() as read:
            view = await read.views.action_view(community_id, agent_ids=(), room_ids=(), doors=False)
            config, day = held_to(view.config, ceilings), day_of(self._clock.now())
            spending = await spending_now(read.money, community_id, config, day, ceilings)
        return spending.share

    async def coin(self, key: TreeKey) -> str:
        """Name the money in which a tree's calls are counted."""
        return (await self._model(key.community_id)).source.coin

    async def _model(self, community_id: CommunityId) -> Model:
        async with self._store.reading() as read:
            community = await read.communities.of_id(community_id)
            if community is None:
                raise NotFound(Sentence("This server is not there any more."))
            return await self._models.of(read.providers, community)


@dataclass(frozen=True, slots=True, kw_only=True)
class Orchard:
    """What trees are kept and grown with; `program`: this version."""

    trees: Trees
    images: Images
    grower: Grower
    treasury: Treasury
    program: str = field(default_factory=lambda: metadata.version("selfroom"))


def _names(view: Outline) -> set[str]:
    agents = view.agents.values()  # also those that are retired: in a world they may live
    return {view.config.model, *(name for one in agents for name in (one.model, *one.spare_models))}


def _ceilings(model: Model, names: Collection[str]) -> Ceilings | None:
    """Give what holds an operation: of one community some models may be the installation's, and others its own."""
    return next((held for name in sorted(names) if (held := model.ceilings(name)) is not None), None)


def _tokens_of(tokenizer: Tokenizer, call: ModelCall) -> int:
    return count(tokenizer, call.instructions) + count(tokenizer, call.input)


def _price(model: Model, agent: Agent, answer_tokens: int) -> Decimal:
    return model.list_price(agent.model, input_tokens=agent.token_budget, output_tokens=answer_tokens)


def _facts(model: Model, name: str) -> ModelFacts:
    def price(**tokens: int) -> Decimal:
        return model.list_price(name, **{"input_tokens": 0, "output_tokens": 0, **tokens}) / MILLION

    return ModelFacts(
        context_tokens=model.context_tokens(name),
        input_usd=price(input_tokens=MILLION),
        cached_usd=price(input_tokens=MILLION, cached_tokens=MILLION),
        output_usd=price(output_tokens=MILLION),
        price_is_known=model.price_is_known(name),
        is_known=model.is_known(name),
        refusal=model.refusal(name),
        takes_temperature=model.takes_temperature(name),
        thinks=model.thinks(name),
        takes_schema=model.takes_schema(name),
    )
