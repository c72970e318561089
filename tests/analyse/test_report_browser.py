"""The report in a real browser: silent, self-contained, in both themes and on a phone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.analyse.chromium import Browser, chromium, find_chromium
from tests.analyse.compact import LONG_HOSTS
from tests.verbs import analyse as analyse_main
from tests.verbs import plan as plan_main

if not find_chromium():
    pytest.skip(
        "no Chromium here: apt-get install chromium to open the report in a browser", allow_module_level=True
    )

LOOKS = {
    "light": (1280, 900, False),
    "dark": (1280, 900, True),
    "tablet": (768, 1024, False),
    "dark tablet": (768, 1024, True),
    "phone": (375, 812, False),
    "dark phone": (375, 812, True),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium(find_chromium() or "") as page:
        yield page


@pytest.fixture(scope="module")
def reader() -> Iterator[Browser]:
    with chromium(find_chromium() or "") as page:
        yield page


@pytest.fixture(scope="module", params=LOOKS)
def opened(reader: Browser, analysed: Path, request: pytest.FixtureRequest) -> Browser:
    """The report in one look, opened once for all tests that only read."""
    reader.look(*LOOKS[request.param])
    reader.open(analysed / "analysis" / "report.html")
    return reader


def test_no_complaint_and_no_request(opened: Browser, analysed: Path) -> None:
    assert opened.complaints() == []
    assert opened.requests() == [(analysed / "analysis" / "report.html").as_uri()]


def test_nothing_is_wider_than_the_window(opened: Browser) -> None:
    assert opened.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_no_label_lies_on_another(opened: Browser) -> None:
    """Of the words in a drawing, turned ones included; values on hover aside."""
    assert opened.evaluate(OVERLAPS) == []


def test_labels_stay_inside_their_card(opened: Browser) -> None:
    assert opened.evaluate(OUTSIDE) == []


def test_words_in_drawings_can_be_read(opened: Browser) -> None:
    """At least 10 pixels high, also on a phone."""
    assert opened.evaluate(SMALLEST_TEXT) >= 10


def test_what_must_be_scrolled_says_so(opened: Browser) -> None:
    """The hint is there exactly where something is wider than its place."""
    shown = opened.evaluate(HINTS)
    assert shown
    assert [hint == wider for hint, wider in shown] == [True] * len(shown)


def test_only_the_picture_that_says_so_and_the_menu_scroll_sideways(opened: Browser) -> None:
    assert opened.evaluate(SIDEWAYS) == []


def test_a_host_that_fits_is_in_one_piece_and_a_wider_one_is_broken_after_a_dot(opened: Browser) -> None:
    hosts = opened.evaluate(HOST_LINES)
    assert len(hosts) > 60
    assert [name for name, lines, fits, _ in hosts if fits and lines > 1] == []
    assert [name for name, _, _, broken_labels in hosts if broken_labels] == []


def test_a_hint_and_broken_hosts_are_seen_on_a_phone(browser: Browser, analysed: Path) -> None:
    """The two tests above have something to look at."""
    browser.look(*LOOKS["phone"])
    browser.open(analysed / "analysis" / "report.html")
    assert [True, True] in browser.evaluate(HINTS)
    lines = {name: count for name, count, _, _ in browser.evaluate(HOST_LINES)}
    assert lines[LONG_HOSTS[0]] == 1
    assert lines[LONG_HOSTS[1]] == 2


def test_a_name_leads_to_its_page_and_says_nothing_of_us(opened: Browser) -> None:
    links = opened.evaluate(OUTSIDE_LINKS)
    assert len(links) > 60
    assert {scheme for scheme, _, _ in links} == {"http:"}
    assert all("noreferrer" in rel.split() for _, rel, _ in links)
    assert all(pressed for _, _, pressed in links)


def test_both_themes_can_be_read(opened: Browser) -> None:
    """Body text against its background, by the web's own formula: at least 7 to 1."""
    assert opened.evaluate(CONTRAST) >= 7


def test_no_element_came_from_a_name(opened: Browser) -> None:
    assert opened.evaluate("document.querySelectorAll('script, img, iframe, object, link').length") == 0
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

OVERLAPS = """(() => {
  const corners = words => { const box = words.getBBox(), at = words.getScreenCTM();
    return [[box.x, box.y], [box.x + box.width, box.y], [box.x + box.width, box.y + box.height],
      [box.x, box.y + box.height]].map(([x, y]) => [at.a * x + at.c * y + at.e, at.b * x + at.d * y + at.f]) };
  const axes = quad => [0, 1].map(i => [quad[i + 1][0] - quad[i][0], quad[i + 1][1] - quad[i][1]]);
  const span = (quad, [x, y]) => { const at = quad.map(p => (p[0] * x + p[1] * y) / Math.hypot(x, y));
    return [Math.min(...at), Math.max(...at)] };
  const meet = (a, b) => [...axes(a), ...axes(b)].every(axis => { const [m, n] = [span(a, axis), span(b, axis)];
    return Math.min(m[1], n[1]) - Math.max(m[0], n[0]) > 1 });
  const found = [];
  for (const chart of document.querySelectorAll('svg.chart')) {
    const words = [...chart.querySelectorAll('text')].filter(t => !t.closest('.tip'));
    const quads = words.map(corners);
    for (let i = 0; i < words.length; i++) for (let j = i + 1; j < words.length; j++)
      if (meet(quads[i], quads[j]))
        found.push([chart.getAttribute('aria-label'), words[i].textContent, words[j].textContent].join(' | '));
  }
  return found })()"""
OUTSIDE = """[...document.querySelectorAll('.card svg.chart text')].filter(t => !t.closest('.tip, .scroll'))
  .filter(t => { const box = t.getBoundingClientRect(), card = t.closest('.card').getBoundingClientRect();
    return box.left < card.left || box.right > card.right || box.top < card.top || box.bottom > card.bottom })
  .map(t => t.textContent)"""
SMALLEST_TEXT = """Math.min(...[...document.querySelectorAll('svg.chart text')].filter(t => !t.closest('.tip'))
  .map(t => parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getScreenCTM().a))"""
HINTS = """[...document.querySelectorAll('.wider')].map(w => { const s = w.querySelector('.scroll');
  return [w.querySelector('.hint').offsetHeight > 8, s.scrollWidth > s.clientWidth] })"""
SIDEWAYS = """[...document.querySelectorAll('body *')].filter(e => !e.closest('svg, nav, .wider .scroll'))
  .filter(e => e.clientWidth && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display != 'inline')
  .map(e => e.outerHTML.slice(0, 120))"""
HOST_LINES = """[...document.querySelectorAll('.host')].filter(h => h.offsetParent).map(host => {
  const tall = parseFloat(getComputedStyle(host).lineHeight), place = host.closest('td').clientWidth;
  const labels = [...host.children], wide = labels.reduce((sum, label) => sum + label.offsetWidth, 0);
  return [host.textContent, Math.round(host.offsetHeight / tall), wide + 12 <= place,
    labels.filter(label => label.offsetHeight > 1.5 * tall).length] })"""
OUTSIDE_LINKS = """[...document.querySelectorAll('a[href]:not([href^="#"])')].filter(a => a.offsetParent)
  .map(a => [a.protocol, a.rel, a.getBoundingClientRect().height > 8])"""
