"""Reports when kernels are compiled. On a new machine or for a new version this takes up to two minutes, once.

numba announces each compilation that is not in its cache on disk.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event


@contextmanager
def told_of_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Inside the block, `tell` is called once, when the first kernel is compiled."""
    with event.install_listener("numba:compile", _First(tell)):
        yield


class _First(event.Listener):
    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell: Callable[[], None] | None = tell

    def on_start(self, event: Any) -> None:
        tell, self._tell = self._tell, None
        if tell is not None:
            tell()

    def on_end(self, event: Any) -> None:
        pass
