"""Whose provider a community's models are asked at: the installation's where it pays, else the community's own."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
import structlog

from bot.adapters.llm.guard import GuardedTransport, checked_address
from bot.adapters.llm.prices import Prices
from bot.adapters.llm.provider import Memory, Pace, Provider, ProviderOptions
from bot.adapters.llm.providers import Providers
from bot.core.errors import BadSetting
from bot.core.models import Ceilings, OwnProvider, OwnProviders
from bot.core.ports import Cipher, Store
from bot.core.records import Community, CommunityId, Snowflake
from bot.core.sealing import of_provider

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
        self._tls = httpx2.create_ssl_context()  # shared: to make one takes 20 ms and nearly a megabyte
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
        shared = self._installation if self._pays_for(community.guild_id) else {}
        if kept is None:
            missing = "" if shared else NOBODY_PAYS.format(guild_id=community.guild_id)
            return _Made(None, self._providers(shared, missing=missing), None)
        try:
            key = self._cipher.decrypt(kept.sealed_key, of_provider(community.id))
            own = self._open(kept, key, self._pace, self._memory(community.id))
        except BadSetting as error:
            log.warning("the key of a community's provider cannot be read", community=community.id, why=error.sentence)
            return _Made(kept, Providers({}, self._prices, missing=UNREADABLE), None)
        return _Made(kept, self._providers({"": own, **shared, kept.prefix: own}), own)

    def _providers(self, providers: Mapping[str, Provider], *, missing: str = "") -> Providers:
        ceilings, allowed = self._ceilings, self._allowed
        return Providers(providers, self._prices, missing=missing, ceilings=ceilings, allowed=allowed)

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
        line = httpx2.AsyncHTTPTransport(verify=self._tls)
        return Provider(options, pace, transport=line if self._private else GuardedTransport(line), memory=memory)

    def _let_go(self, provider: Provider) -> None:
        """Close a provider's connections beside what goes on, when nobody waits for it any more."""
        task = asyncio.create_task(provider.leave())
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
