"""What a run needs, checked one by one; each finding says how to mend what is missing."""

import asyncio
import json
import shutil
import socket
import stat
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import Any, NotRequired, TypedDict
from urllib.parse import urlsplit

import aiohttp

from bot.adapters.discord.elsewhere import lacking
from bot.adapters.discord.reaching import API, api_trouble, token_trouble
from bot.core.errors import AskedAnew, BadSetting, ModelError, SelfroomError
from bot.core.ports import Cipher, Model, ModelCall, Reading, Tokenizer
from bot.core.records import Json
from bot.core.sealing import of_provider
from bot.core.terminal import without_secrets
from bot.core.wording import counted
from bot.settings import ENV_FILE, Settings

PATIENCE = aiohttp.ClientTimeout(total=5)
SOON = aiohttp.ClientTimeout(total=1)  # for this machine
OPENAI_URL = "https://api.openai.com/v1"
DISCORD_API = "https://discord.com/api/v10"
NAME_CHARACTERS = 32
LARGEST_ANSWER = 1_000_000  # bytes that are looked at
PLAIN = {"Accept-Encoding": "identity"}  # nothing unfolds to more than was sent
MESSAGE_CONTENT = 1 << 18 | 1 << 19  # an application's flags: granted, or small enough not to need it
ONE_WORD_TOKENS, ONE_WORD_SECONDS = 64, 60.0  # of what a model is asked
ONE_WORD = {"word": "ready"}
ONE_WORD_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
REVIEWED_FROM = 10_000  # people
CLOCK_SECONDS = 30.0
NATS_PORT = 4222
LITTLE_ROOM, NO_ROOM = 500_000_000, 50_000_000  # bytes
OTHERS = stat.S_IRWXG | stat.S_IRWXO
OURS = (  # the secret is looked at when it is read
    *("selfroom.db*", "playground.db*", "logs", "logs/*", "backups", "backups/*"),
    *("timelines", "timelines/*", "timelines/*/*"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at, in a sentence; `warns`: it runs all the same, but somebody should see to it."""

    ok: bool
    what: str
    warns: bool = False


class Server(TypedDict):
    """What Discord tells a bot of one of its servers, as far as it is asked."""

    name: str
    permissions: str  # a number
    approximate_member_count: NotRequired[int]


async def examine(
    settings: Settings,
    *,
    tokenizer: Tokenizer,
    database: Callable[[str], Awaitable[Sequence[Finding]]],
    env_file: Path = ENV_FILE,
) -> list[Finding]:
    """Look at everything; `database` opens the store at a URL and gives what it found, or raises a SelfroomError."""
    findings = [*_env_file(env_file), *[finding async for finding in _findings(settings, tokenizer)]]
    try:
        findings += await database(settings.database)
    except SelfroomError as error:
        findings.append(Finding(ok=False, what=error.sentence))
    return findings


async def _findings(settings: Settings, tokenizer: Tokenizer) -> AsyncIterator[Finding]:
    yield Finding(ok=True, what=f"Python {sys.version.split()[0]}, and every setting can be read.")
    for finding in _data_folder(settings):
        yield finding
    yield Finding(ok=True, what=f"The tokenizer counts offline ({tokenizer.count('Hello')} token).")
    async with aiohttp.ClientSession(timeout=PATIENCE, headers=PLAIN, auto_decompress=False) as session:
        if settings.discord_token is None:
            yield await _port(session, settings.playground_port)
            yield Finding(ok=True, what="There is no Discord token: a run starts the playground.")
        else:
            async for finding in _discord(session, settings):
                yield finding
        if settings.face_port is not None:
            yield await _face_port(session, settings.face_port)
        if settings.console_port:
            yield await _console_port(session, settings.console_port, settings.console_url)
        if settings.nats_url:
            yield await _bell(settings.nats_url)
        yield await _model(session, settings)
        if not settings.is_playground and (
            settings.openai_api_key or settings.openai_base_url or settings.all_providers
        ):
            yield _sponsoring(settings)


async def examine_communities(read: Reading, settings: Settings, cipher: Cipher) -> list[Finding]:
    """Look at whose models the communities ask, and whether the keys that they brought can still be read."""
    communities = await read.communities.all()
    findings = [Finding(ok=True, what=f"The database opens; communities in it: {len(communities)}.")]
    without: list[str] = []
    for one in communities:
        own = await read.providers.of(one.id)
        if own is None:
            without += [] if settings.pays_for(one.guild_id) else [f"{one.name} ({one.guild_id})"]
            continue
        try:
            cipher.decrypt(own.sealed_key, of_provider(one.id))
            what = f"{one.name} brings its own model provider: {without_secrets(own.base_url or OPENAI_URL)}."
            findings.append(Finding(ok=True, what=what))
        except BadSetting:
            what = f"The key that {one.name} brought cannot be read: restore the secret, or use /setup provider there."
            findings.append(Finding(ok=False, what=what))
    if without:
        what = f"No model is asked for {', '.join(without)} until somebody uses /setup provider there"
        findings.append(Finding(ok=True, what=f"{what}, or you add the id to SELFROOM_SPONSORED_SERVERS."))
    return findings


async def examine_model(model: Model, name: str) -> Finding:
    """Have a model answer in a word, as a beat would ask it, and tell whether it is held to a form; it costs tokens."""
    call = ModelCall(
        model=name,
        instructions="You try a line.",
        input=f"Answer with the word ready, as {json.dumps(ONE_WORD)}.",
        temperature=None,
        answer_tokens=ONE_WORD_TOKENS,
        schema=ONE_WORD_SCHEMA if model.takes_schema(name) else None,
        cache_key="selfroom-doctor",
    )
    started = time.monotonic()
    try:
        async with asyncio.timeout(ONE_WORD_SECONDS):
            try:
                answer = await model.answer(call)
            except ModelError as error:
                if model.takes_schema(name) and not isinstance(error, AskedAnew):
                    raise
                call = replace(call, schema=call.schema if model.takes_schema(name) else None)
                answer = await model.answer(call)  # it turned out to take less
    except ModelError as error:
        return Finding(ok=False, what=f"{name} does not answer: {error.sentence}")
    except TimeoutError:
        what = f"{name} has not answered within {ONE_WORD_SECONDS:.0f} seconds: agents on it will be slow."
        return Finding(ok=True, warns=True, what=what)
    if not answer.text.strip():
        return Finding(ok=True, warns=True, what=f"{name} gives an empty answer: try it with `selfroom try {name}`.")
    form = "it keeps to a schema" if model.takes_schema(name) else "it takes no schema, and is shown an example"
    return Finding(ok=True, what=f"{name} answers, in {time.monotonic() - started:.1f} seconds; {form}.")


def check_data_folder(folder: Path) -> None:
    """Make the data folder, its owner's alone, and write into it; raises BadSetting when that cannot be done."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_ours(folder)
        keep_from_others(folder)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"may I?")
    except (FileExistsError, NotADirectoryError) as error:
        raise BadSetting(
            f"The data folder {folder} cannot be made, for there is a file of that name or above it: move that file,"
            " or set SELFROOM_DATA_DIR."
        ) from error
    except (OSError, ValueError) as error:  # a ValueError for a name that no file can have
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise BadSetting(
            f"The data folder {folder} cannot be written ({reason}): make it writable, or set SELFROOM_DATA_DIR."
        ) from error


def _check_ours(folder: Path) -> None:
    """Refuse a folder that others use too, such as /tmp: to take it from them would harm them."""
    if folder.stat().st_mode & stat.S_ISVTX:
        raise BadSetting(f"The data folder {folder} is not ours alone: set SELFROOM_DATA_DIR to a folder of its own.")


def keep_from_others(folder: Path) -> None:
    """Take our own folders and files from all but their owner, where others could get at them."""
    ours = [folder, *(one for pattern in OURS for one in folder.glob(pattern))]
    for one in ours:
        mode = one.lstat().st_mode
        if mode & OTHERS and not stat.S_ISLNK(mode):
            one.chmod(0o700 if stat.S_ISDIR(mode) else 0o600)


def _env_file(path: Path) -> list[Finding]:
    """Warn of settings, keys among them, that others on this machine may read or change."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:  # there is none
        return []
    if not mode & OTHERS:
        return []
    what = f"{path} holds keys, and others on this machine may get at it (mode {mode:04o}): run `chmod 600 {path}`."
    return [Finding(ok=True, what=what, warns=True)]


def _data_folder(settings: Settings) -> Iterator[Finding]:
    try:
        check_data_folder(settings.data_dir)
    except BadSetting as error:
        yield Finding(ok=False, what=error.sentence)
        return
    yield Finding(ok=True, what=f"The data folder {settings.data_dir} can be written.")
    free = shutil.disk_usage(settings.data_dir).free
    if free < LITTLE_ROOM:
        what = f"The disk of {settings.data_dir} has {free / 1e6:,.0f} MB left: make room."
        yield Finding(ok=free >= NO_ROOM, what=what, warns=True)
    secret = settings.data_dir / "secret"
    if settings.secret is None and secret.exists() and secret.stat().st_mode & OTHERS:
        what = f"Others on this machine may read {secret}, which opens every key: run `chmod 600 {secret}`."
        yield Finding(ok=False, what=what)


async def _port(session: aiohttp.ClientSession, port: int) -> Finding:
    if await _is_playground(session, port):
        return Finding(ok=True, what=f"A playground is open at http://127.0.0.1:{port}.")
    if _is_free(port):
        return Finding(ok=True, what=f"Port {port} is free for the playground.")
    hint = "stop the program that has it, or set SELFROOM_PLAYGROUND_PORT."
    return Finding(ok=False, what=f"Port {port} is in use: {hint}")


async def _face_port(session: aiohttp.ClientSession, port: int) -> Finding:
    """Look whether health and metrics can be told there, or are already."""
    try:
        async with session.get(f"http://127.0.0.1:{port}/healthz", timeout=SOON) as response:
            if response.status == 200 and (await _told(response)).get("alive") is True:
                return Finding(ok=True, what=f"A Selfroom tells its health at http://127.0.0.1:{port}/readyz.")
    except (aiohttp.ClientError, TimeoutError, ValueError, AttributeError, RecursionError):
        pass  # nobody, or somebody else: the next look tells
    if _is_free(port):
        return Finding(ok=True, what=f"Port {port} is free for health and metrics.")
    return Finding(ok=False, what=f"Port {port} is in use: stop the program that has it, or set SELFROOM_FACE_PORT.")


async def _bell(url: str) -> Finding:
    """Look whether a NATS greets there: without one minds look every few seconds, and all goes on."""
    parts, shown = urlsplit(url), without_secrets(url)
    try:
        async with asyncio.timeout(SOON.total):
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port or NATS_PORT)
            greeting = await reader.readline()
            writer.close()
    except (OSError, TimeoutError, ValueError):
        greeting = b""
    if greeting.startswith(b"INFO ") and b'"jetstream":true' in greeting.replace(b" ", b""):
        return Finding(ok=True, what=f"A bell can ring at {shown}.")
    lacks = "the NATS there was started without --jetstream" if greeting.startswith(b"INFO ") else "no NATS answers"
    return Finding(ok=True, warns=True, what=f"No bell rings at {shown}, for {lacks}: minds only look now and then.")


async def _console_port(session: aiohttp.ClientSession, port: int, url: str | None) -> Finding:
    """Look whether the console can be opened there, or is already; `url`: by which alone it answers."""
    from bot.console.openapi import TITLE  # with it comes what serves the console, which other commands need not load

    head = {"Host": urlsplit(url).netloc} if url else {}
    try:
        address = f"http://127.0.0.1:{port}/api/v1/openapi.json"
        async with session.get(address, headers=head, timeout=SOON) as response:
            if response.status == 200 and (await _told(response))["info"]["title"] == TITLE:
                return Finding(ok=True, what=f"A Selfroom has its console open at {url or f'http://127.0.0.1:{port}'}.")
    except (aiohttp.ClientError, TimeoutError, LookupError, ValueError, TypeError, RecursionError):
        pass  # nobody, or somebody else: the next look tells
    if _is_free(port):
        return Finding(ok=True, what=f"Port {port} is free for the console.")
    return Finding(ok=False, what=f"Port {port} is in use: stop the program that has it, or set SELFROOM_CONSOLE_PORT.")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


async def _is_playground(session: aiohttp.ClientSession, port: int) -> bool:
    try:
        async with session.get(f"http://127.0.0.1:{port}/playground", timeout=SOON) as response:
            return response.status == 200 and "gateway_url" in await _told(response)
    except (aiohttp.ClientError, TimeoutError, ValueError, TypeError, RecursionError):
        return False


async def _told(response: aiohttp.ClientResponse) -> Any:  # noqa: ANN401  # JSON of anybody
    """Read an answer; raises ValueError for one that is no JSON, or too long to be what was asked for."""
    read = bytearray()
    async for piece in response.content.iter_any():
        read += piece
        if len(read) > LARGEST_ANSWER:
            raise ValueError("the answer has no end")
    return json.loads(read)


async def _discord(session: aiohttp.ClientSession, settings: Settings) -> AsyncIterator[Finding]:
    """Look at the token, then at what its bot may do, and where."""
    api = settings.discord_api or DISCORD_API
    known = await _known(session, settings, api)
    yield known
    if not known.ok:
        return
    if settings.discord_api is not None:
        for finding in await _elsewhere(session, settings, settings.discord_api):
            yield finding
    try:
        application = await _asked(session, settings, f"{api}/applications/@me")
        servers = await _asked(session, settings, f"{api}/users/@me/guilds?with_counts=true")
        yield _intent(int(application.get("flags", 0)), wanted=settings.message_content)
        if settings.message_content and (reviewed := _reviewed(servers)):
            yield reviewed
        for finding in _rights(servers):
            yield finding
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, aiohttp.ClientError, TimeoutError):
        what = "Discord does not tell what the bot may do: look at `/setup start` in its server."
        yield Finding(ok=True, what=what, warns=True)


async def _elsewhere(session: aiohttp.ClientSession, settings: Settings, api: str) -> list[Finding]:
    """Look whether a server that is not Discord's own does what Selfroom needs of it."""
    gateway, cdn = settings.discord_gateway, settings.discord_cdn
    lacks = await lacking(session, partial(_asked, session, settings), api=api, gateway=gateway, cdn=cdn)
    if not lacks:
        return [Finding(ok=True, what=f"{without_secrets(api)} speaks as Discord does: gateway, commands, files.")]
    return [Finding(ok=True, what=what, warns=True) for what in lacks]


async def _known(session: aiohttp.ClientSession, settings: Settings, api: str) -> Finding:
    assert settings.discord_token is not None  # asked only when there is one  # noqa: S101
    shown = without_secrets(api)
    try:
        async with session.get(f"{api}/users/@me", headers=_as_bot(settings)) as response:
            if response.status == 200:
                name = (await _told(response))["username"]
                if late := _clock_off(response.headers.get("Date", "")):
                    return Finding(ok=True, what=late, warns=True)
                return Finding(ok=True, what=f"Discord knows the bot as {str(name)[:NAME_CHARACTERS]!r}.")
            if response.status == 401:
                return Finding(ok=False, what=token_trouble(settings.discord_token.get_secret_value()))
            return Finding(ok=False, what=f"{shown} answers {response.status}, as Discord never does: correct {API}.")
    except (LookupError, TypeError, ValueError, RecursionError):
        return Finding(ok=False, what=f"{shown} does not answer as Discord does: correct {API}.")
    except (aiohttp.ClientError, TimeoutError) as error:
        return Finding(ok=False, what=api_trouble(error, shown))


def _as_bot(settings: Settings) -> dict[str, str]:
    token = settings.discord_token
    return {"Authorization": f"Bot {token.get_secret_value()}"} if token is not None else {}


async def _asked(session: aiohttp.ClientSession, settings: Settings, url: str) -> Any:  # noqa: ANN401  # anybody's JSON
    async with session.get(url, headers=_as_bot(settings)) as response:
        response.raise_for_status()
        return await _told(response)


def _clock_off(date: str) -> str:
    """Tell how far this machine's clock is from that of an answer's head; nothing where it is near or not told."""
    try:
        off = abs((datetime.now(UTC) - parsedate_to_datetime(date)).total_seconds())
    except (TypeError, ValueError):
        return ""
    if off <= CLOCK_SECONDS:
        return ""
    return f"This machine's clock is {off:,.0f} seconds off Discord's: set it, or times will be wrong everywhere."


def _intent(flags: int, *, wanted: bool) -> Finding:
    if not wanted:
        return Finding(ok=True, what="The bot reads only what mentions it or is passed on to it, as is set.")
    if flags & MESSAGE_CONTENT:
        return Finding(ok=True, what="The bot may read what people write.")
    hint = "switch on the Message Content intent in the developer portal, under Bot"
    return Finding(ok=False, what=f"The bot may not read what people write: {hint}.")


def _reviewed(servers: Sequence[Server]) -> Finding | None:
    """Tell of Discord's review of the intent where the bot has so many people that it matters."""
    people = sum(int(server.get("approximate_member_count") or 0) for server in servers)
    if people < REVIEWED_FROM:
        return None
    hint = "apply for it in the developer portal, or set SELFROOM_MESSAGE_CONTENT=false (docs/public.md)"
    what = f"About {people:,} people: Discord reviews the Message Content intent of such bots every year; {hint}."
    return Finding(ok=True, what=what, warns=True)


def _rights(servers: Sequence[Server]) -> Iterator[Finding]:
    """Tell of each server where rights lack which; what single channels deny only `/setup start` sees."""
    import discord  # half a second that other commands, which import from here, need not spend

    from cogs.ui.rights import NEEDED

    if not servers:
        what = "The bot is in no server yet: invite it with the link from the developer portal (README)."
        yield Finding(ok=True, what=what, warns=True)
    well = 0
    for server in servers:
        has = discord.Permissions(int(server["permissions"]))
        lacks = [] if has.administrator else [name for name in NEEDED if not getattr(has, name)]
        well += not lacks
        if lacks:
            name, names = str(server["name"])[:NAME_CHARACTERS], ", ".join(one.replace("_", " ") for one in lacks)
            yield Finding(ok=True, what=f"In {name} Selfroom's role lacks: {names}.", warns=True)
    if well:
        yield Finding(ok=True, what=f"Servers in which Selfroom has every right that it needs: {well}.")


def _sponsoring(settings: Settings) -> Finding:
    """Tell who may spend the installation's keys, and how much."""
    if not settings.sponsored:
        hint = "name your own in SELFROOM_SPONSORED_SERVERS, by its id"
        return Finding(ok=False, what=f"No server may spend the installation's keys: {hint}.")
    who = "every server" if settings.sponsored == "*" else f"{counted(len(settings.sponsored), 'server')} by id"
    most = settings.ceilings
    each, everyone = ("no limit" if one is None else f"{one} USD" for one in (most.usd_each, most.usd_all))
    models = ", ".join(settings.paid_models) or "any with a known price"
    what = f"The installation pays for {who}, a day at most {each} each and {everyone} together; models: {models}."
    return Finding(ok=True, what=what)


async def _model(session: aiohttp.ClientSession, settings: Settings) -> Finding:
    url, key = settings.openai_base_url, settings.openai_api_key
    if url is None and settings.discord_token is None:
        return Finding(
            ok=True, what="Minds: the playground's scripted model (set SELFROOM_OPENAI_BASE_URL for real ones)."
        )
    if url is None and key is None and not settings.sponsored:
        return Finding(ok=True, what="The installation pays for no models: every server brings its own provider.")
    if url is None and key is None and settings.all_providers:
        prefixes = ", ".join(f"{name}/…" for name in settings.all_providers)
        return Finding(ok=True, what=f"Models are asked by their prefix: {prefixes} (SELFROOM_MODEL names one).")
    if url is None and key is None:
        return Finding(
            ok=False, what="No model is set: set OPENAI_API_KEY, or SELFROOM_OPENAI_BASE_URL for a server of yours."
        )
    address = (url or OPENAI_URL).rstrip("/")
    shown = without_secrets(address)
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    try:
        async with session.get(f"{address}/models", headers=headers) as response:
            if response.status == 200:
                return Finding(ok=True, what=f"A model server answers at {shown}.")
            return Finding(
                ok=False,
                what=f"The model server at {shown} answers {response.status}: check the key and the address.",
            )
    except (aiohttp.ClientError, TimeoutError):
        return Finding(ok=False, what=f"No model server answers at {shown}: start it, or correct the address.")
