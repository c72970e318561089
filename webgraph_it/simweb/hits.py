"""The hit log: what the servers saw, as JSON lines, to check a crawler from the other side.

    every line   time (s since 1970, to the µs), event
    open         connection (a number), address (of ours), port; before TLS
    request      connection, address, scheme, host, path, agent; cookie, if it has one
    response     connection, address, host, path, status (0: none was sent), bytes (with headers); day, if the
                 web changes
    close        connection, address, host, path, bytes (of all responses)
    dns          host, type, answer (addresses, NOERROR, NXDOMAIN, SERVFAIL or lost)
    wire         at (s since 1970), bytes (acknowledged by all clients until then); every 20 ms, only with --wire

A request's time is the arrival of its last byte. A response's time is when its last byte was handed to the
transport. Lines are buffered and reach the file within FLUSH_SECONDS, and at the latest on close.
"""

import json
import time
from pathlib import Path
from typing import Any

FLUSH_SECONDS = 0.05


class HitLog:
    """Appends events. The server's loop calls `flush` and `close`."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8")
        self._lines: list[str] = []
        self._encode = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": ")).encode

    def write(self, event: str, **facts: Any) -> None:
        self._lines.append(self._encode({"time": round(time.time(), 6), "event": event, **facts}))

    def flush(self) -> None:
        if self._lines:
            self._file.write("\n".join(self._lines) + "\n")
            self._lines.clear()
            self._file.flush()

    def close(self) -> None:
        self.flush()
        self._file.close()


class NoHitLog(HitLog):
    """Keeps nothing."""

    def __init__(self) -> None:
        pass

    def write(self, event: str, **facts: Any) -> None:
        pass

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def read(path: Path) -> list[dict[str, Any]]:
    """The events of a log, also while it is being written. An incomplete line is left out."""
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
