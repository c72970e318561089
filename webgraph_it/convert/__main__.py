"""`python -m webgraph_it.convert` is `webgraph-it convert`."""

import sys

from webgraph_it.cli import main

if __name__ == "__main__":
    sys.exit(main(["convert", *sys.argv[1:]]))
