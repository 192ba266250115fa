"""All routes of the REST API: those that answer, and those that say that the playground does not do this."""

from bot.playground.rest import (
    channels,
    commands,
    guilds,
    interactions,
    members,
    messages,
    pins,
    reactions,
    roles,
    threads,
    undone,
    users,
    webhooks,
)
from bot.playground.rest.routes import Route

MODULES = (
    *(users, guilds, channels, roles, members, messages, pins, reactions, webhooks, threads, commands, interactions),
    undone,
)


def api_routes() -> list[Route]:
    """Gather the routes of every module."""
    return [route for module in MODULES for route in module.routes]
