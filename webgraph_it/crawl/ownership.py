"""Whose is the crawl directory? Asked before anything in it is read or written; nothing here writes.

A directory may have been prepared by somebody else: crawl.lock as a symbolic link to a file that is worth something,
graph/ as one to a folder full of them. RocksDB opens its files by name and follows links, so each is looked at. The
directory is ours and nobody else may write to it: what was found stays true.
"""

import os
from pathlib import Path

from webgraph_it.files.own import NEW, NotOursError, refuse_file, refuse_folder
from webgraph_it.shards.directory import FILES, FOLDERS


def refuse_foreign(path: Path) -> None:
    """Raise NotOursError if the crawl directory, or something of a crawl in it, is not ours; there may be none."""
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
