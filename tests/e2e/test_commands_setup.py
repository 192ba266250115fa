"""`/setup`: every setting by command, and what is missing in which channel."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.proving import proves
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.visitor import until

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]

MANAGE_WEBHOOKS, PIN_MESSAGES = 1 << 29, 1 << 51


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("setup")) as one:
        yield one


async def bot_id(cast: Cast) -> str:
    """Give the id of Selfroom's own user."""
    said = await cast.manager.run("setup start")
    return str(said["author"]["id"])


@proves(manager="setup options")
async def test_a_manager_changes_any_setting(cast: Cast) -> None:
    pages = await cast.manager.run("setup options")
    assert "Settings of this server" in pages["content"]
    assert "**banter** = 6:" in await cast.manager.told("setup options", setting="banter")
    assert "Set: banter." in await cast.manager.told("setup options", setting="banter", value="3")
    assert "**banter** = 3 (changed; default: 6):" in await cast.manager.told("setup options", setting="banter")
    assert "Changed here: " in await cast.manager.told("setup options")
    assert "must be a whole number from 0 up to 10,000" in await cast.manager.told(
        "setup options", setting="banter", value="-1"
    )
    assert "There is no setting `sound`" in await cast.manager.told("setup options", setting="sound", value="1")
    assert "Set: banter." in await cast.manager.told("setup options", setting="banter", value="default")
    assert "**banter** = 6:" in await cast.manager.told("setup options", setting="banter")


@proves(manager="usage budget")
async def test_nonsense_is_refused_by_the_same_limits_everywhere(cast: Cast) -> None:
    pages = await cast.manager.run("setup options")
    assert "__New agents__" in pages["content"]
    for setting, value, why in (
        ("usd_per_day", "-3", "`usd_per_day` must be a number from 0 up to 10,000"),
        ("usd_per_day", "1000000", "`usd_per_day` must be a number from 0 up to 10,000"),
        ("answer_tokens", "99999999", "`answer_tokens` must be a whole number from 500 up to 64,000"),
        ("category_id", "1", "This server has no such category: use `/setup places`."),
    ):
        assert why in await cast.manager.told("setup options", setting=setting, value=value)
    assert "A day may cost 1.00 imaginary USD" in await cast.manager.told("usage budget")
    assert "imaginary USD" in await cast.manager.told("usage today")
    assert "Budget 1.00 imaginary USD a day" in await cast.manager.told("setup start")


async def test_a_setting_holds_at_once(cast: Cast) -> None:
    await cast.manager.told("setup options", setting="allowed_models", value="gpt-4o, gpt-4o-mini")
    told = await cast.manager.told("agent create", name="Odd", prompt="You are odd.", model="gpt-5")
    assert "gpt-5" in told
    assert "created" not in told
    assert "created" in await cast.manager.told("agent create", name="Even", prompt="You are even.", model="gpt-4o")


async def test_settings_and_values_are_suggested(cast: Cast) -> None:
    shown = await cast.manager.suggested("setup options", "setting", "floor")
    assert {one.split(":")[0] for one in shown} >= {"floor", "floor_seconds"}
    shown = await cast.manager.suggested("setup options", "value", "", setting="wpm")
    assert shown == ["80 (as it is)", "default"]


async def test_the_architects_role_is_taken_back_at_once(cast: Cast) -> None:
    guild = cast.you.about["guild_id"]
    role = await cast.owner.ask("POST", f"/guilds/{guild}/roles", {"name": "Builders"})
    await cast.owner.ask("PUT", f"/guilds/{guild}/members/{cast.guest.visitor.user['id']}/roles/{role['id']}")
    assert not await cast.offered("knowledge")
    await cast.manager.told("setup options", setting="architect_role_id", value=role["id"])
    assert await cast.offered("knowledge") and await cast.offered("Delete and forget", kind=3)
    assert "Ledger is paused" in await cast.guest.told("agent pause", agent="Ledger")
    await cast.manager.told("setup options", setting="architect_role_id", value="default")
    assert not await cast.offered("knowledge") and await cast.offered("agent")
    await cast.refused("agent resume", agent="Ledger")


async def test_a_channel_that_lacks_a_permission_is_named(cast: Cast) -> None:
    await cast.manager.comes_to_tell("setup start", "Every permission is there, in every channel.")
    ledger, bot = await cast.you.channel("ledger"), await bot_id(cast)
    denied = {"type": 1, "allow": "0", "deny": str(MANAGE_WEBHOOKS | PIN_MESSAGES)}
    await cast.owner.ask("PUT", f"/channels/{ledger}/permissions/{bot}", denied)
    lacking = f"Ledger's room (<#{ledger}>) does not allow **manage webhooks, pin messages**"
    await cast.manager.comes_to_tell("setup start", lacking)
    await cast.owner.ask("DELETE", f"/channels/{ledger}/permissions/{bot}")
    await cast.manager.comes_to_tell("setup start", "in every channel")


async def test_a_place_that_is_gone_is_asked_for_again(cast: Cast) -> None:
    guild = cast.you.about["guild_id"]
    made = await cast.owner.ask("POST", f"/guilds/{guild}/channels", {"name": "office", "type": 0})
    assert "Set: managers channel." in await cast.manager.told("setup places", managers_channel=made["id"])
    asked = "Choose a channel to tell managers things"
    assert asked not in await cast.manager.told("setup start")
    await cast.owner.ask("DELETE", f"/channels/{made['id']}")
    await cast.manager.comes_to_tell("setup start", asked)


async def test_a_thumb_is_answered_with_a_small_sign_where_that_is_wanted(cast: Cast) -> None:
    hall = await cast.you.channel("wren")
    answer = await cast.you.answer_after(await cast.you.say(hall, "Hello Wren, who are you?"))
    await cast.manager.told("setup options", setting="pace_signs", value="yes")
    await cast.you.react(answer, "👍")

    async def signed() -> bool:
        shown = next(one for one in await cast.you.messages(hall) if one["id"] == answer["id"])
        return {"👍", "⏩"} <= {one["emoji"]["name"] for one in shown.get("reactions", ())}

    await until(signed, "the sign")


@pytest.mark.parametrize(("vendor", "prefix"), [("Claude", "claude"), ("Gemini", "gemini")])
async def test_a_vendor_of_ones_own_is_asked_for_a_key_alone(cast: Cast, vendor: str, prefix: str) -> None:
    form = await cast.manager.run("setup provider", use=vendor)
    shown = {row["label"]: row["component"].get("value", "") for row in form["components"]}
    assert "Base URL" not in shown
    assert shown["Prefix of its models (empty: all models)"] == prefix
    assert "Give your key" in words_of(await cast.manager.fill(form, key=" ", model="some-model"))
