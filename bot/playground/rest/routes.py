"""Routes: what a method and path take in query and body, who is let in, and who answers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeVar, get_type_hints

from bot.playground.call import Call
from bot.playground.errors import ApiError
from bot.playground.forms import UNDONE, Empty, Whatever, read

Handler = Callable[..., Any]  # takes what its route names, and gives a reply or what one is made of
H = TypeVar("H", bound=Handler)
Door = Literal["token", "open"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One method and path; `door` says whether a token in `Authorization` is needed.

    A handler that takes a `query` or a `form` says by its type what may stand there; one that does not, gets none.
    """

    method: str
    path: str
    door: Door
    handler: Handler
    limited: bool = True

    @property
    def name(self) -> str:
        """Give method and path, as faults and rate limits name it."""
        return f"{self.method} {self.path}"

    def answer(self, call: Call) -> object:
        """Read query and form as the handler wants them, and let it answer; what takes long is to be awaited."""
        given = {"query": dict(call.query), "form": call.body}
        takes = _takes(self.handler)
        said: dict[str, object] = {name: read(takes.get(name, Empty), value) for name, value in given.items()}
        return self.handler(call, **{name: said[name] for name in takes})


@cache
def _takes(handler: Handler) -> dict[str, type]:
    hints = get_type_hints(handler, include_extras=True)
    return {name: hints[name] for name in ("query", "form") if name in hints}


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

    def refuse(self, *names: str) -> None:
        """Answer these in one sentence: Discord does that, the playground does not."""
        for name in names:
            method, path = name.split(" ")
            self.on(method, path)(_undone)


def _undone(call: Call, query: Whatever, form: Whatever) -> None:
    raise ApiError(501, 0, UNDONE)
