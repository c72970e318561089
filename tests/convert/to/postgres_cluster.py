"""A real PostgreSQL for a test: a cluster of its own in a temporary folder, reached by a Unix socket.

PostgreSQL refuses to run as root: then it runs as the user `postgres` that Debian's package made, or as `nobody`.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

READY_SECONDS = 60


def programs() -> Path | None:
    """The folder of initdb and postgres: Debian does not put it on the path."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = next((folder for folder in folders if (folder / "initdb").exists()), None)
    on_path = shutil.which("initdb")
    return found or (Path(on_path).resolve().parent if on_path else None)


def unprivileged() -> pwd.struct_passwd | None:
    """Who runs the server; None: whoever runs the test."""
    if os.geteuid():
        return None
    known = {user.pw_name: user for user in pwd.getpwall()}
    return known.get("postgres") or known["nobody"]


@contextmanager
def cluster(bin_folder: Path) -> Iterator[str]:
    """Inside the block the server runs; its address."""
    user = unprivileged()
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as name:  # a socket's path is short
        folder = Path(name)
        if user:
            os.chown(folder, user.pw_uid, user.pw_gid)
        as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
        data = folder / "data"
        subprocess.run(
            [bin_folder / "initdb", "-D", data, "-A", "trust", "-U", "tester", "-E", "UTF8", "--locale=C", "-N"],
            check=True, capture_output=True, timeout=120, cwd=folder, **as_user,
        )  # fmt: skip
        command = [
            bin_folder / "postgres",
            "-D",
            data,
            "-k",
            folder,
            "-c",
            "listen_addresses=",
            "-c",
            "fsync=off",
        ]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, **as_user
        ) as server:
            try:
                _wait(bin_folder, folder, server)
                yield f"postgresql://tester@/postgres?host={folder}"
            finally:
                server.send_signal(signal.SIGINT)  # a fast shutdown: clients are disconnected
                server.wait(60)


def _wait(bin_folder: Path, folder: Path, server: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + READY_SECONDS
    while subprocess.run([bin_folder / "pg_isready", "-q", "-h", folder], check=False).returncode:
        assert server.poll() is None, "PostgreSQL ended at once"
        assert time.monotonic() < until, "PostgreSQL is not ready"
        time.sleep(0.1)
