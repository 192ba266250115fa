"""Routes and how a path finds its own: segment by segment, fixed names before placeholders."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar
from urllib.parse import unquote

from bot.playground.rest.call import Call

Handler = Callable[[Call], Any]
H = TypeVar("H", bound=Handler)
Door = Literal["token", "open"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One method and path; `door` says whether a token in `Authorization` is needed."""

    method: str
    path: str
    door: Door
    handler: Handler
    limited: bool = True

    @property
    def name(self) -> str:
        """Give method and path, as faults and rate limits name it."""
        return f"{self.method} {self.path}"


class Routes:
    """The routes of one module, gathered by decorators; `limited` ones have rate limits."""

    def __init__(self, *, limited: bool = True) -> None:
        self.all: list[Route] = []
        self._limited = limited

    def __iter__(self) -> Iterator[Route]:
        return iter(self.all)

    def on(self, method: str, path: str, *, door: Door = "token") -> Callable[[H], H]:
        """Make a function answer this method and path."""

        def keep(handler: H) -> H:
            self.all.append(Route(method=method, path=path, door=door, handler=handler, limited=self._limited))
            return handler

        return keep


@dataclass(slots=True)
class _Node:
    children: dict[str, "_Node"] = field(default_factory=dict)
    placeholder: "_Node | None" = None
    routes: dict[str, tuple[Route, tuple[str, ...]]] = field(default_factory=dict)


class RouteTable:
    """All routes as a tree of path segments."""

    def __init__(self, *groups: Routes) -> None:
        self._root = _Node()
        self.all = [route for group in groups for route in group]
        for route in self.all:
            self._plant(route)

    def _plant(self, route: Route) -> None:
        node, names = self._root, []
        for part in route.path.strip("/").split("/"):
            if part.startswith("{"):
                names.append(part.strip("{}"))
                node.placeholder = node.placeholder or _Node()
                node = node.placeholder
            else:
                node = node.children.setdefault(part, _Node())
        node.routes[route.method] = (route, tuple(names))

    def find(self, method: str, raw_path: str) -> tuple[Route, dict[str, str]] | None:
        """Give the route and its parameters, unquoted; None when nothing answers here."""
        parts = [unquote(part) for part in raw_path.strip("/").split("/")]
        found = _walk(self._root, parts, (), method)
        if found is None:
            return None
        (route, names), values = found
        return route, dict(zip(names, values, strict=True))


Found = tuple[tuple[Route, tuple[str, ...]], tuple[str, ...]]


def _walk(node: _Node, parts: list[str], values: tuple[str, ...], method: str) -> Found | None:
    if not parts:
        found = node.routes.get(method)
        return None if found is None else (found, values)
    head, rest = parts[0], parts[1:]
    child = node.children.get(head)
    found_below = _walk(child, rest, values, method) if child else None
    if found_below is None and node.placeholder is not None:
        return _walk(node.placeholder, rest, (*values, head), method)
    return found_below
