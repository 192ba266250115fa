"""Why nothing is heard from Discord, or from the server that was set in its place, and what to do about it."""

import aiohttp
import discord

from bot.adapters.discord.inner import api_address, gateway_address

LOST = (OSError, discord.HTTPException, discord.GatewayNotFound, discord.ConnectionClosed, aiohttp.ClientError)
AGAIN_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 60.0)
OWN_HOSTS = ("discord.com", "discord.gg")
NETWORK = "check the network"
API, GATEWAY, CDN = "SELFROOM_DISCORD_API", "SELFROOM_DISCORD_GATEWAY", "SELFROOM_DISCORD_CDN"
TOKEN_PARTS = 3


class NotDiscord(discord.ClientException):
    """Something answers at the address, but not as Discord does."""


def again_after(failures: int) -> float:
    """Give how long to wait after so many failures in a row."""
    return AGAIN_SECONDS[min(failures, len(AGAIN_SECONDS)) - 1] if failures else 0.0


def may_pass(error: BaseException) -> bool:
    """Tell whether the same can go well later: a server that is down comes back, a wrong address does not."""
    match error:
        case aiohttp.WSServerHandshakeError(status=status) | discord.HTTPException(status=status):
            return status >= 500 or status in (408, 429)
        case aiohttp.InvalidURL() | NotDiscord():
            return False
    return isinstance(error, LOST)


def api_trouble(error: BaseException, where: str | None = None) -> str:
    """Word what is wrong with the API (at that address), and what to do."""
    return _trouble(error, where or api_address(), API)


def gateway_trouble(error: BaseException) -> str:
    """Word what is wrong with the gateway, and what to do."""
    return _trouble(error, gateway_address(), GATEWAY)


def token_trouble(token: str) -> str:
    """Word that the token is not taken, and what one looks like; nothing of it is shown."""
    parts = len(token.split("."))
    looks = "" if parts == TOKEN_PARTS else f" (a token has three parts with dots between; this one has {parts})"
    return f"Discord does not take DISCORD_TOKEN{looks}: copy it again from the developer portal, under Bot."


def _trouble(error: BaseException, where: str, setting: str) -> str:
    """Name the address, for it may be wrong, and what to do: about Discord's own, or about one that somebody set."""
    what, at_discord, elsewhere = _what(error, where)
    is_discord = any(f"{host}/" in f"{where}/" for host in OWN_HOSTS)
    return f"{what}: {at_discord if is_discord else elsewhere.format(setting)}."


def _what(error: BaseException, where: str) -> tuple[str, str, str]:
    match error:
        case aiohttp.ClientConnectorDNSError():
            return f"No server is known by the address {where}", NETWORK, "correct {}"
        case aiohttp.ClientConnectorError() | ConnectionRefusedError():
            return f"Nothing answers at {where}", NETWORK, "start the server, or correct {}"
        case TimeoutError():
            return f"{where} does not answer in time", NETWORK, "look at the server, or correct {}"
        case aiohttp.WSServerHandshakeError(status=status) | discord.HTTPException(status=status) if may_pass(error):
            return f"{where} answers {status}", "wait until Discord is well again", "look at the server"
        case aiohttp.WSServerHandshakeError() | discord.HTTPException() | NotDiscord() | aiohttp.InvalidURL():
            return f"What answers at {where} is not Discord", "look whether a proxy stands between", "correct {}"
        case discord.ConnectionClosed(code=code, reason=reason):
            said = f"{where} closed the connection ({code} {reason or 'without a word'})"
            return said, "wait until Discord is well again", "look at the server"
    return f"The line to {where} broke ({type(error).__name__})", NETWORK, "look at the server"
