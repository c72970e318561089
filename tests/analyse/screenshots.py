"""Pictures of the report for the README and the documentation (make screenshots).

python -m tests.analyse.screenshots [REPORT.html [FOLDER]]; without a report, of a made-up web of 6,000 pages.
"""

import sys
import tempfile
from pathlib import Path

from tests.analyse.chromium import chromium, find_chromium
from tests.analyse.compact import make_compact, make_crawl

VIEWS = {
    "report-light": (1180, 1000, False, ""),
    "report-dark": (1180, 1000, True, "#bow-tie"),
    "report-crawl": (1180, 1000, False, "#the-crawl"),
    "report-phone": (390, 844, False, ""),
}


def main(arguments: list[str]) -> int:
    program = find_chromium()
    if not program:
        print("screenshots: no Chromium here; apt-get install chromium, then again", file=sys.stderr)
        return 2
    folder = Path(arguments[1] if len(arguments) > 1 else "docs/pictures")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, chromium(program) as browser:
        report = Path(arguments[0]) if arguments else make_report(Path(scratch))
        for name, (width, height, dark, place) in VIEWS.items():
            browser.look(width, height, dark, scale=2 if width < 500 else 1)
            browser.open(report)
            if place:
                browser.evaluate(f"document.querySelector('{place}').scrollIntoView({{behavior: 'instant'}})")
            browser.screenshot(folder / f"{name}.png")
            print(folder / f"{name}.png")
    return 0


def make_report(folder: Path) -> Path:
    from webgraph_it.analyse.command import run

    make_crawl(folder / "crawl", make_compact(folder / "graph", 6000, (folder / "crawl",)))
    return run(folder / "graph", folder / "analysis", [], 1.8e9, lambda words: None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
