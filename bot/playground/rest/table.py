"""All routes of the REST API."""

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
    users,
    webhooks,
)
from bot.playground.rest.routes import RouteTable

MODULES = (
    users,
    guilds,
    channels,
    roles,
    members,
    messages,
    pins,
    reactions,
    webhooks,
    threads,
    commands,
    interactions,
)


def api_table() -> RouteTable:
    """Gather the routes of every module."""
    return RouteTable(*(module.routes for module in MODULES))
