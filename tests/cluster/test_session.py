"""What is refused before Spark starts, and what is said while nobody works for it."""

import socket
import time
from pathlib import Path
from threading import Event

import pytest

from tests.convert.crawls import write_crawl
from webgraph_it.cli import main
from webgraph_it.cluster import session
from webgraph_it.cluster.failures import ClusterError


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def test_a_master_that_is_not_there_is_one_sentence() -> None:
    one, two = (f"127.0.0.1:{closed_port()}" for _ in range(2))
    sentence = f"No Spark master answers at {one}: connection refused, {two}: connection refused."
    with pytest.raises(ClusterError, match=sentence):
        session.refuse_silent([one, two])
    with pytest.raises(ClusterError, match=r"No Spark master answers at 127.0.0.1:99999"):
        session.refuse_silent(["127.0.0.1:99999"])


def test_one_master_of_several_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        session.refuse_silent([f"127.0.0.1:{closed_port()}", f"127.0.0.1:{server.getsockname()[1]}"])


@pytest.mark.parametrize(
    ("master", "addresses"),
    [
        ("spark://a:7077", "a:7077"),
        ("spark://a:7077,b:7078", "a:7077,b:7078"),
        ("spark://[::1]:7077", "[::1]:7077"),
        ("local[2]", None),
        ("yarn", None),
    ],
)
def test_a_master_may_have_several_addresses(master: str, addresses: str | None) -> None:
    found = session.MASTER.fullmatch(master)
    assert found
    assert found["addresses"] == addresses


def test_a_wrong_java_home_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    write_crawl(tmp_path / "crawl")
    assert main(["cluster", "degrees", str(tmp_path / "crawl"), "--out", str(tmp_path / "out")]) == 2
    assert "JAVA_HOME is /nowhere, which has no bin/java; expected:" in capsys.readouterr().err


@pytest.mark.parametrize(("executors", "times"), [(0, 1), (1, 0)])
def test_it_is_said_once_that_nobody_works(executors: int, times: int) -> None:
    asked, said = Event(), []

    def count() -> int:
        asked.set()
        return executors

    with session.told_if_alone(count, lambda: said.append(""), 0.01):
        assert asked.wait(10)
        time.sleep(0.05)
    assert len(said) == times


def test_nothing_is_said_after_the_end() -> None:
    with session.told_if_alone(lambda: 0, lambda: pytest.fail("said"), 0.05):
        pass
    time.sleep(0.1)


def test_what_is_said_names_the_memory() -> None:
    expected = (
        r"30 s: spark://a:7077 has no worker with 8g of memory and a core free. Still waiting. Start workers,"
    )
    assert expected in session.alone("spark://a:7077", "8g")
