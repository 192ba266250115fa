"""What the managers' channel hears, and what is said of things that moderation holds or a missing right keeps back."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.commanding import words_of
from tests.e2e.sharing import shared_home
from tests.e2e.staging import Stage
from tests.e2e.test_commands_trouble import without_permission
from tests.e2e.test_doors import MANAGE_CHANNELS, rights_of_the_bot
from tests.e2e.test_moderation import notice
from tests.e2e.visitor import Json, until

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]

MANAGE_WEBHOOKS = 1 << 29
HELD = {"SELFROOM_COMMUNITY__HELD_WORDS": '["spades"]'}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with shared_home(tmp_path_factory.mktemp("office"), **HELD) as cast:
        one = Stage(cast)
        for name in ("Rook", "Fern", "Moss"):
            one.ids[name] = await cast.agent(name)
            one.halls[name] = await cast.you.channel(name.lower())
        one.halls["office"] = await cast.you.channel("welcome")
        await one.told("setup places", managers_channel=one.halls["office"])
        yield one


async def heard(stage: Stage, *words: str) -> Json:
    """Wait until the managers' channel has been told this."""

    async def look() -> Json | None:
        found = await stage.cast.you.messages(stage.halls["office"])
        return next((one for one in found if all(word in one["content"] for word in words)), None)

    return await until(look, f"notice of {words}")


async def test_a_knock_at_a_paused_agents_door_is_heard_of(stage: Stage) -> None:
    await stage.told("key create", room="Rook", label="spare", key="under the mat")
    await stage.told("agent pause", agent="Rook")
    await stage.does("Fern", [{"type": "request_access", "room_id": stage.rook, "key": "under the mat"}])
    await heard(stage, "Fern knocks at the door of Rook, who is paused", "`/access pending`")


async def test_an_agent_retired_because_its_channel_went_is_heard_of(stage: Stage) -> None:
    await stage.cast.owner.ask("DELETE", f"/channels/{stage.halls['Moss']}")
    await heard(stage, "Moss", "retired", "`/agent restore`")
    assert "retired" in await stage.told("agent show", agent="Moss")


async def test_what_somebody_says_as_an_agent_is_said_to_be_held(stage: Stage) -> None:
    told = await stage.told("agent say", agent="Fern", message="Bring rakes and spades.")
    assert "Moderation holds it back: `/access held` has buttons to decide." in told
    assert "spades" in await stage.told("access held")
    assert "rakes" not in await stage.posts("Fern")


async def test_what_is_approved_tells_which_right_it_waits_for_and_comes_with_it(stage: Stage) -> None:
    await stage.does("Fern", [{"type": "set_topic", "topic": "Hearts and spades"}])
    asked = await notice(stage.cast.you, stage.halls["office"], "set its topic")
    path, role = await rights_of_the_bot(stage.cast.owner)
    await without_permission(stage.cast.owner, MANAGE_CHANNELS)
    told = words_of(await stage.cast.manager.press(asked, "Approve"))
    assert "It stands now. Discord does not show it yet: Selfroom lacks **manage channels** there." in told
    await stage.cast.owner.ask("PATCH", path, {"permissions": role["permissions"]})

    async def topical() -> bool:
        return bool((await stage.cast.owner.channels())["fern"]["topic"] == "Hearts and spades")

    await until(topical, "topic")


async def test_an_agent_that_discord_keeps_from_speaking_is_said_to_rest_and_nobody_to_have_paused_it(
    stage: Stage,
) -> None:
    path, role = await rights_of_the_bot(stage.cast.owner)
    for hook in await stage.cast.owner.ask("GET", f"/channels/{stage.halls['Fern']}/webhooks"):
        await stage.cast.owner.ask("DELETE", f"/webhooks/{hook['id']}")
    await without_permission(stage.cast.owner, MANAGE_WEBHOOKS)
    told = await stage.told("agent say", agent="Fern", message="The tide turns.")
    assert "Selfroom lacks **manage webhooks** there. It is done as soon as Selfroom's role has that right." in told
    await heard(stage, f"⚠️ <#{stage.halls['Fern']}>: Discord does not let me look for my webhook")
    card = await stage.cast.manager.comes_to_tell("agent show", "its channel, which rests", agent="Fern")
    row = (await stage.cast.home.agents())["Fern"]
    assert row["waits_for"].startswith("its channel, which rests until Discord lets Selfroom in")
    assert "someone to resume" not in card
    await stage.cast.owner.ask("PATCH", path, {"permissions": role["permissions"]})

    async def said() -> bool:
        return "The tide turns." in await stage.posts("Fern")

    await until(said, "post that waited for the right")
    await stage.cast.manager.comes_to_tell("agent show", "idle", agent="Fern")
