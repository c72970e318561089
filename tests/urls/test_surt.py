"""What prefixes mean, how they are written, and which one is the longest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.urls import key
from webgraph_it.urls.surt import SurtError, SurtPrefixes, _shorter, parse, prefix_of_url


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it,", "it,"),
        ("it", "it,"),
        ("IT,Unipd,", "it,unipd,"),
        ("it,unipd,", "it,unipd,"),
        ("it,unipd", "it,unipd,"),
        ("it,unipd)", "it,unipd)"),
        ("it,unipd)/", "it,unipd)"),
        ("it,unipd):8080/", "it,unipd):8080/"),
        ("unipd.it:8080", "it,unipd):8080/"),
        ("www.unipd.it:8080", "it,unipd):8080/"),
        ("192.168.0.1:8080", "192.168.0.1):8080/"),
        ("com,esempio)/directory/italia/", "com,esempio)/directory/italia/"),
        ("com,esempio)/Directory", "com,esempio)/Directory"),
        ("it,esempio,www)/a", "it,esempio)/a"),
        ("it,esempio,www,", "it,esempio)"),
        ("it,www,", "it,www,"),
        ("http://(it,", "it,"),
        ("http://(it,unipd,", "it,unipd,"),
        ("http://(it,unipd,)/", "it,unipd)"),
        ("https://(it,unipd,www,)/ateneo", "it,unipd)/ateneo"),
        ("(it,unipd,)", "it,unipd)"),
        ("unipd.it", "it,unipd,"),
        ("www.unipd.it", "it,unipd,"),
        ("unipd.it/ateneo/x", "it,unipd)/ateneo/"),
        ("http://www.esempio.com/", "com,esempio)"),
        ("http://www.esempio.com", "com,esempio)"),
        ("http://www.esempio.com/a/b.html?c=/d/", "com,esempio)/a/"),
        ("https://esempio.com:8443/a/b", "com,esempio):8443/a/"),
        ("http://esempio.com:8080/", "com,esempio):8080/"),
        ("127.0.0.1", "127.0.0.1)"),
        ("http://127.0.0.1/a/", "127.0.0.1)/a/"),
        ("http://[::1]/", "[::1])"),
        ("  it,  ", "it,"),
    ],
)
def test_prefixes_are_read_in_every_form(text: str, expected: str) -> None:
    assert parse(text) == expected
    assert parse(expected) == expected


@pytest.mark.parametrize(
    "text", ["", " ", "??", "a b", "http://", "ftp://esempio.it/", ")", ",", "it,,x", "(", "it)x"]
)
def test_what_is_no_prefix_is_refused_by_name(text: str) -> None:
    with pytest.raises(SurtError, match="is not a SURT prefix: expected"):
        SurtPrefixes([text])


@pytest.mark.parametrize(
    ("prefix", "surt", "covered"),
    [
        ("it,", "it,esempio)/", True),
        ("it,", "it)/", True),
        ("it,", "ita,esempio)/", False),
        ("it,", "com,it)/", False),
        ("it,unipd,", "it,unipd)/", True),
        ("it,unipd,", "it,unipd,dei):8080/x", True),
        ("it,unipd,", "it,unipd-altro)/", False),
        ("it,unipd)", "it,unipd)/x", True),
        ("it,unipd)", "it,unipd):8080/x", True),
        ("it,unipd)", "it,unipd,dei)/", False),
        ("com,esempio)/italia/", "com,esempio)/italia/a?b", True),
        ("com,esempio)/italia/", "com,esempio)/italia", False),
        ("com,esempio)/italia/", "com,esempio):81/italia/", False),
        ("com,esempio)/ital", "com,esempio)/italia", True),
    ],
)
def test_a_prefix_covers_its_part_of_the_web(prefix: str, surt: str, covered: bool) -> None:
    assert (surt in SurtPrefixes([prefix])) is covered


def test_the_longest_prefix_wins() -> None:
    prefixes = SurtPrefixes(["it,", "it,unipd,", "it,unipd)/a/", "it,unipd,dei)", "com,"])
    assert prefixes.match("it,unipd)/a/b") == "it,unipd)/a/"
    assert prefixes.match("it,unipd)/b") == "it,unipd,"
    assert prefixes.match("it,unipd,dei)/") == "it,unipd,dei)"
    assert prefixes.match("it,unipd,dei,x)/") == "it,unipd,"
    assert prefixes.match("it,altro)/") == "it,"
    assert prefixes.match("org,altro)/") is None


def test_an_empty_set_covers_nothing() -> None:
    assert not SurtPrefixes([])
    assert "it,esempio)/" not in SurtPrefixes([])


def test_repr_shows_the_prefixes() -> None:
    assert repr(SurtPrefixes(["unipd.it", "it,"])) == "SurtPrefixes(['it,', 'it,unipd,'])"


LABELS = st.sampled_from(["it", "a", "b", "a-b", "ab"])
DOMAINS = st.lists(LABELS, min_size=1, max_size=3).map(",".join)
PATHS = st.lists(st.sampled_from(["/", "a", "b", "?"]), max_size=4).map(lambda parts: "/" + "".join(parts))
PREFIXES = st.one_of(
    DOMAINS.map("{},".format), DOMAINS.map("{})".format), st.builds("{}){}".format, DOMAINS, PATHS)
)


@given(st.lists(PREFIXES, max_size=12), st.builds("{}){}".format, DOMAINS, PATHS))
def test_match_is_the_longest_of_all_that_cover(texts: list[str], surt: str) -> None:
    prefixes = SurtPrefixes(texts)
    covering = [prefix for prefix in prefixes.prefixes if surt in SurtPrefixes([prefix])]
    assert prefixes.match(surt) == max(
        covering, key=lambda prefix: (len(prefix), prefix[-1] == ")"), default=None
    )


@pytest.mark.parametrize("url", ["http://esempio.com/a/b", "http://esempio.com:81/", "http://[::1]/x/?a=/b/"])
def test_a_url_lies_under_its_own_prefix(url: str) -> None:
    assert str(key(url)) in SurtPrefixes([prefix_of_url(url)])


def test_each_start_leads_to_the_longest_that_it_continues() -> None:
    """Not to a neighbour: `match` would find its way from there, too, but past all that lie between."""
    assert _shorter(["a", "ab", "abc", "ac", "b"]) == [-1, 0, 1, 0, -1]
