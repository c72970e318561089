"""On a real Spark: what is wrong is said in one sentence, and nothing is printed around it.

webgraph_it.cluster.tables refuses what convert refuses.
"""

import re
from pathlib import Path

import pytest

from tests.cluster.spark import run_cluster, spark_python
from tests.convert.crawls import write_crawl
from webgraph_it.cli import main

pytestmark = pytest.mark.slow


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
