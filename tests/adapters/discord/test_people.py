"""Who may manage the server, as Discord tells it."""

import asyncio
from types import SimpleNamespace
from unittest.mock import Mock

import discord
import pytest

from bot.adapters.discord import people as module
from bot.adapters.discord.people import People


class Member(discord.Member):
    """A member with rights of the server, and others in the channel where a command was used."""

    def __init__(self, of_server: discord.Permissions, of_channel: discord.Permissions) -> None:
        self._rights = of_server, of_channel
        self.guild = SimpleNamespace(id=1)  # type: ignore[assignment]

    @property
    def guild_permissions(self) -> discord.Permissions:
        return self._rights[0]

    @property
    def resolved_permissions(self) -> discord.Permissions | None:
        return self._rights[1]

    def get_role(self, role_id: int, /) -> discord.Role | None:
        return None


NOTHING, MANAGES = discord.Permissions.none(), discord.Permissions(manage_guild=True)


@pytest.mark.parametrize(("of_server", "of_channel"), [(NOTHING, MANAGES), (MANAGES, NOTHING)])
def test_only_rights_of_the_server_make_somebody_its_manager(
    of_server: discord.Permissions, of_channel: discord.Permissions
) -> None:
    assert People().is_architect(Member(of_server, of_channel)) is of_server.manage_guild


async def test_a_gateway_that_names_no_members_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(**_: object) -> list[discord.Member]:
        await asyncio.Event().wait()
        return []

    monkeypatch.setattr(module, "ANSWER_SECONDS", 0.01)
    stranger = Mock(spec=discord.User, id=7)
    member = Mock(spec=discord.Member)

    async def fetched(user_id: int) -> discord.Member:
        assert user_id == 7
        return member

    server = Mock(spec=discord.Guild, id=1, query_members=silent, fetch_member=fetched)
    server.get_member.return_value = None
    people = People()
    async with asyncio.timeout(5):
        await people.meet([stranger], server)
    assert await people.member(stranger, server) is member
