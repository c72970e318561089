"""What a database refuses, and what is missing to reach it, in one sentence each."""

from importlib import import_module
from typing import Any

from webgraph_it.convert.sources import ConvertError


class DatabaseError(OSError):
    """The database failed, not the command: its own words, on one line."""

    def __init__(self, database: str, error: Exception) -> None:
        words = (str(error).strip() or type(error).__name__).splitlines()[0]
        super().__init__(f"{database} failed, and nothing was written: {words}")


def library(name: str, extra: str) -> Any:
    """A package that is not required; ConvertError says how to get it."""
    try:
        return import_module(name)
    except ImportError:
        raise ConvertError(
            f"The package {name} is not installed, and this export needs it: pip install 'webgraph_it[{extra}]'."
        ) from None
