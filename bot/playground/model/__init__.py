"""The scripted model: a rule-based stand-in for a language model behind an OpenAI-compatible endpoint."""

from aiohttp import web

from bot.playground.model.routes import add_routes

__all__ = ["add_to"]


def add_to(app: web.Application) -> None:
    """Hang `/v1/...` (what an OpenAI client speaks) and `/playground/model/...` (set-up) under the app."""
    add_routes(app)
