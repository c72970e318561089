"""`python -m webgraph_it.analyse` is `webgraph-it analyse`."""

import sys

from webgraph_it.cli import main

if __name__ == "__main__":
    sys.exit(main(["analyse", *sys.argv[1:]]))
