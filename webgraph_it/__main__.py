"""`python -m webgraph_it VERB …` is `webgraph-it VERB …`."""

import sys

from webgraph_it.cli import main

if __name__ == "__main__":
    sys.exit(main())
