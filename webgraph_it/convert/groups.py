"""The host graph and the graph of registrable domains, each a separate compact graph directory.

A host is the part of a key before `)`. A domain is the registrable part of a host, by the public suffix list that
tldextract carries (nothing is downloaded). Both are ranges of node ids. So one pass over the lists adds up the links
between them, and needs memory for one row only.

Guarantees: an arc's weight is the number of links between pages of the two groups. Links within a group are an arc
from the group to itself. Weights stop at 2^32-1. Ids have the same order as those of pages.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from webgraph_it.convert import kernels, names
from webgraph_it.convert.arrow import strings
from webgraph_it.convert.job import Job
from webgraph_it.convert.lines import PARENT_STATES
from webgraph_it.convert.rows import block_arcs, write_g4, write_transpose
from webgraph_it.graph import csr
from webgraph_it.graph.bv import write_bv
from webgraph_it.graph.csr import Array, CsrFiles
from webgraph_it.graph.urlmap import spell
from webgraph_it.graph.urlmap_writer import write_url_map
from webgraph_it.urls import RECIPE_VERSION
from webgraph_it.urls.domains import registrable_domain


def make_hosts(job: Job) -> None:
    """Page graph → hosts/."""
    keys, firsts = _hosts(job)
    domains = _domains_of(keys)
    pages, parents = _pages_by_host(job, len(keys))
    columns = {"domain": domains, "first": firsts, "pages": pages, "fetched": parents}
    folder = _folder(job, "hosts")
    _aggregate(job, CsrFiles.of(job.out), None, firsts, folder)
    _finish(job, folder, keys, columns)


def make_domains(job: Job) -> None:
    """hosts/ → domains/."""
    keys, _ = _hosts(job)
    hosts = pyarrow.parquet.read_table(job.out / "hosts" / "nodes.parquet")
    domains = hosts["domain"].to_numpy()
    first_hosts = np.flatnonzero(np.diff(domains, prepend=-1)).astype(np.uint32)
    counts = np.diff(np.append(first_hosts, len(domains))).astype(np.uint32)
    columns = {"first": np.empty(0, np.uint32)}
    if len(keys):
        columns = {
            "first": hosts["first"].to_numpy()[first_hosts],
            "pages": np.add.reduceat(hosts["pages"].to_numpy(), first_hosts),
            "fetched": np.add.reduceat(hosts["fetched"].to_numpy(), first_hosts),
            "first_host": first_hosts,
            "hosts": counts,
        }
    folder = _folder(job, "domains")
    _aggregate(job, CsrFiles.of(job.out / "hosts"), job.out / "hosts" / csr.WEIGHTS, first_hosts, folder)
    _finish(job, folder, [registrable_domain(keys[i]) for i in first_hosts.tolist()], columns)


def _domains_of(keys: list[str]) -> Array:
    """The domain id of each host. Hosts of a domain are neighbours."""
    domains = [registrable_domain(key) for key in keys]
    changed = [i == 0 or domain != domains[i - 1] for i, domain in enumerate(domains)]
    return (np.cumsum(changed) - 1).astype(np.uint32)


def _hosts(job: Job) -> tuple[list[str], Array]:
    batches = list(names.batches(job.out / ".work" / "hosts.arrow"))
    table = pa.Table.from_batches(batches, names.HOST)
    return table["key"].to_pylist(), table["first"].to_numpy()


def _pages_by_host(job: Job, hosts: int) -> tuple[Array, Array]:
    """Number of nodes and number of parents of each host."""
    pages, parents = np.zeros(hosts, np.uint32), np.zeros(hosts, np.uint32)
    for batch in names.batches(job.out / ".work" / "nodes.arrow", ["host", "state"]):
        host, state = batch["host"].to_numpy(), batch["state"].to_numpy()
        low, high = int(host[0]), int(host[-1]) + 1
        pages[low:high] += np.bincount(host - low, minlength=high - low).astype(np.uint32)
        fetched = host[np.isin(state, PARENT_STATES)]
        parents[low:high] += np.bincount(fetched - low, minlength=high - low).astype(np.uint32)
    return pages, parents


def _folder(job: Job, name: str) -> Path:
    folder = job.staging / name
    folder.mkdir()
    return folder


def _aggregate(job: Job, graph: CsrFiles, weights_path: Path | None, firsts: Array, folder: Path) -> None:
    """Add up the links between groups of nodes: group g is the nodes firsts[g] … firsts[g+1]-1."""
    groups = len(firsts)
    bounds = np.append(firsts, graph.nodes).astype(np.int64)
    coarse = (np.searchsorted(firsts, np.arange(0, graph.nodes, 256), side="right") - 1).astype(np.uint32)
    totals, touched = np.zeros(groups, np.uint64), np.empty(groups, np.uint32)
    job.progress.expect(graph.arcs)
    offsets, arcs = [0], 0
    files = CsrFiles.of(folder)
    with files.targets_path.open("wb") as targets_file, (folder / csr.WEIGHTS).open("wb") as weights_file:
        for count in _totals(job, graph, weights_path, bounds, (firsts, coarse, totals, touched)):
            targets, weights = np.empty(count, csr.TARGET_TYPE), np.empty(count, csr.TARGET_TYPE)
            kernels.take_links(totals, touched, count, targets, weights)
            targets.tofile(targets_file)
            weights.tofile(weights_file)
            arcs += count
            offsets.append(arcs)
    np.array(offsets, csr.OFFSET_TYPE).tofile(files.offsets_path)


def _totals(
    job: Job,
    graph: CsrFiles,
    weights_path: Path | None,
    bounds: Array,
    tables: tuple[Array, Array, Array, Array],
) -> Iterator[int]:
    """Fill the totals of one group after another. Yields the number of groups that each links to."""
    most, start, targets, weights = (
        block_arcs(job),
        0,
        np.empty(0, csr.TARGET_TYPE),
        np.empty(0, csr.TARGET_TYPE),
    )
    for low, high in _arc_bounds(graph, bounds):
        count, at = 0, low
        while at < high:
            if not start <= at < start + len(targets):
                start = at
                targets = graph.targets(start, min(start + most, graph.arcs))
                weights = (
                    np.fromfile(weights_path, csr.TARGET_TYPE, len(targets), offset=4 * start)
                    if weights_path
                    else weights
                )
                job.progress.at(at)
            end = min(high, start + len(targets))
            here = slice(at - start, end - start)
            count = kernels.add_links(targets[here], weights[here], *tables, count)
            at = end
        yield count


def _arc_bounds(graph: CsrFiles, bounds: Array) -> Iterator[tuple[int, int]]:
    """Start and end of the arcs of each group."""
    step = 1 << 16
    for first in range(0, len(bounds) - 1, step):
        nodes = bounds[first : first + step + 1]
        offsets = graph.offsets(int(nodes[0]), int(nodes[-1]))[nodes - nodes[0]]
        yield from zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)


def _finish(job: Job, folder: Path, keys: list[str], columns: dict[str, Array]) -> None:
    """Write all files of a compact graph directory except its CSR."""
    page_keys = [f"{key})/" for key in keys]
    urls = [spell(key, "http://") for key in page_keys]
    hosts = [url[len("http://") : -1] for url in urls]
    table = pa.table(
        {"id": np.arange(len(keys), dtype=np.uint32), "name": hosts, "key": keys, "url": urls, **columns}
    )
    pyarrow.parquet.write_table(table, folder / "nodes.parquet", compression="zstd")
    write_url_list(folder / "urls", page_keys, urls, job.threads)
    graph = CsrFiles.of(folder)
    write_g4(job, graph, None, folder / "graph.g4")
    write_bv(folder / job.sources.name, graph, job.parameters, job.threads)
    write_transpose(job, folder, folder)
    write_bv(
        folder / f"{job.sources.name}-t", CsrFiles.of(folder, transposed=True), job.parameters, job.threads
    )
    summary = {
        "recipe_version": RECIPE_VERSION,
        "name": job.sources.name,
        "nodes": graph.nodes,
        "arcs": graph.arcs,
        "weighted": True,
    }
    (folder / "graph.json").write_text(json.dumps(summary, indent=2) + "\n")
    job.counts.update({folder.name: graph.nodes, f"{folder.name}_arcs": graph.arcs})


def write_url_list(prefix: Path, keys: list[str], urls: list[str], threads: int) -> None:
    """A URL map from lists in memory."""
    whole = (strings(pa.array(keys, pa.string())), strings(pa.array(urls, pa.string())))
    batches: Callable[[], Iterator[Any]] = lambda: iter([whole] if keys else [])  # noqa: E731
    write_url_map(prefix, batches, [whole] if keys else [], threads)
