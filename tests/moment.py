"""What a bound on time is measured by, so that it holds beside whatever else runs on the machine."""

import time
from statistics import median


def moment() -> float:
    """Give the seconds of processor time that a small fixed work takes now: about 0.001 where nothing else runs."""
    return median(_once() for _ in range(9))


def _once() -> float:
    began = time.thread_time()
    sorted(str(number * 7_919 % 10_007) for number in range(5_000))
    return time.thread_time() - began
