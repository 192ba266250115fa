"""What commands say of doors is what Discord shows: without the right nothing is promised, and nobody is deceived."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.e2e.commanding import Commander, words_of
from tests.e2e.sharing import Cast, shared_home
from tests.e2e.test_commands_trouble import without_permission
from tests.e2e.visitor import Json, Visitor, until, visiting

pytestmark = pytest.mark.e2e
MANAGE_CHANNELS, MANAGE_ROLES = 1 << 4, 1 << 28


@pytest.fixture
async def cast(tmp_path: Path) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path) as home:
        yield home


async def rights_of_the_bot(you: Visitor) -> tuple[str, Json]:
    """Give where the bot's role is, and the role as it is."""
    guild, bot = you.about["guild_id"], you.about["application_id"]
    roles = await you.ask("GET", f"/guilds/{guild}/roles")
    mine = next(one for one in roles if (one.get("tags") or {}).get("bot_id") == bot)
    return f"/guilds/{guild}/roles/{mine['id']}", mine


async def seen_room(cast: Cast, name: str) -> tuple[str, str]:
    """Make an agent and wait until its room is known to be public; gives its id and the channel's."""
    id = str(await cast.agent(name))
    channel = await cast.owner.channel(name.lower())
    await cast.manager.comes_to_tell("room info", "knock with a key; everyone on the server", room=id)
    return id, channel


async def sees(visitor: Visitor, name: str) -> bool:
    return name in await visitor.channels()


async def test_a_room_that_selfroom_may_not_close_is_called_public_and_the_missing_right_is_named(cast: Cast) -> None:
    id, channel = await seen_room(cast, "Vault")
    path, role = await rights_of_the_bot(cast.owner)
    await without_permission(cast.owner, MANAGE_ROLES)
    told = await cast.manager.close_room(id)
    assert "Nothing has changed" in told
    assert "manage roles" in told
    assert "private now" not in told
    assert await sees(cast.guest.visitor, "vault")
    assert "knock with a key; everyone on the server" in await cast.manager.told("room info", room=id)
    said = await cast.guest.visitor.say(channel, "Vault, are you there?")
    await cast.guest.visitor.answer_after(said)  # in the open, and nobody was told otherwise
    gwen = cast.guest.visitor.user["id"]
    assert "everyone on the server sees it" in await cast.manager.told("room info", room=id)
    await cast.owner.ask("PATCH", path, {"permissions": role["permissions"]})
    assert "The room is private now." in await cast.manager.close_room(id)
    assert not await sees(cast.guest.visitor, "vault")
    assert "knock with a key; only people who were let in" in await cast.manager.told("room info", room=id)
    await cast.owner.ask("PUT", f"/channels/{channel}/permissions/{gwen}", {"type": 1, "allow": "1024", "deny": "0"})
    await without_permission(cast.owner, MANAGE_ROLES)
    told = await cast.manager.told("access revoke", room=id, member=gwen)
    assert "Nothing has changed" in told
    assert "manage roles" in told
    assert await sees(cast.guest.visitor, "vault")


async def test_a_right_lost_on_the_way_leaves_the_room_public_in_words_too_and_given_back_it_closes(
    cast: Cast,
) -> None:
    id, _ = await seen_room(cast, "Attic")
    refusal: Json = {"kind": "status", "status": 403, "route": "PUT /channels/*/permissions/*", "count": 3}
    async with cast.home.session.post(f"{cast.home.url}/playground/faults", json=refusal) as response:
        assert response.status == 200
    told = await cast.manager.close_room(id)
    assert "Until Discord shows the channel closed, the room counts as public." in told
    assert "everyone on the server sees it (to be private" in await cast.manager.told("room info", room=id)

    async def refused() -> bool:
        async with cast.home.session.get(f"{cast.home.url}/playground/faults") as response:
            return bool((await response.json())[0]["hits"] == 3)

    await until(refused, "third refusal")
    assert await sees(cast.guest.visitor, "attic")
    path, role = await rights_of_the_bot(cast.owner)
    rights = str(int(role["permissions"]) ^ (1 << 18))  # any change of its rights makes it try again
    await cast.owner.ask("PATCH", path, {"permissions": rights})
    await cast.manager.comes_to_tell("room info", "knock with a key; only people who were let in", room=id)
    assert not await sees(cast.guest.visitor, "attic")


async def test_a_manager_is_warned_before_a_room_is_closed_to_himself(cast: Cast) -> None:
    for name in ("Den", "Nook"):
        await seen_room(cast, name)
    async with visiting(cast.home.url, "max") as max:
        await let_manage_only(cast.owner, max)
        boss = Commander(max, cast.manager.channel_id)
        asked = await boss.run("room visibility", room="Den", visibility="private")
        assert "you would not see it yourself" in words_of(asked)
        assert "knock with a key; everyone on the server" in await cast.manager.told("room info", room="Den")
        assert "The room is private now." in words_of(await boss.press(asked, "Close it and keep me in"))
        assert await sees(max, "den")
        assert not await sees(cast.guest.visitor, "den")
        asked = await boss.run("room visibility", room="Nook", visibility="private")
        assert "The room is private now." in words_of(await boss.press(asked, "Close it to me too"))
        assert not await sees(max, "nook")


async def let_manage_only(you: Visitor, person: Visitor) -> None:
    """Let somebody manage the server, without being an administrator."""
    guild = you.about["guild_id"]
    role = await you.ask("POST", f"/guilds/{guild}/roles", {"name": "Stewards", "permissions": str(1 << 5)})
    await you.ask("PUT", f"/guilds/{guild}/members/{person.user['id']}/roles/{role['id']}")

    async def known() -> bool:
        member = await you.ask("GET", f"/guilds/{guild}/members/{person.user['id']}")
        return role["id"] in member["roles"]

    await until(known, "role")


async def test_who_sees_a_room_by_a_role_cannot_be_shut_out_by_taking_access_away(cast: Cast) -> None:
    id = str(await cast.agent("Cellar"))
    channel, guild = await cast.owner.channel("cellar"), cast.owner.about["guild_id"]
    assert "private now" in await cast.manager.close_room(id)
    role = await cast.owner.ask("POST", f"/guilds/{guild}/roles", {"name": "Miners"})
    await cast.owner.ask("PUT", f"/channels/{channel}/permissions/{role['id']}", {"type": 0, "allow": "1024"})
    guest = cast.guest.visitor.user["id"]
    await cast.owner.ask("PUT", f"/guilds/{guild}/members/{guest}/roles/{role['id']}")
    told = await cast.manager.told("access revoke", room=id, member=guest)
    assert "has the role Miners, which may see it" in told


async def test_commands_say_what_they_wait_for_and_it_comes_with_the_right(cast: Cast) -> None:
    path, role = await rights_of_the_bot(cast.owner)
    await without_permission(cast.owner, MANAGE_CHANNELS)
    made = await cast.manager.told("agent create", name="Fern", prompt="You are Fern.")
    assert "Fern is created" in made
    assert "Discord does not show it yet: Selfroom lacks **manage channels** there." in made
    assert "lacks **manage channels**" in await cast.manager.told("room topic", topic="Roses", room="Wren")
    gone = await cast.manager.told("agent delete", agent="Ledger", channel="remove")
    assert "Nothing has changed: to delete" in gone
    await cast.owner.ask("PATCH", path, {"permissions": role["permissions"]})
    await cast.owner.channel("fern")

    async def topical() -> bool:
        return bool((await cast.owner.channels())["wren"]["topic"] == "Roses")

    await until(topical, "topic")


async def test_what_discord_takes_later_is_not_said_to_be_there(cast: Cast) -> None:
    route = f"PATCH /channels/{cast.manager.channel_id}"
    late: Json = {"kind": "rate_limit", "retry_after": 5.0, "route": route}
    async with cast.home.session.post(f"{cast.home.url}/playground/faults", json=late) as response:
        assert response.status == 200
    told = await cast.manager.told("room topic", topic="Tulips")
    assert "The topic is set. Discord does not show it yet" in told
    slow: Json = {"kind": "latency", "seconds": 5.0, "route": "POST /guilds/*/channels"}
    async with cast.home.session.post(f"{cast.home.url}/playground/faults", json=slow) as response:
        assert response.status == 200
    assert "Discord does not show it yet" in await cast.manager.told(
        "agent create", name="Moss", prompt="You are Moss."
    )
    await cast.owner.channel("moss")


async def test_what_goes_on_in_a_private_room_is_shown_to_nobody_who_cannot_see_it(cast: Cast) -> None:
    id, channel = await seen_room(cast, "Crypt")
    assert "private now" in await cast.manager.close_room(id)
    await cast.manager.told("room invite", agent="Ledger", room="Crypt")
    await cast.owner.answer_after(await cast.owner.say(channel, "Crypt, and Ledger, add 2 and 3"))
    seen = await cast.manager.told("heartbeat status")
    for name in ("Crypt", "Ledger"):
        line = next(line for line in seen.splitlines() if f"**{name}**" in line)
        assert "last beat" in line or "waits for" in line
    told = [await cast.guest.told(path) for path in ("heartbeat status", "agent list")]
    for name in ("Crypt", "Ledger"):
        line = next(line for line in told[0].splitlines() if f"**{name}**" in line)
        assert line.endswith("shown only to who sees all of its rooms"), line
        told.append(await cast.guest.told("agent show", agent=name))
        assert "waits for" not in told[-1]
        assert "Today" not in told[-1]
        told.append(await cast.guest.told("heartbeat status", agent=name))
        assert "In 24 hours" not in told[-1]
    assert "last beat" in await cast.manager.told("heartbeat status", agent="Ledger")
    assert channel not in "\n".join(told)
    assert "waits for" in await cast.guest.told("agent show", agent="Wren")


async def test_a_plain_member_silences_a_room_for_ten_minutes_at_most(cast: Cast) -> None:
    assert "at most 10 minutes" in await cast.guest.told("room hush", minutes=60)
    assert "silent here for 10 minutes" in await cast.guest.told("room hush", minutes=10)
    assert "silent here for 60 minutes" in await cast.manager.told("room hush", minutes=60)
    assert "A manager silenced this room" in await cast.guest.told("room hush", minutes=0)
