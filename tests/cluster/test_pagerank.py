"""Which checkpoint is resumed, and what is said of one that is not."""

from pathlib import Path

import pytest

from tests.convert.crawls import write_crawl
from webgraph_it.cluster.blocks import Folder
from webgraph_it.cluster.pagerank import STATE, State, resumable, save
from webgraph_it.cluster.sources import Sources, sources


@pytest.fixture
def found(tmp_path: Path) -> Sources:
    return sources([str(write_crawl(tmp_path / "crawl"))])


def checkpoint(folder: Folder, found: Sources) -> State:
    state = State(sources=found.fingerprint(), blocks=4, sizes={"0": 6}, iteration=30, moved=0.1)
    save(folder, state)
    return state


def test_a_checkpoint_of_the_same_crawl_is_resumed(found: Sources, tmp_path: Path) -> None:
    folder, said = Folder(str(tmp_path / ".work")), list[str]()
    assert resumable(folder, found, 4, said.append) is None
    assert said == [], "there is nothing to resume"
    state = checkpoint(folder, found)
    assert resumable(folder, found, 4, said.append) == state
    assert said == ["Resuming after iteration 30."]


@pytest.mark.parametrize("damaged", [b"{", b"", b"[]", b"{}", b"null", b"\xff"])
def test_a_damaged_checkpoint_is_named_and_made_again(damaged: bytes, found: Sources, tmp_path: Path) -> None:
    folder, said = Folder(str(tmp_path / ".work")), list[str]()
    folder.write(STATE, damaged)
    assert resumable(folder, found, 4, said.append) is None
    assert said == [f"The checkpoint in {folder.uri} is damaged; starting again."]


def test_a_checkpoint_of_other_bytes_or_blocks_is_not_resumed(found: Sources, tmp_path: Path) -> None:
    folder, said = Folder(str(tmp_path / ".work")), list[str]()
    checkpoint(folder, found)
    assert resumable(folder, found, 5, said.append) is None
    assert "has 4 blocks instead of 5; starting again" in said[0]
    (tmp_path / "crawl/graph/000001.g16").write_bytes(b"")
    assert resumable(folder, sources([str(tmp_path / "crawl")]), 4, said.append) is None
    assert said[1].startswith("The crawl directories have changed since the checkpoint in ")
