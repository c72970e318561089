"""A real browser operates the console of a real crawl, and simweb's own log of requests is the judge.

python -m tests.console.test_page          draws the pictures of docs/console.md
"""

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from tests.analyse.chromium import Browser, chromium, find_chromium
from tests.console.watched import OPERATOR, Watched, token_file, watched
from tests.crawl.crawling import start_alone
from tests.crawl.test_operations import wait_for
from webgraph_it.simweb import SimWeb

PICTURES = Path(__file__).parents[2] / "docs/pictures"
WAIT_SECONDS = 20.0


class Operator:
    """What a person does with a page."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    def see(self, expression: str) -> Any:
        return self._browser.evaluate(expression)

    def wait(self, expression: str) -> None:
        """Until it is true on the page."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not self.see(expression):
            assert time.monotonic() < deadline, (
                f"never true: {expression}\n{self.see('document.body.innerText')}"
            )
            time.sleep(0.05)

    def click(self, selector: str) -> None:
        """With the mouse, where the button is: one that is hidden or covered is not reached."""
        chosen = json.dumps(selector)
        self.wait(f"!!document.querySelector({chosen}) && !document.querySelector({chosen}).disabled")
        self.see(f"document.querySelector({chosen}).scrollIntoView({{block: 'center'}})")
        box = self.see(
            f"(b => [b.x + b.width / 2, b.y + b.height / 2])(document.querySelector({chosen}).getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self._browser.call(
                "Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1
            )

    def drag(self, selector: str, start: float, end: float) -> None:
        """From one share of its width to another."""
        self.see(f"document.querySelector('{selector}').scrollIntoView({{block: 'center'}})")
        x, y, width, height = self.see(
            f"(b => [b.x, b.y, b.width, b.height])(document.querySelector('{selector}').getBoundingClientRect())"
        )
        for kind, share in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            self._browser.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=x + share * width,
                y=y + height / 2,
                button="left",
                clickCount=1,
            )

    def fill(self, name: str, text: str) -> None:
        field = f"document.querySelector('#dialog [name={name}]')"
        self.wait(f"document.getElementById('dialog').open && !!{field}")
        self.see(f"{field}.focus(), {field}.select()")
        self._browser.call("Input.insertText", text=text)

    def press(self, key: str) -> None:
        self._browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        self._browser.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def agree(self) -> None:
        """Press the dialog's button, and see the dialog close: the crawl did it."""
        self.wait("document.getElementById('dialog').open")
        self.click("#dialog-go")
        self.wait("!document.getElementById('dialog').open")


class Scene(NamedTuple):
    web: SimWeb
    crawl: Watched
    browser: Browser
    operator: Operator


@contextmanager
def scene(folder: Path, **settings: Any) -> Iterator[Scene]:
    program = find_chromium()
    if program is None:
        pytest.skip("Chromium is not installed; Debian's package chromium has it")
    with (
        SimWeb(hosts=60, pages=3000, seed=7) as web,
        watched(web, folder / "italy", **{"HOST_DELAY": 0.5, "COMMIT_INTERVAL": 2, **settings}) as crawl,
        chromium(program) as browser,
    ):
        crawl.wait_for_pages(50) if "CONSOLE_TOKENS" not in settings else time.sleep(3)
        browser.look(1320, 1000)
        browser.open(f"http://127.0.0.1:{crawl.port}/")
        yield Scene(web, crawl, browser, Operator(browser))


def times_of(web: SimWeb, name: str) -> list[float]:
    """When requests reached a host, by either of its names."""
    names = (name, f"www.{name}")
    requests = (hit for hit in web.hits() if hit["event"] == "request")
    return [hit["time"] for hit in requests if hit["host"].split(":")[0] in names]


def test_an_operator_steers_a_crawl_in_a_browser(tmp_path: Path) -> None:
    with scene(tmp_path) as (web, crawl, browser, operator):
        operator.wait("document.getElementById('state').textContent === 'running'")

        # pause and resume, by mouse and by keyboard
        operator.click("#pause")
        operator.wait("document.getElementById('state').textContent === 'paused'")
        assert crawl.status()["pauses"] == ["operator"]
        time.sleep(1)
        paused = crawl.status()["pages"]
        time.sleep(1)
        assert crawl.status()["pages"] == paused
        operator.press("p")
        operator.wait("document.getElementById('state').textContent === 'running'")

        # block the host with the longest queue
        operator.click("#host-table [data-host]")
        operator.wait("!!document.querySelector('#host h3')")
        name = operator.see("document.querySelector('#host h3').textContent")
        operator.click("[data-host-verb=block]")
        operator.agree()
        blocked_at = time.time()
        operator.wait("!!document.querySelector('[data-unblock]')")

        # raise the delay of another
        operator.click("#host-table tr:nth-child(3) [data-host]")
        operator.wait(f"document.querySelector('#host h3').textContent !== {json.dumps(name)}")
        slow = operator.see("document.querySelector('#host h3').textContent")
        operator.click("[data-host-verb=delay]")
        operator.fill("value", "30")
        operator.agree()
        slowed_at = time.time()

        # add a seed, change the bandwidth
        operator.click("[data-verb=add-seeds]")
        operator.fill("seeds", "http://a-new-seed-of-the-console.it/")
        operator.agree()
        operator.click("[data-verb=bandwidth]")
        operator.fill("plan", "* = 300 KB/s")
        operator.agree()
        operator.wait("document.getElementById('tiles').textContent.includes('of 300 KB/s')")
        operator.wait("document.querySelectorAll('#audit tbody tr').length >= 6")

        # the charts move
        moved = "document.querySelector('.chart .line').getAttribute('d')"
        before = operator.see(moved)
        operator.wait(f"{moved} !== {json.dumps(before)}")
        operator.drag(".chart", 0.4, 0.7)
        operator.wait("!document.getElementById('unzoom').hidden")
        operator.click("#unzoom")
        operator.wait("document.getElementById('unzoom').hidden")
        time.sleep(3)

        late = [when for when in times_of(web, name) if when > blocked_at + 1]
        assert late == []
        assert times_of(web, name), "the judge knows the host"
        assert len([when for when in times_of(web, slow) if when > slowed_at + 1]) <= 1
        done = [(each["action"], each["result"]) for each in crawl.ask("GET", "/api/actions").json]
        assert done[::-1] == [
            (action, "done") for action in ("pause", "unpause", "block", "delay", "add-seeds", "bandwidth")
        ]
        assert crawl.ask("GET", "/api/hosts/a-new-seed-of-the-console.it").status == 200
        assert browser.complaints() == []
        foreign = [url for url in browser.requests() if not url.startswith(f"http://127.0.0.1:{crawl.port}/")]
        assert foreign == []

        # terminate asks first
        operator.click("[data-verb=terminate]")
        operator.click("#dialog-cancel")
        assert crawl.status()["state"] == "running"
        operator.click("[data-verb=terminate]")
        operator.agree()
        assert crawl.crawl.wait(30) == 3


def test_a_page_with_tokens_asks_for_one(tmp_path: Path) -> None:
    with scene(tmp_path, CONSOLE_TOKENS=str(token_file(tmp_path))) as (_, _, _, operator):
        operator.fill("token", "x" * 30)
        operator.click("#dialog-go")
        operator.wait("document.getElementById('dialog-error').textContent.includes('not a token')")
        operator.fill("token", OPERATOR)
        operator.agree()
        operator.wait("document.getElementById('state').textContent === 'running'")
        assert operator.see("document.cookie") == ""


HOSTILE = '<img src=x onerror="window.owned=1">'


def test_what_came_from_the_web_is_text(tmp_path: Path) -> None:
    """A page log with markup in every field is shown as it is, and nothing of it runs."""
    with scene(tmp_path) as (_, crawl, _, operator):
        operator.click("#pause")
        operator.wait("document.getElementById('state').textContent === 'paused'")
        page = {
            "key": "it,x)/",
            "url": f"http://x.it/{HOSTILE}",
            "time": time.time(),
            "status": 200,
            "type": HOSTILE,
        }
        page |= {"state": HOSTILE, "reason": HOSTILE, "bytes": 1, "links": 1, "via": HOSTILE}
        newest = sorted((crawl.jobdir / "pages").iterdir())[-1]
        with newest.open("a") as log:
            log.write(json.dumps(page) + "\n")
        operator.see("document.getElementById('filter').focus()")
        operator._browser.call("Input.insertText", text="onerror")
        operator.wait("document.getElementById('page-table').textContent.includes('onerror')")
        assert operator.see("document.querySelectorAll('#page-table img').length") == 0
        assert operator.see("window.owned") is None


def test_nothing_of_the_hostile_corner_runs_in_the_page(tmp_path: Path) -> None:
    """Markup in titles, URLs, host names, media types and robots.txt of a real crawl, shown by a real browser."""
    program = find_chromium()
    if program is None:
        pytest.skip("Chromium is not installed; Debian's package chromium has it")
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("http://hostile-markup.it/\n")
    with (
        SimWeb(hosts=3, pages=6, seed=7, hostile=True) as web,
        watched(web, tmp_path / "italy", SEEDS=str(seeds), HOST_DELAY=0.2, COMMIT_INTERVAL=1) as crawl,
        chromium(program) as browser,
    ):
        crawl.wait_for_pages(8)
        crawl.do("pause")
        crawl.do("reports")
        browser.look(1320, 1000)
        browser.open(f"http://127.0.0.1:{crawl.port}/")
        operator = Operator(browser)
        operator.wait("document.querySelectorAll('#page-table tbody tr').length >= 8")
        operator.click("[data-host='it,hostile-markup']")
        operator.wait(
            "document.getElementById('host').textContent.includes('<script>window.owned=1</script>')"
        )
        for report in ("hosts", "mimetype", "seeds"):
            operator.click(f"[data-report={report}]")
        operator.see("document.getElementById('find').focus()")
        browser.call("Input.insertText", text=HOSTILE)
        operator.click("[data-verb=block]")
        operator.fill("surt", HOSTILE)
        operator.click("#dialog-go")
        operator.wait("document.getElementById('dialog-error').textContent.includes('onerror')")
        operator.click("#dialog-cancel")
        time.sleep(1)
        urls = operator.see("document.getElementById('page-table').textContent")
        assert "window.owned=1" in urls, "URLs of the hostile corner are shown"
        assert operator.see("window.owned") is None
        assert (
            operator.see(
                "document.querySelectorAll('script:not([src]), img:not([src=\"/icon.svg\"]), svg[onload]').length"
            )
            == 0
        )
        foreign = [url for url in browser.requests() if not url.startswith(f"http://127.0.0.1:{crawl.port}/")]
        assert foreign == []


def test_blocked_on_the_page_a_site_is_left_alone_also_after_a_kill_and_a_resume(tmp_path: Path) -> None:
    with scene(tmp_path, COMMIT_INTERVAL=60) as (web, crawl, _, operator):
        operator.click("#host-table [data-host]")
        operator.wait("!!document.querySelector('#host h3')")
        name = operator.see("document.querySelector('#host h3').textContent")
        operator.click("[data-host-verb=block]")
        operator.agree()
        blocked_at = time.time()
        crawl.crawl.send_signal(signal.SIGKILL)  # right after the answer
        crawl.crawl.wait()
        assert times_of(web, name), "the judge knows the host"
        resumed = start_alone(crawl.jobdir, CONSOLE="")
        try:
            pages = wait_for(crawl.jobdir)["pages"]
            wait_for(crawl.jobdir, pages + 100)
        finally:
            resumed.kill()
            resumed.communicate()
        others = [hit for hit in web.hits() if hit["event"] == "request" and hit["time"] > blocked_at + 1]
        assert len(others) >= 100
        assert [when for when in times_of(web, name) if when > blocked_at + 1] == []


def test_the_page_fits_a_phone(tmp_path: Path) -> None:
    with scene(tmp_path) as (_, _, browser, operator):
        operator.wait("!!document.querySelector('#host-table [data-host]')")
        browser.look(390, 844)
        operator.see("document.querySelector('#host-table [data-host]').click()")
        operator.wait("!!document.querySelector('#host h3')")
        assert operator.see("document.documentElement.scrollWidth") == 390


def draw(folder: Path) -> None:
    """The pictures, of a crawl that has run for a while and was steered."""
    with scene(folder, BANDWIDTH_SCHEDULE=[["*", "500 KB/s"]], HOST_DELAY=1) as (_, crawl, browser, operator):
        time.sleep(30)
        crawl.do("delay", surt="comune.fiera-colle.it", seconds=20)
        crawl.do("block", surt="ufficio-neve.it")
        crawl.do("reports")
        time.sleep(15)
        operator.click("#host-table tr:nth-child(2) [data-host]")
        operator.wait("!!document.querySelector('#host h3')")
        operator.see("document.activeElement.blur()")
        time.sleep(4)
        for name, width, dark, scale, last in (
            ("light", 1320, False, 1, "#hosts"),
            ("dark", 1320, True, 1, "#hosts"),
            ("phone", 390, False, 2, "#charts"),
        ):
            take(browser, operator, f"console-{name}", width, dark, scale, last)


def draw_members(folder: Path) -> None:
    """Two crawls, of which the second one is paused."""
    program = find_chromium()
    assert program is not None
    with (
        SimWeb(hosts=60, pages=3000, seed=7) as web,
        watched(web, folder / "member-01", HOST_DELAY=1, COMMIT_INTERVAL=2) as crawl,
        watched(web, folder / "member-02", HOST_DELAY=1, COMMIT_INTERVAL=2) as other,
        watched(web, folder / "member-03", HOST_DELAY=2, COMMIT_INTERVAL=2),
        chromium(program) as browser,
    ):
        time.sleep(20)
        other.do("pause", reason="firewall")
        time.sleep(4)
        browser.look(1320, 1000)
        browser.open(f"http://127.0.0.1:{crawl.port}/")
        operator = Operator(browser)
        operator.wait("document.querySelectorAll('#members tbody tr').length === 3")
        time.sleep(3)
        take(browser, operator, "console-members", 1320, False, 1, "#members-section")


def take(
    browser: Browser, operator: Operator, name: str, width: int, dark: bool, scale: float, last: str
) -> None:
    """A picture from the top of the page to the end of one of its parts."""
    browser.look(width, 1000, dark, scale)
    time.sleep(1)
    height = operator.see(f"document.querySelector('{last}').getBoundingClientRect().bottom + scrollY + 18")
    browser.look(width, int(height), dark, scale)
    operator.see("scrollTo(0, 0)")
    time.sleep(1)
    browser.screenshot(PICTURES / f"{name}.png")


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        draw(Path(folder))
        draw_members(Path(folder))
