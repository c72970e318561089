from hashlib import md5
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.crawl_generator import generate
from tests.verbs import convert as main
from webgraph_it.convert import mapping, rows
from webgraph_it.convert.kernels import FLAG, UNKNOWN
from webgraph_it.convert.sources import ConvertError


def digests(count: int) -> bytes:
    whole = b"".join(md5(str(i).encode()).digest() for i in range(count))
    array = np.frombuffer(whole, np.uint8).reshape(-1, 16).copy()
    array[:, 0] &= 0x7F
    return array.tobytes()


@pytest.mark.parametrize("nodes", [1, 2, 1000])
@pytest.mark.parametrize("passes", [1, 2, 8])
def test_every_digest_leads_to_its_id_in_exactly_one_part(tmp_path: Path, nodes: int, passes: int) -> None:
    data = digests(nodes)
    (tmp_path / "d").write_bytes(data)
    words = np.frombuffer(data, np.uint64).reshape(-1, 2).copy()
    words[::2, 0] |= np.uint64(0x80)  # every other one as a parent
    out = np.full(nodes, UNKNOWN, np.uint32)
    for number in range(passes):
        before = out.copy()
        mapping.build_index(tmp_path / "d", nodes, number, passes).resolve(words, out)
        assert (before[before != UNKNOWN] == out[before != UNKNOWN]).all()
    ids = np.arange(nodes, dtype=np.uint32)
    ids[::2] |= np.uint32(FLAG)
    assert (out == ids).all()


def test_unknown_digest_stays_unknown(tmp_path: Path) -> None:
    (tmp_path / "d").write_bytes(digests(100))
    out = np.full(1, UNKNOWN, np.uint32)
    mapping.build_index(tmp_path / "d", 100).resolve(np.ones((1, 2), np.uint64), out)
    assert out[0] == UNKNOWN


def test_collision_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d").write_bytes(digests(50) + digests(1))
    with pytest.raises(ConvertError, match="nodes 0 and 50 have the same digest"):
        mapping.build_index(tmp_path / "d", 51)


@pytest.mark.parametrize(
    ("nodes", "budget", "passes"), [(0, 1, 1), (1000, 1 << 20, 1), (1 << 20, 1 << 20, 64)]
)
def test_passes_fit_the_budget(nodes: int, budget: int, passes: int) -> None:
    assert mapping.passes_for(nodes, budget) == passes


def test_less_memory_means_more_passes_and_the_same_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything small: several runs, index parts, files of sequences, and files cut into ranges."""
    crawl = generate(tmp_path / "crawl", 3000, 40_000)
    assert main([str(crawl), "--out", str(tmp_path / "much")]) == 0
    monkeypatch.setattr("webgraph_it.convert.job.LEAST_BUDGET", 80_000)
    monkeypatch.setattr(mapping, "INDEX_BYTES_PER_NODE", 64)
    monkeypatch.setattr(mapping, "CHUNK_RECORDS", 1000)
    monkeypatch.setattr(mapping, "PIECE_RECORDS", 300)
    monkeypatch.setattr(mapping, "MAX_PARTS", 5)
    monkeypatch.setattr(rows, "CHUNK_VALUES", 1000)
    assert main([str(crawl), "--out", str(tmp_path / "little"), "--memory", "1K"]) == 0
    for name in ("offsets.u64", "targets.u32", "graph.g4", "italy.graph", "italy-t.graph", "targets-t.u32"):
        assert (tmp_path / "little" / name).read_bytes() == (tmp_path / "much" / name).read_bytes(), name
    for name in ("urls.index", "urls.blocks", "hosts/weights.u32", "domains/targets.u32"):
        assert (tmp_path / "little" / name).read_bytes() == (tmp_path / "much" / name).read_bytes(), name
