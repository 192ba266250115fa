"""Who asks models for a run: within its budget and until somebody ends it, or from what was answered before."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from json import dumps

from bot.core.errors import BadSetting
from bot.core.models import Model, ModelAnswer, ModelCall, OwnProvider, OwnProviders
from bot.core.ports import Clock, Store
from bot.core.ports.trees import Trees
from bot.core.records import Community, CommunityId
from bot.core.timelines.records import Answer, Node, NodeId, TreeKey
from bot.engine.runs.founding import GUILD
from bot.engine.runs.playing import KEY
from bot.engine.timelines.answers import FACTS, Ended, House, HouseFacts, digest_of, error_of
from bot.engine.timelines.house import Estimate, Grant, Treasury

Recall = Callable[[], Answer]  # reads an answer again: a whole record may be hundreds of megabytes
ENDED = "Somebody ended the run."
OTHERWISE = (
    "These answers are of another run: call {} of this one asks what none of them was given for. Take the file, the "
    "seed and the Selfroom that they were recorded with."
)


@dataclass(frozen=True, slots=True)
class OnlyModel:
    """The `Models` port with one model in it."""

    model: Model

    async def of(self, providers: OwnProviders, community: Community) -> Model:
        """Give it: nobody brings a provider of their own."""
        return self.model

    def trial(self, provider: OwnProvider, key: str) -> AbstractAsyncContextManager[Model]:
        """Refuse: there is nobody who could try one."""
        raise BadSetting("In a run no provider is tried.")


@dataclass(kw_only=True)
class Asked:
    """Asks a house until somebody ends it; the house holds it to its money."""

    house: House
    _ended: asyncio.Event = field(default_factory=asyncio.Event)

    def end(self) -> None:
        """Ask nothing more: the call that is being answered is given up, and counts in full."""
        self._ended.set()

    @property
    def is_ended(self) -> bool:
        """Whether nothing more is asked."""
        return self._ended.is_set()

    async def pay_for(self, node: Node) -> None:
        """Take nothing: the house knows what the whole run may spend."""

    async def facts(self, key: TreeKey, models: Sequence[str]) -> HouseFacts:
        """Give what is known of these models."""
        return await self.house.facts(key, models)

    async def answer(self, key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
        """Ask; raises GrantSpent where the budget does not hold the call, and Ended once nothing more is asked."""
        if self.is_ended:
            raise Ended(ENDED)
        asking = asyncio.ensure_future(self.house.answer(key, node_id, call))
        ending = asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait((asking, ending), return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                return asking.result()
            raise Ended(ENDED)
        finally:
            for one in (asking, ending):
                one.cancel()
            await asyncio.gather(asking, ending, return_exceptions=True)


@dataclass(kw_only=True)
class Budgeted(Asked):
    """Asks a model as a what-if does, from one grant that is the whole budget."""

    treasury: Treasury
    grant: Grant

    @classmethod
    async def of(cls, store: Store, trees: Trees, model: Model, clock: Clock, *, usd: Decimal) -> "Budgeted":
        """Set the budget aside in a store that is nothing but the run's own community."""
        treasury = Treasury(store, OnlyModel(model), trees, clock, places=None)
        grant = await treasury.grant(KEY, Estimate(usd=usd, granted_usd=usd, tokens=0))
        if grant is None:
            raise BadSetting("A run needs a budget: give it some.")
        return cls(house=treasury, treasury=treasury, grant=grant)

    async def pay_for(self, node: Node) -> None:
        """Let a node spend of the run's budget."""
        await self.treasury.give(KEY, self.grant, [node])


@dataclass(kw_only=True)
class Replayed:
    """Answers from a record, each as often as it was given; nobody is asked. `differs`: the first call without one."""

    differs: str = ""
    is_ended: bool = False
    unused: dict[str, deque[Recall]] = field(default_factory=dict)
    _calls: int = 0

    @classmethod
    def of(cls, recorded: Iterable[tuple[str, Recall]]) -> "Replayed":
        """Take a record, in the order in which it was made: what was asked, and what gives the answer."""
        made = cls()
        for request, recall in recorded:
            made.unused.setdefault(request, deque()).append(recall)
        return made

    def end(self) -> None:
        """Answer nothing more."""
        self.is_ended = True

    async def pay_for(self, node: Node) -> None:
        """Take nothing: all of it was paid."""

    async def facts(self, key: TreeKey, models: Sequence[str]) -> HouseFacts:
        """Give what was known of these models."""
        request = sha256(dumps(["models", list(models)]).encode()).hexdigest()
        found = self._taken(request)
        return FACTS.validate_json(found.text)

    async def answer(self, key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
        """Give what was answered; raises Ended where nothing was."""
        if self.is_ended:
            raise Ended(ENDED)
        self._calls += 1
        return self._taken(digest_of(call))

    def _taken(self, request: str) -> ModelAnswer:
        left = self.unused.get(request)
        if not left:
            self.differs = self.differs or OTHERWISE.format(max(1, self._calls))
            raise Ended(self.differs)
        found = left.popleft()()
        if found.fault is not None:
            raise error_of(found.fault)
        if found.answer is None:
            raise BadSetting("An answer in the record is none: take the file as it was written.")
        return found.answer


async def homeless(store: Store, title: str) -> CommunityId:
    """Make the bare community that a budget is set aside in, where none was founded."""
    async with store.writing() as write:
        return (await write.communities.add(GUILD, title)).id
