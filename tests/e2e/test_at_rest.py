"""What a running Selfroom keeps is its owner's alone, and holds no room's key in clear."""

import json
import stat
from pathlib import Path

import pytest

from storage.store import SqlStore
from tests.e2e.conftest import Living
from tests.e2e.visitor import until, visiting
from tests.engine.test_kept_answers import everything

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio]

SECRET = "zebra-crossing-at-dawn"


def open_to_others(folder: Path) -> list[str]:
    there = [one for one in (folder, *folder.rglob("*")) if one.exists()]  # while it runs, files come and go
    return [str(one) for one in there if stat.S_IMODE(one.stat().st_mode) & 0o077]


def holding(folder: Path, words: str) -> list[str]:
    return [str(one) for one in folder.rglob("*") if one.is_file() and words.encode() in one.read_bytes()]


async def test_a_key_that_an_agent_makes_is_nowhere_in_the_data_folder(home: Living) -> None:
    data = home.settings.data_dir
    data.chmod(0o700)  # made by the test; `run` sees to it itself
    async with visiting(home.url) as you:
        hall = await you.channel("wren")
        wren = (await home.agents())["Wren"]["id"]
        made = {"type": "create_key", "key": SECRET, "label": "dawn"}
        part = {"agent_id": wren, "thoughts": f"I choose {SECRET}", "responses": [], "actions": [made]}
        await home.script({"match": "please make a key", "answer": {"agents": [part]}})
        await you.say(hall, "Wren, please make a key to your room.")

        async def done() -> bool:
            beat = json.loads(await home.face(f"/agents/{wren}/beat"))
            return any("dawn" in what for what in beat.get("outcome", ()))

        await until(done, "the key")
    assert holding(data, SECRET) == []
    assert open_to_others(data) == []
    async with await SqlStore.open(home.settings.database) as store:
        kept = await everything(store)
        assert [text for text in kept if SECRET in text] == []
        assert [text for text in kept if text == "keys: dawn"] == ["keys: dawn"]
