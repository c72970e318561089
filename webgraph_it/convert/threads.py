"""Run work in several threads. Results come in order, and only a few of them wait at a time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(make: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """make(item) for each item, in order. At most one result per thread is made ahead of its use."""
    rest = iter(items)
    with ThreadPoolExecutor(threads) as pool:
        waiting = deque(pool.submit(make, item) for item in islice(rest, threads))
        while waiting:
            result = waiting.popleft().result()
            waiting.extend(pool.submit(make, item) for item in islice(rest, 1))
            yield result
