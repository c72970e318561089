"""Archives: writing beside warcio and fastwarc, what an archive costs a crawl, reading beside warcio + lxml and WAT.

    python -m tests.benchmarks.archives [--responses 2000] [--rounds 5] [--hosts 500] [--pages 8000]
    python -m tests.benchmarks.archives --only reading [--captures 12000]

Fails if a crawl with an archive needs more than 1.35 times the CPU of one without, or if fewer than 3,000 pages are
ingested per second and core.
"""

import argparse
import sys

from tests.benchmarks.archives import reading, writing


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--responses", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hosts", type=int, default=500)
    parser.add_argument("--pages", type=int, default=8000)
    parser.add_argument("--captures", type=int, default=12_000)
    parser.add_argument("--only", choices=("writing", "reading"))
    options = parser.parse_args()
    failed = False
    if options.only != "reading":
        writing.records(options.responses, options.rounds)
        failed = writing.crawl(options.hosts, options.pages, options.rounds) > writing.TARGET
    if options.only != "writing":
        failed = reading.compare(options.captures, options.rounds) < reading.TARGET or failed
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
