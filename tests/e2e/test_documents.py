"""A document that a person sends: its words stand in the agent's view, and it can be asked about them."""

import json
from pathlib import Path

import aiohttp
import pytest

from tests.e2e.conftest import living, quick_settings
from tests.e2e.visitor import Visitor, until, visiting
from tests.papers import docx, pdf

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio]
PDF, WORD = "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


async def send(you: Visitor, channel_id: str, words: str, name: str, content: bytes, media_type: str) -> str:
    """Send a file with words; gives what the model was shown of it first."""
    form = aiohttp.FormData()
    form.add_field("payload_json", json.dumps({"content": words, "attachments": [{"id": "0", "filename": name}]}))
    form.add_field("files[0]", content, filename=name, content_type=media_type)
    await you.post_form(f"/channels/{channel_id}/messages", form)

    async def shown() -> str | None:
        inputs = [str(one["input"]) for one in await you.model_calls()]
        return next((one for one in inputs if name in one), None)

    return await until(shown, f"call with {name}")


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("tides.pdf", pdf("High water on Friday:", "07:41 and 19:58"), PDF),
        ("tides.docx", docx("07:41 and 19:58"), WORD),
    ],
    ids=["pdf", "word"],
)
async def test_its_words_are_read_by_who_is_asked_about_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, media_type: str
) -> None:
    monkeypatch.setattr("bot.adapters.discord.files.DOCUMENT_SECONDS", 60.0)  # the machine may be busy
    async with living(quick_settings(tmp_path, monkeypatch)) as home, visiting(home.url) as you:
        channel = await you.channel("wren")
        shown = await send(you, channel, "Wren, when is high water?", name, content, media_type)
        assert "07:41 and 19:58" in shown
