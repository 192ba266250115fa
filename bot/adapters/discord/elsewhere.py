"""Another server that speaks Discord's language: what it must offer, tried before a bot is sent there."""

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress

import aiohttp

from bot.adapters.discord.reaching import CDN, GATEWAY
from bot.core.terminal import without_secrets

HELLO = 10  # the first word of a gateway
MOST_SAID = 1_000_000  # bytes of it
UNSOUND = (LookupError, TypeError, ValueError, AttributeError, RecursionError)
Asked = Callable[[str], Awaitable[object]]


async def lacking(
    session: aiohttp.ClientSession, asked: Asked, *, api: str, gateway: str | None, cdn: str | None
) -> list[str]:
    """Say what such a server does not do as Discord does, a sentence for each; nothing where all is well.

    `asked` gives the JSON at an address, as the bot is told it; `gateway` and `cdn` are the settings, None where unset.
    """
    found = [
        await _gateway(session, asked, api, gateway),
        await _commands(asked, api),
        await _files(session, cdn),
    ]
    return [one for one in found if one]


async def _gateway(session: aiohttp.ClientSession, asked: Asked, api: str, gateway: str | None) -> str:
    """Look whether it greets who comes, as a gateway does: nothing is said to it."""
    try:
        address = gateway or _text(await asked(f"{api}/gateway/bot"), "url")
        shown = without_secrets(address)
    except (*UNSOUND, aiohttp.ClientError, TimeoutError):
        return f"It does not tell where its gateway is ({without_secrets(api)}/gateway/bot): set {GATEWAY}."
    try:
        async with session.ws_connect(
            f"{address}?v=10&encoding=json", max_msg_size=MOST_SAID, timeout=aiohttp.ClientWSTimeout(ws_close=1.0)
        ) as line:
            said = await line.receive_str(timeout=session.timeout.total)
        return "" if json.loads(said)["op"] == HELLO else f"What answers at {shown} is no gateway: correct {GATEWAY}."
    except (*UNSOUND, aiohttp.ClientError, TimeoutError):
        return f"No gateway answers at {shown}: correct {GATEWAY}."


async def _commands(asked: Asked, api: str) -> str:
    """Look whether it knows slash commands."""
    try:
        application = _text(await asked(f"{api}/applications/@me"), "id")
        known = await asked(f"{api}/applications/{application}/commands")
    except (*UNSOUND, aiohttp.ClientError, TimeoutError):
        known = None
    if isinstance(known, list):
        return ""
    return "It knows no slash commands: agents talk there, and are managed by `selfroom` on the command line alone."


async def _files(session: aiohttp.ClientSession, cdn: str | None) -> str:
    """Look whether it gives faces and files."""
    if cdn is None:
        return f"Faces and files are asked of Discord itself: set {CDN}."
    with suppress(aiohttp.ClientError, TimeoutError):
        async with session.get(f"{cdn}/embed/avatars/0.png") as response:
            if response.ok:
                return ""
    return f"No faces or files are given at {without_secrets(cdn)}: correct {CDN}."


def _text(told: object, name: str) -> str:
    """Give a text that an object must have; raises TypeError or KeyError."""
    if not isinstance(told, dict) or not isinstance(told[name], str):
        raise TypeError(name)
    text: str = told[name]
    return text
