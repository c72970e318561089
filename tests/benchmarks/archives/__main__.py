"""Archives: writing beside warcio and fastwarc, and what an archive costs a crawl.

    python -m tests.benchmarks.archives [--responses 2000] [--rounds 5] [--hosts 500] [--pages 8000]

Fails if a crawl with an archive needs more than 1.35 times the CPU of one without.
"""

import argparse
import sys

from tests.benchmarks.archives import writing


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--responses", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hosts", type=int, default=500)
    parser.add_argument("--pages", type=int, default=8000)
    options = parser.parse_args()
    writing.records(options.responses, options.rounds)
    return int(writing.crawl(options.hosts, options.pages, options.rounds) > writing.TARGET)


if __name__ == "__main__":
    sys.exit(main())
