import re

import pytest

from webgraph_it.fetch.target import Target, target_of

TARGETS = {
    "http://esempio.it/": Target(False, "esempio.it", 80, "esempio.it", "/"),
    "https://esempio.it": Target(True, "esempio.it", 443, "esempio.it", "/"),
    "http://Esempio.IT:8080/A?b=c#d": Target(False, "esempio.it", 8080, "esempio.it:8080", "/A?b=c"),
    "http://esempio.it:80/": Target(False, "esempio.it", 80, "esempio.it", "/"),
    "https://esempio.it:/x": Target(True, "esempio.it", 443, "esempio.it", "/x"),
    "http://esempio.it?a=/b": Target(False, "esempio.it", 80, "esempio.it", "/?a=/b"),
    "http://utente:segreto@esempio.it/": Target(False, "esempio.it", 80, "esempio.it", "/"),
    "http://[::1]/": Target(False, "[::1]", 80, "[::1]", "/"),
    "http://[::1]:81/": Target(False, "[::1]", 81, "[::1]:81", "/"),
    "http://esempio.it/a://b@c": Target(False, "esempio.it", 80, "esempio.it", "/a://b@c"),
}


@pytest.mark.parametrize(("url", "target"), TARGETS.items())
def test_a_url_is_split(url: str, target: Target) -> None:
    assert target_of(url) == target


@pytest.mark.parametrize(
    "url",
    [
        "ftp://esempio.it/",
        "http:///x",
        "http://a:b/",
        "http://a:0/",
        "http://a:70000/",
        "http://:80/",
        "x",
        "",
    ],
)
def test_what_leads_nowhere_is_an_error_that_names_the_url(url: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(url))):
        target_of(url)
