"""Finding the route of a path, for tests that call handlers without a server."""

import re
from collections.abc import Iterable
from functools import cache

from bot.playground.rest.routes import Route


def find(routes: Iterable[Route], method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    """Give the route that answers, and what stands in its placeholders."""
    for route in sorted(routes, key=lambda route: route.path):
        if route.method == method and (found := _pattern(route.path).fullmatch(path)):
            return route, found.groupdict()
    return None


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))
