"""Which port a key names, and which ports no page is asked on."""

import pytest

from webgraph_it.urls.ports import BAD_PORTS, port_of


@pytest.mark.parametrize(
    ("key", "port"),
    [
        ("it,sito)/", None),
        ("it,sito):8080/", 8080),
        ("it,sito):25", 25),
        ("it,sito):443?q", 443),
        ("it,sito):x/", None),
        ("it,sito", None),
        ("it,sito)/a):25/", None),
        ("it,sito):\u0662\u0665/", None),
    ],
)
def test_the_port_of_a_key(key: str, port: int | None) -> None:
    assert port_of(key) == port


def test_mail_is_refused_and_the_web_is_not() -> None:
    assert {22, 25, 110, 143, 6667} <= BAD_PORTS
    assert not BAD_PORTS & {80, 443, 8080, 8443}
