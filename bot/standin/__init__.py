"""The scripted mind behind OpenAI's shapes: reads HUDs and plays legal moves; honest rules, no intelligence.

Beside `/v1/...` it answers under `/playground/model/...`: `script` (prepared answers), `faults`, `calls`.
"""

from aiohttp import web

from bot.standin.endpoint import add_routes

__all__ = ["add_to"]


def add_to(app: web.Application) -> None:
    """Hang `/v1/...` (what an OpenAI client speaks) and `/playground/model/...` (set-up) under the app."""
    add_routes(app)
