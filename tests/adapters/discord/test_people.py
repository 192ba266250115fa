"""Who may manage the server, as Discord tells it."""

from types import SimpleNamespace

import discord
import pytest

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
