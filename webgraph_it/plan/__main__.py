"""`python -m webgraph_it.plan` is `webgraph-it plan`."""

import sys

from webgraph_it.cli import main

if __name__ == "__main__":
    sys.exit(main(["plan", *sys.argv[1:]]))
