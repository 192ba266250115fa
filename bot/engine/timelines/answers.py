"""What models answer in a node: asked over the pipe, recorded before it is used, and served again from the record."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, fields
from decimal import Decimal
from hashlib import sha256
from typing import Protocol

from pydantic import TypeAdapter

from bot.core import errors
from bot.core.errors import ModelError, ModelRefused, NotFound
from bot.core.models import (
    Ceilings,
    ModelAnswer,
    ModelCall,
    OwnProvider,
    OwnProviders,
    Source,
    Tokenizer,
    VoiceMessage,
)
from bot.core.ports.trees import Asking
from bot.core.records import Community, Usage
from bot.core.sentences import Sentence
from bot.core.timelines.records import Answer, Fault, NodeId, TreeKey

TokenizerFor = Callable[[str], Tokenizer]
Ask = Callable[[], Awaitable[ModelAnswer]]
PLAIN = tuple(one.name for one in fields(ModelCall) if one.name not in ("redactor", "on_sent"))


class GrantSpent(ModelError):
    """The money of an operation does not hold one more call."""


class Ended(GrantSpent):
    """Whoever runs it wants no further call: what was played until now stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What the house knows of a model; prices in USD for one token."""

    context_tokens: int
    input_usd: Decimal
    cached_usd: Decimal
    output_usd: Decimal
    price_is_known: bool = True
    is_known: bool = True
    refusal: str = ""
    takes_temperature: bool = True
    thinks: bool | None = None  # None: of an older world, where those did that take no temperature
    takes_schema: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseFacts:
    """What the house knows of its models, by name; an unknown name is as the first one. `missing`: as in `Source`."""

    models: Mapping[str, ModelFacts]
    missing: str = ""


FACTS: TypeAdapter[HouseFacts] = TypeAdapter(HouseFacts)


class Recording(Protocol):
    """Where answers are recorded."""

    async def record(self, key: TreeKey, node_id: NodeId, answer: Answer) -> None:
        """Record what a call came to, before it is used."""


class House(Asking, Protocol):
    """What a world apart asks the house for."""

    async def facts(self, key: TreeKey, models: Sequence[str]) -> HouseFacts:
        """Give what is known of these models."""


def digest_of(call: ModelCall) -> str:
    """Give the sha256 of all that a model is asked by."""
    asked = [
        *(call.model, call.instructions, call.input, call.temperature, call.answer_tokens, call.schema),
        *(call.cache_key, list(call.images), call.wants_json, call.whose, call.is_awaited),
    ]
    return sha256(json.dumps(asked, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def fault_of(error: ModelError) -> Fault:
    """Give an error as it is recorded."""
    return Fault(
        name=type(error).__name__,
        sentence=error.sentence,
        retry_after_seconds=error.retry_after_seconds,
        unsure=error.usage is None,
    )


def error_of(fault: Fault) -> ModelError:
    """Give a recorded error as it was raised."""
    kind = getattr(errors, fault.name, None)
    kind = kind if isinstance(kind, type) and issubclass(kind, ModelError) else ModelError
    return kind(fault.sentence, retry_after_seconds=fault.retry_after_seconds, unsure=fault.unsure)


@dataclass(kw_only=True)
class Record:
    """The calls of one run of a node, in the order in which they were made.

    `only`: nothing may be asked that is not recorded (`rerun`); the first such call is `differs`. `is_spent`: the
    grant held no further call; `is_ended`: somebody wanted none.
    """

    trees: Recording
    house: House
    key: TreeKey
    node_id: NodeId
    kept: Sequence[Answer]
    only: bool = False
    ends_short: bool = False
    calls: int = 0
    usd: Decimal = Decimal(0)
    tokens: int = 0
    differs: str = ""
    is_spent: bool = False
    is_ended: bool = False
    last_fault: str = ""
    _served: set[int] = field(default_factory=set)

    @property
    def is_cut(self) -> bool:
        """Whether the run cannot go on: there is no money, or nothing more in the record."""
        return self.is_spent or bool(self.differs)

    async def answer(self, call: ModelCall) -> ModelAnswer:
        """Give what a model answers, or answered when this was asked before."""
        call.on_sent()
        bare = ModelCall(**{name: getattr(call, name) for name in PLAIN})

        async def ask() -> ModelAnswer:
            return await self.house.answer(self.key, self.node_id, bare)

        return await self._taken(digest_of(call), ask)

    async def facts(self, models: Collection[str]) -> HouseFacts:
        """Give what the house knows of some models: a world is run again with what was known then."""
        names = sorted(models)

        async def ask() -> ModelAnswer:
            found = await self.house.facts(self.key, names)
            return ModelAnswer(text=FACTS.dump_json(found).decode(), usage=Usage())

        request = sha256(json.dumps(["models", names]).encode()).hexdigest()
        return FACTS.validate_json((await self._taken(request, ask)).text)

    async def _taken(self, request: str, ask: Ask) -> ModelAnswer:
        self.calls += 1
        known = self._known(request)
        if known is None:
            known = await self._asked(request, ask)
            await self.trees.record(self.key, self.node_id, known)
        if known.fault is not None:
            self.last_fault = known.fault.sentence
            raise error_of(known.fault)
        if known.answer is None:
            raise RuntimeError("an answer was recorded that is none")
        self.usd += known.answer.usage.cost_usd
        self.tokens += known.answer.usage.input_tokens + known.answer.usage.output_tokens
        return known.answer

    def _known(self, request: str) -> Answer | None:
        """Find what the same request came to: the call of this number, else any that was not served yet."""
        left = [one for one in self.kept if one.request == request and one.call not in self._served]
        found = next((one for one in left if one.call == self.calls), None)
        if found is None and left and not self.only:
            found = left[0]
        if found is not None:
            self._served.add(found.call)
        return found

    async def _asked(self, request: str, ask: Ask) -> Answer:
        if self.is_cut:
            raise asyncio.CancelledError
        if self.only:
            if self.ends_short and len(self._served) == len(self.kept):
                self.is_spent = True
            else:
                self.differs = f"Call {self.calls} asks otherwise than it did."
            raise asyncio.CancelledError  # whoever asks is put back as it was
        number = max([self.calls, *(one.call + 1 for one in self.kept)])
        try:
            answer: ModelAnswer | None = await ask()
            fault = None
        except GrantSpent as error:
            self.is_spent, self.is_ended = True, isinstance(error, Ended)
            raise asyncio.CancelledError from None
        except ModelError as error:
            answer, fault = None, fault_of(error)
        made = Answer(call=number, request=request, answer=answer, fault=fault)
        self.kept = [*self.kept, made]
        self._served.add(number)
        return made


class NodeModels:
    """The models of a world apart: what is known of them was asked before, and each answer comes from the record."""

    def __init__(self, record: Record, facts: HouseFacts, tokenizer_for: TokenizerFor) -> None:
        self._record = record
        self._facts = facts
        self._tokenizer_for = tokenizer_for

    async def of(self, providers: OwnProviders, community: Community) -> "NodeModels":
        """Give them: nobody brings a provider of their own here."""
        return self

    def trial(self, provider: OwnProvider, key: str) -> AbstractAsyncContextManager["NodeModels"]:
        """Refuse: a provider is tried in life only."""
        raise NotFound(Sentence("A model provider cannot be tried in a timeline: do it in real life."))

    def _of(self, model: str) -> ModelFacts:
        return self._facts.models.get(model) or next(iter(self._facts.models.values()))

    @property
    def source(self) -> Source:
        """Who provides them: whom the house asks is not known here."""
        return Source(missing=self._facts.missing)

    async def answer(self, call: ModelCall) -> ModelAnswer:
        """Ask once."""
        return await self._record.answer(call)

    async def objection(self, model: str, text: str) -> str:
        """Object to nothing: nobody reads what is posted here before it is asked for."""
        return ""

    async def hear(self, model: str, voice: VoiceMessage) -> ModelAnswer:
        """Hear nothing: nobody speaks in a world that is run again."""
        raise ModelRefused("Nobody speaks in a what-if.")

    def hearing_price(self, model: str, seconds: float) -> Decimal:
        """Give nothing: nobody hears here."""
        return Decimal(0)

    def context_tokens(self, model: str) -> int:
        """Give the model's context limit."""
        return self._of(model).context_tokens

    def list_price(self, model: str, *, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Decimal:
        """Give what a call costs, in USD."""
        one = self._of(model)
        fresh = one.input_usd * (input_tokens - cached_tokens)
        return fresh + one.cached_usd * cached_tokens + one.output_usd * output_tokens

    def price_is_known(self, model: str) -> bool:
        """Tell whether what is booked for its calls is what they cost."""
        return self._of(model).price_is_known

    def is_known(self, model: str) -> bool:
        """Tell whether its price is in the lists."""
        return self._of(model).is_known

    def ceilings(self, model: str) -> Ceilings | None:
        """Give none: a grant was taken for all of it."""
        return None

    def is_own(self, model: str) -> bool:
        """Say no: no provider is asked for a world that is run again."""
        return False

    def counted_as(self, model: str) -> str:
        """Give its name: nothing is counted of a world that is run again."""
        return model

    def refusal(self, model: str) -> str:
        """Say why the installation does not pay for it."""
        return self._of(model).refusal

    def takes_temperature(self, model: str) -> bool:
        """Tell whether the model lets a temperature be set."""
        return self._of(model).takes_temperature

    def thinks(self, model: str) -> bool:
        """Tell whether the model thinks before it writes."""
        one = self._of(model)
        return not one.takes_temperature if one.thinks is None else one.thinks

    def takes_schema(self, model: str) -> bool:
        """Tell whether the model can be held to a JSON schema."""
        return self._of(model).takes_schema

    def is_failing(self, model: str) -> bool:
        """Say no: whether it failed lately elsewhere is nothing to a world that is run again."""
        return False

    async def listed(self, model: str) -> Sequence[str]:
        """Say none: no server is asked for a world that is run again."""
        return ()

    def sees_images(self, model: str) -> bool:
        """Say no: pictures lie on Discord, of which nothing is known here."""
        return False

    def tokenizer(self, model: str) -> Tokenizer:
        """Give the tokenizer that counts for this model."""
        return self._tokenizer_for(model)
