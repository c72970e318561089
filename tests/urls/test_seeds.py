"""Seed files as people write them, and the one we ship."""

import os
import subprocess
import sys
from collections import Counter
from itertools import chain, repeat
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import default_scope, read_seeds, typed
from webgraph_it.urls import Name, Refusal, name
from webgraph_it.urls.scope import Scope, Verdict
from webgraph_it.urls.seeds import Place, Seeds, SeedsError, read_batches, refusal

ITALY = Path(__file__).parents[2] / "seeds" / "italy.txt"


def read(folder: Path, *lines: str) -> tuple[list[str], list[str]]:
    """The URLs and the complaints of a file `s.txt` with these lines."""
    path = folder / "s.txt"
    path.write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")
    batches = list(read_batches(path))
    urls = [name.url for batch in batches for name in batch.names]
    return urls, [
        complaint.replace(f"{path}:", "s.txt:") for batch in batches for complaint in batch.complaints
    ]


def test_lines_are_urls_domains_prefixes_and_comments(tmp_path: Path) -> None:
    lines = """
    # un commento
    http://www.comune.padova.it/uffici#cima

    comune.venezia.it            # una nota
    unipd.it/ateneo
    sito.it:8080
    città.it
    +com,esempio)/italia/
    +http://(org,elenco,
    + esempio.net
    - it,segreto,
    https://portale.com/it/
    """
    urls, complaints = read(tmp_path, *lines.splitlines())
    assert urls == [
        "http://www.comune.padova.it/uffici",
        "http://comune.venezia.it/",
        "http://unipd.it/ateneo",
        "http://sito.it:8080/",
        "http://xn--citt-3na.it/",
        "https://portale.com/it/",
    ]
    assert complaints == []
    seeds = read_seeds(tmp_path / "s.txt")
    assert seeds.extra_prefixes == ("com,esempio)/italia/", "org,elenco,", "net,esempio,")
    assert seeds.exclusions == ("it,segreto,",)
    assert seeds.directories == ("com,portale)/it/",)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("due parole", "s.txt:1: 'due parole' is not an http(s) URL or domain (invalid)"),
        ("ftp://esempio.it/", "s.txt:1: 'ftp://esempio.it/' is not an http(s) URL or domain (scheme)"),
        ("http://a..it/", "s.txt:1: 'http://a..it/' is not an http(s) URL or domain (host)"),
        ("info@esempio.it", "s.txt:1: 'info@esempio.it' is not an http(s) URL or domain (invalid)"),
        ("localhost", "s.txt:1: 'localhost' is not an http(s) URL or domain (invalid)"),
        ("http://", "s.txt:1: 'http://' is not an http(s) URL or domain (invalid)"),
        ("a" * 300, f"s.txt:1: '{'a' * 100}…' is not an http(s) URL or domain (invalid)"),
    ],
)
def test_a_malformed_line_is_reported_with_file_and_line_and_skipped(
    tmp_path: Path, line: str, complaint: str
) -> None:
    assert read(tmp_path, line, "esempio.it") == (["http://esempio.it/"], [complaint])


@pytest.mark.parametrize("sign", "+-")
def test_a_malformed_prefix_is_reported_too(tmp_path: Path, sign: str) -> None:
    _, (complaint,) = read(tmp_path, "", f"{sign}()")
    assert complaint.startswith("s.txt:2: '()' is not a SURT prefix: expected")


@pytest.mark.parametrize(
    "content", [b"", b"# solo commenti\n\n", b"+it,unipd)\n", b"due parole\n", b"\xff\xfe\x00"]
)
def test_a_file_without_a_usable_seed_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "semi.txt"
    path.write_bytes(content)
    with pytest.raises(
        SeedsError, match=r"semi\.txt has no usable seed: give one URL or domain a line"
    ) as error:
        read_seeds(path)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        SeedsError, match=r"niente\.txt cannot be read \(No such file or directory\): give one URL"
    ):
        read_seeds(tmp_path / "niente.txt")


def test_a_directory_is_no_seed_file(tmp_path: Path) -> None:
    with pytest.raises(SeedsError, match="is a folder, expected a regular file"):
        read_seeds(tmp_path)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_byte_order_marks_line_ends_and_latin_1_are_read(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "semi.txt"
    path.write_bytes(end.join([b"\xef\xbb\xbfesempio.it", b"# perch\xe9", b"altro.it"]))
    assert [n.url for b in read_batches(path) for n in b.names] == ["http://esempio.it/", "http://altro.it/"]


@given(st.lists(st.text()))
def test_no_line_raises(lines: list[str]) -> None:
    with TemporaryDirectory() as folder:
        urls, _ = read(Path(folder), *lines)
        assert len(urls) <= sum(len(line.splitlines()) or 1 for line in lines)


LABELS = st.sampled_from(
    ["a", "www", "www2", "xn--citt-3na", "xn--", "sito-2", "_dmarc", "A", "0x7f", "1", "a-"]
)


@given(st.lists(LABELS, min_size=1, max_size=4).map(".".join))
def test_a_bare_domain_is_named_like_its_url(domain: str) -> None:
    """Nearly all lines of a registry's list take a short cut, which must give what the recipe gives."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.txt"
        path.write_text(domain)
        found = [named for batch in read_batches(path) for named in batch.names]
    expected = name(f"http://{domain}") if "." in domain else Refusal.INVALID
    assert found == ([expected] if isinstance(expected, Name) else [])


# -- streams --------------------------------------------------------------------------------------------------


def test_reading_resumes_at_the_end_of_any_batch(tmp_path: Path) -> None:
    path = tmp_path / "semi.txt"
    ends = chain.from_iterable(repeat((b"\n", b"\r\n")))
    lines = [b"sito%d.it" % n if n % 7 else b"due parole" for n in range(1000)]
    path.write_bytes(b"\xef\xbb\xbf" + b"".join(line + end for line, end in zip(lines, ends, strict=False)))
    batches = list(read_batches(path, lines_at_once=64))
    assert batches[-1].end == Place(path.stat().st_size, 1000)
    for number, batch in enumerate(batches):
        assert list(read_batches(path, batch.end, lines_at_once=64)) == batches[number + 1 :]


LINES = st.sampled_from(
    [
        "comune.padova.it",
        "www.unipd.it",
        "xn--caff-8oa.it",
        "esempio.fr",
        "http://a.it/x?y=1",
        "+fr,esempio,",
        "-it,unipd,",
        "#",
        "Caffè",
        "perché.it",
        "--",
        "A.IT",
        "a.it.",
        "a_b.it",
        "localhost",
        "10.0.0.1",
        "it",
    ]
)


@given(
    st.lists(LINES, min_size=1),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([("it,",), ("it,", "-it,padova,")]),
)
def test_the_survey_counts_what_the_batches_give(lines: list[str], end: str, surts: tuple[str, ...]) -> None:
    """Blocks of plain domains are counted without being named."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "seeds.txt")
        path.write_bytes(end.join([*lines, "a.it", ""]).encode())
        seeds = read_seeds(path, surts)
        named = [name for batch in read_batches(path) for name in batch.names]
    verdicts = Counter(
        default_scope(surts, seeds.extra_prefixes, exclusions=seeds.exclusions).verdict(n.key) for n in named
    )
    assert (seeds.total, seeds.inside) == (len(named), verdicts[Verdict.IN])
    assert seeds.covered == verdicts[Verdict.FETCH_ONLY]


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "semi.txt"
    path.write_bytes(b"esempio.it\n" + b"a" * 1_000_000)
    with pytest.raises(SeedsError, match="has a line of more than 65,536 bytes"):
        read_seeds(path)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "semi.txt"
    path.write_text("esempio.it\n")
    assert read_seeds(path).total == 1
    path.write_text("esempio.it\naltro.it\n")
    assert read_seeds(path).total == 2


GENERATE = """
import resource, sys
from webgraph_it.urls.seeds import read_batches, read_seeds
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert read_seeds(sys.argv[1], ("it,",)).total == sum(len(batch.names) for batch in read_batches(sys.argv[1]))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_a_long_list_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "registro.txt"
    path.write_text("".join(f"dominio-{n}.it\n" for n in range(200_000)))
    command = [sys.executable, "-c", GENERATE, str(path)]
    growth_mb = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert growth_mb < 10


# -- seeds and scope ------------------------------------------------------------------------------------------

SITES = [f"sito{n}.it" for n in range(10)]


@pytest.mark.parametrize(
    ("lines", "surts", "expected"),
    [
        (SITES, ["it,"], ""),
        (SITES, ["fr,"], "only 0 of the 10 seeds"),
        ([*SITES, *(f"site{n}.fr" for n in range(9))], ["fr,"], "only 9 of the 19 seeds"),
        ([*SITES, *(f"site{n}.fr" for n in range(10))], ["fr,"], ""),
        ([*SITES, "+it,"], ["fr,"], ""),
        (SITES, ["it,", "-it,sito3,"], ""),
        (SITES, ["it,", "-it,"], "only 0 of the 10 seeds"),
        ([*SITES, "- it,"], ["it,"], "only 0 of the 10 seeds"),
    ],
    ids=["inside", "none", "less-than-half", "half", "explicit", "one-excluded", "all-excluded", "by-line"],
)
def test_a_list_of_another_scope_is_refused(
    tmp_path: Path, lines: list[str], surts: list[str], expected: str
) -> None:
    path = tmp_path / "s.txt"
    path.write_text("\n".join(lines))
    sentence = refusal(path, read_seeds(path, tuple(surts)), tuple(surts))
    assert sentence.startswith(expected)
    assert bool(sentence) == bool(expected)


def test_a_refusal_says_what_was_found_and_what_to_do() -> None:
    assert refusal("seeds/italy.txt", read_seeds(ITALY, ("fr,",)), ("fr,",)) == (
        'only 0 of the 2,904 seeds in seeds/italy.txt are in scope (SCOPE_SURTS is ["fr,"]): give seeds of that '
        "scope with -s SEEDS=FILE, or a line +PREFIX in it for pages to fetch without adding them to the graph."
    )


def test_directories_are_few() -> None:
    seeds = Seeds(total=50_000, inside=30_000, outside=20_000)
    assert refusal("s.txt", seeds, ("it,",)).startswith("20,000 seeds in s.txt are outside the scope")


# -- seeds/italy.txt ----------------------------------------------------------------------------------------


def italy_lines() -> list[str]:
    lines = (line.strip() for line in ITALY.read_text(encoding="ascii").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def test_every_line_of_italy_is_usable_and_none_comes_twice() -> None:
    seeds = read_seeds(ITALY)
    assert seeds.complaints == 0
    assert seeds.total + len(seeds.extra_prefixes) == len(italy_lines())
    digests = [name.digest for batch in read_batches(ITALY) for name in batch.names]
    assert len(set(digests)) == len(digests)


def test_italy_has_more_than_a_thousand_sites_and_about_twenty_directories() -> None:
    seeds = read_seeds(ITALY)
    scope = Scope.from_settings(typed(), seeds)
    counts = Counter(scope.verdict(name.key, name.url) for b in read_batches(ITALY) for name in b.names)
    assert set(counts) == {Verdict.IN, Verdict.FETCH_ONLY}
    assert counts[Verdict.IN] > 1000
    assert 15 <= counts[Verdict.FETCH_ONLY] <= 30
    assert seeds.directories == (), "each directory has its own prefix"


def test_italy_is_sorted_by_kind() -> None:
    kinds = [kind.split() for kind in ITALY.read_text(encoding="ascii").split("\n# -- ")[1:]]
    assert len(kinds) > 10
    for block in ITALY.read_text(encoding="ascii").split("\n# -- ")[1:-1]:
        names = [line for line in block.splitlines()[1:] if line]
        assert names == sorted(names)


REGIONS = """
    abruzzo basilicata calabria campania emilia-romagna fvg lazio liguria lombardia marche molise piemonte puglia
    sardegna sicilia toscana taa umbria vda veneto
"""


@pytest.mark.parametrize("region", REGIONS.split())
def test_every_region_is_a_seed(region: str) -> None:
    assert f"regione.{region}.it" in italy_lines()


# -- what people type -----------------------------------------------------------------------------------------

DATA = Path(os.environ.get("WEBGRAPH_IT_DATA", Path(__file__).parents[3] / "shared" / "data"))
BODIES = DATA / "it-public-bodies.tsv"


@pytest.mark.skipif(not BODIES.exists(), reason="the list of Italian public bodies is not at hand")
def test_eleven_thousand_sites_as_their_owners_typed_them(tmp_path: Path) -> None:
    sites = [line.partition("\t")[0].strip() for line in BODIES.read_text(encoding="utf-8").splitlines()]
    urls, complaints = read(tmp_path, *sites)
    assert len(urls) > 9000
    assert 0 < len(complaints) < 500
