import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.graph import graphs, java_oracle
from tests.graph.graphs import CNR, csr_files, lists_of, save
from webgraph_it.graph import GraphError
from webgraph_it.graph import bv_kernels as kernels
from webgraph_it.graph.bv import PADDING_BYTES, UNLIMITED, BVGraph, Parameters, write_bv
from webgraph_it.graph.csr import TARGET_TYPE

FILES = (".graph", ".offsets")
PARAMETERS = st.builds(
    Parameters,
    window=st.sampled_from([0, 1, 7]),
    max_references=st.sampled_from([0, 1, 3, UNLIMITED]),
    min_interval=st.sampled_from([0, 2, 4]),
    zeta=st.sampled_from([1, 3, 5]),
)
CLIQUE = [list(range(12))] * 12
LOOPS = [[node] for node in range(9)]

needs_cnr = pytest.mark.skipif(not Path(f"{CNR}.graph").exists(), reason=f"needs {CNR}.graph")


def read(base: Path) -> tuple[bytes, bytes]:
    return Path(f"{base}.graph").read_bytes(), Path(f"{base}.offsets").read_bytes()


@given(graphs.graphs(), PARAMETERS, st.integers(1, 3), st.sampled_from([1, 5, 1 << 20]))
@example([], Parameters(), 2, 5)
@example([[]], Parameters(), 1, 5)
@example(CLIQUE, Parameters(), 3, 5)
@example(LOOPS, Parameters(window=0), 2, 1)
@settings(deadline=None, max_examples=60)
def test_what_is_written_is_read_whatever_the_threads_and_blocks(
    lists: list[list[int]], parameters: Parameters, threads: int, arcs_per_block: int
) -> None:
    with TemporaryDirectory() as folder:
        base = Path(folder) / "g"
        files = csr_files(Path(folder), lists)
        write_bv(base, files, parameters, 1)
        alone = read(base)
        write_bv(base, files, parameters, threads, arcs_per_block)
        assert read(base) == alone
        graph = BVGraph(base)
        assert lists_of(*graph.to_csr()) == lists
        assert [graph.successors(node).tolist() for node in range(len(graph))] == lists


@given(st.lists(st.one_of(st.integers(0, 40), st.integers(2**31 - 3, 2**31 + 3), st.integers(0, 2**33))))
@settings(deadline=None)
def test_gamma_codes_are_read_as_written_beyond_31_bits(values: list[int]) -> None:
    buffer = np.zeros(16 * len(values) + 32, np.uint8)
    end = kernels.put_gammas(buffer, 3, np.array(values, np.int64))
    assert end == 3 + sum(2 * (value + 1).bit_length() - 1 for value in values)
    out = np.empty(len(values), np.int64)
    assert kernels.get_gammas(buffer, 3, out) == end
    assert out.tolist() == values


@pytest.mark.parametrize(
    ("value", "code"), [(0, "1"), (1, "010"), (2, "011"), (3, "00100"), (2**31 - 2, "0" * 30 + "1" * 31)]
)
def test_gamma_code_is_the_published_one(value: int, code: str) -> None:
    buffer = np.zeros(32, np.uint8)
    end = kernels.put_gammas(buffer, 0, np.array([value], np.int64))
    assert "".join(f"{byte:08b}" for byte in buffer)[:end] == code


def test_ids_at_the_boundary_of_31_bits_survive(tmp_path: Path) -> None:
    """Targets are numbers like others: a list near 2^31 is written and read without such a graph."""
    last = 2**31 - 2
    lists = [[0, 5, last - 6, last - 5, last - 4, last - 3, last], [last - 1, last], [0, 5, last]]
    write_bv(tmp_path / "g", csr_files(tmp_path, lists), Parameters(), 2)
    data, found, position = np.fromfile(tmp_path / "g.graph", np.uint8), [np.empty(0, TARGET_TYPE)], 0
    data = np.concatenate([data, np.zeros(PADDING_BYTES, np.uint8)])
    for node in range(3):
        degree, back, position = kernels.get_header(data, position, 7)
        out, before = np.empty(degree, TARGET_TYPE), found[node - back + 1] if back else found[0]
        position = kernels.get_list(data, position, node, degree, before, back > 0, 4, 3, last + 1, out)
        found.append(out)
    assert [each.tolist() for each in found[1:]] == lists


def test_damaged_record_is_refused(tmp_path: Path) -> None:
    write_bv(tmp_path / "g", csr_files(tmp_path, CLIQUE), Parameters(), 1)
    data = bytearray((tmp_path / "g.graph").read_bytes())
    data[0] = 0b00000001
    (tmp_path / "g.graph").write_bytes(bytes(data))
    with pytest.raises(ValueError, match=r"g\.graph has no valid record of node 0: the graph is damaged"):
        BVGraph(tmp_path / "g").to_csr()


@pytest.mark.parametrize(
    ("line", "instead", "sentence"),
    [
        ("nodes=12", "nodes=5000", "has '5000' as its nodes"),
        ("arcs=144", "arcs=1", "has no valid record of node 0"),
        ("arcs=144", "arcs=145", "has '145' as its arcs"),
        ("zetak=3", "zetak=0", "has '0' as its zetak"),
        ("windowsize=7", "windowsize=-2", "has '-2' as its windowsize"),
        ("minintervallength=4", "other=4", "has '' as its minintervallength"),
    ],
)
def test_properties_that_cannot_be_are_refused(
    tmp_path: Path, line: str, instead: str, sentence: str
) -> None:
    write_bv(tmp_path / "g", csr_files(tmp_path, CLIQUE), Parameters(), 1)
    path = tmp_path / "g.properties"
    assert f"{line}\n" in path.read_text()
    path.write_text(path.read_text().replace(line, instead))
    with pytest.raises(GraphError, match=sentence):
        BVGraph(tmp_path / "g").to_csr()


def test_chain_of_references_may_be_as_long_as_the_graph(tmp_path: Path) -> None:
    lists = [[7, 1999]] * 2000
    write_bv(tmp_path / "g", csr_files(tmp_path, lists), Parameters(max_references=UNLIMITED), 1)
    assert BVGraph(tmp_path / "g").successors(1999).tolist() == [7, 1999]


def test_other_codes_are_refused(tmp_path: Path) -> None:
    write_bv(tmp_path / "g", csr_files(tmp_path, LOOPS), Parameters(), 1)
    text = (
        (tmp_path / "g.properties")
        .read_text()
        .replace("compressionflags=", "compressionflags=OUTDEGREES_DELTA")
    )
    (tmp_path / "g.properties").write_text(text)
    with pytest.raises(ValueError, match="OUTDEGREES_DELTA"):
        BVGraph(tmp_path / "g")


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("version=1\n", "version '1'"),
        ("version=1\nendianness=little\n", "little"),
        ("endianness=little\n", "little"),
    ],
)
def test_little_endian_files_are_refused(tmp_path: Path, lines: str, found: str) -> None:
    """As webgraph-rs writes them: version 1."""
    properties = "nodes=0\narcs=0\nwindowsize=7\nminintervallength=4\ncompressionflags=\n" + lines
    (tmp_path / "g.properties").write_text(properties)
    with pytest.raises(ValueError, match=found):
        BVGraph(tmp_path / "g")


@needs_cnr
def test_reads_cnr_2000_as_its_text_says() -> None:
    graph = BVGraph(CNR)
    lines = gzip.decompress(Path(f"{CNR}.graph-txt.gz").read_bytes()).decode().split("\n")
    assert len(graph) == int(lines[0]) == 325_557
    offsets, targets = graph.to_csr()
    assert targets.tolist() == [int(word) for line in lines[1:] for word in line.split()]
    assert np.diff(offsets).tolist() == [len(line.split()) for line in lines[1 : len(graph) + 1]]
    assert graph.successors(186_907).tolist() == [int(word) for word in lines[186_908].split()]


@needs_cnr
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_writes_cnr_2000_as_law_did(tmp_path: Path, threads: int) -> None:
    files = save(tmp_path, *BVGraph(CNR).to_csr())
    write_bv(tmp_path / "ours", files, Parameters(7, 3, 3, 3), threads, 1 << 18)
    assert read(tmp_path / "ours") == read(CNR)


@needs_cnr
@java_oracle.needs_java
@pytest.mark.parametrize(
    "parameters",
    [Parameters(7, 3, 3, 3), Parameters(7, 3, 4, 3), Parameters(7, UNLIMITED, 4, 3), Parameters(0, 3, 0, 2)],
    ids=str,
)
def test_equals_java_byte_for_byte(tmp_path: Path, parameters: Parameters) -> None:
    files = save(tmp_path, *BVGraph(CNR).to_csr())
    write_bv(tmp_path / "ours", files, parameters, 2, 1 << 20)
    java_oracle.compress(CNR, tmp_path / "java", parameters)
    assert read(tmp_path / "ours") == read(tmp_path / "java")


@java_oracle.needs_java
def test_java_reads_ours_arc_for_arc(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    lists = [sorted(set(random.integers(0, 300, random.integers(0, 20)).tolist())) for _ in range(300)]
    write_bv(tmp_path / "ours", csr_files(tmp_path, lists), Parameters(), 2, 500)
    java_oracle.write_arcs(tmp_path / "ours", tmp_path / "arcs")
    arcs = [tuple(map(int, line.split())) for line in (tmp_path / "arcs").read_text().splitlines()]
    assert arcs == [(source, target) for source, each in enumerate(lists) for target in each]


@pytest.mark.slow
def test_the_java_oracle_can_be_fetched() -> None:
    assert java_oracle.fetch().stat().st_size > 1_000_000
