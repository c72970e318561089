"""Checks who owns the crawl directory, before anything in it is read or written. Nothing here writes.

Another user may have prepared the directory: crawl.lock may be a symbolic link to a valuable file, and graph/ a link to
a folder full of them. RocksDB opens its files by name and follows links, so each file is checked. The directory must be
ours, and nobody else may write to it, so the result of the check stays true.
"""

import os
from pathlib import Path

from webgraph_it.files.own import NEW, NotOursError, refuse_file, refuse_folder
from webgraph_it.shards.directory import FILES, FOLDERS


def refuse_foreign(path: Path) -> None:
    """Raise NotOursError if the crawl directory, or a crawl's file in it, is not ours. It need not exist."""
    if path.is_symlink():
        raise NotOursError(
            f"JOBDIR {path} is a symbolic link, which others may redirect: give the directory that it leads to."
        )
    if not path.exists():
        return
    refuse_folder(path)
    for name in FILES:
        for file in (path / name, path / f"{name}{NEW}"):
            if os.path.lexists(file):
                refuse_file(file, file.lstat())
    for name in FOLDERS:
        if os.path.lexists(path / name):
            _refuse_foreign_folder(path / name)


def _refuse_foreign_folder(folder: Path) -> None:
    refuse_folder(folder)
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                refuse_folder(folder / entry.name)
            else:
                refuse_file(folder / entry.name, entry.stat(follow_symlinks=False))
