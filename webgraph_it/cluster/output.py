"""The folder of a result. It is claimed before Spark starts, so that a long computation is not lost at its end.

Guarantees, for folders of this machine: nothing is written into a crawl directory, nothing that somebody else put there
is replaced, and only one command at a time writes a folder. Of hdfs:, s3: and other systems nothing is checked.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyarrow import fs

from webgraph_it.cluster.failures import ClusterError
from webgraph_it.cluster.sources import opened
from webgraph_it.shards.directory import CRAWL_FILE
from webgraph_it.shards.fleet import members

MARK = ".cluster"
"""A file that says that the folder is ours. Whoever writes the folder holds a lock on it."""


@contextmanager
def claimed(out: str) -> Iterator[None]:
    """Hold the folder for the time of the block. ClusterError or OSError if it cannot be used."""
    system, path = opened(out)
    if not isinstance(system, fs.LocalFileSystem):
        yield
        return
    folder = Path(path)
    _refuse_crawl(folder)
    if folder.is_dir() and not (folder / MARK).exists() and any(folder.iterdir()):
        raise ClusterError(
            f"--out {out} has files that webgraph-it cluster did not make; expected: a new or empty folder, or one of "
            "its results. Give another --out."
        )
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / MARK).open("a") as mark:
        try:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ClusterError(
                f"Another command is writing --out {out}: wait for it, or give another --out."
            ) from None
        yield


def _refuse_crawl(folder: Path) -> None:
    for each in (folder, *folder.parents):
        if (each / CRAWL_FILE).exists() or members(each):
            raise ClusterError(
                f"--out {folder} is in the crawl directory {each}, which this command only reads; expected: a folder "
                "outside of it."
            )
