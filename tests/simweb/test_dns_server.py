"""DNS as dig and dnslib see it."""

import shutil
import socket
import subprocess
from collections.abc import Iterator

import dnslib
import pytest

from tests.simweb.serving import serving
from webgraph_it.simweb import Plan
from webgraph_it.simweb.dns_server import Question, Reply, message, parse_question
from webgraph_it.simweb.world import World

HABITS = ("dns-slow", "dns-lost", "dns-nxdomain", "dns-servfail", "www-lost", "idn")


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[World, int]]:
    with serving(Plan(hosts=10, pages=20, shares=dict.fromkeys(HABITS, 0.1))) as (world, settings):
        yield world, int(settings["DNS_SERVERS"][0].partition(":")[2])


def host_with(world: World, habit: str) -> str:
    return next(host.name for host in world.by_name.values() if habit in host.traits)


def dig(port: int, *arguments: str) -> str:
    if not shutil.which("dig"):
        pytest.skip("dig is not installed")
    command = ["dig", "@127.0.0.1", "-p", str(port), "+time=1", "+tries=1", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("transport", ["+notcp", "+tcp"])
def test_dig_gets_the_address_of_a_host_with_and_without_www(web: tuple[World, int], transport: str) -> None:
    world, port = web
    host = next(host for host in world.hosts if not host.traits)
    for name in (host.name, f"www.{host.name}", host.name.upper()):
        assert dig(port, transport, "+short", name).split() == [host.address]
    assert "\t300\tIN\tA\t" in dig(port, transport, host.name)


@pytest.mark.parametrize("transport", ["+notcp", "+tcp"])
def test_dig_is_told_that_a_name_does_not_exist(web: tuple[World, int], transport: str) -> None:
    world, port = web
    for name in ("non-esiste.it", "example.com", host_with(world, "dns-nxdomain")):
        assert "status: NXDOMAIN" in dig(port, transport, name)


def test_dig_is_told_of_a_failing_server(web: tuple[World, int]) -> None:
    world, port = web
    assert "status: SERVFAIL" in dig(port, host_with(world, "dns-servfail"))


def test_a_known_name_has_no_other_records(web: tuple[World, int]) -> None:
    world, port = web
    answer = dig(port, next(host.name for host in world.hosts if not host.traits), "AAAA")
    assert "status: NOERROR" in answer
    assert "ANSWER: 0" in answer


def test_only_the_first_query_is_lost(web: tuple[World, int]) -> None:
    world, port = web
    name = host_with(world, "dns-lost")
    assert "timed out" in dig(port, name)
    assert dig(port, "+short", name).startswith("127.1.")


def test_one_of_two_twins_can_be_missing(web: tuple[World, int]) -> None:
    world, port = web
    host = world.by_name[host_with(world, "www-lost")]
    statuses = [("NXDOMAIN" in dig(port, name)) for name in (host.name, f"www.{host.name}")]
    assert statuses == [host.www, not host.www]


def test_slow_answers_come(web: tuple[World, int]) -> None:
    world, port = web
    assert dig(port, "+short", host_with(world, "dns-slow")).startswith("127.1.")


def test_a_question_is_read_and_answered_as_dnslib_does() -> None:
    query = dnslib.DNSRecord.question("WWW.Comune.it").pack()
    question = parse_question(query)
    assert question == Question("www.comune.it", 1, len(query))
    answer = dnslib.DNSRecord.parse(message(query, question, Reply(0, ("127.1.0.9", "127.1.0.8"))))
    assert [str(record.rdata) for record in answer.rr] == ["127.1.0.9", "127.1.0.8"]
    assert str(answer.q.qname) == "WWW.Comune.it."
    assert answer.header.id == dnslib.DNSRecord.parse(query).header.id


@pytest.mark.parametrize(
    "query", [b"", b"\x00" * 11, b"\x00" * 12 + b"\x3fab", b"\x00" * 12 + b"\xc0\x0c\x00\x01"]
)
def test_what_is_no_query_is_a_format_error(web: tuple[World, int], query: bytes) -> None:
    assert parse_question(query) is None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.settimeout(5)
        udp.sendto(b"\x12\x34" + query[2:], ("127.0.0.1", web[1]))
        assert udp.recv(512)[:4] == b"\x12\x34\x80\x01"
