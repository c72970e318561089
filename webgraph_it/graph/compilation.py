"""Tells when kernels are compiled: a new machine or a new version spends up to two minutes on it, once.

numba announces each compilation that its cache on disk could not spare.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event


@contextmanager
def told_of_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Inside the block, `tell` is called when the first kernel is compiled, and not again."""
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
