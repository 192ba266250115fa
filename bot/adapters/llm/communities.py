"""Whose provider a community's models are asked at: the installation's where it pays, else the community's own."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from decimal import Decimal

import httpx2
import structlog

from bot.adapters.llm.guard import GuardedTransport, checked_address, trusted
from bot.adapters.llm.prices import Prices
from bot.adapters.llm.provider import Memory, Pace, Provider, ProviderOptions
from bot.core.errors import BadSetting, ModelError, ModelRefused
from bot.core.models import Ceilings, ModelAnswer, ModelCall, OwnProvider, OwnProviders, Source, Tokenizer, VoiceMessage
from bot.core.ports import Cipher, Store
from bot.core.records import Community, CommunityId, Snowflake, Usage
from bot.core.sealing import of_provider
from bot.tokens import tokenizer_for

SEEING = (
    "gpt-4o",
    "gpt-4.1",
    "gpt-5",
    "o1",
    "o3",
    "o4-mini",
    "llava",
    "llama3.2-vision",
    "gemma3",
    "qwen2.5vl",
    "claude-",
    "gemini-",
)
HEARD_A_SECOND, WRITTEN_A_SECOND = 20, 10  # tokens, at most, of what is heard and of the words that it is
REASONING = ("o1", "o3", "o4", "gpt-5")  # take no temperature
THINKING = ("gemini-",)  # and take one
UNTHINKING = ("gemini-1", "gemini-2.0", "gemini-2.5-flash-lite")


class Providers:
    """The `Model` port over several servers; `source` is the one that serves names without a prefix.

    `ceilings` and `allowed` (models; empty: any) hold what is asked of the installation's own servers. `whose`: the
    community's, for whom alone a model rests that fails it.
    """

    def __init__(
        self,
        providers: Mapping[str, Provider],
        prices: Prices,
        *,
        missing: str = "",
        ceilings: Ceilings | None = None,
        allowed: tuple[str, ...] = (),
        whose: str = "",
    ) -> None:
        self._providers = providers
        self._prices = prices
        self._ceilings = ceilings
        self._allowed = allowed
        self._whose = whose
        first = providers.get("")
        all_paid = not any(one.options.own for one in providers.values())
        self.source = Source(
            address=first.address if first else "",
            own=first is not None and first.options.own,
            missing=missing,
            ceilings=ceilings if all_paid and first is not None and first.options.is_paid else None,
            allowed=allowed if all_paid else (),
            imaginary=first is not None and first.options.imaginary,
        )

    async def answer(self, call: ModelCall) -> ModelAnswer:
        """Ask the model's provider once its queue allows; raises ModelError's children."""
        provider, model = self._find(call.model)
        try:
            answer = await provider.answer(model, call, self._whose)
        except ModelError as error:
            error.usage = error.usage and self._priced(call.model, error.usage)
            raise
        return replace(answer, usage=self._priced(call.model, answer.usage))

    async def objection(self, model: str, text: str) -> str:
        """Ask the model's provider whether a text may be said; gives why not, and raises ModelError's children."""
        provider, bare = self._find(model, free=True)
        return await provider.objection(bare, text, self._whose)

    async def hear(self, model: str, voice: VoiceMessage) -> ModelAnswer:
        """Ask the model's provider what is said in a voice message; raises ModelError's children."""
        provider, bare = self._find(model)
        answer = await provider.hear(bare, voice, self._whose)
        used = answer.usage
        tokens = used.input_tokens or int(voice.seconds * HEARD_A_SECOND)
        usd = self._heard_for(model, tokens, used.output_tokens or int(voice.seconds * WRITTEN_A_SECOND))
        return replace(answer, usage=replace(used, input_tokens=tokens, cost_usd=usd))

    def hearing_price(self, model: str, seconds: float) -> Decimal:
        """Give what it costs at most, in USD, to have so many seconds heard."""
        return self._heard_for(model, int(seconds * HEARD_A_SECOND), int(seconds * WRITTEN_A_SECOND))

    def _heard_for(self, model: str, heard_tokens: int, written_tokens: int) -> Decimal:
        found = self._found(model)
        if found is not None and found[0].options.free:
            return Decimal(0)
        return self._prices.hearing(model, heard_tokens=heard_tokens, written_tokens=written_tokens)

    def context_tokens(self, model: str) -> int:
        """Give the model's context limit in tokens."""
        found = self._found(model)
        held = found[0].seen(found[1]).context_tokens if found is not None else None
        return self._prices.context_tokens(model, held)

    def list_price(self, model: str, *, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Decimal:
        """Give what a call costs in USD; with nothing cached it is the most."""
        usage = Usage(input_tokens=input_tokens, cached_tokens=cached_tokens, output_tokens=output_tokens)
        return self._priced(model, usage).cost_usd

    def price_is_known(self, model: str) -> bool:
        found = self._found(model)
        return (found is not None and found[0].options.free) or self._prices.knows(model)

    def is_known(self, model: str) -> bool:
        return self._prices.knows(model)

    def is_own(self, model: str) -> bool:
        found = self._found(model)
        return found is not None and found[0].options.own

    def counted_as(self, model: str) -> str:
        return "own" if self.is_own(model) else self._prices.name_of(model) or "others"

    def ceilings(self, model: str) -> Ceilings | None:
        found = self._found(model)
        return self._ceilings if found is not None and found[0].options.is_paid else None

    def refusal(self, model: str) -> str:
        found = self._found(model)
        if found is None or found[0].options.own:
            return ""
        if self._allowed and model not in self._allowed:
            return f"Whoever runs Selfroom does not pay for {model}: choose one of {', '.join(self._allowed)}."
        options = found[0].options
        if options.is_paid and not options.near and not self._prices.knows(model):
            return f"What {model} costs is not known: choose another, or ask whoever runs Selfroom for SELFROOM_PRICES."
        return ""

    def takes_temperature(self, model: str) -> bool:
        """Tell whether a temperature can be set: reasoning models refuse it."""
        found = self._found(model)
        if found is not None and found[0].options.api == "anthropic":
            return False  # its requests know none any more
        if found is not None and not found[0].known(found[1], self._whose).temperature:
            return False
        return not model.rpartition("/")[2].startswith(REASONING)

    def thinks(self, model: str) -> bool:
        """Tell whether the model thinks before it writes: by its name, or as it was seen to."""
        found, name = self._found(model), model.rpartition("/")[2]
        if found is not None and found[0].known(found[1], self._whose).thinks:
            return True
        by_name = name.startswith(THINKING) and not name.startswith(UNTHINKING)
        return by_name or not self.takes_temperature(model)

    def takes_schema(self, model: str) -> bool:
        """Tell whether the model can be held to a JSON schema, as far as is known."""
        found = self._found(model)
        return found is None or (found[0].options.structured and found[0].known(found[1], self._whose).rung == "schema")

    def is_failing(self, model: str) -> bool:
        found = self._found(model)
        return found is not None and found[0].is_failing(found[1], self._whose)

    async def listed(self, model: str) -> Sequence[str]:
        found = self._found(model)
        if found is None:
            return ()
        prefix = model.removesuffix(found[1])
        return [f"{prefix}{name}" for name in await found[0].listed()]

    def sees_images(self, model: str) -> bool:
        """Tell whether the model can be shown pictures, as far as its name tells."""
        return model.rpartition("/")[2].startswith(SEEING)

    def tokenizer(self, model: str) -> Tokenizer:
        return tokenizer_for(model)

    async def close(self) -> None:
        for provider in self._providers.values():
            await provider.close()

    def _priced(self, model: str, usage: Usage) -> Usage:
        found = self._found(model)
        free = found is not None and found[0].options.free
        return replace(usage, cost_usd=Decimal(0) if free else self._prices.cost(model, usage))

    def _found(self, model: str) -> tuple[Provider, str] | None:
        prefix, slash, rest = model.partition("/")
        if slash and prefix in self._providers:
            return self._providers[prefix], rest
        return (self._providers[""], model) if "" in self._providers else None

    def _find(self, model: str, *, free: bool = False) -> tuple[Provider, str]:
        found = self._found(model)
        if self.source.missing or found is None:
            unserved = f"No provider serves {model!r}: set OPENAI_API_KEY or SELFROOM_OPENAI_BASE_URL."
            raise ModelRefused(self.source.missing or unserved)
        if not free and (refusal := self.refusal(model)):
            raise ModelRefused(refusal)
        return found


NOBODY_PAYS = (
    "This server has no model provider yet: somebody who may manage it sets one up with `/setup provider`, or whoever "
    "runs Selfroom adds its id, {guild_id}, to SELFROOM_SPONSORED_SERVERS."
)
UNREADABLE = "The key of this server's model provider cannot be read any more: set it anew with `/setup provider`."
OPENAI_URL = "https://api.openai.com/v1"  # said, for OPENAI_BASE_URL in the environment is not theirs
NO_KEY = "none"  # for servers that take any
TRIAL_PACE = Pace(total_seconds=90, calls_at_once=1, retries=0)  # a cold model takes its time

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Made:
    """What was made for a community from what it had kept; `provider` is its own."""

    kept: OwnProvider | None
    models: Providers
    provider: Provider | None


class CommunityProviders:
    """The `Models` port. `pays_for` tells for which servers the installation's own providers may be asked.

    `private`: communities may name servers in this machine's own network, and without TLS. `ceilings` and `allowed`
    (models; empty: any) hold what the installation pays for. What is found out about servers is kept in the `store`.
    """

    def __init__(
        self,
        installation: Mapping[str, Provider],
        prices: Prices,
        cipher: Cipher,
        *,
        pays_for: Callable[[Snowflake], bool],
        private: bool = False,
        pace: Pace | None = None,
        store: Store | None = None,
        ceilings: Ceilings | None = None,
        allowed: tuple[str, ...] = (),
    ) -> None:
        self._ceilings = ceilings
        self._allowed = allowed
        self._installation = installation
        self._prices = prices
        self._cipher = cipher
        self._pays_for = pays_for
        self._private = private
        self._pace = pace
        self._store = store
        self._made: dict[CommunityId, _Made] = {}
        self._leaving: set[asyncio.Task[None]] = set()

    async def of(self, providers: OwnProviders, community: Community) -> Providers:
        """Give what a community may ask, with the clients made for it before unless it has changed its provider."""
        kept = await providers.of(community.id)
        made = self._made.get(community.id)
        if made is None or made.kept != kept:
            if made is not None and made.provider is not None:
                self._let_go(made.provider)
            made = self._made[community.id] = self._make(community, kept)
        return made.models

    def installation(self) -> Providers:
        """Give the installation's own models."""
        return self._providers(self._installation)

    @asynccontextmanager
    async def trial(self, provider: OwnProvider, key: str) -> AsyncIterator[Providers]:
        """Open a provider that is not kept yet, to try it; raises Rejected for an address that may not be asked."""
        if provider.base_url is not None:
            checked_address(provider.base_url, private=self._private)
        opened = self._open(provider, key, TRIAL_PACE)
        try:
            yield Providers({provider.prefix: opened, "": opened}, self._prices)
        finally:
            await opened.leave()

    async def close(self) -> None:
        await asyncio.gather(*self._leaving)
        for made in self._made.values():
            if made.provider is not None:
                await made.provider.close()
        for provider in self._installation.values():
            await provider.close()

    def _make(self, community: Community, kept: OwnProvider | None) -> _Made:
        whose = str(community.id)
        shared = self._installation if self._pays_for(community.guild_id) else {}
        if kept is None:
            missing = "" if shared else NOBODY_PAYS.format(guild_id=community.guild_id)
            return _Made(None, self._providers(shared, missing=missing, whose=whose), None)
        try:
            key = self._cipher.decrypt(kept.sealed_key, of_provider(community.id))
            own = self._open(kept, key, self._pace_of(kept), self._memory(community.id))
        except BadSetting as error:
            log.warning("the key of a community's provider cannot be read", community=community.id, why=error.sentence)
            return _Made(kept, Providers({}, self._prices, missing=UNREADABLE), None)
        return _Made(kept, self._providers({"": own, **shared, kept.prefix: own}, whose=whose), own)

    def _providers(self, providers: Mapping[str, Provider], *, missing: str = "", whose: str = "") -> Providers:
        ceilings, allowed = self._ceilings, self._allowed
        return Providers(providers, self._prices, missing=missing, ceilings=ceilings, allowed=allowed, whose=whose)

    def _pace_of(self, kept: OwnProvider) -> Pace | None:
        """Give how a community's server is asked: what it says of calls at once goes before the installation's."""
        return replace(self._pace or Pace(), calls_at_once=kept.calls_at_once) if kept.calls_at_once else self._pace

    def _memory(self, community_id: CommunityId) -> Memory | None:
        return Memory(store=self._store, name=f"models of community {community_id}") if self._store else None

    def _open(self, provider: OwnProvider, key: str, pace: Pace | None, memory: Memory | None = None) -> Provider:
        options = ProviderOptions(
            name=provider.prefix,
            base_url=provider.base_url or (OPENAI_URL if provider.api in ("responses", "chat") else None),
            api_key=key or NO_KEY,
            api=provider.api,
            structured=provider.structured,
            free=provider.free,
            own=True,
        )
        line = httpx2.AsyncHTTPTransport(verify=trusted())
        return Provider(options, pace, transport=line if self._private else GuardedTransport(line), memory=memory)

    def _let_go(self, provider: Provider) -> None:
        """Close a provider's connections beside what goes on, when nobody waits for it any more."""
        task = asyncio.create_task(provider.leave())
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
