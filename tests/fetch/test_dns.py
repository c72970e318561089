"""Names to addresses, against a real DNS server on loopback."""

import asyncio
import os
import resource
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fetch.servers import DnsServer, Engine, run
from webgraph_it.fetch import dns
from webgraph_it.fetch.dns import Answer, AnswerCache
from webgraph_it.fetch.dns_records import MAX_RECORDS, Records, read_only_the_beginning, records

TABLE: dict[str, Any] = {
    "uno.it": [("127.1.0.1", 3600)],
    "due.it": [("127.1.0.1", 60), ("127.1.0.2", 60)],
    "vuoto.it": [],
    "muto.it": "silent",
    "rotto.it": "servfail",
    "lungo.it": "truncated",
    "alias.it": "alias:due.it",
    "fuori.it": [("127.66.0.1", 60)],
    "misto.it": [("127.66.0.1", 60), ("127.1.0.3", 60)],
    "sei.it": [("fd12::1", 60)],
    "cambia.it": [[("127.1.0.1", 0)], [("127.66.0.1", 0)]],
    "xn--citt-0na.it": [("127.1.0.4", 60)],
    "a_b.it": [("127.1.0.5", 60)],
}


async def ask(*hosts: str, **settings: Any) -> tuple[list[Answer], DnsServer, Engine]:
    server = await DnsServer(dict(TABLE)).start()
    async with Engine(server.address, dns_settings={"timeout": 0.3, **settings}) as engine:
        return [await engine.resolver.resolve(host) for host in hosts], server, engine


def addresses(answer: Answer) -> list[str]:
    return [str(address) for address in answer.addresses]


def test_a_name_has_all_its_addresses() -> None:
    answers, _, engine = run(ask("uno.it", "due.it", "alias.it", "xn--citt-0na.it", "a_b.it"))
    assert list(map(addresses, answers)) == [
        ["127.1.0.1"],
        ["127.1.0.1", "127.1.0.2"],
        ["127.1.0.1", "127.1.0.2"],
        ["127.1.0.4"],
        ["127.1.0.5"],
    ]
    assert engine.stats["dns/resolved"] == engine.stats["dns/query"] == 5


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("assente.it", "nxdomain"),
        ("vuoto.it", "no-address"),
        ("sei.it", "no-address"),
        ("muto.it", "timeout"),
        ("rotto.it", "server"),
        ("fuori.it", "forbidden/loopback"),
        ("127.66.0.1", "forbidden/loopback"),
        ("[::1]", "forbidden/loopback"),
        ("1.2.3.4.5", "name"),
        ("a" * 70 + ".it", "name"),
        ("a..it", "name"),
    ],
)
def test_no_address_has_a_reason_and_a_count(host: str, reason: str) -> None:
    (answer,), _, engine = run(ask(host))
    assert answer.addresses == ()
    assert answer.reason == reason
    assert answer.message
    assert engine.stats[f"dns/{reason}"] == 1


def test_only_allowed_addresses_of_a_name_are_given_and_the_others_counted() -> None:
    (answer,), _, engine = run(ask("misto.it"))
    assert addresses(answer) == ["127.1.0.3"]
    assert engine.stats["dns/dropped/loopback"] == 1


def test_a_silent_server_is_asked_twice() -> None:
    _, server, _ = run(ask("muto.it"))
    assert server.queries["muto.it"] == 2


def test_a_truncated_answer_is_asked_for_by_tcp() -> None:
    (answer,), server, _ = run(ask("lungo.it"))
    assert addresses(answer) == ["127.1.0.1"]
    assert server.tcp_queries == 1


def test_answers_are_cached_positive_and_negative() -> None:
    _, server, engine = run(ask("uno.it", "uno.it", "assente.it", "assente.it", "rotto.it", "rotto.it"))
    assert server.queries["uno.it"] == server.queries["assente.it"] == 1
    assert engine.stats["dns/cache_hit"] == 3


def test_an_address_needs_no_question() -> None:
    (answer,), server, engine = run(ask("127.1.0.9"))
    assert answer.addresses == (ip_address("127.1.0.9"),)
    assert not server.queries
    assert not engine.stats["dns/query"]


def test_a_name_asked_for_by_many_is_asked_once() -> None:
    async def crowd() -> tuple[int, int]:
        server = await DnsServer(dict(TABLE)).start()
        async with Engine(server.address) as engine:
            answers = await asyncio.gather(*(engine.resolver.resolve("uno.it") for _ in range(50)))
            return len({answer.addresses for answer in answers}), server.queries["uno.it"]

    assert run(crowd()) == (1, 1)


def test_who_no_longer_waits_does_not_spoil_it_for_the_others() -> None:
    async def crowd() -> Answer:
        server = await DnsServer(dict(TABLE)).start()
        async with Engine(server.address) as engine:
            first = asyncio.ensure_future(engine.resolver.resolve("uno.it"))
            second = asyncio.ensure_future(engine.resolver.resolve("uno.it"))
            await asyncio.sleep(0)
            first.cancel()
            return await second

    assert addresses(run(crowd())) == ["127.1.0.1"]


def test_a_short_ttl_is_stretched_to_the_minimum_and_then_asked_again() -> None:
    async def ask_twice() -> list[Answer]:
        server = await DnsServer({"cambia.it": [[("127.1.0.1", 0)], [("127.66.0.1", 0)]]}).start()
        async with Engine(server.address, dns_settings={"minimum_ttl": 0.3}) as engine:
            answers = [await engine.resolver.resolve("cambia.it") for _ in range(2)]
            await asyncio.sleep(1.1)
            return [*answers, await engine.resolver.resolve("cambia.it")]

    first, second, third = run(ask_twice())
    assert addresses(first) == addresses(second) == ["127.1.0.1"]
    assert third.reason == "forbidden/loopback", "rebinding leads nowhere"


def test_c_ares_keeps_a_record_for_its_own_ttl_whatever_the_maximum() -> None:
    """As docs/settings.md says of DNS_MAX_TTL. When this fails pycares has learnt better: let the maximum hold."""

    async def ask_again() -> tuple[int, int]:
        server = await DnsServer({"uno.it": [("127.1.0.1", 3600)], "breve.it": [("127.1.0.1", 0)]}).start()
        maximum = {"minimum_ttl": 0.0, "maximum_ttl": 0.1}
        async with Engine(server.address, dns_settings=maximum) as engine:
            for _ in range(2):
                await engine.resolver.resolve("uno.it")
                await engine.resolver.resolve("breve.it")
                await asyncio.sleep(0.2)
        return server.queries["uno.it"], server.queries["breve.it"]

    assert run(ask_again()) == (1, 2)


def test_ipv6_is_asked_for_only_if_wanted() -> None:
    (answer,), server, _ = run(ask("sei.it", ipv6=True))
    assert answer.reason == "forbidden/private"
    assert server.queries["sei.it"] == 2


def test_thousands_of_lookups_at_once() -> None:
    async def flood() -> int:
        table = {f"h{n}.it": [(f"127.1.{n // 250}.{n % 250}", 60)] for n in range(2000)}
        server = await DnsServer(table).start()
        async with Engine(server.address) as engine:
            answers = await asyncio.gather(*(engine.resolver.resolve(host) for host in table))
            return sum(
                addresses(answer) == [table[host][0][0]] for host, answer in zip(table, answers, strict=True)
            )

    assert run(flood()) == 2000


def test_what_c_ares_keeps_is_bounded_because_channels_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dns, "QUESTIONS_PER_CHANNEL", 10)

    async def many() -> tuple[int, int, int]:
        table: dict[str, Any] = {f"h{n}.it": [("127.1.0.1", 3600)] for n in range(100)}
        server = await DnsServer({**table, "muto.it": "silent"}).start()
        async with Engine(server.address, dns_settings={"timeout": 1.0}) as engine:
            slow = asyncio.ensure_future(engine.resolver.resolve("muto.it"))
            found = [await engine.resolver.resolve(host) for host in table]
            assert engine.resolver._channels is not None
            at_most = len(engine.resolver._channels)
            answered = sum(addresses(answer) == ["127.1.0.1"] for answer in found)
            assert (await slow).reason == "timeout", "a channel is not left before its last answer"
            await engine.resolver.resolve("altro.it")
            return answered, at_most, len(engine.resolver._channels)

    assert run(many()) == (100, 2, 1)


MANY = 4_000


class Flooding(DnsServer):
    """Answers each name with MANY addresses, by UDP as a rule 64 KB at once."""

    def _answer(self, data: bytes, tcp: bool) -> bytes:
        end = data.index(b"\0", 12) + 5
        records = b"".join(
            struct.pack(">HHHIHBBH", 0xC00C, 1, 1, 60, 4, 127, 1, number) for number in range(1, MANY + 1)
        )
        return data[:2] + struct.pack(">HHHHH", 0x8580, 1, MANY, 0, 0) + data[12:end] + records


def test_of_thousands_of_addresses_eight_are_kept_and_few_are_read() -> None:
    async def flooded() -> tuple[list[Answer], float, int]:
        server = await Flooding({}).start()
        longest = 0.0
        async with Engine(server.address) as engine:
            answered = engine.resolver._answered

            def timed(*arguments: Any) -> None:
                nonlocal longest
                assert len(arguments[3].answer) == MAX_RECORDS
                began = time.thread_time()
                answered(*arguments)
                longest = max(longest, time.thread_time() - began)

            engine.resolver._answered = timed  # type: ignore[method-assign]
            found = [await engine.resolver.resolve(f"h{number}.it") for number in range(20)]
            assert engine.resolver._channels is not None
            return found, longest, len(engine.resolver._channels)

    answers, longest, channels = run(flooded())
    assert [len(answer.addresses) for answer in answers] == [8] * 20
    assert longest < 0.01
    assert channels == 1, "what c-ares keeps of such answers is left with its channel"


def test_the_door_through_which_answers_are_read_is_there() -> None:
    assert read_only_the_beginning(), "a new pycares: see fetch/dns_records.py"
    whole = SimpleNamespace(answer=list(range(100)), authority=[1], additional=[2])
    assert records(whole) == Records(list(range(MAX_RECORDS)), 102)


def test_an_answer_of_many_records_counts_as_many_questions() -> None:
    async def asked() -> list[int]:
        server = await Flooding({}).start()
        async with Engine(server.address) as engine:
            counts = []
            for number in range(4):
                await engine.resolver.resolve(f"h{number}.it")
                assert engine.resolver._channels is not None
                counts.append(engine.resolver._channels._open[-1].asked)
            return counts

    assert run(asked()) == [801, 1602, 2403, 801]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 20)), max_size=60))
def test_the_cache_is_bounded_and_never_gives_an_old_answer(puts: list[tuple[str, int]]) -> None:
    cache = AnswerCache(3)
    ends: dict[str, float] = {}
    for now, (host, ttl) in enumerate(puts):
        cache.put(host, Answer((), host), now + ttl)
        ends[host] = now + ttl
        assert len(cache) <= 3
        for name in ends:
            found = cache.get(name, now)
            assert found is None or (found.reason == name and ends[name] > now)


def test_the_least_recently_used_answer_goes_first() -> None:
    cache = AnswerCache(2)
    cache.put("a", Answer((), "a"), 10)
    cache.put("b", Answer((), "b"), 10)
    cache.get("a", 1)
    cache.put("c", Answer((), "c"), 10)
    assert cache.get("b", 1) is None
    assert cache.get("a", 1) is not None


def test_without_a_file_descriptor_nothing_is_learnt_of_the_name() -> None:
    """Really without one: c-ares then answers and raises, both."""

    async def starved() -> tuple[Answer, Answer]:
        server = await DnsServer(dict(TABLE)).start()
        async with Engine(server.address, dns_settings={"timeout": 0.3}) as engine:
            await engine.resolver.resolve("muto.it")
            with no_descriptors():
                without = await engine.resolver.resolve("due.it")
            return without, await engine.resolver.resolve("due.it")

    without, after = run(starved())
    assert (without.reason, without.addresses) == ("local-files", ())
    assert addresses(after) == ["127.1.0.1", "127.1.0.2"]


@contextmanager
def no_descriptors() -> Iterator[None]:
    """All that this process may have are taken meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
    try:
        with suppress(OSError):
            while True:
                taken.append(os.dup(2))
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_without_a_server_nothing_is_learnt_of_the_name() -> None:
    async def alone() -> tuple[Answer, Answer, int]:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind((DnsServer.HOST, 0))
            nobody = f"{DnsServer.HOST}:{free.getsockname()[1]}"
        async with Engine(nobody, dns_settings={"timeout": 0.3}) as engine:
            first = await engine.resolver.resolve("uno.it")
            again = await engine.resolver.resolve("uno.it")
            hits = engine.stats["dns/cache_hit"]
        return first, again, hits

    first, again, hits = run(alone())
    assert (first.reason, again.reason, hits) == ("local-resolver", "local-resolver", 0)


def test_a_server_without_tcp_fails_only_for_the_names_with_long_answers() -> None:
    """Else a URL of such a name would go back for ever."""

    async def half() -> Answer:
        server = await DnsServer(dict(TABLE)).start(tcp=False)
        async with Engine(server.address, dns_settings={"timeout": 0.3}) as engine:
            return await engine.resolver.resolve("lungo.it")

    assert run(half()).reason == "server"
