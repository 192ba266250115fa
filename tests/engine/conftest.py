"""What tests of the engine share."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

import pytest

from bot.engine import aside

P = ParamSpec("P")
T = TypeVar("T")


class Here(Executor):
    """Does what it is given at once, in the thread that gives it."""

    def submit(self, work: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> Future[T]:
        """Do it, and give what came of it."""
        future: Future[T] = Future()
        try:
            future.set_result(work(*given, **named))
        except BaseException as error:
            future.set_exception(error)
        return future


@pytest.fixture(autouse=True)
def in_order(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let nothing be done beside a clock that is driven: a thread would come to its end whenever it likes."""
    if request.module.__name__.endswith("test_aside"):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aside, "THREAD", Here())
        yield
