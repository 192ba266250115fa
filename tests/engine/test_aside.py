"""What takes long is done beside the loop: writing HUDs and summaries, counting long files, blotting what is kept."""

import threading

import pytest

from bot.core.config import CommunityConfig
from bot.core.key_redaction import KeyRedactor
from bot.core.records import AgentId, Attachment
from bot.engine.hud_now import hud_now
from bot.engine.summaries import Summaries
from tests.engine.hearts import everyone_says, hearts
from tests.fakes import ScriptedModel, WordTokenizer

SIGN = "that was the tale"
LONG = f"{'a long tale of the sea ' * 100}{SIGN}"


class WatchedTokenizer(WordTokenizer):
    """Tells in which threads the tale is counted."""

    adds_up = False

    def __init__(self) -> None:
        self.threads: set[str] = set()

    def count(self, text: str) -> int:
        if SIGN in text:
            self.threads.add(threading.current_thread().name)
        return super().count(text)


class WatchedModel(ScriptedModel):
    """Counts by a tokenizer that is watched."""

    watched = WatchedTokenizer()

    def tokenizer(self, model: str) -> WordTokenizer:
        return self.watched


@pytest.fixture
def tokenizer(monkeypatch: pytest.MonkeyPatch) -> WatchedTokenizer:
    """Give the tokenizer that is watched; where texts are blotted is told as well."""
    watched, blotted = WatchedTokenizer(), KeyRedactor.text

    def blotting(redactor: KeyRedactor, text: str) -> str:
        watched.count(text)
        return blotted(redactor, text)

    monkeypatch.setattr(KeyRedactor, "text", blotting)
    monkeypatch.setattr(WatchedModel, "watched", watched)
    return watched


async def test_huds_are_written_and_blotted_beside_the_loop(tokenizer: WatchedTokenizer) -> None:
    async with hearts(2, model=WatchedModel([everyone_says("Aye.")])) as home:
        await home.hear(LONG)
        await home.run(20)
        assert home.model.calls
        assert tokenizer.threads == {"aside_0"}


async def test_a_hud_that_somebody_asks_for_is_written_beside_the_loop(tokenizer: WatchedTokenizer) -> None:
    async with hearts(1) as home:
        await home.hear(LONG)
        me = (await home.view()).agents[AgentId(1)]
        async with home.store.reading() as read:
            given = (read.views, home.community_id, me)
            text, _ = await hud_now(*given, now=home.clock.now(), tokenizer=tokenizer, structured=False, lean=False)
        assert SIGN in text
        assert tokenizer.threads == {"aside_0"}


async def test_summaries_are_worded_beside_the_loop(tokenizer: WatchedTokenizer) -> None:
    config = CommunityConfig(summary_tokens=500, model="gpt-4o-mini")
    async with hearts(1, config=config, model=WatchedModel(["Goal: the sea"])) as home:
        await home.hear(LONG)
        summaries = Summaries(home.store, home.model, home.clock, home.metrics, config=config)
        await home.clock.advance(61)
        await summaries.run()
        await summaries.settled()
        assert [call.input.startswith("Room: ") for call in home.model.calls] == [True]
        assert tokenizer.threads == {"aside_0"}


async def test_long_files_are_counted_beside_the_loop(tokenizer: WatchedTokenizer) -> None:
    tokenizer.adds_up = True
    async with hearts(1, model=WatchedModel()) as home:
        text = "的" * 30_000 + SIGN
        file = Attachment(name="tale.txt", media_type="text/plain", size_bytes=90_000, url="", text=text)
        await home.hear("read this", attachments=(file,))
        assert [one.tokens > 10_000 for one in await home.messages()] == [True]
        assert tokenizer.threads == {"aside_0"}
