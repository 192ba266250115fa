"""The longest hold of the loop by what comes after parsing, each on the most that anybody can make of it."""

import asyncio
import gc
import io
import json
import resource
import tempfile
import time
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.adapters.llm.guard import LARGEST_ANSWER_BYTES, MOST_VALUES, AnswerRefused, _examine
from bot.adapters.workshop import ProcessWorkshop
from bot.core.config import CommunityConfig
from bot.core.hud.call import Ask, build
from bot.core.hud.formats.lines import said_tokens
from bot.core.key_redaction import KeyRedactor
from bot.core.kinds import InputFormat, OutputFormat
from bot.core.models import Tokenizer
from bot.core.moderation import held_word
from bot.core.ports import NewMessage
from bot.core.records import AgentId, CommunityId, Json, Snowflake
from bot.core.view import View
from bot.engine.aside import aside
from bot.tokens import by_bytes, o200k, tokenizer_for
from storage.database import Database
from storage.moving.handed import MOST_ROWS, HandedArchives
from storage.store import SqlStore
from tests.bench import Figure, houses, traces
from tests.engine.hearts import hearts
from tests.factories import by_person
from tests.fakes import START, OpenBench, PlainCipher, ScriptedModel
from tests.storage.town import settle_in

MOST_MS = 50
TRIES = 3  # the least of so many: what else the machine did meanwhile is no hold of ours
PAUSE_SECONDS = 0.001
LONG = 600_000  # characters of a HUD of the largest budget
SAID = 8_000  # messages of a room that one agent can be shown at most
Work = Callable[[], Awaitable[object]]


class _Acting(ScriptedModel):
    """Does what it is told, and counts with the real tokenizer."""

    def tokenizer(self, model: str) -> Tokenizer:  # type: ignore[override]
        return tokenizer_for(model)


def run() -> list[Figure]:
    """Measure."""
    texts = ["wo w1 " * 16_000, "+ " * 50_000, "wo" * 50_000]
    words = max(min(_seconds(partial(held_word, one, _words())) for _ in range(TRIES)) for one in texts)
    return [_figure("held_words", words * 1_000), _guard(), *asyncio.run(_beside())]


def _words() -> list[str]:
    return [f"wo{number:03}" for number in range(936)]


def _guard() -> Figure:
    """Give how long it takes to examine the largest answers of a provider, by what they are made of."""
    size = LARGEST_ANSWER_BYTES - 100
    parts = ["x" * (size // MOST_VALUES)] * MOST_VALUES
    bodies: list[Json] = ["x" * size, "\\" * (size // 2), "é" * (size // 6), [*parts]]
    tried = [json.dumps(body).encode() for body in bodies] + [b"[" * size, b'"' * size, b'{"a":' * (size // 5)]
    return _figure("guard", max(min(_seconds(partial(_examined, one)) for _ in range(TRIES)) for one in tried) * 1_000)


def _examined(body: bytes) -> None:
    try:
        _examine(body)
    except AnswerRefused:
        return


def _seconds(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    return time.thread_time() - start


async def _beside() -> list[Figure]:
    keys = KeyRedactor(f"{'a' * 59}{number:05}" for number in range(1_200))
    scripts = KeyRedactor(chr(0x4E00 + number) * 64 for number in range(250))
    hud = "a" * LONG
    sender = by_person()
    figures = [
        await _held("redaction", partial(aside, keys.text, hud)),
        await _held("redaction_of_other_scripts", partial(aside, lambda: (scripts | ["abcd"]).text(hud)), tries=1),
        await _held("tokens", partial(aside, said_tokens, o200k(), sender, "的" * 200_000)),
        await _held("tokens_of_one_letter", partial(aside, said_tokens, o200k(), sender, "x" * 200_000)),
    ]
    if traces.there():
        view = houses.house(20, SAID, budget=200_000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for hud_format in InputFormat:
            for tokenizer in (o200k(), by_bytes()):
                name = f"hud_{hud_format.value}_{type(tokenizer).__name__}"
                figures.append(await _held(name, partial(aside, _build, view, hud_format, tokenizer)))
        taken = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1_024
        figures.append(Figure(name="holds.memory", value=taken, unit="MB", target=64))
    return [*figures, *await _of_beats(), *await _of_import()]


def _build(view: View, hud_format: InputFormat, tokenizer: Tokenizer) -> object:
    return build(
        view,
        [Ask(agent_id=AgentId(1))],
        now=START + timedelta(days=4_000),
        tokenizer=tokenizer,
        input_format=hud_format,
        output_format=OutputFormat.JSON,
        structured=True,
    )


async def _of_beats() -> list[Figure]:
    """Give the longest holds of whole beats in a room of eight thousand messages, and of searches there."""
    look = [{"type": "recall", "query": "line says", "limit": 50} for _ in range(25)]
    look += [{"type": "read_history", "room_id": 1, "limit": 50} for _ in range(25)]
    learn = [{"type": "set", "path": f"facts.f{number}", "value": "word " * 380} for number in range(50)]
    beats: dict[str, list[dict[str, Any]]] = {"beat_of_look_ups": look, "beat_of_most_actions": learn}
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for name, actions in beats.items():
            answer = json.dumps({"agents": [{"agent_id": 1, "responses": [], "actions": actions}]})
            figures += await _beat(f"{folder}/{name}.db", name, answer)
    return figures


async def _beat(path: str, name: str, answer: str) -> list[Figure]:
    config, shop = CommunityConfig(usd_per_day=None), ProcessWorkshop()
    url, model = f"sqlite+aiosqlite:///{Path(path)}", _Acting()
    async with hearts(1, model=model, url=url, config=config, workshop=shop, token_budget=200_000) as home:
        began = home.clock.now() - timedelta(hours=3)
        for first in range(0, SAID, 500):
            async with home.store.writing(home.community_id) as write:
                await write.talk.add(home.community_id, [_line(number, began) for number in range(first, first + 500)])
        await shop.done(CommunityId(0), pow, 2, 3)
        await aside(o200k)

        async def beat() -> None:
            model.script.append(answer)
            await home.hear("Agent1, and now?")
            await home.run(5)

        async def search() -> None:
            async with home.store.reading() as read:
                await read.talk.search(home.community_id, "line says quiet", room_ids=[AgentId(1)], limit=50)

        figures = [await _held(name, beat), await _held(f"search_after_{name}", search)]
        assert len(model.calls) >= TRIES
    await shop.close()
    return figures


async def _of_import() -> list[Figure]:
    """Give the longest holds of the loop, and of the one who writes, while the largest archive of people moves in."""
    longest, real = [0.0], Database.writing

    @asynccontextmanager
    async def watched(database: Database) -> AsyncIterator[AsyncConnection]:
        async with real(database) as connection:
            start = time.perf_counter()
            yield connection
        longest[0] = max(longest[0], time.perf_counter() - start)

    with tempfile.TemporaryDirectory() as folder:
        async with await SqlStore.open(f"sqlite:///{folder}/selfroom.db") as store:
            archive = await _largest(store)
            async with store.writing() as write:
                empty = await write.communities.add(Snowflake(77), "The Others")
            archives = HandedArchives(store.database, OpenBench(), PlainCipher())
            gc.collect()
            gc.freeze()  # what this process has loaded is gone through by whoever makes many objects
            with patch.object(Database, "writing", watched):
                figure = await _held("import", partial(archives.unpack, empty, archive), tries=1)
    return [figure, _figure("import_by_who_writes", longest[0] * 1_000)]


async def _largest(store: SqlStore) -> bytes:
    """Give an archive with as many rows as people may bring in: it holds one message, again and again."""
    community_id = await settle_in(store)
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [_line(1, START)])
    data, _ = await HandedArchives(store.database, OpenBench(), PlainCipher()).pack(community_id, most_bytes=1_000_000)
    lines, anew = MOST_ROWS - 100, io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(anew, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name)
            if name == "messages.jsonl":
                row = json.loads(text) | {"content": "It says what lines say on a quiet afternoon."}
                rows = (json.dumps(row | {"id": id_, "discord_id": id_}) for id_ in range(1, lines + 1))
                text = "\n".join(rows).encode()
            elif name == "manifest.json":
                manifest = json.loads(text)
                manifest["counts"]["messages"] = lines
                text = json.dumps(manifest).encode()
            new.writestr(name, text)
    return anew.getvalue()


def _line(number: int, began: datetime) -> NewMessage:
    words = f"This is line {number}, and it says what lines say on a quiet afternoon. " * 20
    at = began + timedelta(seconds=number)
    return NewMessage(
        room_id=AgentId(1),
        discord_id=Snowflake(10**17 + number),
        thread_id=None,
        sender=by_person(),
        content=words,
        sent_at=at,
        edited=False,
        reply_to=None,
        attachments=(),
        tokens=340,
    )


async def _held(name: str, work: Work, *, tries: int = TRIES) -> Figure:
    """Give the longest time for which nobody else had a turn, the least of some tries."""
    return _figure(name, min([await hold(work) for _ in range(tries)]) * 1_000)


async def hold(work: Work) -> float:
    """Give the longest time for which nobody else had a turn while it was done."""
    longest = 0.0

    async def look() -> None:
        nonlocal longest
        while True:
            start = time.perf_counter()
            await asyncio.sleep(PAUSE_SECONDS)
            longest = max(longest, time.perf_counter() - start - PAUSE_SECONDS)

    looking = asyncio.create_task(look())
    await asyncio.sleep(0)
    await work()
    await asyncio.sleep(0)
    looking.cancel()
    await asyncio.gather(looking, return_exceptions=True)
    return longest


def _figure(name: str, milliseconds: float) -> Figure:
    return Figure(name=f"holds.{name}", value=milliseconds, unit="ms held", target=MOST_MS)
