"""Every command there is, tried by a plain member: what is not for everyone is refused, and changes nothing."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing

import pytest
import pytest_asyncio

from bot.adapters.discord.commands import CommandSync
from bot.engine.deadlines import ALIVE
from tests.cogs.trees import for_everyone, leaves
from tests.e2e.commanding import Commander, words_of
from tests.e2e.filling import attempts, needs_file
from tests.e2e.sharing import Cast, shared_home
from tests.e2e.visitor import Json, until, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]

REFUSED = "Only people who may manage the server can do that."
KEEPS_WHO_ASKED = {"people", "names"}
STEADY_SECONDS = 0.5


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    """A server whose owner shows every command to everyone, as Discord lets them under Integrations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CommandSync, "offer", lambda *_, **__: None)
        async with shared_home(tmp_path_factory.mktemp("matrix")) as one:
            yield one


async def seen_by(cast: Cast, kind: int) -> list[Json]:
    """Give the commands of a kind that a plain member is shown."""
    path = f"/channels/{cast.guest.channel_id}/application-command-index"
    index = await cast.guest.visitor.ask("GET", path)
    return [one for one in index["application_commands"] if one["type"] == kind]


def kept(cast: Cast) -> dict[str, set[tuple[object, ...]]]:
    """Give all that is stored, but who has asked something and when scenes were last seen to."""
    with closing(sqlite3.connect(cast.home.settings.data_dir / "selfroom.db")) as file:
        tables = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE TABLE%'")]
        asked = {name: file.execute(f"SELECT * FROM {name}") for name in tables if name not in KEEPS_WHO_ASKED}  # noqa: S608
        return {name: {row for row in rows if ALIVE not in row} for name, rows in asked.items()}


async def kept_in_peace(cast: Cast) -> dict[str, set[tuple[object, ...]]]:
    """Give all that is stored, once nothing of what was begun before changes it any more."""

    async def steady() -> dict[str, set[tuple[object, ...]]] | None:
        found = kept(cast)
        await asyncio.sleep(STEADY_SECONDS)
        return found if kept(cast) == found else None

    return await until(steady, "peace in the database")


async def test_what_is_not_for_everyone_is_refused_to_a_plain_member(cast: Cast) -> None:
    before = await kept_in_peace(cast)
    let_through, tried, open_to_all = {}, set(), await for_everyone()
    for path, command in leaves(await seen_by(cast, 1)):
        name = " ".join(path)
        for options in attempts(command, cast.you.user["id"]) if name not in open_to_all else ():
            file = ("card.json", b"{}") if needs_file(command) else None
            told = words_of(await cast.guest.run(name, file=file, **options))
            tried.add(name)
            if REFUSED not in told:
                let_through[name] = told
    assert let_through == {}
    assert {"setup start", "agent delete", "key list"} < tried
    assert "agents" in before
    after = kept(cast)
    assert {name: rows ^ before[name] for name, rows in after.items() if rows != before[name]} == {}


async def test_what_is_not_for_everyone_on_a_message_is_refused_to_a_plain_member(cast: Cast) -> None:
    answer = await cast.answered("Hello Wren, who are you?")
    names = {one["name"] for one in await seen_by(cast, 3)} - await for_everyone()
    told = {name: words_of(await cast.guest.menu(name, answer)) for name in sorted(names)}
    assert {name: words for name, words in told.items() if REFUSED not in words} == {}
    assert len(told) >= 3


async def test_nothing_that_is_only_for_managers_is_suggested_to_a_plain_member(cast: Cast) -> None:
    id = str(await cast.agent("Vault"))
    await cast.manager.told("agent pause", agent=id)  # or its owner may decide who comes in
    await cast.manager.told("key create", room=id, label="brass one", key="open sesame")
    await cast.manager.close_room(id)
    async with visiting(cast.home.url, "gus") as gus:
        await Commander(gus, cast.manager.channel_id).told("access request", room=id, key="open sesame")
    offered = {who: await all_suggested(cast, who, id) for who in (cast.manager, cast.guest)}
    for secret in ("brass one", "gus", "as it is", "Vault (ID"):
        assert any(secret in one for one in offered[cast.manager])
        assert not any(secret in one for one in offered[cast.guest])


async def all_suggested(cast: Cast, who: Commander, id: str) -> set[str]:
    """Give everything that is suggested to somebody at any option of any command."""
    given = {"room": id, "agent": id, "setting": "usd_per_day"}
    found: set[str] = set()
    for path, command in leaves(await seen_by(cast, 1)):
        names = [option["name"] for option in command.get("options", ())]
        for option in command.get("options", ()):
            if option.get("autocomplete"):
                others = {name: value for name, value in given.items() if name in names and name != option["name"]}
                found |= set(await who.suggested(" ".join(path), option["name"], "", **others))
    return found


async def test_who_holds_the_architects_role_may_manage(cast: Cast) -> None:
    guild = cast.you.about["guild_id"]
    role = await cast.owner.ask("POST", f"/guilds/{guild}/roles", {"name": "Architects"})
    await cast.refused("agent pause", agent="Ledger")
    assert "Set: architect role." in await cast.manager.told("setup places", architect_role=role["id"])
    await cast.owner.ask("PUT", f"/guilds/{guild}/members/{cast.guest.visitor.user['id']}/roles/{role['id']}")
    assert "Ledger is paused." in await cast.guest.told("agent pause", agent="Ledger")
