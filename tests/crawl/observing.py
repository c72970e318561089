"""Watches a crawl from outside, while it runs: the kernel's tables, its memory, what it says.

Nothing here asks the crawler. /proc/net/tcp is read bucket by bucket while sockets come and go, so one reading
may count a socket that went and the one that took its place; flows found by two readings in a row were all
there between the two. That number is a sample.
"""

import re
import threading
import time
from collections.abc import Callable, Iterable
from itertools import accumulate
from pathlib import Path
from subprocess import Popen
from types import TracebackType
from typing import Any, NamedTuple, Self

from webgraph_it.simweb import SimWeb

_TIME_WAIT, _CLOSE, _LISTEN = "06", "07", "0A"


class Sockets(NamedTuple):
    """Those of one sample, by which end they were counted at; TIME_WAIT carries nothing and is left out."""

    to_the_web: int
    at_the_web: int


class Sampler:
    """Calls `look` every `seconds` in a thread of its own while the `with` block lasts."""

    def __init__(self, look: Callable[[], Any], seconds: float = 0.1) -> None:
        self._look = look
        self._seconds = seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.samples: list[tuple[float, Any]] = []
        """(monotonic time, what was seen)"""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                self.samples.append((time.monotonic(), self._look()))
            except (FileNotFoundError, ProcessLookupError, StopIteration):  # the crawl has ended
                return
            self._over.wait(self._seconds)

    @property
    def values(self) -> list[Any]:
        return [value for _, value in self.samples]


def sockets(web: SimWeb) -> Sockets:
    """Connections between the crawl and `web` that exist in the kernel now."""
    ports = {f"{port:04X}" for port in web.settings["PORT_MAP"].values()}
    rows = _tcp_rows() & _tcp_rows()
    return Sockets(
        sum(remote[-4:] in ports for _, remote in rows), sum(local[-4:] in ports for local, _ in rows)
    )


def _tcp_rows() -> set[tuple[str, str]]:
    fields = (line.split(maxsplit=4) for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    gone = (_TIME_WAIT, _CLOSE, _LISTEN)
    return {(row[1], row[2]) for row in fields if row[3] not in gone}


def resident_bytes(process: Popen[str]) -> int:
    """VmRSS of a process."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


def open_at_the_server(hits: Iterable[dict[str, Any]], seconds: float = 0.1) -> list[int]:
    """Connections open in every window of so many seconds: the least number in it.

    The server hears of a close when its loop comes to it, often after it has accepted the connection that took
    the place; what stays above the cap for a whole window is no such delay.
    """
    changes = [
        (hit["time"], 1 if hit["event"] == "open" else -1)
        for hit in hits
        if hit["event"] in ("open", "close")
    ]
    counts = list(accumulate(change for _, change in changes))
    windows: dict[int, int] = {}
    previous = 0
    for (when, _), count in zip(changes, counts, strict=True):
        window = int((when - changes[0][0]) / seconds)
        windows[window] = min(windows.get(window, previous), count)
        previous = count
    return list(windows.values())


def stats(output: str) -> dict[str, int]:
    """The whole numbers of the stats that Scrapy prints at the end."""
    dump = output.partition("Dumping Scrapy stats:")[2]
    return {name: int(value) for name, value in re.findall(r"'([^']+)': (\d+)[,}]", dump)}
