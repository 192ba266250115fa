"""The composition root: builds every part, closes every part, and is the only place that knows all of them."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import structlog
from pydantic import SecretStr

from bot.adapters.cipher import FernetCipher, open_cipher
from bot.adapters.clock import BeatRandom, SystemClock, random_for
from bot.adapters.discord.address import point_at
from bot.adapters.discord.publisher import DiscordPublisher
from bot.adapters.llm.communities import CommunityProviders
from bot.adapters.llm.prices import Price, Prices
from bot.adapters.llm.providers import Pace, Provider, ProviderOptions
from bot.adapters.llm.tokens import tokenizer_for
from bot.adapters.logs import hush_false_lag, set_up_logs
from bot.adapters.metrics import PrometheusMetrics
from bot.adapters.scheduler import SlotScheduler
from bot.adapters.web import Face
from bot.client import SelfroomClient
from bot.core.errors import BadSetting, NotFound, one_of
from bot.core.kinds import InputFormat
from bot.core.records import Community, Snowflake
from bot.core.schema import answer_schema
from bot.core.view import agent_named
from bot.doctor import Finding, check_data_folder, examine, examine_communities
from bot.engine.delivery import Delivery
from bot.engine.front_desk import FrontDesk
from bot.engine.heartbeat import Heartbeat
from bot.engine.hud_now import hud_now as seen_now
from bot.engine.intake import Intake
from bot.engine.performer import Performer
from bot.engine.summaries import Summaries
from bot.engine.upkeep import Upkeep
from bot.house import House, Place
from bot.playground.server import Observer, Playground, PlaygroundError, PlaygroundOptions
from bot.settings import Settings
from cogs import COGS
from storage.store import SqlStore

PLAYGROUND_KEY = "playground"  # the scripted model takes any

CALL_PATIENCE = 3.5  # times the model's time limit, for its retries

Say = Callable[[str], object]
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """The outside world: what the house stands on."""

    store: SqlStore
    cipher: FernetCipher
    models: CommunityProviders
    clock: SystemClock
    metrics: PrometheusMetrics


async def run_selfroom(settings: Settings, *, say: Say) -> None:
    """Run until Ctrl-C or SIGTERM; raises a SelfroomError when it cannot start or go on."""
    stop = stopped_by_signals()
    check_data_folder(settings.data_dir)
    set_up_logs(settings.data_dir / "logs", megabytes=settings.log_megabytes, files=settings.log_files)
    if settings.discord_token is None:
        hush_false_lag()
    async with selfroom(settings) as house:
        await house.serve(stop, ready=lambda: announce(house.place, settings, say))


async def run_playground(settings: Settings, *, port: int | None, say: Say) -> None:
    """Run only the playground, for any Discord bot, until Ctrl-C or SIGTERM."""
    stop = stopped_by_signals()
    check_data_folder(settings.data_dir)
    async with playground(settings, port=settings.playground_port if port is None else port) as there:
        say(f"The playground is open: {there.url}")
        say("To point a discord.py bot at it, before it logs in:")
        say(f'    discord.http.Route.BASE = "{there.api_url}"')
        say(f'    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL("{there.gateway_url}")')
        say(f'    discord.Asset.BASE = "{there.cdn_url}"')
        say(f'    client.run("{there.bot_token}")')
        say(f"A Selfroom that runs elsewhere finds a scripted model at {there.url}/v1.")
        await stop.wait()


def stopped_by_signals() -> asyncio.Event:
    """Give an event that Ctrl-C and SIGTERM set."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop


def announce(place: Place, settings: Settings, say: Say) -> None:
    """Say that it runs, and where."""
    if place.is_playground and settings.openai_base_url is None:
        say("The minds here are a scripted model: honest rules. For real ones see the README.")
    say(f"Selfroom is ready: {place.url or 'on Discord'}")


@asynccontextmanager
async def selfroom(settings: Settings, *, observers: Sequence[Observer] = ()) -> AsyncIterator[House]:
    """Build everything; leaving closes everything. `observers` see every request of a playground."""
    async with AsyncExitStack() as stack:
        clock, metrics = SystemClock(), PrometheusMetrics()
        store = await SqlStore.open(settings.database, config=settings.defaults)
        stack.push_async_callback(store.close)
        async with store.writing() as write:
            await write.abandon_claims()  # of a process that was killed: this one is alone
        face = await open_face(stack, settings, store, clock, metrics)
        place = await open_place(stack, settings, face, observers)
        point_at(api=place.api, gateway=place.gateway, cdn=place.cdn)
        cipher = open_cipher(settings.data_dir, revealed(settings.secret))
        models = make_models(settings, place, cipher)
        stack.push_async_callback(models.close)
        yield build(settings, place, Parts(store, cipher, models, clock, metrics), face)


def build(settings: Settings, place: Place, parts: Parts, face: Face | None) -> House:
    """Put the house together from its parts."""
    store, models, clock, metrics = parts.store, parts.models, parts.clock, parts.metrics
    schema, tokenizer = answer_schema(), tokenizer_for(settings.defaults.model)
    cipher = parts.cipher
    performer = Performer(cipher=cipher, tokenizer=tokenizer)
    scheduler = SlotScheduler(clock, slot_seconds=settings.slot_seconds)
    client = SelfroomClient(COGS)
    publisher = DiscordPublisher(client)
    delivery = Delivery(store, publisher, clock, metrics, models=models)
    heartbeat = Heartbeat(
        store,
        models,
        performer,
        clock,
        random_for,
        schema,
        metrics,
        cipher=cipher,
        planned=scheduler,
        on_typing=delivery.typing.begin,
        on_letters=delivery.wake,
        call_seconds=settings.model_timeout_seconds * CALL_PATIENCE,
        schema_tokens=tokenizer.count(json.dumps(schema)),
    )

    def look() -> None:
        """Something was written: there may be letters to carry, and someone may be due."""
        delivery.wake()
        scheduler.nudge(clock.now())

    front_desk = FrontDesk(
        store,
        performer,
        clock,
        BeatRandom("front desk"),
        on_done=look,
        cipher=cipher,
        models=models,
        backup_days=settings.backup_days,
    )
    intake = Intake(store, clock, tokenizer, scheduler, config=settings.defaults, wake=delivery.wake)
    client.equip(store=store, intake=intake, publisher=publisher, front_desk=front_desk)
    upkeep = Upkeep(store, performer, clock, random_for, config=settings.defaults, on_letters=delivery.wake)
    patience = settings.model_timeout_seconds * CALL_PATIENCE
    summaries = Summaries(store, models, clock, metrics, config=settings.defaults, call_seconds=patience)
    parts_of_it = (place, client, publisher, delivery, scheduler, heartbeat, upkeep, summaries, front_desk, face)
    return House(*parts_of_it, partial(expire_backups, store, settings, clock))


async def expire_backups(store: SqlStore, settings: Settings, clock: SystemClock) -> None:
    """Remove the copies of the database that are older than people were told."""
    if gone := await store.expire_backups(settings.backups, clock.now() - timedelta(days=settings.backup_days)):
        log.info("old copies of the database were removed", copies=gone)


async def open_face(
    stack: AsyncExitStack, settings: Settings, store: SqlStore, clock: SystemClock, metrics: PrometheusMetrics
) -> Face | None:
    """Open the bot's own HTTP face: always beside a playground, elsewhere only on the port that is set."""
    port = settings.face_port
    if port is None and settings.discord_token is not None:
        return None
    return await stack.enter_async_context(Face(store, clock, metrics, port=port or 0))


async def open_place(
    stack: AsyncExitStack, settings: Settings, face: Face | None, observers: Sequence[Observer]
) -> Place:
    """Give Discord itself, another server that the settings name, or a playground that is started now."""
    if settings.discord_token is not None:
        return Place(
            token=settings.discord_token.get_secret_value(),
            api=settings.discord_api,
            gateway=settings.discord_gateway,
            cdn=settings.discord_cdn,
        )
    if settings.discord_api is not None:
        raise BadSetting("SELFROOM_DISCORD_API is set, but no token: set DISCORD_TOKEN as well, or neither.")
    opening = playground(
        settings, port=settings.playground_port, face_url=face.url if face else None, observers=observers
    )
    there = await stack.enter_async_context(opening)
    if face is not None:
        face.origins = frozenset({there.url, there.url.replace("127.0.0.1", "localhost")})
    return Place(
        token=there.bot_token,
        api=there.api_url,
        gateway=there.gateway_url,
        cdn=there.cdn_url,
        url=there.url,
        model_url=f"{there.url}/v1",
    )


@asynccontextmanager
async def playground(
    settings: Settings, *, port: int, face_url: str | None = None, observers: Sequence[Observer] = ()
) -> AsyncIterator[Playground]:
    """Open a playground whose state is in the data folder; raises BadSetting when it cannot be opened."""
    state_path = settings.data_dir / "playground.db"
    options = PlaygroundOptions(port=port, state_path=state_path, pace=settings.playground_pace, face_url=face_url)
    there = Playground(options, observers=observers)
    try:
        await there.__aenter__()
    except PlaygroundError as error:
        places = "SELFROOM_PLAYGROUND_PORT and SELFROOM_DATA_DIR choose"
        raise BadSetting(f"{str(error).rstrip('.')} ({places}).") from error
    try:
        yield there
    finally:
        await there.__aexit__(None, None, None)


def make_models(settings: Settings, place: Place, cipher: FernetCipher) -> CommunityProviders:
    """Set up the installation's providers, and the way to those that communities bring themselves."""
    pace = Pace(timeout_seconds=settings.model_timeout_seconds, calls_at_once=settings.calls_per_provider)
    return CommunityProviders(
        {one.name: Provider(one, pace) for one in provider_options(settings, place)},
        Prices(settings.context_tokens, {name: Price(**dict(one)) for name, one in settings.prices.items()}),
        cipher,
        pays_for=settings.pays_for,
        private=settings.private_providers,
        pace=pace,
    )


def provider_options(settings: Settings, place: Place) -> list[ProviderOptions]:
    """Give the installation's providers: the first one, and those with a prefix of their own."""
    key = revealed(settings.openai_api_key)
    scripted = place.is_playground and settings.openai_base_url is None
    if not (key or settings.openai_base_url or scripted or settings.providers):
        if settings.sponsored_servers:
            raise BadSetting("No model is set: set OPENAI_API_KEY, or SELFROOM_OPENAI_BASE_URL for a server of yours.")
        return []
    first = ProviderOptions(
        name="",
        base_url=place.model_url if scripted else settings.openai_base_url,
        api_key=PLAYGROUND_KEY if scripted else key or "none",
        api="responses" if scripted else settings.openai_api,
        structured=settings.openai_structured,
        free=is_own_machine(settings.openai_base_url),
    )
    others = [
        ProviderOptions(
            name=name,
            base_url=one.base_url,
            api_key=one.api_key.get_secret_value(),
            api=one.api,
            structured=one.structured,
            free=is_own_machine(one.base_url),
        )
        for name, one in settings.providers.items()
    ]
    return [first, *others]


def revealed(secret: SecretStr | None) -> str | None:
    """Give a secret's value, where it is used."""
    return secret.get_secret_value() if secret else None


def is_own_machine(url: str | None) -> bool:
    """Tell whether a model server stands on this machine, where tokens cost nothing."""
    return url is not None and urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[SqlStore]:
    """Open the database for one command of the command line."""
    check_data_folder(settings.data_dir)
    store = await SqlStore.open(settings.database, config=settings.defaults)
    try:
        yield store
    finally:
        await store.close()


async def migrate_database(settings: Settings, *, say: Say) -> None:
    """Bring the database up to date and say so."""
    async with opened(settings):
        say(f"The database is up to date: {settings.database.rpartition('@')[2]}")


async def examine_house(settings: Settings) -> list[Finding]:
    """Check everything a run needs."""

    async def database(url: str) -> list[Finding]:
        cipher = open_cipher(settings.data_dir, revealed(settings.secret))
        async with opened(settings) as store, store.reading() as read:
            return await examine_communities(read, settings, cipher)

    return await examine(settings, tokenizer=tokenizer_for(settings.defaults.model), database=database)


def chosen(communities: Sequence[Community], guild_id: int | None) -> Community:
    """Give the one community, or the one of that server; raises NotFound when that leaves none or several."""
    them = [one for one in communities if guild_id in (None, one.guild_id)]
    if len(them) != 1:
        there = ", ".join(f"{one.guild_id} ({one.name})" for one in communities) or "none yet"
        raise NotFound(f"Name one community with --guild; there are: {there}.")
    return them[0]


async def export_community(settings: Settings, *, path: Path, guild_id: int | None, say: Say) -> None:
    """Write a community into an archive."""
    async with opened(settings) as store:
        async with store.reading() as read:
            community = chosen(await read.communities(), guild_id)
        moved = await store.export(community.id, path)
    say(f"{community.name} is in {path}: {sum(moved.counts.values()):,} rows, secrets still sealed.")
    for secret in moved.left_out:
        say(f"Left out, to be set again where it is imported: {secret}.")


async def import_community(settings: Settings, *, path: Path, guild_id: int | None, say: Say) -> None:
    """Read a community back from an archive, all or nothing."""
    async with opened(settings) as store:
        moved = await store.import_archive(path, guild_id=Snowflake(guild_id) if guild_id else None)
    say(f"{path} is imported: {sum(moved.counts.values()):,} rows.")
    for secret in moved.left_out:
        say(f"To be set again, for no archive has its key: {secret}.")


async def back_up(settings: Settings, *, path: Path | None, say: Say) -> None:
    """Copy the database into a file: into the folder of copies, which are removed in time, when none is named."""
    if path is None:
        settings.backups.mkdir(parents=True, exist_ok=True)
        path = settings.backups / f"selfroom-{SystemClock().now():%Y%m%d-%H%M%S}.db"
        until = f"it is removed after {settings.backup_days} days"
    else:
        until = f"people were told that you delete it after {settings.backup_days} days"
    async with opened(settings) as store:
        await store.back_up(path)
    say(f"The database is copied to {path}; keep the data folder's `secret` with it ({until}).")


async def hud_now(
    settings: Settings, *, agent: str, format: str | None, guild_id: int | None
) -> tuple[str, list[tuple[str, int]]]:
    """Give what an agent would see now and the tokens of each section; raises NotFound when there is no such agent."""
    try:
        input_format = InputFormat(format) if format else None
    except ValueError as error:
        raise BadSetting(f"There is no format {format!r}: choose {one_of(list(InputFormat))}.") from error
    async with opened(settings) as store, store.reading() as read:
        community_id = chosen(await read.communities(), guild_id).id
        one = agent_named((await read.view(community_id, messages=0)).agents.values(), agent)
        return await seen_now(
            read,
            community_id,
            one,
            now=SystemClock().now(),
            tokenizer=tokenizer_for(one.model),
            structured=True,
            input_format=input_format,
        )
