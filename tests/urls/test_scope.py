"""One verdict for each URL, with its reason."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import DEFAULTS, default_scope, typed
from webgraph_it.urls import key
from webgraph_it.urls.scope import MAX_KEY_LENGTH, Scope, Verdict
from webgraph_it.urls.seeds import Seeds, read_seeds

SCOPE = default_scope(["it,"], ["com,esempio)/italia/"])
SEGMENTS = [f"s{number}" for number in range(30)]


def verdict(url: str, scope: Scope = SCOPE) -> Verdict:
    surt = key(url)
    assert isinstance(surt, str)
    return scope.verdict(surt, url)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://esempio.it/", Verdict.IN),
        ("http://esempio.it:8080/a.html?b=c.jpg", Verdict.IN),
        ("http://www.comune.padova.it/documento.pdf", Verdict.IN),
        ("http://esempio.it:25/", Verdict.PORT),
        ("https://esempio.it:22/a?b", Verdict.PORT),
        ("http://esempio.it:10080/a.jpg", Verdict.PORT),
        ("http://esempio.it:2525/):25/", Verdict.IN),
        ("http://esempio.com:25/", Verdict.HOST),
        ("http://esempio.com/", Verdict.HOST),
        ("http://esempio.com/italia", Verdict.HOST),
        ("http://127.0.0.1/", Verdict.HOST),
        ("http://it.esempio.com/", Verdict.HOST),
        ("http://esempio.com/italia/", Verdict.FETCH_ONLY),
        ("http://www.esempio.com/italia/a?b=1", Verdict.FETCH_ONLY),
        ("http://esempio.com/italia/a.jpg", Verdict.EXTENSION),
        ("http://esempio.com/italia/a/a/a/", Verdict.DIRECTORY_TRAP),
    ],
)
def test_the_scope_says_what_is_in(url: str, expected: Verdict) -> None:
    assert verdict(url) is expected


def test_a_bad_port_may_be_allowed() -> None:
    scope = default_scope(["it,"], allowed_ports=[6667])
    assert verdict("http://esempio.it:6667/", scope) is Verdict.IN
    assert verdict("http://esempio.it:6668/", scope) is Verdict.PORT


@pytest.mark.parametrize("extension", DEFAULTS.EXCLUDED_EXTENSIONS)
def test_excluded_extensions_are_out_in_any_case(extension: str) -> None:
    for spelling in (extension, extension.upper(), extension.title()):
        assert verdict(f"http://esempio.it/a/b.{spelling}?x=1") is Verdict.EXTENSION


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/sitemap.xml.gz", Verdict.IN),
        ("/SITEMAP.XML.GZ", Verdict.IN),
        ("/a.gz", Verdict.EXTENSION),
        ("/a.xml.gz.zip", Verdict.EXTENSION),
        ("/a.jpg;jsessionid=1", Verdict.EXTENSION),
        ("/a.jpg/", Verdict.IN),
        ("/a.jpg/b", Verdict.IN),
        ("/a.jpg.html", Verdict.IN),
        ("/jpg", Verdict.IN),
        ("/ajpg", Verdict.IN),
        ("/.jpg", Verdict.EXTENSION),
        ("/a.", Verdict.IN),
        ("/a.b?c.jpg", Verdict.IN),
        ("/a.jpgx", Verdict.IN),
        ("/a.docx", Verdict.IN),
        ("/a.pptx", Verdict.IN),
        ("/a.ppt", Verdict.EXTENSION),
        ("/a.b/jpg", Verdict.IN),
        ("/?a.jpg", Verdict.IN),
    ],
)
def test_the_extension_is_that_of_the_last_segment(path: str, expected: Verdict) -> None:
    assert verdict(f"http://esempio.it{path}") is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a/a", Verdict.IN),
        ("/a/a/", Verdict.IN),
        ("/a/a/a", Verdict.TRAP_REPETITION),
        ("/a/a/a/", Verdict.TRAP_REPETITION),
        ("/x/a/a/a/y", Verdict.TRAP_REPETITION),
        ("/a/b/a/b", Verdict.IN),
        ("/a/b/a/b/a", Verdict.IN),
        ("/a/b/a/b/a/b", Verdict.TRAP_REPETITION),
        ("/x/a/b/a/b/a/b/y.html", Verdict.TRAP_REPETITION),
        ("/a/b/c/a/b/c/a/b/c", Verdict.TRAP_REPETITION),
        ("/a/x/a/y/a/z/a", Verdict.IN),
        ("/a//b", Verdict.IN),
        ("/a////b", Verdict.TRAP_REPETITION),
        ("/a//", Verdict.IN),
        ("/a//a//a/", Verdict.IN),
        ("/a//a//a//", Verdict.TRAP_REPETITION),
        ("/it,esempio)/it,esempio)/x/", Verdict.IN),
        ("/it,esempio)/it,esempio)/x", Verdict.IN),
        ("/2026/11/11/titolo", Verdict.IN),
        ("/?a/a/a/a", Verdict.IN),
        ("/a/a?/a", Verdict.IN),
    ],
)
def test_repeated_segments_are_a_trap(path: str, expected: Verdict) -> None:
    assert verdict(f"http://esempio.it{path}") is expected


@pytest.mark.parametrize(("count", "expected"), [(20, Verdict.IN), (21, Verdict.TRAP_DEPTH)])
@pytest.mark.parametrize("ending", ["", "/"])
def test_more_than_twenty_segments_are_a_trap(count: int, expected: Verdict, ending: str) -> None:
    assert verdict(f"http://esempio.it/{'/'.join(SEGMENTS[:count])}{ending}") is expected


@pytest.mark.parametrize(("count", "expected"), [(20, Verdict.IN), (21, Verdict.TRAP_QUERY)])
def test_more_than_twenty_parameters_are_a_trap(count: int, expected: Verdict) -> None:
    assert verdict("http://esempio.it/?" + "&".join(SEGMENTS[:count])) is expected


@pytest.mark.parametrize(
    ("length", "expected"),
    [(2083, Verdict.IN), (2084, Verdict.TRAP_LENGTH), (MAX_KEY_LENGTH + 100, Verdict.LENGTH)],
)
def test_long_urls_are_a_trap_and_longer_ones_no_node(length: int, expected: Verdict) -> None:
    assert verdict("http://esempio.it/".ljust(length, "x")) is expected


def test_without_a_url_the_key_is_measured() -> None:
    assert SCOPE.verdict("it,esempio)/".ljust(2083, "x")) is Verdict.IN
    assert SCOPE.verdict("it,esempio)/".ljust(2084, "x")) is Verdict.TRAP_LENGTH


@pytest.mark.parametrize("each", Verdict)
def test_each_verdict_says_what_follows(each: Verdict) -> None:
    trap = each.name.startswith("TRAP")
    assert each.in_graph is (each is Verdict.IN or trap)
    assert each.fetchable is (each in (Verdict.IN, Verdict.FETCH_ONLY))
    assert each.is_trap is trap
    assert each.reason == each.value


KEYS = st.builds(
    "{}){}".format,
    st.sampled_from(["it,a", "it,a,b", "com,esempio", "com,a"]),
    st.lists(st.sampled_from(["/", "a", "b", ".jpg", ".html", "?", "&", "italia"]), max_size=40).map(
        lambda parts: "/" + "".join(parts)
    ),
)


@given(KEYS, st.text(max_size=5000))
def test_whether_a_node_is_in_the_graph_does_not_depend_on_its_spelling(surt: str, url: str) -> None:
    assert SCOPE.verdict(surt, url).in_graph == SCOPE.verdict(surt).in_graph


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=20))
def test_repetition_is_found_as_a_plain_search_finds_it(segments: list[str]) -> None:
    count = len(segments)
    repeated = any(
        segments[start : start + period] * 3 == segments[start : start + 3 * period]
        for period in range(1, count // 3 + 1)
        for start in range(count - 3 * period + 1)
    )
    assert (SCOPE.verdict("it,x)/" + "/".join(segments)) is Verdict.TRAP_REPETITION) is repeated


def test_a_limit_of_zero_is_no_limit() -> None:
    free = default_scope(
        max_url_length=0, max_path_segments=0, max_repeated_segments=0, max_query_parameters=0
    )
    assert free.verdict("it,a)/" + "a/" * 2000 + "?" + "&x" * 2000) is Verdict.IN


def test_excluded_extensions_may_be_written_with_dots_and_in_capitals() -> None:
    assert default_scope(excluded_extensions=[".XYZ"]).verdict("it,a)/a.xyz") is Verdict.EXTENSION
    assert default_scope(excluded_extensions=[]).verdict("it,a)/a.jpg") is Verdict.IN


def test_seeds_outside_the_scope_are_directories(tmp_path: Path) -> None:
    path = tmp_path / "semi.txt"
    path.write_text("esempio.it\nportale.com/italia/index.html\nelenco.org/it/x\n+org,elenco)/it\n")
    scope = Scope.from_settings(typed(), read_seeds(path, ("it,",)))
    assert scope.fetch_only.prefixes == ("com,portale)/italia/", "org,elenco)/it")
    assert verdict("http://elenco.org/italia", scope) is Verdict.FETCH_ONLY
    assert verdict("http://elenco.org/fr", scope) is Verdict.HOST


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("it,altro)/", Verdict.IN),
        ("it,x)/", Verdict.EXCLUDED),
        ("it,x,sotto)/pagina", Verdict.EXCLUDED),
        ("it,x,buono)/", Verdict.EXCLUDED),  # a longer prefix that includes changes nothing
        ("it,xy)/", Verdict.IN),
        ("it,y)/", Verdict.IN),
        ("it,y)/privato/carte", Verdict.EXCLUDED),
        ("it,y,sotto)/privato/carte", Verdict.IN),
        ("it,x)/foto.jpg", Verdict.EXCLUDED),
        ("com,portale)/italia/", Verdict.FETCH_ONLY),
        ("com,portale)/italia/annunci/1", Verdict.EXCLUDED),
        ("fr,x)/", Verdict.HOST),
    ],
)
def test_exclusion_wins(key: str, expected: Verdict) -> None:
    scope = default_scope(
        ["it,", "-it,x,", "it,x,buono)", "-it,y)/privato/"],
        ["com,portale)/italia/"],
        exclusions=["com,portale)/italia/annunci/"],
    )
    assert scope.verdict(key) is expected
    assert not Verdict.EXCLUDED.in_graph
    assert not Verdict.EXCLUDED.fetchable


def test_lines_of_the_seed_file_exclude_too(tmp_path: Path) -> None:
    path = tmp_path / "semi.txt"
    path.write_text("esempio.it\n-segreto.it\n- http://(it,y,)/privato/\n")
    scope = Scope.from_settings(typed(SCOPE_SURTS=["it,", "-it,x,"]), read_seeds(path, ("it,", "-it,x,")))
    assert scope.excluded.prefixes == ("it,segreto,", "it,x,", "it,y)/privato/")


def test_settings_are_read() -> None:
    settings = {
        "SCOPE_SURTS": ["it,unipd,"],
        "EXCLUDED_EXTENSIONS": ["pdf"],
        "MAX_URL_LENGTH": "60",
        "MAX_PATH_SEGMENTS": 3,
        "MAX_REPEATED_SEGMENTS": 2,
    }
    scope = Scope.from_settings(typed(**settings), Seeds())
    assert verdict("http://esempio.it/", scope) is Verdict.HOST
    assert verdict("http://dei.unipd.it/a.jpg", scope) is Verdict.IN
    assert verdict("http://dei.unipd.it/a.pdf", scope) is Verdict.EXTENSION
    assert verdict("http://unipd.it/".ljust(61, "x"), scope) is Verdict.TRAP_LENGTH
    assert verdict("http://unipd.it/a/b/c/d", scope) is Verdict.TRAP_DEPTH
    assert verdict("http://unipd.it/a/a", scope) is Verdict.TRAP_REPETITION
