"""The folder of a result: what is refused before Spark starts, and what is left alone."""

from pathlib import Path

import pytest

from tests.convert.crawls import write_crawl
from webgraph_it.cluster.output import MARK, claimed
from webgraph_it.cluster.session import ClusterError


def test_a_new_folder_is_claimed_and_may_be_claimed_again(tmp_path: Path) -> None:
    for _ in range(2):
        with claimed(str(tmp_path / "deep/out")):
            (tmp_path / "deep/out/degrees").mkdir(exist_ok=True)
    assert (tmp_path / "deep/out" / MARK).exists()


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "degrees").mkdir()
    (tmp_path / "degrees/mine.txt").write_text("mine")
    with (
        pytest.raises(ClusterError, match="has files that webgraph-it cluster did not make"),
        claimed(str(tmp_path)),
    ):
        pass
    assert [path.name for path in tmp_path.rglob("*")] == ["degrees", "mine.txt"]


def test_one_command_at_a_time_writes_a_folder(tmp_path: Path) -> None:
    out = str(tmp_path)
    with claimed(out), pytest.raises(ClusterError, match="Another command is writing"), claimed(out):
        pass
    with claimed(str(tmp_path)):
        pass


@pytest.mark.parametrize("name", ["crawl", "crawl/sub/deep", "fleet", "fleet/ranks"])
def test_nothing_is_written_into_a_crawl_directory_or_a_fleet(name: str, tmp_path: Path) -> None:
    write_crawl(tmp_path / "crawl")
    write_crawl(tmp_path / "fleet/member-01")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ClusterError, match="is in the crawl directory"), claimed(str(tmp_path / name)):
        pass
    assert sorted(tmp_path.rglob("*")) == before


def test_a_place_that_cannot_be_a_folder_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"), claimed(str(tmp_path / "file/sub")):
        pass
