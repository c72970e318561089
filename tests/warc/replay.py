"""pywb in an environment of its own: replays an archive, found by our own index."""

import http.client
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.warc.archives import warc_files
from webgraph_it.warc.cdxj import index_of

START_SECONDS = 30


def environment(folder: Path, *packages: str) -> Path:
    """The `bin` of a new environment with these packages. OSError if they cannot be had."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    ran = subprocess.run(
        [folder / "bin/python", "-m", "pip", "install", "--quiet", *packages],
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
    )
    if ran.returncode:
        raise OSError(ran.stderr[-2000:])
    return folder / "bin"


class Replay:
    """A running pywb."""

    def __init__(self, port: int) -> None:
        self._port = port

    def body(self, url: str, timestamp: str) -> tuple[int, str, bytes]:
        """Status, Content-Encoding and body of a capture, as it was archived."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=20)
        connection.request("GET", f"/crawl/{timestamp}id_/{url}")
        answer = connection.getresponse()
        found = answer.status, answer.getheader("Content-Encoding", ""), answer.read()
        connection.close()
        return found


@contextmanager
def replayed(binaries: Path, jobdir: Path, scratch: Path) -> Iterator[Replay]:
    """pywb on the archive of a crawl: its files and their CDXJ, nothing that pywb indexed itself."""
    collection = scratch / "collections/crawl"
    for name in ("archive", "indexes"):
        (collection / name).mkdir(parents=True)
    for file in warc_files(jobdir):
        shutil.copy(file, collection / "archive")
        shutil.copy(index_of(file), collection / "indexes")
    (scratch / "config.yaml").write_text(json.dumps({"enable_auto_fetch": False}))
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
    with (scratch / "log").open("wb") as log:
        server = subprocess.Popen(
            [binaries / "wayback", "-b", "127.0.0.1", "-p", str(port)], cwd=scratch, stdout=log, stderr=log
        )
    try:
        _wait_for(port, server)
        yield Replay(port)
    finally:
        server.terminate()
        server.wait(timeout=10)


def _wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise OSError("pywb did not start")
