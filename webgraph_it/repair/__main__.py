"""`python -m webgraph_it.repair` is `webgraph-it repair`."""

import sys

from webgraph_it.cli import main

if __name__ == "__main__":
    sys.exit(main(["repair", *sys.argv[1:]]))
