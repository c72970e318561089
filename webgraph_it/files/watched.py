"""A file that a person may edit while the crawl runs: read when it changes."""

from pathlib import Path

from webgraph_it.files.regular import InputError, read_regular

MAX_BYTES = 16_000_000


class WatchedFile:
    """`changed` gives its text each time it is another one. `name` is that of the setting, for the sentences."""

    def __init__(self, path: str, name: str) -> None:
        self.path = Path(path) if path else None
        self._name = name
        self._seen: tuple[int, int] | None = (0, 0)

    def changed(self, *, if_empty: str = "") -> str | None:
        """Its text if it changed since the last call, else None; InputError, once, if it cannot be used.

        `if_empty`: what to do about a file without a word.
        """
        if self.path is None or (stamp := _stamp(self.path)) == self._seen:
            return None
        self._seen = stamp
        try:
            text = read_regular(self.path, MAX_BYTES).decode("utf-8", "replace")
        except InputError as error:
            raise InputError(f"{self._name}: {error}") from None
        except OSError as error:
            raise InputError(f"{self._name}: {self.path} cannot be read ({error.strerror}).") from None
        if not text.strip():  # perhaps an editor is about to write it
            raise InputError(f"{self._name}: {self.path} is empty. {if_empty}".rstrip())
        return text


def _stamp(path: Path) -> tuple[int, int] | None:
    """Changes when the file does; None when there is none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size
