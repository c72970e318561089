"""`python -m webgraph_it.simweb` is `webgraph-it simweb`."""

import sys

from webgraph_it.cli import main

if __name__ == "__main__":
    sys.exit(main(["simweb", *sys.argv[1:]]))
