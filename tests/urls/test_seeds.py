"""Seed files as people write them, and the one we ship."""

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.urls import key
from webgraph_it.urls.scope import Scope, Verdict
from webgraph_it.urls.seeds import Seeds, SeedsError, parse_seeds, read_seeds

ITALY = Path(__file__).parents[2] / "seeds" / "italy.txt"


def test_lines_are_urls_domains_prefixes_and_comments() -> None:
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
    https://portale.com/it/
    """
    assert parse_seeds(lines.splitlines(), "semi.txt") == Seeds(
        urls=(
            "http://www.comune.padova.it/uffici",
            "http://comune.venezia.it/",
            "http://unipd.it/ateneo",
            "http://sito.it:8080/",
            "http://xn--citt-3na.it/",
            "https://portale.com/it/",
        ),
        extra_prefixes=("com,esempio)/italia/", "org,elenco,", "net,esempio,"),
    )


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("due parole", "s.txt:1: 'due parole' is no http(s) URL or domain (invalid)"),
        ("ftp://esempio.it/", "s.txt:1: 'ftp://esempio.it/' is no http(s) URL or domain (scheme)"),
        ("http://a..it/", "s.txt:1: 'http://a..it/' is no http(s) URL or domain (host)"),
        ("info@esempio.it", "s.txt:1: 'info@esempio.it' is no http(s) URL or domain (invalid)"),
        ("localhost", "s.txt:1: 'localhost' is no http(s) URL or domain (invalid)"),
        ("http://", "s.txt:1: 'http://' is no http(s) URL or domain (invalid)"),
    ],
)
def test_a_malformed_line_is_reported_with_file_and_line_and_skipped(line: str, complaint: str) -> None:
    assert parse_seeds([line, "esempio.it"], "s.txt") == Seeds(("http://esempio.it/",), (), (complaint,))


def test_a_malformed_prefix_is_reported_too() -> None:
    (complaint,) = parse_seeds(["", "+()"], "s.txt").complaints
    assert complaint.startswith("s.txt:2: '()' is no SURT prefix: expected")


def test_each_node_is_a_seed_once() -> None:
    lines = ["http://www.esempio.it", "https://esempio.it/", "esempio.it", "altro.it"]
    assert parse_seeds(lines, "s.txt").urls == ("http://www.esempio.it/", "http://altro.it/")


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


def test_byte_order_marks_windows_line_ends_and_latin_1_are_read(tmp_path: Path) -> None:
    path = tmp_path / "semi.txt"
    path.write_bytes(b"\xef\xbb\xbfesempio.it\r\n# perch\xe9\r\naltro.it\r\n")
    assert read_seeds(str(path)) == Seeds(("http://esempio.it/", "http://altro.it/"))


@given(st.lists(st.text()))
def test_no_line_raises(lines: list[str]) -> None:
    assert len(parse_seeds(lines, "s.txt").urls) <= len(lines)


# -- seeds/italy.txt ----------------------------------------------------------------------------------------


def italy_lines() -> list[str]:
    lines = (line.strip() for line in ITALY.read_text(encoding="ascii").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def test_every_line_of_italy_is_usable_and_none_comes_twice() -> None:
    seeds = read_seeds(ITALY)
    assert seeds.complaints == ()
    assert len(seeds.urls) + len(seeds.extra_prefixes) == len(italy_lines())


def test_italy_has_more_than_a_thousand_sites_and_about_twenty_directories() -> None:
    seeds = read_seeds(ITALY)
    scope = Scope.from_settings({}, seeds)
    counts = Counter(scope.verdict(str(key(url)), url) for url in seeds.urls)
    assert set(counts) == {Verdict.IN, Verdict.FETCH_ONLY}
    assert counts[Verdict.IN] > 1000
    assert 15 <= counts[Verdict.FETCH_ONLY] <= 30
    assert scope.fetch_only.prefixes == tuple(sorted(seeds.extra_prefixes)), (
        "each directory has its own prefix"
    )


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
def test_eleven_thousand_sites_as_their_owners_typed_them() -> None:
    sites = [line.partition("\t")[0].strip() for line in BODIES.read_text(encoding="utf-8").splitlines()]
    seeds = parse_seeds(sites, "bodies")
    assert len(seeds.urls) > 9000
    assert 0 < len(seeds.complaints) < 500
