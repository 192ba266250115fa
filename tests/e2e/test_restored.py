"""An older copy is put back: what Discord shows as answered is not answered again."""

from pathlib import Path

import pytest

from bot.vault import back_up, restore
from tests.e2e.conftest import living, quick_settings
from tests.e2e.visitor import Json, Visitor, visiting

pytestmark = pytest.mark.e2e


async def by_wren(you: Visitor) -> list[Json]:
    """Give what Wren said in its room."""
    said = await you.messages(await you.channel("wren"))
    return [one for one in said if one["author"]["username"] == "Wren"]


async def test_what_was_answered_since_the_copy_is_not_answered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, copy, told = quick_settings(tmp_path, monkeypatch), tmp_path / "copy.db", list[str]()
    async with living(settings) as home, visiting(home.url) as you:
        hall = await you.channel("wren")
        await you.answer_after(await you.say(hall, "Hello Wren, good morning!"))
        await back_up(settings, path=copy, say=told.append)
        await you.answer_after(await you.say(hall, "Wren, who are you?"))
        answers = await by_wren(you)
    await restore(settings, path=copy, say=told.append)
    async with living(settings) as home, visiting(home.url) as you:
        wren = (await home.agents())["Wren"]
        assert (wren["next_beat_at"], wren["state"]) == (None, "idle")
        await you.answer_after(await you.say(hall, "Wren, do you like rain?"))
        since = [one["content"] for one in (await by_wren(you))[len(answers) :]]
        assert len(since) == 1, since
