import re
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webgraph_it.graph.urlmap import UrlMap
from webgraph_it.graph.urlmap_layout import HEADER_BYTES, MAGIC, URLS_PER_BLOCK
from webgraph_it.graph.urlmap_writer import Batch, Strings, write_url_map
from webgraph_it.urls import key

LABEL = st.text("ab-z", min_size=1, max_size=3)
URL = st.builds(
    lambda start, labels, port, path: f"{start}{'.'.join(labels)}.it{port}/{path}",
    st.sampled_from(["http://", "https://", "http://www.", "https://www.", "http://www2."]),
    st.lists(
        LABEL.filter(lambda text: not text.startswith("-") and not text.endswith("-")), min_size=1, max_size=3
    ),
    st.sampled_from(["", ":8080"]),
    st.one_of(st.text("ab/?=&%;", max_size=12), st.text("a", min_size=230, max_size=270)),
)
HOSTS = ["comune.padova.it", "padova.it", "unipd.it", "dei.unipd.it", "unipd-x.it"]
SITE = [f"http://{host}{path}" for host in HOSTS for path in ("/", "/a/", "/a/b", "/a/b?c", "/b")]


def strings(values: Sequence[str]) -> Strings:
    _, offsets, data = pa.array(values, pa.string()).buffers()
    return Strings(np.frombuffer(offsets, np.int32)[: len(values) + 1], np.frombuffer(data, np.uint8))


def write(folder: Path, urls: Sequence[str], blocks_per_batch: int = 2) -> list[tuple[str, str]]:
    """Write a map of the URLs; returns the sorted (key, url)."""
    nodes = sorted({str(key(url)): url for url in urls}.items())
    step = blocks_per_batch * URLS_PER_BLOCK
    batches: list[Batch] = [
        (strings([k for k, _ in nodes[i : i + step]]), strings([u for _, u in nodes[i : i + step]]))
        for i in range(0, len(nodes), step)
    ]
    assert write_url_map(folder / "urls", lambda: iter(batches), batches, 2) == len(nodes)
    return nodes


@given(st.lists(URL, max_size=150))
@example([])
@example(["http://a.it/"])
@example([f"http://a.it/{'x' * 300}{i}" for i in range(120)])
@settings(deadline=None, max_examples=40)
def test_every_url_is_found_and_every_id_has_its_url(urls: list[str]) -> None:
    with TemporaryDirectory() as folder:
        nodes = write(Path(folder), urls)
        urlmap = UrlMap(Path(folder) / "urls")
        assert len(urlmap) == len(nodes)
        assert list(urlmap.items()) == nodes
        assert list(urlmap.keys()) == [k for k, _ in nodes]
        assert [urlmap.url(i) for i in range(len(nodes))] == [url for _, url in nodes]
        assert [urlmap.key(i) for i in range(len(nodes))] == [k for k, _ in nodes]
        assert [urlmap.id(url) for _, url in nodes] == list(range(len(nodes)))
        assert list(urlmap.items(start=7)) == nodes[7:]


@given(st.lists(URL, max_size=120), st.text("ab,)/?:t", max_size=5))
@settings(deadline=None, max_examples=40)
def test_prefix_is_the_range_of_keys_that_start_so(urls: list[str], end: str) -> None:
    with TemporaryDirectory() as folder:
        nodes = write(Path(folder), urls)
        prefix = f"it,{end}"
        found = [i for i, (k, _) in enumerate(nodes) if k.startswith(prefix)]
        assert list(UrlMap(Path(folder) / "urls").prefix(prefix)) == found


BOUND = st.one_of(
    st.text("ab,)/?:t\nz~\0é", max_size=6).map(lambda end: f"it,{end}"),
    st.text("a", min_size=235, max_size=275).map(lambda end: f"it,a)/{end}"),
    st.text(max_size=3),
)


@given(st.lists(URL, max_size=120), BOUND, BOUND)
@settings(deadline=None, max_examples=60)
def test_between_is_the_range_of_keys_in_byte_order(urls: list[str], first: str, beyond: str) -> None:
    with TemporaryDirectory() as folder:
        keys = [k.encode() for k, _ in write(Path(folder), urls)]
        found = UrlMap(Path(folder) / "urls").between(first, beyond)
        assert (found.start, found.stop) == (
            bisect_left(keys, first.encode()),
            bisect_left(keys, beyond.encode()),
        )


def test_opening_and_urls_of_ids_do_not_load_numba(tmp_path: Path) -> None:
    write(tmp_path, SITE)
    code = (
        "import sys; from webgraph_it.graph import UrlMap; "
        f"UrlMap({str(tmp_path / 'urls')!r}).url(3); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_host_domain_and_directory_are_ranges(tmp_path: Path) -> None:
    nodes = write(tmp_path, [*SITE, "http://unipd.it:8080/x"])
    urlmap = UrlMap(tmp_path / "urls")
    urls = [url for _, url in nodes]
    assert [urls[i] for i in urlmap.host("www.unipd.it")] == [
        u for u in urls if re.match(r"http://unipd\.it[:/]", u)
    ]
    assert {urls[i] for i in urlmap.domain("unipd.it")} == {
        u for u in urls if re.search(r"[/.]unipd\.it[:/]", u)
    }
    assert [urls[i] for i in urlmap.directory("http://dei.unipd.it/a/")] == [
        f"http://dei.unipd.it/a/{rest}" for rest in ("", "b", "b?c")
    ]
    assert not urlmap.host("altro.it")
    with pytest.raises(ValueError, match="not the name of a host"):
        urlmap.host("a b")


def test_spellings_of_a_page_are_one_node(tmp_path: Path) -> None:
    write(tmp_path, SITE)
    urlmap = UrlMap(tmp_path / "urls")
    assert urlmap.id("https://www.unipd.it/a/") == urlmap.id("http://unipd.it/a/#top")
    assert "https://WWW.unipd.it/a/" in urlmap
    assert "http://unipd.it/A/" not in urlmap
    assert 7 not in urlmap


@pytest.mark.parametrize("url", ["http://unipd.it/none", "http://aaa.it/", "http://zzz.it/", "no url"])
def test_unknown_url_is_a_key_error(tmp_path: Path, url: str) -> None:
    write(tmp_path, SITE)
    with pytest.raises(KeyError):
        UrlMap(tmp_path / "urls").id(url)


@pytest.mark.parametrize("node", [-1, len(SITE)])
def test_unknown_id_is_an_index_error(tmp_path: Path, node: int) -> None:
    write(tmp_path, SITE)
    with pytest.raises(IndexError, match=f"node {node} of a map"):
        UrlMap(tmp_path / "urls").url(node)


def test_a_dictionary_makes_a_long_list_small(tmp_path: Path) -> None:
    urls = [f"http://www.sito{i % 97}.it/articoli/{i}.html" for i in range(20_000)]
    nodes = write(tmp_path, urls)
    urlmap = UrlMap(tmp_path / "urls")
    assert urlmap.url(12_345) == nodes[12_345][1]
    size = sum((tmp_path / f"urls.{suffix}").stat().st_size for suffix in ("index", "blocks"))
    assert size < 7 * len(nodes)


def test_header_is_as_specified(tmp_path: Path) -> None:
    write(tmp_path, SITE)
    header = (tmp_path / "urls.index").read_bytes()[:HEADER_BYTES]
    assert header[:8] == MAGIC == b"WGITURL1"
    assert np.frombuffer(header[8:], "<u8").tolist()[:3] == [len(SITE), URLS_PER_BLOCK, 0]


def test_other_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path, SITE)
    (tmp_path / "urls.index").write_bytes(b"something else entirely" * 4)
    with pytest.raises(ValueError, match="not a URL map"):
        UrlMap(tmp_path / "urls")
