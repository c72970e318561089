"""A real Redis or Valkey for a test, as deploy/valkey.conf says: on a free loopback port, with a folder of its own."""

import datetime
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from redis import Redis

PROGRAM = shutil.which("valkey-server") or shutil.which("redis-server")
CONFIG = Path(__file__).parents[3] / "deploy/valkey.conf"
needs_server = pytest.mark.skipif(
    PROGRAM is None, reason="neither redis-server nor valkey-server is installed"
)
TRANSPORTS = ["local", pytest.param("redis", marks=needs_server)]


class Server:
    """Runs from `start` to `stop`. It can be killed, suspended and started again on the same port."""

    def __init__(
        self, folder: Path, *options: str, tls: bool = False, password: str = "", host: str = "127.0.0.1"
    ) -> None:
        self._folder = folder
        self._options = options
        self.host = host
        self.port = _free_port()
        scheme, secret = "rediss" if tls else "redis", f":{password}@" if password else ""
        self.url = f"{scheme}://{secret}{host}:{self.port}/0"
        self._ports = ["--port", "0", "--tls-port", str(self.port)] if tls else ["--port", str(self.port)]
        self._ports += ["--requirepass", password] if password else []
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Server":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        assert PROGRAM is not None
        self._process = subprocess.Popen(
            [
                *(PROGRAM, str(CONFIG), *self._ports, "--bind", self.host, "--dir", str(self._folder)),
                *self._options,
            ],
            stdout=subprocess.DEVNULL,
        )
        end = time.monotonic() + 10.0
        while True:
            try:
                socket.create_connection((self.host, self.port), 1.0).close()
                return
            except OSError:
                assert time.monotonic() < end, "the server did not start"
                assert self._process.poll() is None, "the server ended"
                time.sleep(0.02)

    def client(self) -> Redis:
        return Redis.from_url(self.url)

    def age(self) -> None:
        """As if it had been up for long, so that its broker grants at once."""
        self.client().hset("webgraph_it:broker", mapping={"wall": "0", "steady": "1000"})

    def forget(self) -> None:
        self.client().flushall()

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def suspend(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def stop(self) -> None:
        self.go_on_if_there()
        self.kill()

    def go_on_if_there(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.go_on()


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that is its own authority, and its key."""
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "broker")])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder(name, name, private.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(private, hashes.SHA256())
    )
    pem, key = folder / "broker.pem", folder / "broker.key"
    pem.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    key.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return pem, key


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@contextmanager
def transport(kind: str, folder: Path) -> Iterator[dict[str, str]]:
    """The setting that names it. A server works in `folder`, which is made."""
    if kind == "local":
        yield {}
        return
    folder.mkdir()
    with Server(folder) as server:
        yield {"FLEET": server.url}
