"""The report as text: complete, escaped, and honest about what is missing."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.analyse.compact import make_compact
from tests.verbs import analyse as main
from webgraph_it.analyse.crawl_story import read_story
from webgraph_it.report.parts import host_link, page_link
from webgraph_it.report.style import STYLE

VOID = {"meta", "input", "br"}


class Outline(HTMLParser):
    """Counts elements and checks that they nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.handlers: list[str] = []
        self.identities: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.handlers += [name for name, _ in attributes if name.startswith("on")]
        self.identities += [str(value) for name, value in attributes if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def html(analysed: Path) -> str:
    return (analysed / "analysis" / "report.html").read_text(encoding="utf-8")


def outline(html: str) -> Outline:
    result = Outline()
    result.feed(html)
    assert result.open == []
    return result


def test_elements_nest_and_names_are_unique(html: str) -> None:
    identities = outline(html).identities
    assert len(identities) == len(set(identities))


def test_no_script_and_no_handler_whatever_pages_are_called(html: str) -> None:
    found = outline(html)
    assert not {"script", "img", "iframe", "object", "embed", "link", "base", "form"} & set(found.seen)
    assert not found.handlers
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_nothing_is_loaded_and_only_names_lead_outside(html: str) -> None:
    assert not re.search(r"(?:src|xlink:href|action)=", html)
    assert "url(" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html.replace("&#x27;", "'")
    leading = re.findall(r"<(\w+) ([^>]*href=[^>]*)>", html)
    outside = [(tag, attributes) for tag, attributes in leading if 'href="#' not in attributes]
    assert len(outside) > 100
    assert {tag for tag, _ in outside} == {"a"}
    assert all(re.search(r'href="https?://', attributes) for _, attributes in outside)
    assert all('rel="noopener noreferrer"' in attributes for _, attributes in outside)


@pytest.mark.parametrize(
    "name", ["javascript:alert(1)", "javascript://x/%0aalert(1)", "data:text/html,x", "ftp://a.it/", "a"]
)
def test_what_is_no_address_of_the_web_is_no_link(name: str) -> None:
    assert page_link(name) == name
    assert "href" not in host_link('a.it/" onclick="x')


def test_each_number_has_one_source(html: str, analysed: Path) -> None:
    """Tiles of both sections, the chart's words and the crawl's own count agree."""
    story = read_story([analysed.parent / "crawl"])
    assert story is not None
    tile = re.findall(r"<b>([^<]*)</b><span>URLs tried per second</span>", html)
    assert tile == [f"{story.tried / 310:,.1f}"] * 2
    assert re.findall(r"URLs tried per second</h3><p>Mean ([0-9.,]+)\.", html) == tile[:1]
    assert f"<b>{story.tried:,}</b><span>URLs tried</span>" in html
    assert story.tried == sum(story.states.values()) == story.progress[-1]["pages"]
    assert f"Mean {story.wire_bytes / 310 / 1000:,.0f} KB/s" in html


def test_the_bandwidth_is_that_which_is_capped_with_its_unit(html: str) -> None:
    assert "KB/s on the wire" in html
    assert "Bytes on the wire per second, headers and TLS included" in html


def test_degrees_are_cumulative_with_their_fitted_tail(html: str, analysed: Path) -> None:
    """Against a plain count of the summary's histogram."""
    pages = json.loads((analysed / "analysis/summary.json").read_text())["levels"]["pages"]
    degrees, law = dict(pages["in_degrees"]), pages["in_power_law"]
    drawing = html.partition('aria-label="In-degree of pages"')[2].partition("</svg>")[0]
    told = re.findall(
        r"in-degree: ([\d,]+)</text><text[^>]*>share of pages with at least this many: ([\d.e-]+)<", drawing
    )
    assert len(told) > 20
    for degree, share in told:
        plain = sum(count for d, count in degrees.items() if d >= int(degree.replace(",", ""))) / 1500
        assert float(share) == pytest.approx(plain, rel=1e-3)
    assert f"α = {law['exponent']:.2f}, xmin = {law['start']}" in drawing
    assert 'class="line fit"' in drawing


def test_every_series_colour_stands_out_in_both_themes() -> None:
    light, dark = STYLE.split("@media (prefers-color-scheme: dark)")
    for theme in (light, dark):
        colours = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", theme))
        for name in ("c1", "c2", "c3", "c4", "c5", "c6"):
            assert contrast(colours[name], colours["panel"]) >= 3
        assert contrast(colours["soft"], colours["page"]) >= 4.5


def contrast(one: str, other: str) -> float:
    """By the web's accessibility guidelines."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_every_section_of_the_promise_is_there(html: str) -> None:
    for words in (
        "Summary", "In-degree of pages", "Out-degree of pages", "Bow-tie of pages", "First 20 pages", "First 20 hosts",
        "First 20 domains", "Link matrix", "URLs tried per second",
        "Bandwidth", "scheduled cap", "Connections", "The frontier", "Status codes", "Media types",
        "What became of the nodes", "Slowest hosts",
    ):  # fmt: skip
        assert words in html


def test_without_logs_the_crawl_is_left_out_with_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_compact(tmp_path / "graph", 100)
    assert main([str(tmp_path / "graph")]) == 0
    report = Path(capsys.readouterr().out.strip())
    html = report.read_text(encoding="utf-8")
    assert "No crawl directory was found" in html
    assert "Status codes" not in html


def test_pages_alone_are_enough(tmp_path: Path) -> None:
    make_compact(tmp_path / "graph", 100)
    for level in ("hosts", "domains"):
        shutil.rmtree(tmp_path / "graph" / level)
    assert main([str(tmp_path / "graph"), "-o", str(tmp_path / "out")]) == 0
    assert "no host or domain graph" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_a_graph_of_one_page_has_a_report(tmp_path: Path) -> None:
    make_compact(tmp_path / "graph", 1)
    assert main([str(tmp_path / "graph")]) == 0


@pytest.mark.parametrize("missing", ["graph", "crawl"])
def test_a_wrong_folder_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], missing: str
) -> None:
    if missing == "crawl":
        make_compact(tmp_path / "graph", 50)
    assert (
        main([str(tmp_path / "graph"), "--crawl", str(tmp_path / "crawl")][: 3 if missing == "crawl" else 1])
        == 2
    )
    said = capsys.readouterr().err
    assert said.startswith(str(tmp_path))
    assert said.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_compact(tmp_path / "graph", 50)
    (tmp_path / "file").write_text("")
    assert main([str(tmp_path / "graph"), "-o", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"{tmp_path / 'file'}: ")


def test_a_hostile_log_is_only_text(tmp_path: Path) -> None:
    make_compact(tmp_path / "graph", 60)
    (tmp_path / "crawl" / "pages").mkdir(parents=True)
    evil = "</style></svg><script>alert(1)</script>"
    line = {
        "key": f"it,{evil})/",
        "url": evil,
        "time": 1,
        "status": evil,
        "type": evil,
        "state": evil,
        "reason": evil,
        "seconds": 1.5,
    }
    (tmp_path / "crawl/pages/000001.jsonl").write_text((json.dumps(line) + "\n") * 6)
    assert main([str(tmp_path / "graph"), "--crawl", str(tmp_path / "crawl")]) == 0
    html = (tmp_path / "graph/analysis/report.html").read_text(encoding="utf-8")
    assert "script" not in outline(html).seen
    assert "&lt;script&gt;" in html
