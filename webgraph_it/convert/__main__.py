"""`python -m webgraph_it.convert`: the command line. See docs/convert.md."""

import sys

from webgraph_it.convert.command import main

if __name__ == "__main__":
    sys.exit(main())
