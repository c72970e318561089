"""From what people type to a value: each kind takes what it says it expects, and reading twice changes nothing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it import settings_readers as readers
from webgraph_it.settings_readers import MISTAKES, Reader

TAKEN: list[tuple[Reader[Any], Any, Any]] = [
    (readers.count("x"), "3", 3),
    (readers.count("x"), 3.0, 3),
    (readers.limit("x"), "0", 0),
    (readers.SECONDS, "1.5", 1.5),
    (readers.SECONDS, 0, 0.0),
    (readers.TIMEOUT, "20", 20.0),
    (readers.REPETITIONS, "0", 0),
    (readers.REPETITIONS, "2", 2),
    (readers.SIZE, "500 MB", 500_000_000),
    (readers.FLAG, "True", True),
    (readers.FLAG, 0, False),
    (readers.one_of("a", "b"), "b", "b"),
    (readers.PAGE, "", ""),
    (readers.PAGE, "https://example.it/crawl", "https://example.it/crawl"),
    (readers.TIMEZONE, "Europe/Rome", "Europe/Rome"),
    (
        readers.WRITER,
        "webgraph_it.shards.writer.UnbufferedWriter",
        "webgraph_it.shards.writer.UnbufferedWriter",
    ),
    (readers.texts("x"), "a, b,", ["a", "b"]),
    (readers.texts("x"), '["a, b"]', ["a, b"]),
    (readers.texts("x"), (), []),
    (readers.SURTS, "it,", ["it,"]),
    (readers.SURTS, '["it,", "-it,spam,"]', ["it,", "-it,spam,"]),
    (readers.KINDS, "a,frame", ["a", "frame"]),
    (readers.PORTS, "22,6667", [22, 6667]),
    (readers.PORT_MAP, '{"80": 8080}', {"80": 8080}),
    (readers.PORT_MAP, {80: "8080"}, {"80": 8080}),
    (readers.SERVERS, "127.0.0.1:5353", ["127.0.0.1:5353"]),
    (readers.SERVERS, '["[::1]:53"]', ["[::1]:53"]),
    (readers.NETWORKS, "127.0.0.0/8", ["127.0.0.0/8"]),
    *(
        (readers.FLEET_TRANSPORT, each, each)
        for each in (
            *("local", "redis://a.it", "redis://[::1]:6379/1", "redis://127.0.0.1:6379/"),
            "rediss://:p%2Fw@a.it:6379/15?ssl_ca_certs=/etc/ssl/broker.pem",
        )
    ),
    (readers.SCHEDULE, '["*", "1 MB/s"]', [["*", "1 MB/s"]]),
]
REFUSED: list[tuple[Reader[Any], list[Any]]] = [
    (readers.count("x"), ["0", "-1", "1.5", "x", "", None, float("inf"), float("nan"), "1e400"]),
    (readers.limit("x"), ["-1", 0.5]),
    (readers.SECONDS, ["-0.1", "inf", "nan", "1 s", None]),
    (readers.TIMEOUT, ["0", "0.0001"]),
    (readers.REPETITIONS, ["1"]),
    (readers.SIZE, ["much", "-1 MB", ""]),
    (readers.FLAG, ["maybe", 2, None]),
    (readers.one_of("a", "b"), ["c", None]),
    (readers.PAGE, ["example.it", "ftp://example.it", 7]),
    (readers.TIMEZONE, ["Europe", "Mars/Base", 1, "../etc"]),
    (readers.WRITER, ["webgraph_it.items.Page", "nowhere.Writer", "x", 1]),
    (readers.texts("x"), ["[1]", "[", {"a": 1}, 1, [None]]),
    (readers.SURTS, ["-it,", "[]", 1]),
    (readers.KINDS, ["banana"]),
    (readers.PORTS, ["0", "65536", "[true]", "x", '["80"]']),
    (readers.PORT_MAP, ["80", '{"80": 0}', '{"x": 80}', '{"70000": 80}']),
    (readers.SERVERS, ["example.it", "127.0.0.1:0", "127.0.0.1:99999", "::1", "300.1.1.1"]),
    (readers.NETWORKS, ["127.0.0.1/8", "x"]),
    (
        readers.FLEET_TRANSPORT,
        [None, "", "127.0.0.1:6379", "ftp://a.it", "REDIS://a.it", "redis://", "redis:///0"],
    ),
    (readers.FLEET_TRANSPORT, [f"redis://a.it:{port}/0" for port in ("abc", "0", "99999", "-1")]),
    (
        readers.FLEET_TRANSPORT,
        [f"redis://a.it/{path}" for path in ("x", "-1", "0/1", "0#x", "0?db=1", "0?ssl_keyfile=x")],
    ),
    (
        readers.FLEET_TRANSPORT,
        ["rediss://a.it/0?ssl_ca_cert=x", "redis://:12/34@a.it/0", "redis://me:12#x@a.it"],
    ),
    (readers.SCHEDULE, ["fast", '[["*"]]', '[["*", "fast"]]']),
]


@pytest.mark.parametrize(("reader", "typed", "value"), TAKEN)
def test_what_is_expected_is_taken_and_reading_twice_changes_nothing(
    reader: Reader[Any], typed: Any, value: Any
) -> None:
    read = reader.read(typed)
    assert read == value
    assert type(read) is type(value)
    assert reader.read(read) == read


@pytest.mark.parametrize(("reader", "typed"), [(reader, each) for reader, wrong in REFUSED for each in wrong])
def test_anything_else_is_one_of_the_mistakes(reader: Reader[Any], typed: Any) -> None:
    with pytest.raises(MISTAKES):
        reader.read(typed)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("reader", [reader for reader, _ in REFUSED], ids=lambda reader: reader.expected[:20])
@given(value=JSON)
def test_whatever_is_given_is_read_for_good_or_is_a_mistake(reader: Reader[Any], value: Any) -> None:
    try:
        read = reader.read(value)
    except MISTAKES:
        return
    assert reader.read(read) == read
