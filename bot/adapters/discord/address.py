"""Where Discord is: discord.py can be pointed at any server that speaks Discord's protocols."""

import yarl
from discord import Asset
from discord.gateway import DiscordWebSocket
from discord.http import Route


def point_at(*, api: str | None, gateway: str | None, cdn: str | None) -> None:
    """Point discord.py, for the whole process, at other addresses than Discord's own (None leaves one as it is)."""
    if api is not None:
        Route.BASE = api.rstrip("/")
    if gateway is not None:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)
    if cdn is not None:
        Asset.BASE = cdn.rstrip("/")
