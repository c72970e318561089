"""The hostile corner attacks whoever comes, and points only at decoys that record it."""

import re
import shutil
import subprocess
import zlib
from collections.abc import Iterator

import brotli
import pytest

from tests.simweb.serving import asked
from webgraph_it.simweb import Plan, SimWeb
from webgraph_it.simweb.book import book
from webgraph_it.simweb.hostile import ATTACKS, DECOYS
from webgraph_it.simweb.html_bombs import BOMBS
from webgraph_it.simweb.packed_bombs import BOMB_BYTES, PACKED
from webgraph_it.simweb.truth import walk
from webgraph_it.simweb.world import World

WORLD = World(Plan(hosts=5, pages=10, hostile=True))
ENDLESS = ("silence", "drip-head", "drip-body", "endless-headers", "endless-body", "endless-chunk")


def test_it_is_off_by_default() -> None:
    assert not any("hostile" in name for name in World(Plan(hosts=5, pages=10)).by_name)


def test_every_hostile_host_is_linked_and_has_a_bound_instead_of_a_truth() -> None:
    truth = walk(WORLD)
    for kind in ATTACKS:
        assert f"it,{kind})/" in truth.nodes
        assert f"it,{kind})" in truth.bounds
    assert not any(parent.startswith("it,hostile") for parent, _ in truth.arcs)


def test_addresses_stay_in_loopback() -> None:
    replies = [book(WORLD, name, asked_before) for name in WORLD.by_name for asked_before in (0, 1)]
    addresses = {address for reply in replies for address in reply.addresses}
    assert all(address.startswith("127.1.") or address in DECOYS for address in addresses)
    assert DECOYS[0] in addresses


def test_a_name_can_move_to_a_forbidden_address() -> None:
    first, second = (book(WORLD, "hostile-dns-rebinding.it", n).addresses[0] for n in (0, 1))
    assert first.startswith("127.1.")
    assert second == DECOYS[0]


@pytest.mark.parametrize("number", range(4))
def test_bombs_are_small_and_unpack_to_much(number: int) -> None:
    answer = asked(WORLD, "http", "hostile-packed-bombs.it", f"/{number}.html")
    head, _, body = answer.data.partition(b"\r\n\r\n")
    coding = re.search(rb"Content-Encoding: (.*)", head)[1].strip()
    assert len(body) < BOMB_BYTES / 500
    if coding == b"br":
        assert len(brotli.decompress(body)) == BOMB_BYTES
        return
    for _ in range(coding.count(b"gzip") - 1):
        body = zlib.decompress(body, 31)
    assert unpacked_bytes(body, 31 if b"gzip" in coding else 15) == BOMB_BYTES


def unpacked_bytes(body: bytes, window: int) -> int:
    unpacker, total = zlib.decompressobj(window), 0
    while body:
        total += len(unpacker.decompress(body, 1 << 24))
        body = unpacker.unconsumed_tail
    assert unpacker.eof
    return total


@pytest.mark.parametrize("number", range(4, len(PACKED)))
def test_bombs_of_nothing_are_valid_and_long(number: int) -> None:
    """Of them zlib reads megabytes, and no byte comes out."""
    answer = asked(WORLD, "http", "hostile-packed-bombs.it", f"/{number}.html")
    head, _, body = answer.data.partition(b"\r\n\r\n")
    for _ in range(head.count(b"gzip") - 1):
        body = zlib.decompress(body, 31)
    unpacker = zlib.decompressobj(31)
    assert len(body) > 4_000_000
    assert unpacker.decompress(body[:1000]) == b""
    assert unpacker.eof == (number in (4, 5))


def test_html_bombs_are_of_megabytes_at_most() -> None:
    for number, bomb in enumerate(BOMBS):
        served = asked(WORLD, "http", "hostile-html-bombs.it", f"/{number}.html").data
        assert served.endswith(bomb())
        assert 10_000 < len(served) < 5_000_000


def test_redirects_lead_to_decoys_only() -> None:
    index = asked(WORLD, "http", "hostile-redirects.it", "/").data.decode()
    for path in re.findall(r'href="(.*?)"', index):
        head = asked(WORLD, "http", "hostile-redirects.it", path).data.decode()
        location = re.search(r"Location: https?://(.*?)/", head)[1]
        assert re.fullmatch(
            r"127\..*|\[::ffff:127\.2\.0\.1\]|2130837505|0x7f020001|0177.*|localhost|.*\.it", location
        )


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    if not shutil.which("curl"):
        pytest.skip("curl is not installed")
    with SimWeb(hosts=5, pages=10, only=["plain"], hostile=True) as web:
        yield web


def curl(url: str, address: str, port: int, *options: str) -> subprocess.CompletedProcess[bytes]:
    ways = ["--connect-to", f"::{address}:{port}"]
    return subprocess.run(["curl", "-sk", *ways, *options, url], capture_output=True, check=False)


@pytest.mark.parametrize("kind", ENDLESS)
def test_some_answers_never_end(web: SimWeb, kind: str) -> None:
    host = web.world.by_name[f"hostile-{kind}.it"]
    limits = ("--max-time", "0.3", "-o", "/dev/null")
    code = curl(f"{host.origin}/", host.address, web.settings["PORT_MAP"]["80"], *limits).returncode
    assert code in (28, 56)  # time is up; or curl has seen too many headers


def test_a_header_of_a_megabyte_is_too_much_for_curl(web: SimWeb) -> None:
    host = web.world.by_name["hostile-huge-header.it"]
    assert curl(f"{host.origin}/", host.address, web.settings["PORT_MAP"]["80"]).returncode in (27, 56, 100)


@pytest.mark.parametrize("kind", ["garbage", "silence"])
def test_tls_can_be_broken(web: SimWeb, kind: str) -> None:
    host = web.world.by_name[f"hostile-tls-{kind}.it"]
    port = web.settings["PORT_MAP"]["443"]
    assert curl(f"{host.origin}/", host.address, port, "--max-time", "0.3").returncode in (28, 35)


def test_decoys_record_whoever_comes(web: SimWeb) -> None:
    for scheme, port in (("http", "80"), ("https", "443")):
        curl(f"{scheme}://hostile-dns-forbidden.it/", DECOYS[0], web.settings["PORT_MAP"][port])
    assert [event["event"] for event in web.decoy_hits()].count("open") == 2
    assert {event["address"] for event in web.decoy_hits()} == {DECOYS[0]}


def test_a_hostile_host_still_says_what_robots_may_do(web: SimWeb) -> None:
    host = web.world.by_name["hostile-silence.it"]
    port = web.settings["PORT_MAP"]["80"]
    assert curl(f"{host.origin}/robots.txt", host.address, port, "--max-time", "5").stdout.startswith(
        b"User-agent"
    )
