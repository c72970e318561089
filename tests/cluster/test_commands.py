"""`webgraph-it cluster`: what is refused before Spark is started, and what is said where Spark is missing."""

import importlib.util
from pathlib import Path

import pytest

from tests.convert.crawls import write_crawl
from webgraph_it.analyse import pagerank as analysed
from webgraph_it.cli import main
from webgraph_it.cluster import commands, pagerank, session


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["rank"],
            "cluster has no command 'rank'; expected one of degrees, pagerank, hosts, domains, priorities, compact",
        ),
        (
            ["degrees", "--set", "memory=1g"],
            "--set memory is not a setting of Spark; expected spark.NAME=VALUE",
        ),
        (
            ["degrees", "--budget", "5"],
            "--policy, --budget and --at are of priorities; expected: cluster degrees without them",
        ),
        (
            ["hosts", "--policy", "anansi"],
            "--policy, --budget and --at are of priorities; expected: cluster hosts without them",
        ),
        (["priorities", "--budget", "-3"], "--budget is -3; expected 0 or more"),
        (["degrees", "--split", "100"], "--split is 100 bytes; expected a multiple of 16"),
        (["degrees", "--split", "0"], "--split is 0 bytes; expected a multiple of 16, at least 16"),
    ],
)
def test_a_wrong_command_is_one_sentence(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_crawl(tmp_path / "crawl")
    command, *options = words
    assert main(["cluster", command, str(tmp_path / "crawl"), "--out", str(tmp_path / "out"), *options]) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_wrong_master_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_crawl(tmp_path / "crawl")
    for master in ("nonsense", "spark://nonsense", "local[x]"):
        words = [
            "cluster",
            "degrees",
            str(tmp_path / "crawl"),
            "--out",
            str(tmp_path / "out"),
            "--master",
            master,
        ]
        assert main(words) == 2
        sentence = f"--master is {master}; expected: local[2], spark://host:7077, yarn, or k8s://…"
        assert capsys.readouterr().err.strip().endswith(sentence)


def test_without_java_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    write_crawl(tmp_path / "crawl")
    assert main(["cluster", "degrees", str(tmp_path / "crawl"), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.strip().endswith(session.NO_JAVA)


def test_the_input_is_checked_before_spark_is_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cluster", "degrees", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "is not a crawl directory: it has no crawl.json" in capsys.readouterr().err


@pytest.mark.skipif(importlib.util.find_spec("pyspark") is not None, reason="pyspark is installed here")
def test_without_spark_it_says_what_to_install(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_crawl(tmp_path / "crawl")
    assert main(["cluster", "degrees", str(tmp_path / "crawl"), "--out", str(tmp_path / "out")]) == 2
    assert session.MISSING in capsys.readouterr().err


def test_pagerank_is_the_one_of_analyse() -> None:
    ours = (pagerank.DAMPING, pagerank.TOLERANCE, pagerank.MAX_ITERATIONS)
    assert ours == (analysed.DAMPING, analysed.TOLERANCE, analysed.MAX_ITERATIONS)


def test_every_command_says_what_it_makes() -> None:
    assert all(command.summary and command.run.__doc__ for command in commands.COMMANDS.values())
