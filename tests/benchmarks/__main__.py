"""`make bench`: every benchmark, ours and a peer side by side, one after the other.

    python -m tests.benchmarks [NAME …]      all, or those named

Each is also a module of its own with options: python -m tests.benchmarks.NAME --help
"""

import subprocess
import sys

NAMES = (
    *("simweb", "names", "extract", "handler", "bandwidth", "connection_cap", "writer"),
    *(
        "frontier",
        "seeds",
        "plan_import",
        "convert",
        "exports",
        "pagerank",
        "recrawl",
        "crawl",
        "long_crawl",
        "console",
        "cluster",
        "archives",
        "fleet",
        "broker",
    ),
)


def main() -> int:
    chosen = sys.argv[1:] or NAMES
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    failed = []
    for name in chosen:
        print(f"\n== {name} ==", flush=True)
        if subprocess.run([sys.executable, "-m", f"tests.benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
