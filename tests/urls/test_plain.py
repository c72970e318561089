"""The shortcut says nothing, or what the parser says."""

import pytest
from ada_url import URL, check_url, join_url
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from webgraph_it.urls.plain import plain, plain_parts

BASE = "http://www.esempio.it/a/b/c.html?d=e"


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("http://esempio.it", "http://esempio.it/"),
        ("https://esempio.it/x?y=1#z", "https://esempio.it/x?y=1"),
        ("x.html", "http://www.esempio.it/a/b/x.html"),
        ("../x.html", "http://www.esempio.it/a/x.html"),
        ("/x", "http://www.esempio.it/x"),
        ("?x=1", "http://www.esempio.it/a/b/c.html?x=1"),
        ("#z", BASE),
        ("", BASE),
        ("//altro.it/x", "http://altro.it/x"),
    ],
)
def test_common_references_take_the_shortcut(reference: str, expected: str) -> None:
    assert plain(reference, BASE) == expected


@pytest.mark.parametrize(
    "reference",
    [
        *(
            "../../x",
            "./x",
            "/.",
            "x/%2e%2e/y",
            "mailto:a@b.it",
            "x:y",
            "a b",
            "è",
            "http:x",
            "HTTP://esempio.it/",
        ),
        *(
            "http://1.2.3.4/",
            "http://a.0x1/",
            "http://esempio.it:80/",
            "http://u@esempio.it/",
            "http://xn--a.it/",
        ),
        *(
            "http://Esempio.it/",
            "http://esempio.it/'",
            "http://esempio.it./",
            "\\x",
            " x",
            "x\n",
            "http://a..it/",
        ),
    ],
)
def test_what_is_not_plain_is_left_to_the_parser(reference: str) -> None:
    assert plain(reference, BASE) is None


def test_a_long_base_is_not_remembered() -> None:
    assert plain("x", "http://esempio.it/" + "a" * 5000) is None


CHARACTERS = st.text(alphabet="ab./?#:;%2eE&=@~-_+x'[]\\ \tA0", max_size=12)
STARTS = st.sampled_from(
    ["", "/", "//", "?", "http://", "https://esempio.it", "http://esempio.it/", "http://a.b."]
)
REFERENCES = st.builds(str.__add__, STARTS, CHARACTERS)


@settings(max_examples=500)
@given(
    REFERENCES, st.builds(str.__add__, st.sampled_from(["http://esempio.it/", "https://a.it"]), CHARACTERS)
)
@example("x", "http://esempio.it/a/../b/")
@example("http://a.1", BASE)
@example("//0x7f.a.1/", BASE)
def test_the_shortcut_says_what_the_parser_says(reference: str, base: str) -> None:
    assume(check_url(base))
    found = plain_parts(reference, base)
    assert plain(reference, base) == (found[0] if found else None)
    if found is not None:
        url, host, path = found
        assert url == join_url(base, reference).partition("#")[0]
        assert (host, path) == (URL(url).host, url.partition(f"//{host}")[2])
