"""The report in a real browser: silent, self-contained, in both themes and on a phone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.analyse.chromium import Browser, chromium, find_chromium
from webgraph_it.analyse.__main__ import main as analyse_main
from webgraph_it.plan.__main__ import main as plan_main

if not find_chromium():
    pytest.skip(
        "no Chromium here: apt-get install chromium to open the report in a browser", allow_module_level=True
    )

LOOKS = {
    "light": (1280, 900, False),
    "dark": (1280, 900, True),
    "phone": (390, 844, False),
    "dark phone": (390, 844, True),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium(find_chromium() or "") as page:
        yield page


@pytest.fixture(params=LOOKS)
def opened(browser: Browser, analysed: Path, request: pytest.FixtureRequest) -> Browser:
    browser.look(*LOOKS[request.param])
    browser.open(analysed / "analysis" / "report.html")
    return browser


def test_no_complaint_and_no_request(opened: Browser, analysed: Path) -> None:
    assert opened.complaints() == []
    assert opened.requests() == [(analysed / "analysis" / "report.html").as_uri()]


def test_nothing_is_wider_than_the_window(opened: Browser) -> None:
    assert opened.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_both_themes_can_be_read(opened: Browser) -> None:
    """Body text against its background, by the web's own formula: at least 7 to 1."""
    assert opened.evaluate(CONTRAST) >= 7


def test_no_element_came_from_a_name(opened: Browser) -> None:
    assert (
        opened.evaluate(
            "document.querySelectorAll('script, img, iframe, object, link, a[href]:not([href^=\"#\"])').length"
        )
        == 0
    )
    assert opened.evaluate("document.body.innerText.includes('<script>alert(1)</script>')")


def test_the_other_pages_are_as_silent(browser: Browser, analysed: Path, tmp_path: Path) -> None:
    ratings = [
        "url,rating",
        "http://blog.bari.it/,1",
        "http://blog.siena.it/,3",
        "http://blog.pisa.it/,2",
        "http://x.it/<b>,1",
    ]
    (tmp_path / "ratings.csv").write_text("\n".join(ratings))
    compared, planned = tmp_path / "compare.html", tmp_path / "plan.html"
    assert analyse_main(["compare", str(analysed), str(tmp_path / "ratings.csv"), "-o", str(compared)]) == 0
    assert plan_main(["--chart", str(planned)]) == 0
    for page in (compared, planned):
        for look in LOOKS.values():
            browser.look(*look)
            browser.open(page)
            assert browser.complaints() == []
            assert browser.requests() == [page.as_uri()]
            assert browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_ear_is_not_deaf(browser: Browser, tmp_path: Path) -> None:
    """A page that does ask and complain is heard."""
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<!doctype html><img src='http://127.0.0.1:9/x.png'><script>console.error('here')</script>"
    )
    browser.open(bad)
    assert "http://127.0.0.1:9/x.png" in browser.requests()
    assert any("here" in complaint for complaint in browser.complaints())


def test_values_appear_on_hover(browser: Browser, analysed: Path) -> None:
    browser.look(1280, 900)
    browser.open(analysed / "analysis" / "report.html")
    x, y = browser.evaluate(FIRST_HIT)
    assert browser.evaluate(SHOWN_TIPS) == 0
    browser.hover(x, y)
    assert browser.evaluate(SHOWN_TIPS) == 1


def test_another_measure_is_one_click_away(browser: Browser, analysed: Path) -> None:
    browser.look(1280, 900)
    browser.open(analysed / "analysis" / "report.html")
    assert browser.evaluate(SHOWN_HEADS) == ["PageRank"] * 3
    browser.evaluate("document.querySelector('label[for=\"hosts-authority\"]').click()")
    assert browser.evaluate(SHOWN_HEADS) == ["PageRank", "Authority", "PageRank"]


FIRST_HIT = """(() => { const hit = document.querySelector('.hit');
  hit.scrollIntoView({block: 'center', behavior: 'instant'});
  const box = hit.firstElementChild.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2] })()"""
SHOWN_TIPS = (
    "[...document.querySelectorAll('.tip')].filter(t => getComputedStyle(t).visibility == 'visible').length"
)
CONTRAST = """(() => {
  const light = colour => { const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b };
  const style = getComputedStyle(document.body), [a, b] = [light(style.color), light(style.backgroundColor)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) })()"""
SHOWN_HEADS = """[...document.querySelectorAll('.tabs')].map(tabs => [...tabs.querySelectorAll('th:last-child')]
  .filter(head => head.offsetParent).map(head => head.innerText).join())"""
