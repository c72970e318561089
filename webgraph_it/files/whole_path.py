"""`whole_file` (own.py) for tools that open their file by name, as databases do.

Guarantees: what is under the name when the block ends becomes the file, on disk, all of it or nothing. If the block
fails, the file is what it was before, and nothing else is left behind: the name is in a folder of its own, and what
the tool puts beside it (journals, spilled memory) goes with the folder. What a kill left is removed by the next block
for the same file.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webgraph_it.files.own import FOLDER_MODE, NEW, named_file, sync


@contextmanager
def whole_path(path: Path) -> Iterator[Path]:
    """The name to write under, in the block."""
    path = named_file(path)
    folder = path.with_name(path.name + NEW)
    _remove(folder)
    folder.mkdir(FOLDER_MODE)
    try:
        yield folder / path.name
        sync(folder / path.name)
        (folder / path.name).rename(path)
    finally:
        _remove(folder)
    sync(path.parent)


def _remove(path: Path) -> None:
    """Whatever it is; of a symbolic link the link itself."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
