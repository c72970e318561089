"""What clients have acknowledged, on real sockets; and what is made of the samples."""

import socket
import sys
import time

import pytest

from webgraph_it.simweb import SimWeb
from webgraph_it.simweb.wire import Wire, between, fullest_second, mean_rate

linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel does not count what arrives")


def settled(wire: Wire, expected: int) -> int:
    end = time.monotonic() + 5
    while wire.total_bytes() != expected and time.monotonic() < end:
        time.sleep(0.01)
    return wire.total_bytes()


@linux
def test_what_waits_in_the_servers_kernel_is_not_on_the_wire() -> None:
    wire = Wire()
    with socket.create_server(("127.1.0.1", 0)) as listener, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.connect(listener.getsockname())
        server, _ = listener.accept()
        with server:
            second = wire.add(server.fileno())
            server.sendall(b"x" * 100_000)
            first = settled(wire, 2048)
            assert 0 < first < 10_000
            read = len(client.recv(100_000))
            assert settled(wire, first + read) <= first + 2 * read
            while read < 100_000:
                read += len(client.recv(100_000))
            server.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b"", "the second descriptor does not keep the connection open"
        wire.remove(second)
        assert 100_000 <= wire.total_bytes() <= 100_001  # the end counts as one byte
    assert wire.total_bytes() >= 100_000


@linux
def test_the_hit_log_tells_it_with_tls_and_headers() -> None:
    with SimWeb(hosts=3, pages=3, only=["plain"], wire=True) as web:
        port = web.settings["PORT_MAP"]["80"]
        name = web.world.hosts[0]
        with socket.create_connection((name.address, port)) as client:
            client.sendall(b"GET / HTTP/1.0\r\nHost: %s\r\n\r\n" % name.name.encode())
            received = b"".join(iter(lambda: client.recv(65_536), b""))
        hits = web.hits()
    totals = [hit["bytes"] for hit in hits if hit["event"] == "wire"]
    assert len(received) > 100
    assert totals == sorted(totals)
    assert len(received) <= totals[-1] <= len(received) + 1
    sent = next(hit["bytes"] for hit in hits if hit["event"] == "response")
    assert sent == len(received)


def test_the_log_is_silent_about_it_unless_asked() -> None:
    with SimWeb(hosts=3, pages=3, only=["plain"]) as web:
        assert not [hit for hit in web.hits() if hit["event"] == "wire"]


SAMPLES = [(0.0, 0), (0.5, 100), (1.0, 100), (1.5, 700), (2.25, 900), (4.25, 900)]


def test_the_fullest_second_begins_anywhere() -> None:
    assert fullest_second(SAMPLES) == 640.0  # from 1.0 to 2.25
    assert fullest_second(SAMPLES[:2]) == 0.0


def test_the_mean_of_a_part() -> None:
    assert mean_rate(SAMPLES) == pytest.approx(900 / 4.25)
    assert mean_rate(between(SAMPLES, 1.0, 2.25)) == pytest.approx(800 / 1.25)
