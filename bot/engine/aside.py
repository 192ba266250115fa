"""Pure work that can take long, in a thread of its own beside what goes on: one after the other, so that it is one."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

THREAD: Executor = ThreadPoolExecutor(1, "aside")  # several would have the loop wait for each of them in turn
P = ParamSpec("P")
T = TypeVar("T")


async def aside(work: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> T:
    """Do pure work, bounded by what it is given, without holding the loop."""
    return await asyncio.get_running_loop().run_in_executor(THREAD, partial(work, *given, **named))
