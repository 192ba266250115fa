"""What is shown of kept runs, read in a process of its own: a run holds whatever its models answered.

Functions for a workshop (`bot.adapters.workshop`), which bounds what they take. JSON comes as bytes, to be handed on.
"""

import asyncio
import json
import zipfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Final

from bot.core.page_rows import node_row
from bot.core.records import Json
from bot.core.runs.spec import RunSpec
from bot.core.timelines.records import Node
from bot.engine.runs.playing import KEY
from bot.engine.runs.telling import Story, story
from bot.runs.home import RunHome
from bot.runs.simulating import listed, snapshot_named
from bot.runs.writing import files

EPOCH: Final = (2026, 1, 1, 0, 0, 0)  # in archives: the same run gives the same bytes


def all_of(folder: Path, coin: str, beside: Mapping[str, Json]) -> bytes:
    """Give all runs of a folder, the newest first, with what is said beside them; `coin`: what models are paid in."""
    found = asyncio.run(listed(RunHome(folder), coin))
    return _json({"runs": found[::-1], **beside})


def one_of(folder: Path, number: int, coin: str, beside: Mapping[str, Json]) -> bytes:
    """Give what a run was made of, and its worlds; raises NotFound."""
    spec, nodes = asyncio.run(_opened(folder, number))
    rows = [node_row(one) for one in nodes]
    made = {"run": number, "spec": spec.model_dump(mode="json"), "coin": spec.coin(coin)}
    return _json({**made, "nodes": rows, **beside})


def spent_of(folder: Path, number: int) -> tuple[RunSpec, Decimal]:
    """Give what a run was made of, and what it has spent, in USD."""
    spec, nodes = asyncio.run(_opened(folder, number))
    return spec, sum((one.usd for one in nodes), Decimal(0))


def told_of(folder: Path, number: int, at: str, first: int | None, most: int) -> bytes:
    """Give what came of a run until a snapshot: so many lines from one on (None: the last ones), and all else."""
    node, told = asyncio.run(_told(folder, number, at))
    last = max(0, len(told.lines) - most)
    begin = last if first is None else min(first, last)
    return _json(
        {
            "snapshot": node.id,
            "from": begin,
            "of": len(told.lines),
            "lines": [dict(one.data) for one in told.lines[begin : begin + most]],
            "outcome": told.outcome,
            "knowledge": told.knowledge,
            "usage": told.usage,
        }
    )


def pack(folder: Path, number: int, at: str, target: Path) -> None:
    """Write all files of a run until a snapshot into an archive."""
    _, told = asyncio.run(_told(folder, number, at))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files(told):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)


async def _opened(folder: Path, number: int) -> tuple[RunSpec, list[Node]]:
    async with RunHome(folder).opened(number) as (spec, trees):
        return spec, list(await trees.nodes(KEY))


async def _told(folder: Path, number: int, at: str) -> tuple[Node, Story]:
    async with RunHome(folder).opened(number) as (_, trees):
        node = snapshot_named(await trees.nodes(KEY), at)
        return node, await story(trees, node.id)


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
