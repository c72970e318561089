"""The graph in blocks, without Spark: what one iteration sends and adds up is what the whole graph gives."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from webgraph_it.cluster import blocks
from webgraph_it.cluster.blocks import Folder
from webgraph_it.shards.formats import ShardError

NODES = 200


def random_graph(seed: int) -> tuple[NDArray[np.uint64], list[list[int]]]:
    rng = np.random.default_rng(seed)
    digests = np.unique(rng.integers(0, 1 << 63, (NODES, 2), dtype=np.uint64), axis=0)
    digests[1, 0] = digests[0, 0]  # two nodes that differ in their last 64 bits only
    lists = [rng.integers(0, NODES, rng.integers(0, 9)).tolist() for _ in range(NODES)]
    return digests, lists


def as_bytes(digests: NDArray[np.uint64]) -> bytes:
    return digests.astype(">u8").tobytes()


def make_blocks(folder: Folder, count: int, digests: NDArray[np.uint64], lists: list[list[int]]) -> None:
    number_of = blocks.block_of(digests[:, 0].astype(np.int64), count)
    sent = []
    for number in range(count):
        own = np.flatnonzero(number_of == number)
        columns = [pa.array(digests[own, column].view(np.int64)) for column in (0, 1)]
        children = pa.array([as_bytes(digests[lists[node]]) for node in own], pa.binary())
        nodes = pa.table(columns, ["high", "low"])
        sequences = pa.table([*columns, children], ["high", "low", "children"])
        sent.append(blocks.make_out(folder, count, number, pa.concat_tables([nodes, nodes]), sequences))
    rows = pa.concat_tables(sent)
    for number in range(count):
        blocks.make_in(folder, number, rows.filter(pa.compute.equal(rows["block"], number)))


@pytest.mark.parametrize("count", [1, 3, 8])
def test_what_blocks_send_each_other_is_the_sum_over_in_links(count: int, tmp_path: Path) -> None:
    digests, lists = random_graph(count)
    folder = Folder(str(tmp_path))
    make_blocks(folder, count, digests, lists)
    values = np.random.default_rng(9).random(NODES)
    expected = np.zeros(NODES)
    for source, targets in enumerate(lists):
        for target in set(targets):
            expected[target] += values[source]
    order = np.lexsort((digests[:, 1], digests[:, 0]))
    number_of = blocks.block_of(digests[order, 0].astype(np.int64), count)
    totals = {number: np.zeros((number_of == number).sum()) for number in range(count)}
    for sender in range(count):
        out = blocks.load_out(folder, sender)
        own = order[number_of == sender]
        assert blocks.load_degrees(folder, sender).tolist() == [len(set(lists[node])) for node in own]
        sums = blocks.sums_by_target(out, values[own])
        for receiver in range(count):
            low, high = out.bounds[receiver], out.bounds[receiver + 1]
            if high > low:
                totals[receiver][blocks.load_in(folder, receiver)[sender]] += sums[low:high]
    found = np.concatenate([totals[number] for number in range(count)])
    np.testing.assert_allclose(found, expected[order], rtol=1e-14)


def test_a_digest_without_a_url_is_refused() -> None:
    digests, _ = random_graph(1)
    stray = np.array([[5, 5]], np.uint64)
    with pytest.raises(
        ShardError, match=r"1 digests in the shards have no URL in the lists. The first is 0{15}50{15}5"
    ):
        blocks.places(digests, stray)
    with pytest.raises(ShardError, match=r"have no URL"):
        blocks.places(digests[:0], stray)


def test_a_damaged_or_missing_file_names_the_folder_to_remove(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path))
    folder.save("ranks.npz", ranks=np.arange(1000.0))
    path = tmp_path / "ranks.npz"
    whole = path.read_bytes()
    assert folder.load("ranks.npz")["ranks"].tolist() == list(range(1000))
    for damaged in (b"", whole[:500], whole[:900] + b"damaged" + whole[907:]):
        path.write_bytes(damaged)
        with pytest.raises(ShardError, match=rf"{path} is damaged. Remove the folder {tmp_path}, and"):
            folder.load("ranks.npz")
    path.unlink()
    with pytest.raises(ShardError, match=rf"{path} is missing. Remove the folder"):
        folder.load("ranks.npz")


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path / "work"))
    assert folder.read("state.json") is None
    folder.write("state.json", b"{}")
    assert (folder.read("state.json"), folder.names()) == (b"{}", ["state.json"])
    folder.remove()
    assert not (tmp_path / "work").exists()
    folder.remove()
