"""A message that is held back, from the model's answer to a manager's button."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living, living, quick_settings
from tests.e2e.proving import proves
from tests.e2e.sharing import words_of
from tests.e2e.visitor import Json, Visitor, until, visiting

pytestmark = pytest.mark.e2e


@pytest.fixture
async def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Living]:
    words = {"SELFROOM_COMMUNITY__HELD_WORDS": '["42"]'}
    async with living(quick_settings(tmp_path_factory.mktemp("held"), monkeypatch, **words)) as one:
        yield one


async def notice(you: Visitor, channel_id: str, words: str) -> Json:
    """Wait for the managers to be told."""

    async def look() -> Json | None:
        found = await you.messages(channel_id)
        return next((one for one in found if words in one["content"] and one.get("components")), None)

    return await until(look, f"notice of {words}")


@proves(manager="access held | setup moderation")
async def test_managers_let_a_held_message_through_or_discard_it(home: Living) -> None:
    async with visiting(home.url) as you, visiting(home.url, "guest") as guest:
        hall, office = await you.channel("wren"), await you.channel("welcome")
        manager, nobody = Commander(you, hall), Commander(guest, office)
        await manager.told("setup places", managers_channel=office)
        await you.say(hall, "Wren, what is 20 + 22?")
        held = await notice(you, office, "the word '42'")
        assert "may manage the server" in words_of(await nobody.press(held, "Approve"))
        assert await posts(you, hall, "42") == 0
        assert "posted" in words_of(await manager.press(held, "Approve"))

        async def stands() -> bool:
            return await posts(you, hall, "42") == 1

        await until(stands, "the approved message")
        assert "Set: held words" in await manager.told("setup moderation", words="84, spades", model="none")
        refused = await manager.told("setup moderation", model="omni-moderation-latest")
        assert "has no model 'omni-moderation-latest'" in refused  # the scripted model moderates nothing
        await you.say(hall, "Wren, what is 40 + 44?")
        held = await notice(you, office, "the word '84'")
        assert f"to be said in <#{hall}>" in await manager.told("access held")
        assert "discarded" in words_of(await manager.press(held, "Discard"))
        late = words_of(await manager.press(held, "Approve"))
        assert "waits no longer: The Architect (@" in late
        assert "was first (discarded)." in late
        assert await posts(you, hall, "84") == 0
        assert await manager.told("access held") == "Nothing is held back."


async def posts(you: Visitor, channel_id: str, words: str) -> int:
    return sum(words in one["content"] for one in await you.messages(channel_id) if "webhook_id" in one)
