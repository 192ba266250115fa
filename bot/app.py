"""The composition root: builds every part, closes every part, and is the only place that knows all of them."""

import gc
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import structlog

from bot import standin
from bot.adapters.cipher import AesCipher
from bot.adapters.clock import BeatRandom, SystemClock, random_for
from bot.adapters.discord.files import Files
from bot.adapters.discord.inner import point_at
from bot.adapters.discord.publisher import DiscordPublisher
from bot.adapters.llm.communities import CommunityProviders
from bot.adapters.logs import hush_false_lag, set_up_logs
from bot.adapters.metrics import PrometheusMetrics
from bot.adapters.scheduler import SlotScheduler
from bot.adapters.web import Face, Inside
from bot.adapters.workshop import ProcessWorkshop
from bot.client import SelfroomClient
from bot.console.feed import Feed
from bot.console.window import Console
from bot.core.config import CommunityConfig
from bot.core.errors import BadSetting, one_of
from bot.core.kinds import InputFormat
from bot.core.view import agent_named
from bot.doctor import Finding, check_data_folder, examine, examine_communities, examine_model
from bot.engine.beside import Beside
from bot.engine.deadlines import Deadlines
from bot.engine.delivery import Delivery
from bot.engine.estimating import Estimator
from bot.engine.foresight import foreseen
from bot.engine.front_desk import FrontDesk, Office
from bot.engine.hearing import Hearing
from bot.engine.heartbeat import Heartbeat
from bot.engine.hud_now import hud_now as seen_now
from bot.engine.intake import Intake
from bot.engine.performer import Performer
from bot.engine.summaries import Summaries
from bot.engine.timelines.house import Orchard, Treasury
from bot.engine.trial.card import Card
from bot.engine.trial.running import Progress, Trial, Wanted
from bot.engine.trial.stage import Props
from bot.engine.upkeep import Upkeep
from bot.house import CALL_PATIENCE, DiscordSite, House, open_bell, open_traces, stopped_by_signals
from bot.passes import PassFile
from bot.playground.cdn import PAGE
from bot.playground.server import Observer, Playground, PlaygroundError, PlaygroundOptions
from bot.providers import make_models, prices_of
from bot.runs.served import ServedRuns
from bot.runs.sources import shipped
from bot.seclusion import Seclusion
from bot.settings import Settings
from bot.standin.player import played
from bot.tokens import tokenizer_for
from bot.vault import Say, check_lived_in, chosen, cipher_of, expire_backups, opened
from bot.visitors import ConsolePeople, Members, Visitors
from cogs import COGS
from cogs.ui.scene_pictures import board_picture
from storage.alone import Post
from storage.moving.handed import HandedArchives
from storage.store import SqlStore
from storage.timelines.trees import SqlTrees

if TYPE_CHECKING:
    from bot.adapters.bell import NatsBell

ARCHIVE_SECONDS = 60.0  # to look through one, of a processor
ARCHIVE_BYTES = 300_000_000
READING_SECONDS = 1.5  # of a processor, for one document: well within what its message waits for
READING_BYTES = 200_000_000

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """The outside world: what the house stands on."""

    store: SqlStore
    cipher: AesCipher
    models: CommunityProviders
    clock: SystemClock
    metrics: PrometheusMetrics
    workshop: ProcessWorkshop
    reading_room: ProcessWorkshop  # of documents, which take longer and more
    archives: HandedArchives
    orchard: Orchard
    estimator: Estimator
    runs: ServedRuns
    bell: "NatsBell | None"  # to minds beside it


async def run_selfroom(settings: Settings, *, say: Say, post: Post = "run") -> None:
    """Run until Ctrl-C or SIGTERM, all of it or but for minds; raises a SelfroomError when it cannot start or go on."""
    stop = stopped_by_signals()
    check_data_folder(settings.data_dir)
    folder, as_json = settings.data_dir / "logs", settings.log_format == "json"
    set_up_logs(folder, megabytes=settings.log_megabytes, files=settings.log_files, as_json=as_json)
    if settings.discord_token is None:
        hush_false_lag()
    async with selfroom(settings, post=post) as house:
        gc.collect()
        gc.freeze()  # what is loaded for good: a full collection went through it for 0.2 s, in which nobody had a turn
        gc.enable()
        await house.serve(stop, ready=lambda: announce(house, settings, say))


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


def announce(house: House, settings: Settings, say: Say) -> None:
    """Say that it runs, and where, and what it runs without."""
    site = house.site
    if site.is_playground and settings.openai_base_url is None:
        say("The minds here are a scripted model: honest rules. For real ones see the README.")
    where = site.url or "on Discord"
    for server, why in house.client.refused.items():
        say(f"In {server} there are no commands, or old ones: {why}.")
    say(f"Selfroom runs, but not whole: {where}" if house.client.refused else f"Selfroom is ready: {where}")


@asynccontextmanager
async def selfroom(
    settings: Settings, *, observers: Sequence[Observer] = (), post: Post = "run"
) -> AsyncIterator[House]:
    """Build everything, of a gateway all but minds; leaving closes it. `observers` see a playground's requests."""
    async with AsyncExitStack() as stack:
        clock, metrics = SystemClock(), PrometheusMetrics(open_traces(stack, settings.traces_url))
        store = await SqlStore.open(
            settings.database, config=settings.defaults, post=post, timelines=settings.timelines
        )
        stack.push_async_callback(store.close)
        if post == "run":
            async with store.writing() as write:
                await write.claims.abandon()  # of a process that was killed: this one is alone
        face = await open_face(stack, settings, store, clock, metrics)
        site = await open_site(stack, settings, face, observers)
        point_at(api=site.api, gateway=site.gateway, cdn=site.cdn)
        cipher = cipher_of(settings)
        models = make_models(settings, site, cipher, store)
        stack.push_async_callback(models.close)
        workshop = ProcessWorkshop()
        stack.push_async_callback(workshop.close)
        reading_room = ProcessWorkshop(
            wall_seconds=2 * READING_SECONDS, cpu_seconds=READING_SECONDS, memory_bytes=READING_BYTES
        )
        stack.push_async_callback(reading_room.close)
        warehouse = ProcessWorkshop(
            benches=1, wall_seconds=2 * ARCHIVE_SECONDS, cpu_seconds=ARCHIVE_SECONDS, memory_bytes=ARCHIVE_BYTES
        )
        stack.push_async_callback(warehouse.close)
        archives = HandedArchives(store.database, warehouse, cipher)
        orchard = open_orchard(stack, settings, store, models, clock)
        estimator = Estimator(models, played)
        runs = ServedRuns(folder=settings.runs, is_shared=settings.is_playground)
        stack.push_async_callback(runs.close)
        bell = open_bell(settings.nats_url, settings.database, "gateway", metrics) if post == "gateway" else None
        parts = Parts(
            store, cipher, models, clock, metrics, workshop, reading_room, archives, orchard, estimator, runs, bell
        )
        house = build(settings, site, parts, face, beats=post == "run")
        if (window := open_console(settings, house.client, parts)) is not None:
            house.client.window = await stack.enter_async_context(window)
        yield house


def build(settings: Settings, site: DiscordSite, parts: Parts, face: Face | None, *, beats: bool) -> House:
    """Put the house together from its parts; `beats`: agents do so here, and not in minds beside it."""
    store, models, clock, metrics = parts.store, parts.models, parts.clock, parts.metrics
    tokenizer = tokenizer_for(settings.defaults.model)
    performer = Performer(cipher=parts.cipher, tokenizer=tokenizer, models=models)
    scheduler = SlotScheduler(clock, slot_seconds=settings.slot_seconds)
    client = SelfroomClient(COGS, message_content=settings.message_content, proxy_services=settings.proxy_services)
    if face is not None:
        face.foresee = partial(foreseen, models=models, clock=clock)
    show_inside(face, site, client, models)
    publisher = DiscordPublisher(client, board_picture)
    delivery = Delivery(
        store,
        publisher,
        clock,
        metrics,
        cipher=parts.cipher,
        models=models,
        made=client.room_made,
        planned=scheduler,
        estimator=parts.estimator,
    )

    look = partial(look_again, delivery, scheduler, clock)
    desk = open_front_desk(settings, parts, performer, look)
    intake = Intake(store, clock, tokenizer, scheduler, config=settings.defaults, models=models, wake=delivery.wake)
    files = Files(parts.reading_room, Hearing(store, models, clock, config=settings.defaults))
    client.equip(store=store, intake=intake, publisher=publisher, metrics=metrics, desk=desk, files=files)
    watch(metrics, client, face)
    upkeep = Upkeep(store, performer, clock, random_for, config=settings.defaults, on_letters=delivery.wake)
    patience = settings.model_total_seconds * CALL_PATIENCE
    return House(
        site=site,
        client=client,
        publisher=publisher,
        delivery=delivery,
        scheduler=scheduler,
        heartbeat=start_heart(settings, parts, performer, delivery, scheduler) if beats else None,
        beside=None if beats else Beside(store, clock, metrics, delivery.typing, scheduler, parts.bell),
        bell=parts.bell,
        upkeep=upkeep,
        summaries=Summaries(store, models, clock, metrics, config=settings.defaults, call_seconds=patience),
        deadlines=Deadlines(store, clock, config=settings.defaults, models=models, on_done=look),
        desk=desk,
        face=face,
        metrics=metrics,
        expire_backups=partial(expire_backups, store, settings, clock),
        pay_off=store.pay_off,
    )


def look_again(delivery: Delivery, scheduler: SlotScheduler, clock: SystemClock) -> None:
    """Something was written: there may be letters to carry, and someone may be due."""
    delivery.wake()
    scheduler.nudge(clock.now())


def watch(metrics: PrometheusMetrics, client: SelfroomClient, face: Face | None) -> None:
    """Let whoever runs this see the way to Discord: in the metrics, and in whether the house is ready."""
    metrics.watch("gateway_connected", "1 while Discord's gateway is open", lambda: client.is_connected)
    metrics.watch("gateway_latency_seconds", "from a heartbeat to its answer", lambda: client.latency)
    metrics.watch("reports_waiting", "reports of Discord that are not stored yet", lambda: client.waiting)
    if face is not None:
        face.is_connected = lambda: client.is_connected


def start_heart(
    settings: Settings, parts: Parts, performer: Performer, delivery: Delivery, scheduler: SlotScheduler
) -> Heartbeat:
    """Make what lets agents beat, in step with what carries their words and with the clock."""
    return Heartbeat(
        parts.store,
        parts.models,
        performer,
        parts.clock,
        random_for,
        parts.metrics,
        workshop=parts.workshop,
        objections=delivery.objections,
        cipher=parts.cipher,
        planned=scheduler,
        on_typing=delivery.typing.begin,
        on_letters=delivery.wake,
        call_seconds=settings.model_total_seconds * CALL_PATIENCE,
    )


def open_orchard(
    stack: AsyncExitStack, settings: Settings, store: SqlStore, models: CommunityProviders, clock: SystemClock
) -> Orchard:
    """Make what timelines are kept and grown with: files that the house reads, and a process that writes them."""
    trees = SqlTrees(settings.timelines, settings.defaults)
    stack.push_async_callback(trees.close)
    worlds, places = settings.timeline_worlds, settings.calls_per_provider
    treasury = Treasury(store, models, trees, clock, places=places, worlds=worlds)
    as_json = settings.log_format == "json"
    grower = Seclusion(settings.timelines, settings.defaults, treasury, worlds=worlds, json_logs=as_json)
    stack.push_async_callback(grower.close)
    return Orchard(trees=trees, images=store, grower=grower, treasury=treasury)


def open_front_desk(settings: Settings, parts: Parts, performer: Performer, on_done: Callable[[], None]) -> FrontDesk:
    """Make the use cases that people reach by commands; `on_done` is called after a change."""
    return FrontDesk(
        Office(
            parts.store,
            performer,
            parts.clock,
            BeatRandom("front desk"),
            on_done=on_done,
            cipher=parts.cipher,
            models=parts.models,
            workshop=parts.workshop,
            archives=parts.archives,
            open_stage=in_memory,
            estimator=parts.estimator,
        ),
        backup_days=settings.backup_days,
        config=settings.defaults,
        orchard=parts.orchard,
        laboratory=parts.runs,
    )


@asynccontextmanager
async def in_memory(config: CommunityConfig) -> AsyncIterator[SqlStore]:
    """Open an empty store that is gone when it is closed."""
    async with await SqlStore.open("sqlite://", config=config) as store:
        yield store


async def try_model(settings: Settings, wanted: Wanted, progress: Progress) -> Card:
    """Try a model of the installation's own providers, or of a playground that runs here; raises ModelError."""
    async with opened_trial(settings, wanted.name) as trial:
        return await trial.run(wanted, progress)


@asynccontextmanager
async def opened_trial(settings: Settings, model: str) -> AsyncIterator[Trial]:
    """Open what a model is tried with."""
    async with AsyncExitStack() as stack:
        site = DiscordSite(token="", model_url=f"http://127.0.0.1:{settings.playground_port}/v1")
        cipher = cipher_of(settings)
        kept = await stack.enter_async_context(in_memory(settings.defaults))
        models = make_models(settings.model_copy(update={"sponsored_servers": "*"}), site, cipher, kept)
        stack.push_async_callback(models.close)
        workshop = ProcessWorkshop()
        stack.push_async_callback(workshop.close)
        props = Props(
            open_store=in_memory,
            performer=Performer(cipher=cipher, tokenizer=tokenizer_for(model)),
            clock=SystemClock(),
            random=BeatRandom("trial"),
            cipher=cipher,
            workshop=workshop,
            call_seconds=settings.model_timeout_seconds * CALL_PATIENCE,
        )
        yield Trial(props, models.installation())


def show_inside(face: Face | None, site: DiscordSite, client: SelfroomClient, models: CommunityProviders) -> None:
    """Have the face show a playground's page, to whom they may be shown, what agents saw and said."""
    if face is not None and site.member_with is not None:
        pages = frozenset({site.url, site.url.replace("127.0.0.1", "localhost")})
        visitors = Visitors(client, site.member_with)
        face.inside = Inside(visitors=visitors, models=models, origins=pages, face_of=client.face)


def open_console(settings: Settings, client: SelfroomClient, parts: Parts) -> Console | None:
    """Make the managers' window: always in a playground, elsewhere only on the port that is set."""
    if settings.console_port is None and not settings.is_playground:
        return None
    clock = parts.clock
    feed = Feed(clock)
    parts.store.on_happened = feed.tell
    return Console(
        client.desk,
        ConsolePeople(client, Members(client)),
        clock,
        port=settings.console_port or 0,
        url=settings.console_url,
        hours=settings.console_hours,
        shared=PAGE,
        feed=feed,
        presets=shipped(),
        passes=PassFile(settings.passes),
    )


async def open_face(
    stack: AsyncExitStack, settings: Settings, store: SqlStore, clock: SystemClock, metrics: PrometheusMetrics
) -> Face | None:
    """Open the bot's own HTTP face: always beside a playground, elsewhere only on the port that is set."""
    port = settings.face_port
    if port is None and settings.discord_token is not None:
        return None
    return await stack.enter_async_context(Face(store, clock, metrics, port=port or 0))


async def open_site(
    stack: AsyncExitStack, settings: Settings, face: Face | None, observers: Sequence[Observer]
) -> DiscordSite:
    """Give Discord itself, another server that the settings name, or a playground that is started now."""
    if settings.discord_token is not None:
        return DiscordSite(
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
    return DiscordSite(
        token=there.bot_token,
        api=there.api_url,
        gateway=there.gateway_url,
        cdn=there.cdn_url,
        url=there.url,
        model_url=f"{there.url}/v1",
        member_with=there.member_with,
    )


@asynccontextmanager
async def playground(
    settings: Settings, *, port: int, face_url: str | None = None, observers: Sequence[Observer] = ()
) -> AsyncIterator[Playground]:
    """Open a playground whose state is in the data folder; raises BadSetting when it cannot be opened."""
    state_path = settings.data_dir / "playground.db"
    options = PlaygroundOptions(port=port, state_path=state_path, pace=settings.playground_pace, face_url=face_url)
    there = Playground(options, observers=observers, neighbours=[standin.add_to])
    try:
        await there.__aenter__()
    except PlaygroundError as error:
        places = "SELFROOM_PLAYGROUND_PORT and SELFROOM_DATA_DIR choose"
        raise BadSetting(f"{str(error).rstrip('.')} ({places}).") from error
    try:
        yield there
    finally:
        await there.__aexit__(None, None, None)


async def examine_house(settings: Settings) -> list[Finding]:
    """Check everything a run needs."""

    async def database(url: str) -> list[Finding]:
        cipher = cipher_of(settings)
        async with opened(settings) as store, store.reading() as read:
            return await examine_communities(read, settings, cipher)

    findings = await examine(settings, tokenizer=tokenizer_for(settings.defaults.model), database=database)
    has_model = settings.openai_base_url or settings.openai_api_key or settings.all_providers
    if has_model and all(finding.ok for finding in findings):
        async with opened_trial(settings, settings.defaults.model) as trial:
            findings.append(await examine_model(trial.model, settings.defaults.model))
    return findings


async def hud_now(
    settings: Settings, *, agent: str, hud_format: str | None, guild_id: int | None
) -> tuple[str, list[tuple[str, int]]]:
    """Give what an agent would see now and the tokens of each section; raises NotFound when there is no such agent."""
    try:
        input_format = InputFormat(hud_format) if hud_format else None
    except ValueError as error:
        raise BadSetting(f"There is no format {hud_format!r}: choose {one_of(list(InputFormat))}.") from error
    check_lived_in(settings)
    async with opened(settings) as store, store.reading() as read:
        community_id = chosen(await read.communities.all(), guild_id).id
        view = await read.views.whole(community_id, messages=0)
        one = agent_named(view.agents.values(), agent)
        return await seen_now(
            read.views,
            community_id,
            one,
            now=SystemClock().now(),
            tokenizer=tokenizer_for(one.model),
            structured=True,
            lean=view.config.is_lean(one, known=prices_of(settings).knows(one.model)),
            input_format=input_format,
        )
