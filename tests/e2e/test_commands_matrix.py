"""Every command there is, tried by a plain member: what is not for everyone is refused, and changes nothing."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from cogs.ui.guide import FOR_EVERYONE
from tests.cogs.trees import leaves
from tests.e2e.commanding import words_of
from tests.e2e.sharing import Cast, shared_home
from tests.e2e.visitor import Json

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("commands matrix")]

NAMED = {"agent": "Wren", "room": "Wren", "request": "1", "time_zone": "UTC", "value": "40"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("matrix")) as one:
        yield one


def filled(option: Json, cast: Cast) -> Any:  # noqa: ANN401
    """Give some value that an option takes."""
    if option.get("choices"):
        return option["choices"][0]["value"]
    match option["type"]:
        case 4 | 10:
            return option.get("min_value", 1)
        case 5:
            return True
        case 6:
            return cast.you.user["id"]
        case _:
            return NAMED.get(option["name"], "x" * max(1, option.get("min_length", 1)))


async def seen_by(cast: Cast) -> list[Json]:
    """Give the commands that a plain member is shown."""
    path = f"/channels/{cast.guest.channel_id}/application-command-index"
    index = await cast.guest.visitor.ask("GET", path)
    return [one for one in index["application_commands"] if one["type"] == 1]


async def test_what_is_not_for_everyone_is_refused_to_a_plain_member(cast: Cast) -> None:
    before = await cast.home.agents()
    tried = 0
    for path, command in leaves(await seen_by(cast)):
        name = " ".join(path)
        if name in FOR_EVERYONE:
            continue
        needed = [option for option in command.get("options", ()) if option.get("required")]
        file = ("card.json", b"{}") if any(option["type"] == 11 for option in needed) else None
        options = {option["name"]: filled(option, cast) for option in needed if option["type"] != 11}
        told = words_of(await cast.guest.run(name, file=file, **options))
        assert "Only people who may manage the server can do that." in told, (name, told)
        tried += 1
    assert tried > 50
    after = await cast.home.agents()
    assert {name: one["state"] for name, one in after.items()} == {name: one["state"] for name, one in before.items()}


async def test_setup_is_not_even_shown_to_a_plain_member(cast: Cast) -> None:
    assert "setup" not in {one["name"] for one in await seen_by(cast)}


async def test_who_holds_the_architects_role_may_manage(cast: Cast) -> None:
    guild = cast.you.about["guild_id"]
    role = await cast.you.ask("POST", f"/guilds/{guild}/roles", {"name": "Architects"})
    await cast.refused("agent pause", agent="Ledger")
    assert "Set: architect role." in await cast.manager.told("setup places", architect_role=role["id"])
    await cast.you.ask("PUT", f"/guilds/{guild}/members/{cast.guest.visitor.user['id']}/roles/{role['id']}")
    assert "Ledger is paused." in await cast.guest.told("agent pause", agent="Ledger")
