"""Nobody gets what Discord would not give: the words of closed places, hooks of others, doors by moving channels."""

from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
from discord import app_commands
from discord.ext import commands

from bot.playground.permissions import Permission as P
from bot.playground.server import Playground
from tests.playground.person import Person, Refusal

Overwrites = dict[discord.Role | discord.Member | discord.Object, discord.PermissionOverwrite]


@pytest.fixture
async def eve(playground: Playground) -> AsyncIterator[Person]:
    """Give a plain member."""
    async with Person.new(playground.url, "eve") as person:
        yield person


async def promote(owner: Person, person: Person, rights: int) -> None:
    """Give a member rights in the whole server."""
    guild_id = owner.about["guild_id"]
    await owner.setup("PUT", f"/guilds/{guild_id}/members/{person.id}", json={"permissions": str(int(rights))})


async def refused(person: Person, method: str, path: str, body: object) -> int:
    """Give the code with which a call is refused."""
    with pytest.raises(Refusal) as no:
        await person.call(method, path, json=body)
    return int(no.value.body["code"])


async def closed(guild: discord.Guild, name: str = "attic", **more: Any) -> discord.TextChannel:  # noqa: ANN401
    """Make a channel that only the bot sees."""
    shut: Overwrites = {
        guild.default_role: discord.PermissionOverwrite(view_channel=False),
        guild.me: discord.PermissionOverwrite(view_channel=True),
    }
    return await guild.create_text_channel(name, overwrites=shut, **more)


async def test_nobody_reads_a_closed_channel_by_forwarding_from_it(
    guild: discord.Guild, channel: discord.TextChannel, eve: Person
) -> None:
    secret = await (await closed(guild)).send("the key is under the mat")
    path, reference = f"/channels/{channel.id}/messages", {"type": 1, "message_id": str(secret.id)}
    assert await refused(eve, "POST", path, {"message_reference": reference}) == 50035
    quiet = reference | {"fail_if_not_exists": False}
    said = await eve.call("POST", path, json={"content": "look", "message_reference": quiet})
    assert "message_snapshots" not in said and "message_reference" not in said


async def test_nobody_learns_who_wrote_in_a_closed_channel(
    guild: discord.Guild, channel: discord.TextChannel, eve: Person
) -> None:
    secret = await (await closed(guild)).send("quiet")
    reference = {"message_id": str(secret.id), "fail_if_not_exists": False}
    said = await eve.say(channel.id, "who?", message_reference=reference)
    assert (said["mentions"], said["type"]) == ([], 0)


@pytest.mark.parametrize("kind", [0, 1])
async def test_nobody_reads_what_another_alone_is_shown(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person, eve: Person, kind: int
) -> None:
    @bot.tree.command(name="seat")
    async def seat(interaction: discord.Interaction) -> None:
        """Show one's seat."""
        await interaction.response.send_message("you are the wolf", ephemeral=True)

    assert isinstance(seat, app_commands.Command)
    await bot.tree.sync()
    await ada.command(channel.id, "seat")
    shown = await ada.hears("MESSAGE_CREATE", content="you are the wolf")
    body = {"content": "" if kind else "so?", "message_reference": {"type": kind, "message_id": shown["id"]}}
    assert await refused(eve, "POST", f"/channels/{channel.id}/messages", body) == 50035
    assert await refused(ada, "POST", f"/channels/{channel.id}/messages", body) == 50035  # it stays hers alone


async def test_a_bots_webhook_gives_its_token_to_nobody_else(
    channel: discord.TextChannel, eve: Person, owner: Person
) -> None:
    hook = await channel.create_webhook(name="Rooms")
    await promote(owner, eve, P.MANAGE_WEBHOOKS)
    changed = await eve.call("PATCH", f"/webhooks/{hook.id}", json={"name": "Mine"})
    assert changed["name"] == "Mine"
    assert "token" not in changed and "url" not in changed


async def test_who_moves_channels_opens_none_by_it(guild: discord.Guild, eve: Person, owner: Person) -> None:
    street = await guild.create_category("street")
    attic = await closed(guild)
    await promote(owner, eve, P.MANAGE_CHANNELS)
    path = f"/guilds/{guild.id}/channels"
    opening = [{"id": str(attic.id), "parent_id": str(street.id), "lock_permissions": True}]
    assert await refused(eve, "PATCH", path, opening) == 50001
    hall = await guild.create_text_channel("hall")
    into = {"id": str(hall.id), "parent_id": str(street.id)}
    assert await refused(eve, "PATCH", path, [into | {"lock_permissions": True}]) == 50013
    inside = {"parent_id": str(street.id), "lock_permissions": True}
    assert await refused(eve, "PATCH", f"/channels/{hall.id}", inside) == 50013
    assert await refused(eve, "PATCH", path, [into | {"parent_id": str(hall.id)}]) == 50035
    await eve.call("PATCH", path, json=[into])
    assert (await eve.call("GET", f"/channels/{hall.id}"))["parent_id"] == str(street.id)


async def test_what_one_lacks_is_neither_given_in_a_new_channel_nor_by_removing_a_refusal(
    guild: discord.Guild, channel: discord.TextChannel, eve: Person, owner: Person
) -> None:
    await promote(owner, eve, P.MANAGE_CHANNELS | P.MANAGE_ROLES)
    more = [{"id": eve.id, "type": 1, "allow": str(int(P.MENTION_EVERYONE))}]
    path = f"/guilds/{guild.id}/channels"
    assert await refused(eve, "POST", path, {"name": "mine", "permission_overwrites": more}) == 50013
    denied = {"type": 1, "deny": str(int(P.MENTION_EVERYONE))}
    await owner.call("PUT", f"/channels/{channel.id}/permissions/{eve.id}", json=denied)
    assert await refused(eve, "DELETE", f"/channels/{channel.id}/permissions/{eve.id}", None) == 50013
    assert await refused(eve, "PATCH", f"/channels/{channel.id}", {"permission_overwrites": []}) == 50013


async def test_roles_sent_along_do_not_lift_a_member_below_a_moderator(
    guild: discord.Guild, eve: Person, owner: Person
) -> None:
    await promote(owner, eve, P.MANAGE_ROLES | P.MANAGE_NICKNAMES | P.MODERATE_MEMBERS)
    path = f"/guilds/{guild.id}/members/{owner.id}"
    mine = (await owner.call("GET", path))["roles"]
    assert await refused(eve, "PATCH", path, {"roles": mine, "nick": "nobody"}) == 50013
    until = {"communication_disabled_until": "2030-01-01T00:00:00+00:00"}
    assert await refused(eve, "PATCH", path, {"roles": mine, **until}) == 50013


async def test_only_who_opened_a_thread_that_is_not_for_guests_brings_some(
    channel: discord.TextChannel, ada: Person, eve: Person
) -> None:
    thread = await channel.create_thread(name="two", type=discord.ChannelType.private_thread, invitable=False)
    await thread.add_user(discord.Object(int(ada.id)))
    path = f"/channels/{thread.id}/thread-members/{eve.id}"
    assert await refused(ada, "PUT", path, None) == 50013
    await thread.edit(invitable=True)
    await ada.call("PUT", path)
    assert (await eve.call("GET", f"/channels/{thread.id}"))["name"] == "two"


async def test_who_opened_a_thread_does_not_unlock_it(channel: discord.TextChannel, ada: Person, owner: Person) -> None:
    thread = await ada.call("POST", f"/channels/{channel.id}/threads", json={"name": "loud", "type": 11})
    await owner.call("PATCH", f"/channels/{thread['id']}", json={"locked": True, "archived": True})
    assert await refused(ada, "PATCH", f"/channels/{thread['id']}", {"archived": False}) == 50013
