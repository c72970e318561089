"""docs/node-identity.md and docs/scope.md say what the code does."""

import re
from hashlib import md5
from pathlib import Path

import pytest
from ada_url import URL
from hypothesis import given
from hypothesis import strategies as st

from tests.defaults import DEFAULTS
from webgraph_it.urls import Name, Verdict, digest, key, name, names, scope, surt

DOCS = Path(__file__).parents[2] / "docs"
IDENTITY = (DOCS / "node-identity.md").read_text(encoding="utf-8")
SCOPE = (DOCS / "scope.md").read_text(encoding="utf-8")


def rows(text: str, heading: str) -> list[list[str]]:
    """The rows of the table under this heading, as lists of what stands in backquotes in each cell."""
    table = text.partition(heading + "\n")[2].partition("\n\n")[0]
    return [re.findall(r"`([^`]*)`", line) for line in table.splitlines()[1:]]


@pytest.mark.parametrize("row", rows(IDENTITY, "| URL | key |"), ids=lambda row: row[0])
def test_example_keys_are_true(row: list[str]) -> None:
    assert key(row[0]) == row[1]


def test_the_first_example_is_true() -> None:
    reference = re.search(r"\| for `(.*)` \|", IDENTITY)
    found = dict(re.findall(r"\| `(normal|key|digest)` \| `(.*)` \|", IDENTITY))
    assert reference
    assert name(reference[1]) == Name(found["normal"], found["key"], bytes.fromhex(found["digest"]))


def test_every_step_is_documented_in_its_order() -> None:
    steps = [step.__name__ for step in (*names.HOST_STEPS, *names.PATH_STEPS, *names.QUERY_STEPS)]
    assert re.findall(r"^\| `(\w+_\w+)` \|", IDENTITY, re.MULTILINE) == steps


def test_every_verdict_is_documented() -> None:
    table = re.findall(r"^\| `([a-z-]+)` \| (yes|no) \| (yes|no) \|", SCOPE, re.MULTILINE)
    said = {reason: (in_graph == "yes", fetched == "yes") for reason, in_graph, fetched in table}
    assert said == {verdict.reason: (verdict.in_graph, verdict.fetchable) for verdict in Verdict}


def test_the_limits_are_documented() -> None:
    for limit in ("MAX_URL_LENGTH", "MAX_PATH_SEGMENTS", "MAX_REPEATED_SEGMENTS"):
        assert f"`{limit}` ({DEFAULTS[limit]})" in SCOPE
    assert f"{scope.MAX_KEY_LENGTH:,} characters" in SCOPE
    assert f"more than {scope.MAX_QUERY_PARAMETERS} query parameters" in SCOPE


@pytest.mark.parametrize("row", rows(SCOPE, "| prefix | covers |"), ids=lambda row: row[0])
def test_example_prefixes_are_prefixes(row: list[str]) -> None:
    assert surt.parse(row[0]) == row[0]


# -- the recipe, written again from the page alone ------------------------------------------------------------

SESSION = re.compile(
    r"(jsessionid|phpsessid|aspsessionid[a-z]{8}|cfid|cftoken)(=.*)?|sid=[a-z0-9]{32,}", re.I
)


def key_again(url: str) -> str:
    parts = URL(url)
    host = parts.hostname.removesuffix(".")
    while re.match(r"www[0-9]*\..*\.", host):
        host = host.split(".", 1)[1]
    if not re.fullmatch(r"\[.*\]|[0-9]+(\.[0-9]+){3}", host):
        host = ",".join(host.split(".")[::-1])
    segments = []
    for segment in parts.pathname.split("/"):
        head, *parameters = segment.split(";")
        dots = re.fullmatch(r"(\.|%2e){1,2}", head, re.I)
        kept = [
            parameter
            for place, parameter in enumerate(parameters)
            if not parameter.lower().startswith("jsessionid=") or (dots and place == 0)
        ]
        segments.append(";".join([head, *kept]))
    *directories, last = segments
    segments = [*(each for each in directories if not re.fullmatch(r"\(S\([^()]*\)\)", each)), last]
    path = upper("/".join(segments))
    query = upper("&".join(p for p in parts.search[1:].split("&") if p and not SESSION.fullmatch(p)))
    port = f":{parts.port}" if parts.port else ""
    return f"{host}){port}{path}" + (f"?{query}" if query else "")


def upper(text: str) -> str:
    return re.sub(r"%[0-9a-fA-F]{2}", lambda escape: escape[0].upper(), text)


WORDS = """
    / a B ; ;jsessionid=1 ;JSESSIONID= /(S(x))/ (S(y)) .. . %2e %c3 % ? & PHPSESSID=1 sid= x=1 cfid && = è ' ( )
    aspsessionidABCDEFGH=2 00000000000000000000000000000000
"""
PARTS = st.sampled_from([*WORDS.split(), " "])
HOSTS = st.sampled_from(
    ["esempio.it", "www.a.it.", "www2.www.it", "www.it", "a.b.it:8080", "1.2.3.4", "[::1]:81"]
)


@given(HOSTS, st.lists(PARTS, max_size=14))
def test_the_recipe_written_again_gives_the_same_keys(host: str, parts: list[str]) -> None:
    url = f"http://{host}/{''.join(parts)}"
    again = key_again(url)
    assert key(url) == again
    assert digest(again)[1:] == md5(again.encode()).digest()[1:]
