"""Which sockets the kernel still knows: by netlink and from its tables, which must agree."""

import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from webgraph_it.fetch.kernel import (
    Flow,
    Kernel,
    SocketDiagnosis,
    SocketTables,
    arrived_bytes,
    kernel,
    kernel_name,
    table_rows,
)


def netlink() -> Kernel:
    try:
        return SocketDiagnosis()
    except OSError as error:
        pytest.skip(f"netlink is not allowed here: {error}")


@pytest.mark.parametrize("ask", [netlink, SocketTables, kernel])
def test_a_socket_is_there_until_it_is_gone(ask: Callable[[], Kernel]) -> None:
    with socket.create_server(("127.1.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        accepted, _ = server.accept()
        ours = Flow(client.getsockname(), client.getpeername())
        theirs = Flow(accepted.getsockname(), accepted.getpeername())
        never = Flow(ours.local, ("127.1.0.2", 9))
        asked = ask()
        assert asked.existing([ours, theirs, never]) == {ours, theirs}
        client.close()
        assert asked.existing([ours, theirs]) == {ours, theirs}, "FIN_WAIT and CLOSE_WAIT count"
        accepted.close()
        assert asked.existing([ours, theirs]) == set(), "TIME_WAIT does not"
        asked.close()


@pytest.mark.parametrize("ask", [netlink, SocketTables])
def test_ipv6_sockets_are_found_too(ask: Callable[[], Kernel]) -> None:
    try:
        server = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("no IPv6 on this machine")
    with server, socket.create_connection(server.getsockname()[:2]) as client:
        flow = Flow(client.getsockname()[:2], client.getpeername()[:2])
        asked = ask()
        assert asked.existing([flow]) == {flow}
        asked.close()


def test_endpoints_are_written_as_the_kernel_writes_them() -> None:
    assert kernel_name("127.0.0.1", 80) == b"0100007F:0050"
    assert kernel_name("::1", 443) == b"00000000000000000000000001000000:01BB"


def test_every_state_counts_but_those_in_which_nothing_is_carried() -> None:
    row = b"   0: 0100007F:1F90 0100007F:C350 %s 00000000:00000000 00:00000000 00000000     0        0 1 1 0 20 4"
    name = (b"0100007F:1F90", b"0100007F:C350")
    for state in (b"06", b"07", b"0A"):
        assert name not in table_rows(row % state)
    for state in (b"01", b"02", b"03", b"04", b"05", b"08", b"09", b"0B"):
        assert name in table_rows(row % state)


def test_a_table_of_any_size_is_read(tmp_path: Path) -> None:
    row = b"%d: 0100007F:%04X 0100007F:C350 01 00000000:00000000 00:00000000 00000000 0 0 1\n"
    table = tmp_path / "tcp"
    table.write_bytes(
        b"  sl  local_address rem_address   st\n" + b"".join(row % (n, n) for n in range(20_000))
    )
    flows = [Flow(("127.0.0.1", port), ("127.0.0.1", 50_000)) for port in (5, 19_999, 20_001)]
    assert SocketTables(table, tmp_path / "missing").existing(flows) == set(flows[:2])


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel does not count what arrives")
def test_what_has_arrived_is_known_before_it_is_read() -> None:
    with socket.create_server(("127.1.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
        with server, client:
            assert arrived_bytes(client) == 0
            server.sendall(b"x" * 700)
            assert client.recv(1, socket.MSG_PEEK) == b"x"
            assert arrived_bytes(client) == 700
            assert len(client.recv(1000)) == 700
            assert arrived_bytes(client) == 700
        assert arrived_bytes(client) == 0, "it is closed"
