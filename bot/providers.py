"""The installation's model servers and their prices, as its settings have them."""

from bot.adapters.cipher import AesCipher
from bot.adapters.llm.communities import CommunityProviders
from bot.adapters.llm.guard import is_near, is_own_machine
from bot.adapters.llm.prices import Price, Prices
from bot.adapters.llm.provider import Memory, Pace, Provider, ProviderOptions
from bot.core.errors import BadSetting
from bot.house import DiscordSite
from bot.settings import Settings
from bot.vault import revealed
from storage.store import SqlStore

PLAYGROUND_KEY = "playground"  # the scripted model takes any


def make_models(settings: Settings, site: DiscordSite, cipher: AesCipher, store: SqlStore) -> CommunityProviders:
    """Set up the installation's providers, and the way to those that communities bring themselves."""
    pace = Pace(
        silence_seconds=settings.model_timeout_seconds,
        total_seconds=settings.model_total_seconds,
        calls_at_once=settings.calls_per_provider,
    )
    return CommunityProviders(
        {one.name: Provider(one, pace, memory=memory(one, store)) for one in provider_options(settings, site)},
        prices_of(settings),
        cipher,
        pays_for=settings.pays_for,
        private=settings.private_providers,
        pace=pace,
        store=store,
        ceilings=settings.ceilings,
        allowed=settings.paid_models,
    )


def memory(options: ProviderOptions, store: SqlStore) -> Memory | None:
    """Give where is kept what is found out about one of the installation's servers; the scripted one is known."""
    return None if options.imaginary else Memory(store=store, name=f"models of {options.name or 'the first provider'}")


def provider_options(settings: Settings, site: DiscordSite) -> list[ProviderOptions]:
    """Give the installation's providers: the first one, and those with a prefix of their own."""
    key = revealed(settings.openai_api_key)
    scripted = site.is_playground and settings.openai_base_url is None
    if not (key or settings.openai_base_url or scripted or settings.all_providers):
        if settings.sponsored:
            raise BadSetting(
                "No model is set: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or SELFROOM_OPENAI_BASE_URL "
                "for a server of yours."
            )
        return []
    first = ProviderOptions(
        name="",
        base_url=site.model_url if scripted else settings.openai_base_url,
        api_key=PLAYGROUND_KEY if scripted else key or "none",
        api="responses" if scripted else settings.openai_api,
        structured=settings.openai_structured,
        free=is_own_machine(settings.openai_base_url),
        near=is_near(settings.openai_base_url),
        imaginary=scripted,
    )
    others = [
        ProviderOptions(
            name=name,
            base_url=one.base_url,
            api_key=one.api_key.get_secret_value(),
            api=one.api,
            structured=one.structured,
            free=is_own_machine(one.base_url),
            near=is_near(one.base_url),
        )
        for name, one in settings.all_providers.items()
    ]
    return [first, *others]


def prices_of(settings: Settings) -> Prices:
    """Give what models cost and hold, with the installation's own values on top."""
    own = {name: Price(**dict(one)) for name, one in settings.prices.items()}
    return Prices(settings.context_tokens, own, named=(settings.defaults.model, *settings.paid_models))
