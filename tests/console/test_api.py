"""What people type for a host, as keys have it."""

import pytest

from webgraph_it.console.api import host_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("www.unipd.it", "it,unipd"),
        ("UNIPD.it", "it,unipd"),
        ("www3.unipd.it", "it,unipd"),
        ("wwwsito.unipd.it", "it,unipd,wwwsito"),
        ("https://www.unipd.it/a/b?c", "it,unipd"),
        ("it,unipd", "it,unipd"),
        ("it,unipd,", "it,unipd"),
        ("it,unipd)/a", "it,unipd"),
        ("", ""),
        ("../../etc", ""),
    ],
)
def test_a_host_by_any_of_its_names(text: str, name: str) -> None:
    assert host_name(text) == name
