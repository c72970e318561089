"""On a real Spark: what is wrong is said in one sentence, and nothing is printed around it.

webgraph_it.cluster.tables refuses what convert refuses.
"""

import re
import signal
import time
from pathlib import Path

import pytest

from tests.cluster.spark import run_cluster, spark_python, standalone, start_cluster
from tests.convert.crawls import write_crawl
from webgraph_it.cli import main
from webgraph_it.cli.cluster import VERB
from webgraph_it.cluster.blocks import Folder
from webgraph_it.cluster.output import WORK, claimed
from webgraph_it.cluster.pagerank import State, save
from webgraph_it.cluster.sources import sources
from webgraph_it.progress import Progress

pytestmark = pytest.mark.slow


def sentences(output: str) -> list[str]:
    """What a command says, without the steps that it names while it runs."""
    return [
        line for line in output.splitlines() if not re.match(r"(reading|writing) |\S+: [\d,]+ rows", line)
    ]


@pytest.mark.parametrize(("command", "record"), [("degrees", 3), ("hosts", 0)])
def test_a_digest_without_a_url_is_refused_as_convert_does(
    command: str, record: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A child, and a parent."""
    crawl = write_crawl(tmp_path / "crawl", files=2)
    shard = bytearray((crawl / "graph/000001.g16").read_bytes())
    shard[record * 16 + 1 : record * 16 + 16] = b"z" * 15
    (crawl / "graph/000001.g16").write_bytes(shard)
    assert main(["convert", str(crawl), "--out", str(tmp_path / "graph")]) == 2
    expected = capsys.readouterr().err.splitlines()[-1]
    words = [command, str(crawl), "--out", str(tmp_path / "out"), "--master", "local[2]", "--split", "48"]
    sentence = run_cluster(spark_python(), *words, code=2).splitlines()[-1]
    first = rf"(\d digests .* The first is )[0-9a-f]{{2}}({'7a' * 15}, record {record} of .*)"
    found, wanted = (re.fullmatch(first, line) for line in (sentence, expected))
    assert found
    assert wanted
    assert found.groups() == wanted.groups()


def test_a_wrong_line_is_one_sentence_as_of_convert(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whichever worker meets it: in a query, and in the blocks of pagerank."""
    crawl = write_crawl(tmp_path / "crawl")
    pages = crawl / "pages/000001.jsonl"
    pages.write_text(pages.read_text().replace('"key"', '"kez"'))
    assert main(["convert", str(crawl), "--out", str(tmp_path / "graph")]) == 2
    expected = capsys.readouterr().err.splitlines()[-1]
    words = ["pagerank", str(crawl), "--out", str(tmp_path / "out"), "--master", "local[2]"]
    assert sentences(run_cluster(spark_python(), *words, code=2)) == [expected]


def test_an_interrupted_command_says_one_sentence(tmp_path: Path) -> None:
    crawl = write_crawl(tmp_path / "crawl")
    words = ["pagerank", str(crawl), "--out", str(tmp_path / "out"), "--master", "local[2]"]
    with start_cluster(spark_python(), *words) as process:
        time.sleep(10)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert (process.returncode, sentences(output)) == (130, [VERB.interrupted])


def test_what_spark_cannot_start_with_is_one_sentence(tmp_path: Path) -> None:
    crawl = write_crawl(tmp_path / "crawl")
    words = ["degrees", str(crawl), "--out", str(tmp_path / "out"), "--master", "local[2]"]
    output = run_cluster(spark_python(), *words, "--set", "spark.driver.memory=10m", code=2)
    assert re.fullmatch(r"Spark does not start .*OutOfMemory.* --set spark.driver.memory=10m\.\n", output)


def test_a_failure_of_spark_is_one_sentence_and_keeps_what_java_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    crawl = write_crawl(tmp_path / "crawl")
    words = ["degrees", str(crawl), "--out", str(tmp_path / "out"), "--master", "local[2]"]
    output = run_cluster(spark_python(), *words, "--set", "spark.sql.shuffle.partitions=many", code=1)
    sentence = r"Spark could not finish: .*'many'.* is invalid.* See (\S+), and the logs of the executors\.\n"
    found = re.fullmatch(sentence, sentences(output)[0] + "\n")
    assert found
    assert "'many'" in Path(found[1]).read_text()
    run_cluster(spark_python(), *words)
    assert [*tmp_path.glob("webgraph_it-spark-*")] == [Path(found[1])], "none is left of a success"


def test_a_command_without_workers_says_so_and_waits(tmp_path: Path) -> None:
    python, crawl = spark_python(), write_crawl(tmp_path / "crawl")
    with standalone(python, tmp_path / "cluster") as cluster:
        words = ["degrees", str(crawl), "--out", str(tmp_path / "out"), "--master", cluster.url]
        with start_cluster(python, *words, "--set", "spark.executor.memory=512m") as process:
            assert process.stdout
            assert "reading " in process.stdout.readline()
            assert "has no worker with 512m of memory" in process.stdout.readline()
            cluster.add_worker()
            output, _ = process.communicate(timeout=300)
        assert (process.returncode, sentences(output)) == (0, [f"{tmp_path / 'out'}"])


def test_a_damaged_checkpoint_names_the_folder_to_remove(tmp_path: Path) -> None:
    crawl, out = write_crawl(tmp_path / "crawl"), tmp_path / "out"
    with claimed(str(out), ["pagerank"], Progress()):
        folder, found = Folder(f"{out}/{WORK}"), sources([str(crawl)])
    save(folder, State(sources=found.fingerprint(), blocks=2, sizes={"1": 6}, iteration=10, moved=0.1))
    folder.write("ranks-0010-000001.npz", b"PK")
    words = ["pagerank", str(crawl), "--out", str(out), "--master", "local[2]"]
    resuming, sentence = sentences(run_cluster(spark_python(), *words, code=2))
    assert resuming == "Resuming after iteration 10."
    assert sentence.startswith(
        f"{out}/.work/ranks-0010-000001.npz is damaged. Remove the folder {out}/.work,"
    )
