"""What discord.py has but does not document, and we lean on all the same: reached from here and nowhere else.

A test fails when one of these names goes, and pyproject.toml holds discord.py to the releases that have them.
"""

from collections.abc import Callable
from typing import Any, Final

import discord
import yarl
from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from discord.http import HTTPClient, Route

Socket = DiscordWebSocket
Reconnect = ReconnectWebSocket
Raw = Any  # an object of Discord's as it came, whose fields its documentation names

REST: Final = frozenset(
    {
        "add_reaction",
        "channel_webhooks",
        "create_channel",
        "create_webhook",
        "delete_channel",
        "delete_channel_permissions",
        "delete_message",
        "delete_messages",
        "edit_channel",
        "edit_channel_permissions",
        "get_all_guild_channels",
        "get_channel",
        "logs_from",
        "pin_message",
        "pins_from",
        "remove_own_reaction",
        "send_typing",
        "user_agent",
    }
)
"""What is asked of `rest`."""


def rest(client: discord.Client) -> HTTPClient:
    """Give what asks Discord's API by ids alone, so that nothing has to be fetched before."""
    return client.http


async def renew(client: discord.Client) -> None:
    """Close the connections to the API, so that it can be logged in anew."""
    await client.http.close()
    client.http.connector = discord.utils.MISSING  # that one is closed now


def parsers_of(client: discord.Client) -> dict[str, Callable[[Raw], None]]:
    """Give what reads each kind of gateway event, to be put in place of."""
    return client._connection.parsers


def point_at(*, api: str | None, gateway: str | None, cdn: str | None) -> None:
    """Point discord.py, for the whole process, at other addresses than Discord's own (None leaves one as it is)."""
    if api is not None:
        Route.BASE = api.rstrip("/")
    if gateway is not None:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)
    if cdn is not None:
        discord.Asset.BASE = cdn.rstrip("/")


def api_address() -> str:
    """Give where the API is."""
    return Route.BASE


def gateway_address() -> str:
    """Give where the gateway is."""
    return str(DiscordWebSocket.DEFAULT_GATEWAY)


def cdn_address() -> str:
    """Give where pictures and files are."""
    return discord.Asset.BASE
