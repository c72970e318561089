"""The first use of the kernels on a machine compiles them: whoever waits is told."""

from collections.abc import Iterator
from contextlib import contextmanager

from webgraph_it.progress import Progress

COMPILING = "compiling the kernels for this machine, once: up to two minutes"


@contextmanager
def compiling_is_told(progress: Progress) -> Iterator[None]:
    """Inside the block, the first compilation is a line of the progress."""
    from webgraph_it.graph.compilation import told_of_compiling

    with told_of_compiling(lambda: progress.note(COMPILING)):
        yield
