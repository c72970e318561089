"""Tells the user when kernels are compiled, which happens at their first use on a machine."""

from collections.abc import Iterator
from contextlib import contextmanager

from webgraph_it.progress import Progress

COMPILING = "compiling the kernels for this machine, once: up to two minutes"


@contextmanager
def compiling_is_told(progress: Progress) -> Iterator[None]:
    """Inside the block, the first compilation prints a line of progress."""
    from webgraph_it.graph.compilation import told_of_compiling

    with told_of_compiling(lambda: progress.note(COMPILING)):
        yield
